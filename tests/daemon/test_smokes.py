#!/usr/bin/env python3
"""Smokes of ./x kill-check, soak and cgroup-check."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cgroup_check  # noqa: E402
import kill_check  # noqa: E402
import soak  # noqa: E402
from daemon_process import FAST, Crew, Scratch  # noqa: E402
from support.claims import run  # noqa: E402


def test_a_failure_in_a_thread_fails_the_check():
    def client(name):
        assert name != "b", "b is not served"
    crew = Crew()
    for name in "abc":
        crew.start(client, name)
    try:
        crew.join()
    except AssertionError as fault:
        assert str(fault) == "client: AssertionError: b is not served", fault
        return
    raise AssertionError("nobody heard of it")


def test_jobs_survive_kill_9():
    kill_check.check(3, 1)


def test_mixed_load_loses_nothing():
    with Scratch() as folder:
        soak.soak(folder, FAST, goal=40, until=time.monotonic() + 600, clients=6, seed=1, kill_every=5)


def test_the_budget_is_never_crossed():
    cgroup_check.check("winning-2KiB", jobs=2, clients=2, budgets=[400 << 20], ratio=3)


if not os.path.exists(FAST):
    print("this build is without the daemon")
    for name in [n for n in globals() if n.startswith("test_")]:
        print(f"[ RUN      ] {name}\n[  SKIPPED ] {name}")
    sys.exit(0)
run(globals())
