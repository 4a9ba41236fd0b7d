"""Runs the functions of a test script whose names begin with test_, and says so as cmocka does (what
tests/run.py reads)."""
import sys
import time
import traceback


class Skip(Exception):
    """A test that cannot run here, and why."""


def run(functions):
    bad = 0
    for name, test in list(functions.items()):
        if not name.startswith("test_") or (len(sys.argv) > 1 and sys.argv[1] not in name):
            continue
        print(f"[ RUN      ] {name}", flush=True)
        begin = time.monotonic()
        try:
            test()
            print(f"{time.monotonic() - begin:.1f} s\n[       OK ] {name}", flush=True)
        except Skip as why:
            print(f"{why}\n[  SKIPPED ] {name}", flush=True)
        except Exception:  # noqa: BLE001: each test is told apart
            print(traceback.format_exc())
            print(f"[  FAILED  ] {name}", flush=True)
            bad += 1
    sys.exit(bad != 0)
