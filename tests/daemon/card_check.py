#!/usr/bin/env python3
"""The daemon on a machine with a card: PoRep and WinningPoSt jobs in turn within budgets of the card's memory,
from one that the larger circuit's smallest form fills beside the reserve. Every proof verifies; the larger ones are
the card's; neither what is reserved nor what the card itself says is in use goes beyond the budget; a worker that is
killed gives all back.

    tests/daemon/card_check.py [JOBS] [CLIENTS]     of each circuit; 6 and 4 (./x card-check)"""
import os
import re
import signal
import subprocess
import sys
import threading
import time

from daemon_process import CUZK, Crew, Daemon, Scratch, Sector

CONTEXT = 1 << 30  # of the driver, for a process that uses the card
HOST = "8GiB"
RESERVE = 1 << 30  # for WinningPoSt, on the host and on the card


def in_use():
    """Bytes of the first card, of all processes."""
    line = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    return int(line) << 20


def card(daemon):
    """Its worker and its ledger, once the worker has begun."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        status = daemon.status()
        for worker in status["gpu_workers"]:
            if worker["gpu_ordinal"] >= 0 and worker["device_total_bytes"] > 0:
                return worker, status["memory"]["devices"][0]
        time.sleep(0.05)
    raise RuntimeError("no worker of a card: " + daemon.tail())


def smallest(folder, sector):
    """What the smallest form takes of a card: the refusal of a job that fits nowhere says it."""
    os.mkdir(folder)
    daemon = Daemon(folder, sector.keys, program=CUZK, budget="1000MiB", reserve="0", device_budget="64MiB").start()
    try:
        card(daemon)
        job_id, _, answer = daemon.submit(sector, "too-large")
        assert job_id is None, "it was accepted"
        print(answer["error"], flush=True)
        return int(re.search(r"with a card \d+, and (\d+) of the card", answer["error"]).group(1))
    finally:
        daemon.stop()


def serve(folder, sectors, jobs, clients, least, budget, kill):
    os.mkdir(folder)
    idle = in_use()
    daemon = Daemon(folder, sectors[0].keys, program=CUZK, budget=HOST, reserve=str(RESERVE), threads=0,
                    device_budget=str(budget))
    reserved, used, stop, crew, sampler = [], [], threading.Event(), Crew(), Crew()
    work = [(f"{sector.circuit}-{i}", sector) for i in range(jobs) for sector in sectors]
    verified, lock = set(), threading.Lock()

    def sample():
        while not stop.wait(0.02):
            for ledger in daemon.status()["memory"]["devices"]:
                assert ledger["total_bytes"] in (0, budget), ledger
                reserved.append(ledger["used_bytes"])
            used.append(in_use() - idle)

    def client():
        while True:
            with lock:
                if not work:
                    return
                name, sector = work.pop(0)
            job_id, status, answer = daemon.submit(sector, name)
            assert job_id, f"{name} was refused with {status}: {answer}"
            job = daemon.wait(job_id)
            assert job["state"] == "done", f"{name}: {job}"
            assert sector.verify(daemon.proof(job_id)), f"{name}: its proof does not verify"
            verified.add(job_id)

    try:
        daemon.start()
        card(daemon)
        begin = time.monotonic()
        sampler.start(sample)
        for _ in range(clients):
            crew.start(client)
        if kill:
            while not (worker := card(daemon)[0])["state"] == "proving":
                time.sleep(0.01)
            os.kill(worker["pid"], signal.SIGKILL)
        crew.join()
        seconds = time.monotonic() - begin
        stop.set()
        sampler.join()
        status = daemon.status()
        deaths, retries = (status["counters"][name] for name in ("worker_deaths", "retries"))
        busy = {w["name"]: w["busy_total_secs"] for w in status["gpu_workers"]}
        code = daemon.stop()
    finally:
        stop.set()
        if daemon.process and daemon.process.poll() is None:
            daemon.kill()
    n = jobs * len(sectors)
    print(f"budget {budget >> 20} MiB of the card: {n} jobs, {seconds:.1f} s; reserved {max(reserved) >> 20} MiB at "
          f"most, in use {max(used) >> 20}, {len(used)} samples; {deaths} workers killed", flush=True)
    assert len(verified) == n, f"{len(verified)} of {n} jobs gave a proof"
    print("  busy: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in busy.items()), flush=True)
    assert code == 0 and deaths == retries == kill, f"exit {code}, {deaths} deaths, {retries} jobs tried again"
    assert least <= max(reserved) <= budget, "reserved"
    assert max(used) <= budget + CONTEXT, "in use"


def check(jobs, clients):
    with Scratch() as folder:
        sectors = [Sector(folder, circuit) for circuit in ("porep-2KiB", "winning-2KiB")]
        least = smallest(os.path.join(folder, "small"), sectors[0])
        for n in (1, 4, 30):
            for kill in (0, 1):
                serve(os.path.join(folder, f"{n}-{kill}"), sectors, jobs, clients, least, RESERVE + n * least, kill)


if __name__ == "__main__":
    check(int(sys.argv[1]) if len(sys.argv) > 1 else 6, int(sys.argv[2]) if len(sys.argv) > 2 else 4)
