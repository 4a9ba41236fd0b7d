#!/usr/bin/env python3
"""The build's own claims, as tests: clang compiles everything without a warning, the fuzzers hold,
the benchmarks run.

One build serves the first two. Of the sources that no fuzzer needs (tests, benchmarks) clang makes
no code: its warnings are those of its front end."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support.claims import Skip, run  # noqa: E402

BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
CLANG = os.path.join(BUILD, "clang")
SANITIZE = "-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
CORES = os.cpu_count() or 1


def build_what_is_run():
    """The program, the library and the fuzz targets, with every warning an error."""
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", CLANG, "-DCMAKE_C_COMPILER=clang",
                    "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=Fuzz", f"-DCMAKE_C_FLAGS_FUZZ={SANITIZE}",
                    f"-DCMAKE_CXX_FLAGS_FUZZ={SANITIZE}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                    "-DCUZK_WERROR=ON", "-DCUZK_TESTS=ON", "-DCUZK_FUZZERS=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", CLANG, "-j", str(CORES), "--quiet", "cuzk", "libcuzk", "fuzzers"], check=True)


def is_compiled(unit):
    return os.path.exists(os.path.join(unit["directory"], re.search(r" -o (\S+) ", unit["command"]).group(1)))


def complaints(unit):
    """What clang says of a source when it only reads it, or None."""
    done = subprocess.run(unit["command"] + " -fsyntax-only", shell=True, cwd=unit["directory"],
                          capture_output=True, text=True)
    return f"{unit['file']}:\n{done.stdout}{done.stderr}" if done.returncode else None


def test_clang_compiles_everything_without_a_warning():
    build_what_is_run()
    with open(os.path.join(CLANG, "compile_commands.json")) as f:
        units = json.load(f)
    others = [u for u in units if not is_compiled(u)]
    print(f"{len(units) - len(others)} sources compiled, {len(others)} more read")
    assert len(units) > len(others) > 100, "these are not all sources"
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        found = [c for c in pool.map(complaints, others) if c]
    assert not found, "\n".join(found)


def test_the_kernels_of_one_curve_compile():
    """Where CUDA is; without a card nothing else of that back end can be shown."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        raise Skip("no nvcc: the CUDA back end is not even compiled")
    folder = os.path.join(BUILD, "cuda")
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCUZK_CUDA=ON", "-DCUZK_WERROR=ON",
                    "-DCUZK_DAEMON=OFF", "-DCUZK_TESTS=OFF", f"-DCMAKE_CUDA_COMPILER={nvcc}"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "--quiet", "cuzk_kernels", "cuzk_kernels_bn254"], check=True)


def test_fuzzers_find_nothing():
    build_what_is_run()
    subprocess.run([sys.executable, os.path.join(ROOT, "tests/fuzz/run.py"), "--build", CLANG, "--test"], check=True)


def test_benchmarks_run():
    subprocess.run([sys.executable, os.path.join(ROOT, "bench/run.py"), "--build", BUILD, "--smoke"], check=True)


run(globals())
