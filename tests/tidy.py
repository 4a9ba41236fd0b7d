#!/usr/bin/env python3
"""The tree's own rules, as tests (CONTRIBUTING says why each exists).

    tests/tidy.py                 check the tree
    tests/tidy.py --test BUILD    the same, plus the exported symbols of a build, in the output
                                  format of the other tests
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDER = ("base params field curve ntt msm curves backend r1cs circuit groth16 format filecoin engine "
         "daemon cli").split()
# Beyond the order: from groth16 on the machine is reached through these two headers (and the value
# types they are made of: the curve's tables of bulk operations, portable or the ones that
# backend/host.h finds, are for readers of points and for the verifier, which runs on the host);
# daemon and cli reach proofs through the public headers and the engine.
WAIST = {"backend/backend.h", "backend/host.h", "backend/witness.h", "backend/matrix.h",
         "curve/curve.h", "msm/group_kernels.h", "ntt/scalar_kernels.h"}
BELOW_WAIST = {"field", "params", "ntt", "msm", "curves", "backend", "curve"}
ALLOCATORS = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|aligned_alloc|posix_memalign|"
                        r"mmap|alloca)\s*\(")
TEXT = (".c", ".h", ".cc", ".cu", ".cuh", ".py", ".sh", ".md", ".txt", ".toml", ".proto")


def tracked():
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                         capture_output=True, text=True, check=True).stdout
    return [p for p in out.splitlines() if os.path.isfile(os.path.join(ROOT, p))]


def read(path):
    with open(os.path.join(ROOT, path), errors="replace") as f:
        return f.read()


def sources():
    return [p for p in tracked() if p.startswith("src/") and p.endswith((".c", ".h", ".cc", ".cu", ".cuh"))]


def strip_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def test_includes_point_left():
    for path in sources():
        folder = path.split("/")[1]
        if folder not in ORDER:
            yield f"{path}: folder '{folder}' is not in the order line"
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = match.group(1)
            other = target.split("/")[0]
            if other == "cuzk":
                continue
            if other not in ORDER:
                yield f"{path}:{number}: include of \"{target}\": name it from src/"
            elif ORDER.index(other) > ORDER.index(folder):
                yield f"{path}:{number}: {folder} may not include {other}"
            elif (ORDER.index(folder) >= ORDER.index("groth16") and other in BELOW_WAIST
                  and target not in WAIST):
                yield f"{path}:{number}: {folder} reaches the machine through backend.h and curve.h only"
            elif folder in ("daemon", "cli") and other not in ("base", "engine", "daemon", folder):
                yield f"{path}:{number}: {folder} reaches proofs through include/cuzk and engine only"


def test_file_names_are_unique():
    seen = {}
    for path in tracked():
        if not path.startswith(("src/", "include/", "bench/", "tools/")):
            continue
        name = os.path.basename(path)
        if name in seen:
            yield f"{path}: same name as {seen[name]}"
        seen[name] = path


def test_memory_comes_from_base():
    for path in sources():
        if path.startswith("src/base/") or path.endswith((".cu", ".cuh")):
            continue
        for number, line in enumerate(strip_comments(read(path)).splitlines(), 1):
            match = ALLOCATORS.search(line)
            if match:
                yield f"{path}:{number}: {match.group(1)} outside src/base"


def test_generated_headers_are_untouched():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools/params.py"), "--check"],
                          capture_output=True, text=True)
    if done.returncode:
        yield from done.stdout.splitlines() or [done.stderr]


def test_lines_fit():
    for path in tracked():
        if path.startswith(("src/", "include/", "tests/unit/", "tests/support/", "bench/")) and path.endswith(
                (".c", ".h", ".cc", ".cu", ".cuh")) and not path.startswith("src/params/"):
            for number, line in enumerate(read(path).split("\n"), 1):
                if len(line) > 110:
                    yield f"{path}:{number}: {len(line)} columns"
                if line.endswith((" ", "\t")):
                    yield f"{path}:{number}: white space at the end"


def test_no_dead_code_is_kept():
    for path in sources():
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.match(r"\s*#\s*if\s+0\b", line):
                yield f"{path}:{number}: #if 0"


def test_folders_are_described():
    text = read("ARCHITECTURE.md")
    for folder in sorted(os.listdir(os.path.join(ROOT, "src"))):
        if f"`{folder}/`" not in text:
            yield f"ARCHITECTURE.md does not describe src/{folder}/"
    if " · ".join(ORDER) not in text:
        yield "ARCHITECTURE.md lacks the order line: " + " · ".join(ORDER)


def test_version_is_the_same_everywhere():
    cmake = re.search(r"project\(cuzk VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
    header = re.search(r'CUZK_VERSION "([\d.]+)"', read("src/engine/version.h")).group(1)
    if cmake != header:
        yield f"CMakeLists.txt says {cmake}, src/engine/version.h {header}"


def test_commands_of_the_daemon_are_left_out_without_it():
    """A build with CUZK_DAEMON=OFF, as for GPU machines, does not link otherwise."""
    pattern = re.search(r'EXCLUDE REGEX\s+"(/\(command_[^"]*)"', read("CMakeLists.txt")).group(1)
    for path in sources():
        if re.match(r"src/cli/command_\w+\.c$", path) and \
                re.search(r'#include "(daemon/|cli/daemon_cli\.h)', read(path)) and \
                not re.search(pattern.replace("\\\\", "\\"), path):
            yield f"{path} needs the daemon: CMakeLists.txt does not leave it out without"


def exported(path):
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in out.stdout.splitlines()]


def test_exported_symbols_are_ours(build=None):
    libraries = glob.glob(os.path.join(build or os.path.join(ROOT, "build"), "libcuzk.so*"))
    if build and not libraries:
        yield "no libcuzk.so in the build"
    for path in libraries:
        for symbol in exported(path):
            if not symbol.startswith(("cuzk_", "_init", "_fini")):
                yield f"{os.path.basename(path)} exports {symbol}"


def main():
    as_test = "--test" in sys.argv
    build = sys.argv[sys.argv.index("--test") + 1] if as_test else None
    bad = 0
    for name, rule in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        print(f"[ RUN      ] {name}")
        found = list(rule(build) if name == "test_exported_symbols_are_ours" else rule())
        for sentence in found:
            print(sentence)
        print(f"[{'  FAILED  ' if found else '       OK '}] {name}")
        bad += bool(found)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
