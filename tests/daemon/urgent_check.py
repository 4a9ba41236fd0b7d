#!/usr/bin/env python3
"""WinningPoSt behind a full queue of PoRep jobs answers within 0.2 s plus 1.5 times its own time alone, with its key
loaded and without.

    tests/daemon/urgent_check.py [SAMPLES] [THREADS]      5 samples, all threads (./x urgent-check)

The real provers: the PoRep jobs compute meanwhile. Times are those of a client, from the body to the answer."""
import json
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from daemon_process import CUZK, Daemon, Scratch, Sector, read  # noqa: E402
from support import porep_key  # noqa: E402

QUEUE = 4


class Load:
    """PoRep jobs: `QUEUE` in the line and one that runs."""

    def __init__(self, daemon):
        self.daemon, self.ids = daemon, []
        self.body = read(porep_key.C1)
        for i in range(QUEUE + 1):
            status, answer = daemon.ask("POST", "/api/v1/jobs", self.body, kind="porep-c2", request_id=f"porep-{i}")
            assert status == 202, answer

    def wait_for_sums(self):
        """Until one of them is past its witness."""
        until = time.monotonic() + 900
        while time.monotonic() < until:
            stages = {w["name"]: w["stage"] for w in self.daemon.status()["gpu_workers"]}
            if stages["cpu"] == "quotient":
                return
            time.sleep(0.05)
        raise RuntimeError(f"no PoRep job computes after 900 s: {stages}, {self.jobs()}")

    def left(self):
        return sum(j["state"] in ("waiting", "running") for j in self.jobs())

    def jobs(self):
        return [j for j in json.loads(self.daemon.ask("GET", "/api/v1/jobs")[1])["jobs"] if j["kind"] == "porep-c2"]

    def cancel(self):
        for j in self.jobs():
            self.daemon.ask("DELETE", f"/api/v1/jobs/{j['job_id']}")


def one(daemon, sector, name):
    begin = time.monotonic()
    job_id, status, answer = daemon.submit(sector, name)
    assert job_id, answer
    job = daemon.wait(job_id)
    assert job["state"] == "done", job
    return time.monotonic() - begin


def measure(folder, keys, sector, samples, threads, loaded, rng):
    """Seconds of each sample; the first is with the key on the disk only."""
    os.mkdir(folder)
    daemon = Daemon(folder, keys, program=CUZK, budget="4GiB", threads=threads).start()
    try:
        one(daemon, sector, "plan")  # the circuit's plan is in the journal from now on
        daemon.ask("POST", f"/api/v1/keys/{sector.circuit}/evict")
        load = Load(daemon) if loaded else None
        if load:
            load.wait_for_sums()
        seconds = []
        for i in range(samples + 1):
            time.sleep(rng.uniform(0.1, 0.6))
            seconds.append(one(daemon, sector, f"sample-{i}"))
        if load:
            assert all(j["state"] in ("waiting", "running", "done") for j in load.jobs()), load.jobs()
            assert load.left() > 1, "the queue is empty: more PoRep jobs are needed"
            load.cancel()
        assert daemon.stop() == 0, daemon.tail()
    finally:
        if daemon.process.poll() is None:
            daemon.kill()
    assert len(seconds) == samples + 1
    return seconds


def check(samples, threads, seed=1):
    rng = random.Random(seed)
    with Scratch() as folder:
        sector = Sector(folder, "winning-2KiB")
        Sector(folder, "porep-2KiB")  # its key, too
        alone = measure(os.path.join(folder, "alone"), sector.keys, sector, samples, threads, False, rng)
        behind = measure(os.path.join(folder, "behind"), sector.keys, sector, samples, threads, True, rng)
    for what, own, found in (("key on disk", alone[0], behind[0]),
                             ("key loaded", statistics.median(alone[1:]), max(behind[1:]))):
        limit = 0.2 + 1.5 * own
        print(f"winning-2KiB, {what}: alone {own:.3f} s, behind {QUEUE + 1} PoRep jobs {found:.3f} s at most, "
              f"allowed {limit:.3f}")
        assert found <= limit, f"it waits for PoRep; all samples: {alone}, {behind}"


if __name__ == "__main__":
    check(int(sys.argv[1]) if len(sys.argv) > 1 else 5, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
