#!/usr/bin/env python3
"""The constant-time functions under valgrind, with both bodies of the field arithmetic."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build")), "tests", "ct_functions")


def memcheck(*arguments, portable):
    environment = dict(os.environ, CUZK_CPU="portable" if portable else "")
    done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", PROGRAM, *arguments],
                          capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


def check(name, passed, output):
    print(f"[ RUN      ] {name}")
    if not passed:
        print(output)
    print(f"[{'       OK ' if passed else '  FAILED  '}] {name}", flush=True)
    return passed


def main():
    if not os.path.exists(PROGRAM) or not shutil.which("valgrind"):
        print("[ RUN      ] test_ct\nno valgrind or no program (built with gcc only)\n[  SKIPPED ] test_ct")
        return 0
    good = True
    for portable in (False, True):
        body = "portable" if portable else "native"
        code, output = memcheck(portable=portable)
        good &= check(f"test_ct_functions_do_not_depend_on_secrets_{body}", (code, output) == (0, ""), output)
    code, output = memcheck("--leak", portable=True)
    good &= check("test_a_branch_on_a_secret_is_reported", code == 9, output)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
