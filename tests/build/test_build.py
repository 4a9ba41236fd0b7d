#!/usr/bin/env python3
"""The build's own claims, as tests: clang compiles everything without a warning, the fuzzers hold,
the benchmarks run."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLANG = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++"]
SANITIZE = "-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"


def build(folder, *arguments):
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *arguments], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "--quiet"], check=True)


def test_clang_builds_without_warnings(folder):
    build(os.path.join(folder, "clang"), *CLANG, "-DCUZK_WERROR=ON", "-DCUZK_TESTS=ON")


def test_fuzzers_find_nothing(folder):
    fuzz = os.path.join(folder, "fuzzers")
    build(fuzz, *CLANG, "-DCMAKE_BUILD_TYPE=Fuzz", "-DCUZK_TESTS=OFF", "-DCUZK_FUZZERS=ON",
          f"-DCMAKE_C_FLAGS_FUZZ={SANITIZE}", f"-DCMAKE_CXX_FLAGS_FUZZ={SANITIZE}")
    subprocess.run([sys.executable, os.path.join(ROOT, "tests/fuzz/run.py"), "--build", fuzz, "--test"],
                   check=True)


def test_benchmarks_run(folder):
    subprocess.run([sys.executable, os.path.join(ROOT, "bench/run.py"), "--build", folder, "--smoke"],
                   check=True)


def main():
    folder = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
    bad = 0
    for test in (test_clang_builds_without_warnings, test_fuzzers_find_nothing, test_benchmarks_run):
        print(f"[ RUN      ] {test.__name__}", flush=True)
        try:
            test(folder)
            print(f"[       OK ] {test.__name__}", flush=True)
        except subprocess.CalledProcessError as error:
            print(error)
            print(f"[  FAILED  ] {test.__name__}", flush=True)
            bad += 1
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
