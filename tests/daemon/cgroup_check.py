#!/usr/bin/env python3
"""The daemon under a memory limit of its budget plus 256 MiB: nothing is killed, the sampled
anonymous and shared memory of all its processes stays within the limit, every proof verifies, and it
takes at most half as long again as without the limit.

    tests/daemon/cgroup_check.py [CIRCUIT] [JOBS] [CLIENTS] [BUDGET...]
                                    porep-2KiB 12 6 and three budgets (./x cgroup-check)

Control groups of version 1 or 2, whichever has the memory controller here. Where none can be made,
everything but the limit is looked at, and it says so."""
import os
import subprocess
import sys
import threading
import time

from daemon_process import CUZK, Crew, Daemon, Scratch, Sector

PATIENCE = 3600  # seconds for the end of one job, before it is known what one takes here
MARGIN = 256 << 20
STANDING = 192 << 20  # what the daemon keeps for its own processes on a machine without cards
V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"


class Group:
    """A control group with a memory limit (None: without)."""

    def __init__(self, limit):
        self.v1 = os.path.exists(os.path.join(V1, "memory.limit_in_bytes"))
        self.path = os.path.join(V1 if self.v1 else V2, f"cuzk-check-{os.getpid()}")
        try:
            if not self.v1:
                with open(os.path.join(V2, "cgroup.subtree_control"), "w") as f:
                    f.write("+memory")
            os.mkdir(self.path)
            if limit:
                with open(os.path.join(self.path, "memory.limit_in_bytes" if self.v1 else "memory.max"),
                          "w") as f:
                    f.write(str(limit))
        except OSError as e:
            print(f"without a control group, which cannot be made here: {e}")
            self.path = None

    def kills(self):
        if not self.path:
            return 0
        name = "memory.oom_control" if self.v1 else "memory.events"
        with open(os.path.join(self.path, name)) as f:
            for line in f:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
        return 0

    def remove(self):
        for _ in range(100 if self.path else 0):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.05)


def serve(folder, sector, jobs, clients, budget, limit, patience):
    """Seconds, highest metered bytes. `patience`: how long the daemon may go on without the end of a job."""
    os.mkdir(folder)
    group = Group(limit)
    daemon = Daemon(folder, sector.keys, program=CUZK, budget=str(budget), threads=0,
                    cgroup=group.path)
    samples, stop, crew, sampler = [], threading.Event(), Crew(), Crew()
    names, verified, lock = [f"sector-{i}" for i in range(jobs)], [], threading.Lock()

    def sample():
        while not stop.wait(0.02):
            samples.append(daemon.metered())

    def client():
        while True:
            with lock:
                if not names:
                    return
                name = names.pop()
            job_id, status, answer = daemon.submit(sector, name)
            assert job_id, f"{name} was refused with {status}: {answer}"
            job = daemon.wait(job_id, patience)
            assert job["state"] == "done", f"{name}: {job}"
            assert sector.verify(daemon.proof(job_id)), f"{name}: its proof does not verify"
            verified.append(job_id)

    try:
        daemon.start()
        sampler.start(sample)
        begin = time.monotonic()
        for _ in range(clients):
            crew.start(client)
        crew.join()
        seconds = time.monotonic() - begin
        stop.set()
        sampler.join()
        deaths = daemon.status()["counters"]["worker_deaths"]
        code = daemon.stop()
        killed = group.kills()
    finally:
        stop.set()
        if daemon.process and daemon.process.poll() is None:
            daemon.kill()
        group.remove()
    assert len(set(verified)) == jobs, f"{len(set(verified))} of {jobs} jobs gave a proof"
    assert code == 0 and deaths == 0 and killed == 0, f"exit {code}, {deaths} deaths, {killed} killed"
    assert len(samples) >= seconds, f"{len(samples)} samples of memory in {seconds:.0f} s"
    return seconds, max(samples)


def refused(folder, sector, budget):
    """A job that can never fit is refused with both numbers."""
    os.mkdir(folder)
    daemon = Daemon(folder, sector.keys, program=CUZK, budget=str(budget), reserve="0").start()
    try:
        job_id, status, answer = daemon.submit(sector, "too-large")
        assert job_id is None, "it was accepted"
        assert str(budget) in answer["error"], answer
        return answer["error"]
    finally:
        daemon.stop()


def plan_bytes(circuit):
    report = subprocess.run([CUZK, "plan", circuit, "--backend", "cpu"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    return [int(line.split()[1].replace(",", "")) for line in report.splitlines()
            if line.split()[:1] == ["total"]][0]


def check(circuit, jobs, clients, budgets, ratio=1.5):
    with Scratch() as folder:
        sector = Sector(folder, circuit)
        one = plan_bytes(circuit)
        print(f"{circuit}: one job takes {one >> 20} MiB; refused: "
              + refused(os.path.join(folder, "small"), sector, STANDING + one * 3 // 4), flush=True)
        budgets = budgets or [n * one + (300 << 20) for n in (2, 3, 6)]
        free, peak = serve(os.path.join(folder, "free"), sector, jobs, clients, budgets[-1], None, PATIENCE)
        print(f"without a limit: {jobs} jobs, {clients} at a time, {free:.1f} s, anonymous and shared "
              f"{peak >> 20} MiB at most", flush=True)
        for n, budget in enumerate(budgets):
            seconds, peak = serve(os.path.join(folder, f"limited-{n}"), sector, jobs, clients, budget,
                                  budget + MARGIN, max(600, 30 * free / jobs))
            print(f"budget {budget >> 20} MiB: {jobs} jobs, {seconds:.1f} s (without a limit {free:.1f}), "
                  f"anonymous and shared {peak >> 20} MiB at most, nothing killed; "
                  f"load {os.getloadavg()[0]:.1f}", flush=True)
            assert peak <= budget + MARGIN, "more memory than the budget and its margin"
            if seconds > ratio * free + 5:  # other work on the machine? the same once more without a limit, now
                free, _ = serve(os.path.join(folder, f"free-{n}"), sector, jobs, clients, budgets[-1], None,
                                PATIENCE)
                print(f"without a limit, once more: {free:.1f} s", flush=True)
            assert seconds <= ratio * free + 5, "the limit makes it slow"


if __name__ == "__main__":
    check(sys.argv[1] if len(sys.argv) > 1 else "porep-2KiB",
          int(sys.argv[2]) if len(sys.argv) > 2 else 12,
          int(sys.argv[3]) if len(sys.argv) > 3 else 6, [int(b) << 20 for b in sys.argv[4:]])
