#!/usr/bin/env python3
"""Runs every test of a build and closes with `N passed, N failed, N skipped`.

A test program is build/tests/test_* (cmocka) or a script tests/*/test_*.py that prints the same
lines. Its output is shown only when something in it failed or was skipped; a program that dies, or
runs past its time, counts its current test as failed.

    --build DIR     the build to test
    --only WORD     programs whose name contains WORD
    --long          the long programs too (also: environment CUZK_LONG=1 for their long cases)
    --sanitized     the programs alone, without the scripts, and four times the time for each
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUN = re.compile(r"\[ RUN      \] (\S+)")
END = re.compile(r"\[ *(OK|FAILED|SKIPPED) *\] (\S+)$")


class Result:
    def __init__(self, program):
        self.program = program
        self.passed, self.failed, self.skipped = [], [], []
        self.output = ""
        self.seconds = 0.0


def commands(build, only, sanitized):
    programs = [[p] for p in sorted(glob.glob(os.path.join(build, "tests", "test_*")))
                if os.access(p, os.X_OK)]
    scripts = [[sys.executable, p] for p in sorted(glob.glob(os.path.join(ROOT, "tests/*/test_*.py")))]
    checks = [[sys.executable, os.path.join(ROOT, "tests", "tidy.py"), "--test", build]]
    everything = programs + ([] if sanitized else scripts + checks)
    return [c for c in everything if not only or only in os.path.basename(c[-1] if len(c) < 3 else c[1])]


def run(command, build, seconds):
    name = os.path.basename(command[1] if command[0] == sys.executable else command[0])
    result = Result(name)
    environment = dict(os.environ, CUZK_BUILD=os.path.abspath(build))
    begin = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, env=environment, cwd=ROOT)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = late.stdout or b"", f"stopped after {seconds} s"
    result.seconds = time.monotonic() - begin
    result.output = output.decode(errors="replace")
    current = None
    for line in result.output.splitlines():
        started, ended = RUN.search(line), END.search(line)
        if started:
            current = started.group(1)
        elif ended and ended.group(2) == current:
            {"OK": result.passed, "FAILED": result.failed,
             "SKIPPED": result.skipped}[ended.group(1)].append(current)
            current = None
    if current:
        result.failed.append(f"{current} ({status})")
    elif status != 0 and not result.failed:
        result.failed.append(f"{name} ({status})")
    elif status == 0 and not (result.passed or result.failed or result.skipped):
        result.failed.append(f"{name} (ran no test)")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    if options.long:
        os.environ["CUZK_LONG"] = "1"
    seconds = 7200 if options.long else 1500 * (4 if options.sanitized else 1)
    todo = commands(options.build, options.only, options.sanitized)
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for result in pool.map(lambda c: run(c, options.build, seconds), todo):
            passed += len(result.passed)
            failed += len(result.failed)
            skipped += len(result.skipped)
            print(f"{result.program:40} {len(result.passed):4} passed {len(result.failed):3} failed "
                  f"{len(result.skipped):3} skipped {result.seconds:7.1f} s", flush=True)
            for name in result.skipped:
                print(f"    SKIPPED {name}")
            for name in result.failed:
                print(f"    FAILED {name}")
            if result.failed:
                print("\n".join("    | " + line for line in result.output.splitlines()[-60:]))
    if os.environ.get("CUZK_REQUIRE_DATA") == "1" and not os.environ.get("CUZK_TEST_DATA"):
        print("CUZK_REQUIRE_DATA is set but CUZK_TEST_DATA is not")
        failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
