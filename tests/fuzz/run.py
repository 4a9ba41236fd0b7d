#!/usr/bin/env python3
"""Runs the libFuzzer targets.

    run.py --build DIR                      60 s on each target, two at a time
    run.py --build DIR TARGET [SECONDS]     one target
    run.py --build DIR --test [SECONDS]     the committed corpus, then SECONDS (10) of each, in the
                                            output format of the other tests
A target is DIR/fuzz/fuzz_<name>; its seed corpus tests/fuzz/corpus/<name>; what it finds goes to
DIR/fuzz/found-<name>.
"""
import concurrent.futures
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fuzz(build, name, seconds):
    folder = os.path.join(build, "fuzz")
    seeds = os.path.join(ROOT, "tests", "fuzz", "corpus", name)
    grown, found = os.path.join(folder, "grown-" + name), os.path.join(folder, "found-" + name)
    for path in (grown, found):
        os.makedirs(path, exist_ok=True)
    return subprocess.run(
        [os.path.join(folder, "fuzz_" + name), grown, seeds, f"-max_total_time={seconds}",
         f"-artifact_prefix={found}/", "-rss_limit_mb=1024", "-timeout=10", "-print_final_stats=1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def main():
    args = sys.argv[1:]
    build = args[args.index("--build") + 1]
    del args[args.index("--build"):args.index("--build") + 2]
    as_test = "--test" in args
    args = [a for a in args if a != "--test"]
    names = sorted(os.path.basename(p)[5:] for p in glob.glob(os.path.join(build, "fuzz", "fuzz_*"))
                   if os.access(p, os.X_OK))
    seconds = 10 if as_test else 60
    if args and not args[0].isdigit():
        names, args = [args[0]], args[1:]
    if args:
        seconds = int(args[0])
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, done in zip(names, pool.map(lambda n: fuzz(build, n, seconds), names)):
            print(f"[ RUN      ] fuzz_{name}")
            runs = [l for l in done.stdout.splitlines() if "number_of_executed_units" in l]
            print(" ".join(runs))
            if done.returncode:
                bad += 1
                print(done.stdout[-6000:])
            print(f"[{'  FAILED  ' if done.returncode else '       OK '}] fuzz_{name}", flush=True)
    if not names:
        print("no fuzz targets in", build)
        bad = 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
