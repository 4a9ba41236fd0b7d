#!/usr/bin/env python3
"""Runs the benchmarks of a build and prints their lines under one that names the machine.

    run.py --build DIR            everything
    run.py --build DIR WHAT       the programs bench_WHAT*
    run.py --build DIR --smoke    two short iterations of each, in the output format of the tests

A benchmark prints one line a measurement,
    WHAT CURVE GROUP 2^k THREADS ours X ms PEER Y ms R.RRx        (R = peer / ours)
"""
import glob
import os
import platform
import subprocess
import sys


def machine():
    model = "unknown processor"
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    return f"# {model}, {os.cpu_count()} threads, {platform.system()} {platform.release()}"


def main():
    args = sys.argv[1:]
    build = args[args.index("--build") + 1]
    smoke = "--smoke" in args
    what = [a for a in args if not a.startswith("--") and a != build]
    programs = sorted(p for p in glob.glob(os.path.join(build, "bench", "bench_*"))
                      if os.access(p, os.X_OK))
    if what:
        programs = [p for p in programs if any(os.path.basename(p)[6:].startswith(w) for w in what)]
    if not smoke:
        print(machine(), flush=True)
    environment = dict(os.environ, CUZK_BENCH_SMOKE="1" if smoke else "0")
    bad = 0
    for program in programs:
        name = os.path.basename(program)
        if smoke:
            print(f"[ RUN      ] {name}", flush=True)
        status = subprocess.run([program], env=environment).returncode
        bad += status != 0
        if smoke:
            print(f"[{'  FAILED  ' if status else '       OK '}] {name}", flush=True)
    if not programs:
        print("no benchmarks match", what)
        bad = 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
