#!/usr/bin/env python3
"""Runs every test of a build and closes with `N passed, N failed, N skipped`.

A test program is build/tests/test_* (cmocka) or a script tests/*/test_*.py that prints the same
lines. Its output is shown only when something in it failed or was skipped; a program that dies, or
runs past its time, counts its current test as failed.

As many run at once as there are processors and one more, because some wait; the long ones first. Each
is told of when it ends, with the seconds that it took, by the clock and of processors.

    --build DIR     the build to test
    --only WORD     programs whose name contains WORD
    --long          the long programs too (also: environment CUZK_LONG=1 for their long cases)
    --sanitized     the programs alone, without the scripts, and four times the time for each
    --jobs N        how many run at once
"""
import argparse
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What takes longest begins first, so that the end is not one of them alone.
LONG = ("test_build.py", "test_cli.py", "test_filecoin_proof", "test_grpc.py", "test_groth16_porep",
        "test_smokes.py", "test_daemon_jobs", "test_filecoin_porep", "test_groth16_tiny", "test_groth16_toy",
        "test_msm_blst", "test_msm", "test_filecoin_faults", "test_filecoin_sample", "test_filecoin_post",
        "test_lanes_windows_bls12_381", "test_msm_windows_bls12_381", "test_filecoin_update")
RUN = re.compile(r"\[ RUN      \] (\S+)")
END = re.compile(r"\[ *(OK|FAILED|SKIPPED) *\] (\S+)$")


class Result:
    def __init__(self, program):
        self.program = program
        self.passed, self.failed, self.skipped = [], [], []
        self.output = ""
        self.seconds = self.cpu_seconds = 0.0


def name_of(command):
    return os.path.basename(command[1] if command[0] == sys.executable else command[0])


def commands(build, only, sanitized):
    programs = [[p] for p in glob.glob(os.path.join(build, "tests", "test_*")) if os.access(p, os.X_OK)]
    scripts = [[sys.executable, p] for p in glob.glob(os.path.join(ROOT, "tests/*/test_*.py"))]
    checks = [[sys.executable, os.path.join(ROOT, "tests", "tidy.py"), "--test", build]]
    everything = {name_of(c): c for c in programs + ([] if sanitized else scripts + checks)}
    order = [n for n in LONG if n in everything] + sorted(set(everything) - set(LONG))
    return [everything[n] for n in order if only in n]


def execute(command, seconds, environment):
    """Output, exit code (or a sentence) and resources, those of its children included."""
    late = threading.Event()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment,
                                   cwd=ROOT)

        def stop():
            late.set()
            os.kill(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, stop)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read(), f"stopped after {seconds} s" if late.is_set() else process.returncode, usage


def run(command, build, seconds):
    result = Result(name_of(command))
    environment = dict(os.environ, CUZK_BUILD=os.path.abspath(build))
    begin = time.monotonic()
    output, status, usage = execute(command, seconds, environment)
    result.seconds = time.monotonic() - begin
    result.cpu_seconds = usage.ru_utime + usage.ru_stime
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
        result.failed.append(f"{result.program} ({status})")
    elif status == 0 and not (result.passed or result.failed or result.skipped):
        result.failed.append(f"{result.program} (ran no test)")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1)
    options = parser.parse_args()
    if options.long:
        os.environ["CUZK_LONG"] = "1"
    seconds = 7200 if options.long else 1500 * (4 if options.sanitized else 1)
    todo = commands(options.build, options.only, options.sanitized)
    passed = failed = skipped = 0
    cpu_seconds, begin = 0.0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(run, c, options.build, seconds) for c in todo]
        for done in concurrent.futures.as_completed(running):
            result = done.result()
            passed += len(result.passed)
            failed += len(result.failed)
            skipped += len(result.skipped)
            cpu_seconds += result.cpu_seconds
            print(f"{result.program:36} {len(result.passed):4} passed {len(result.failed):3} failed "
                  f"{len(result.skipped):3} skipped {result.seconds:7.1f} s {result.cpu_seconds:7.1f} CPU-s",
                  flush=True)
            for name in result.skipped:
                print(f"    SKIPPED {name}")
            for name in result.failed:
                print(f"    FAILED {name}")
            if result.failed:
                print("\n".join("    | " + line for line in result.output.splitlines()[-60:]))
    print(f"{time.monotonic() - begin:.0f} s, {cpu_seconds:.0f} CPU-s")
    if os.environ.get("CUZK_REQUIRE_DATA") == "1" and not os.environ.get("CUZK_TEST_DATA"):
        print("CUZK_REQUIRE_DATA is set but CUZK_TEST_DATA is not")
        failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
