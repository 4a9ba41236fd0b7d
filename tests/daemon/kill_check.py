#!/usr/bin/env python3
"""kill -9 of the daemon, and of a worker, at random points of a run: every accepted job ends once,
verified; none is lost.

    tests/daemon/kill_check.py [POINTS] [SEED]      20 points each (./x kill-check)

The jobs are WinningPoSt at LOW priority with the workers of fast_cuzk."""
import os
import random
import signal
import sys
import time

from daemon_process import Crew, Daemon, Scratch, Sector


def submit_all(daemon, sector, names):
    """What was accepted is owed, whatever happens afterwards. A daemon that dies in between has
    promised nothing about the rest: that comes again, as a client would."""
    owed = {}
    for name in names:
        try:
            job_id, status, answer = daemon.submit(sector, name, "low")
        except TimeoutError as fault:
            raise AssertionError(f"{name}: no answer: {daemon.tail()}") from fault
        except OSError:
            return owed
        if not job_id:
            raise AssertionError(f"{name} was refused with {status}: {answer}")
        owed[name] = job_id
    return owed


def all_end_once(daemon, sector, owed):
    for name, job_id in owed.items():
        job = daemon.wait(job_id)
        assert job["state"] == "done", f"{name}: {job['state']}: {job.get('error')}"
        assert sector.verify(daemon.proof(job_id)), f"{name}: its proof does not verify"
        again = daemon.submit(sector, name, "low")[0]
        assert again == job_id, f"{name} is another job now: {again}"
    ids = set(owed.values())
    assert len(ids) == len(owed), "two requests have one job"


def kill_later(process, seconds):
    time.sleep(seconds)
    process.kill()


def kill_daemon(folder, sector, points, rng):
    daemon = Daemon(folder, sector.keys).start()
    names = [f"job-{i}" for i in range(points)]
    owed, restarts = {}, 0
    begin = time.monotonic()
    while restarts < points:
        missing = [n for n in names if n not in owed][:3]
        killer = Crew()
        killer.start(kill_later, daemon.process, rng.uniform(0.0, 0.8))  # while we submit
        for name, job_id in submit_all(daemon, sector, missing).items():
            owed[name] = job_id
        killer.join()
        code = daemon.process.wait()
        assert code == -signal.SIGKILL, f"the daemon ended by itself, with {code}: {daemon.tail()}"
        daemon.start()
        restarts += 1
    owed.update(submit_all(daemon, sector, [n for n in names if n not in owed]))
    all_end_once(daemon, sector, owed)
    assert daemon.stop() == 0
    print(f"kill -9 of the daemon at {restarts} points: {len(owed)} jobs accepted, all done and verified, "
          f"{time.monotonic() - begin:.0f} s")


def worker_pid(daemon, killed):
    """Of the worker of ordinary jobs, once it runs; not of the one that was killed before."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pid = [w.get("pid") for w in daemon.status()["gpu_workers"] if w["name"] == "cpu"][0]
        if pid and pid != killed:
            return pid
        time.sleep(0.01)
    raise AssertionError("the worker is not started again: " + daemon.tail())


def kill_workers(folder, sector, points, rng):
    """One job at a time, its worker killed once at a random point of it or just after: it ends in the retry."""
    daemon = Daemon(folder, sector.keys).start()
    begin = time.monotonic()
    job_id, status, answer = daemon.submit(sector, "warm", "low")
    assert job_id, answer
    daemon.wait(job_id)
    alone = time.monotonic()
    job_id = daemon.submit(sector, "alone", "low")[0]
    daemon.wait(job_id)
    alone = time.monotonic() - alone
    owed, pid = {}, None
    for i in range(points):
        name = f"job-{i}"
        job_id, status, answer = daemon.submit(sector, name, "low")
        assert job_id, answer
        owed[name] = job_id
        time.sleep(rng.uniform(0, alone))
        pid = worker_pid(daemon, pid)
        os.kill(pid, signal.SIGKILL)
        daemon.wait(job_id)
    worker_pid(daemon, pid)
    counters = daemon.status()["counters"]
    assert counters["worker_deaths"] == points, f"{counters['worker_deaths']} workers died, {points} were killed"
    all_end_once(daemon, sector, owed)
    assert daemon.stop() == 0
    print(f"kill -9 of a worker at {points} points: {len(owed)} jobs accepted, all done and verified, "
          f"{counters['retries']} of them in a second attempt, {time.monotonic() - begin:.0f} s")


def check(points, seed):
    rng = random.Random(seed)
    with Scratch() as folder:
        sector = Sector(folder, "winning-2KiB")
        for f in (kill_daemon, kill_workers):
            place = os.path.join(folder, f.__name__)
            os.mkdir(place)
            f(place, sector, points, rng)


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"seed {seed}")
    check(number, seed)
