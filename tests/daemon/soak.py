#!/usr/bin/env python3
"""Mixed load for a long time: clients that submit, one in ten bad, cancelled or abandoned; workers
killed at random. No invalid proof is delivered, no accepted job is lost, memory and descriptors stay
flat.

    tests/daemon/soak.py [MINUTES] [PROOFS] [REAL]     at most 30 minutes, 10000 proofs, 500 of them by
                                                       the real workers (./x soak)

Two daemons: build/cuzk for the REAL ones first, then fast_cuzk for the many. Fewer proofs than were
asked for in that time are a failure, which says how many there were."""
import os
import random
import signal
import sys
import threading
import time

from daemon_process import CUZK, FAST, Crew, Daemon, Scratch, Sector

CLIENTS = 16
DRAIN_SECONDS = 600  # for the end of one of the jobs that are left when all clients have gone


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.done = self.bad = self.cancelled = self.abandoned = self.failed = 0
        self.invalid, self.lost, self.left = [], [], []

    def add(self, name, n=1):
        with self.lock:
            setattr(self, name, getattr(self, name) + n)


def client(number, daemon, sector, goal, until, tally, rng):
    i = 0
    while tally.done < goal and time.monotonic() < until:
        i += 1
        name = f"client-{number}-{i}"
        dice = rng.random()
        if dice < 1 / 30:  # not a proof at all
            good = sector.body
            sector_bad = type("Bad", (), {"body": good[:100] + b"\xff" * 64 + good[164:],
                                          "parameters": sector.parameters})()
            if daemon.submit(sector_bad, name, "low")[0]:
                tally.invalid.append(f"{name}: a broken request was accepted")
            tally.add("bad")
            continue
        job_id, status, answer = daemon.submit(sector, name, rng.choice(["low", "normal", None]))
        if not job_id:
            tally.lost.append(f"{name}: refused with {status}: {answer}")
            continue
        if dice < 2 / 30:
            daemon.ask("DELETE", f"/api/v1/jobs/{job_id}")
            job = daemon.wait(job_id)
            tally.add("cancelled" if job["state"] == "cancelled" else "done")
            continue
        if dice < 3 / 30:
            tally.add("abandoned")  # it is done all the same; the end looks
            with tally.lock:
                tally.left.append(job_id)
            continue
        job = daemon.wait(job_id)
        if job["state"] == "failed" and "signal 9" in job.get("error", ""):
            tally.add("failed")  # two kills in a row
            continue
        if job["state"] != "done":
            tally.lost.append(f"{name}: {job['state']}: {job.get('error')}")
            continue
        if rng.random() < 0.02 and not sector.verify(daemon.proof(job_id)):
            tally.invalid.append(name)
        tally.add("done")


def killer(daemon, every, rng, kills, stop):
    while not stop.wait(every * rng.uniform(0.5, 1.5)):
        workers = [w["pid"] for w in daemon.status()["gpu_workers"] if w.get("pid")]
        if not workers:
            continue  # they are being started again
        try:
            os.kill(rng.choice(workers), signal.SIGKILL)
            kills.append(time.monotonic())
        except ProcessLookupError:
            pass  # it ended meanwhile


def wait_for_the_rest(daemon):
    """The abandoned ones."""
    ended, until = None, time.monotonic() + DRAIN_SECONDS
    while time.monotonic() < until:
        status = daemon.status()
        if status["counters"]["queue_depth"] == 0 and all(w["state"] == "idle" for w in status["gpu_workers"]):
            return
        now = daemon.ended()
        if now != ended:
            ended, until = now, time.monotonic() + DRAIN_SECONDS
        time.sleep(0.2)
    raise AssertionError(f"{status['counters']['queue_depth']} jobs wait, and none has ended for {DRAIN_SECONDS} s")


def look_at_abandoned(daemon, tally):
    for job_id in tally.left:
        job = daemon.job(job_id)
        if not job:
            tally.lost.append(f"{job_id}, abandoned: the daemon does not know it")
        elif job["state"] != "done" and not (job["state"] == "failed" and "signal 9" in job.get("error", "")):
            tally.lost.append(f"{job_id}, abandoned: {job['state']}: {job.get('error')}")


def load(daemon, sector, goal, until, clients, rng, kill_every, tally, kills):
    """Memory and descriptors, sampled, until all clients are done."""
    crew, killing, samples, stop = Crew(), Crew(), [], threading.Event()
    try:
        for n in range(clients):
            crew.start(client, n, daemon, sector, goal, until, tally, random.Random(rng.random()))
        killing.start(killer, daemon, kill_every, rng, kills, stop)
        while any(t.is_alive() for t in crew.threads):
            time.sleep(0.5)
            samples.append((daemon.metered(), daemon.descriptors()))
        crew.join()
    finally:
        stop.set()
    killing.join()
    return samples


def soak(folder, program, goal, until, clients, seed, kill_every):
    rng, begin = random.Random(seed), time.monotonic()
    sector = Sector(folder, "winning-2KiB")
    daemon = Daemon(folder, sector.keys, program=program, budget="4GiB").start()
    tally, kills = Tally(), []
    try:
        job_id, status, answer = daemon.submit(sector, "first", "low")
        assert job_id, f"the first request was refused with {status}: {answer}"
        daemon.wait(job_id)
        samples = load(daemon, sector, goal, until, clients, rng, kill_every, tally, kills)
        wait_for_the_rest(daemon)
        look_at_abandoned(daemon, tally)
        code = daemon.stop()
        assert code == 0, f"exit code {code}: {daemon.tail()}"
    finally:
        if daemon.process.poll() is None:
            daemon.kill()
    quarter = max(1, len(samples) // 4)
    early = max(s[0] for s in samples[:2 * quarter]) >> 20
    late = max(s[0] for s in samples[-quarter:]) >> 20
    fds = max(s[1] for s in samples[:2 * quarter]), max(s[1] for s in samples[-quarter:])
    seconds = time.monotonic() - begin
    print(f"{os.path.basename(program)}, seed {seed}: {tally.done} of {goal} proofs in {seconds:.0f} s, {tally.bad} bad "
          f"requests, {tally.cancelled} cancelled, {tally.abandoned} abandoned, {len(kills)} workers killed, "
          f"{tally.failed} failed of it; memory {early} -> {late} MiB, descriptors {fds[0]} -> {fds[1]}", flush=True)
    assert not tally.invalid, tally.invalid[:3]
    assert not tally.lost, tally.lost[:3]
    assert tally.done >= goal, f"only {tally.done} of {goal} proofs when the time was over"
    assert kills or seconds < 4 * kill_every, "no worker was killed"
    assert late <= early + 64, "memory grows"
    assert fds[1] <= fds[0] + 16, "descriptors grow"


if __name__ == "__main__":
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    proofs = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    real = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    over = time.monotonic() + minutes * 60
    for program, goal in ((CUZK, real), (FAST, proofs - real)):
        assert time.monotonic() < over, f"the time was over before {os.path.basename(program)} began"
        with Scratch() as place:
            soak(place, program, goal, over, CLIENTS, int(time.time()), 20)
