#!/usr/bin/env python3
"""Mixed load for a long time: clients that submit, one in ten bad, cancelled or abandoned; workers
killed at random. No invalid proof is delivered, no accepted job is lost, memory and descriptors stay
flat.

    tests/daemon/soak.py [MINUTES] [PROOFS] [REAL]     30 minutes, 10000 proofs, 500 of them by the
                                                       real workers (./x soak)

Two daemons: fast_cuzk for the many, build/cuzk for the REAL ones."""
import os
import random
import signal
import sys
import threading
import time

from daemon_process import CUZK, FAST, Daemon, Scratch, Sector

CLIENTS = 16


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


def run_client(number, daemon, sector, goal, until, tally, rng):
    try:
        client(number, daemon, sector, goal, until, tally, rng)
    except Exception as fault:  # noqa: BLE001: whatever it is, it is told at the end
        tally.lost.append(f"client {number}: {fault}")


def killer(daemon, until, every, rng, kills, stop):
    while time.monotonic() < until and not stop.wait(every * rng.uniform(0.5, 1.5)):
        try:
            workers = [w["pid"] for w in daemon.status()["gpu_workers"] if w.get("pid")]
            os.kill(rng.choice(workers), signal.SIGKILL)
            kills.append(time.monotonic())
        except (OSError, IndexError):
            pass


def soak(folder, program, goal, seconds, clients, seed, kill_every):
    rng = random.Random(seed)
    sector = Sector(folder, "winning-2KiB")
    daemon = Daemon(folder, sector.keys, program=program, budget="4GiB").start()
    tally, kills, stop = Tally(), [], threading.Event()
    until = time.monotonic() + seconds
    job_id = daemon.submit(sector, "first", "low")[0]
    daemon.wait(job_id)
    samples = []
    threads = [threading.Thread(target=run_client, args=(n, daemon, sector, goal, until, tally,
                                                     random.Random(rng.random())))
               for n in range(clients)]
    threads.append(threading.Thread(target=killer, args=(daemon, until, kill_every, rng, kills, stop)))
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads[:-1]):
        time.sleep(0.5)
        samples.append((daemon.metered(), daemon.descriptors()))
    stop.set()
    for t in threads:
        t.join()
    while True:  # the abandoned ones
        status = daemon.status()
        if status["counters"]["queue_depth"] == 0 and \
                all(w["state"] == "idle" for w in status["gpu_workers"]):
            break
        time.sleep(0.2)
    for job_id in tally.left:
        job = daemon.job(job_id)
        if job["state"] != "done" and not (job["state"] == "failed" and "signal 9" in job.get("error", "")):
            tally.lost.append(f"{job_id}, abandoned: {job['state']}: {job.get('error')}")
    assert daemon.stop() == 0
    quarter = max(1, len(samples) // 4)
    early = max(s[0] for s in samples[:2 * quarter]) >> 20
    late = max(s[0] for s in samples[-quarter:]) >> 20
    fds = max(s[1] for s in samples[:2 * quarter]), max(s[1] for s in samples[-quarter:])
    print(f"{tally.done} proofs, {tally.bad} bad requests, {tally.cancelled} cancelled, "
          f"{tally.abandoned} abandoned, {len(kills)} workers killed, {tally.failed} failed of it; "
          f"memory {early} -> {late} MiB, descriptors {fds[0]} -> {fds[1]}")
    assert not tally.invalid, tally.invalid[:3]
    assert not tally.lost, tally.lost[:3]
    assert tally.done > 0
    assert late <= early + 64, "memory grows"
    assert fds[1] <= fds[0] + 16, "descriptors grow"


if __name__ == "__main__":
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    proofs = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    real = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    for program, goal in ((FAST, proofs - real), (CUZK, real)):
        with Scratch() as place:
            soak(place, program, goal, minutes * 60 * goal / proofs, CLIENTS, int(time.time()), 20)
