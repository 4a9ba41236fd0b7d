"""The development key of the 2 KiB PoRep circuit (1.1 GB): made once a build, in <build>/demo, where `./x demo`
looks for it too."""
import fcntl
import glob
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
FOLDER = os.path.join(BUILD, "demo")
C1 = os.path.join(ROOT, "tests", "vectors", "filecoin", "porep-2k", "c1.json")


def make():
    """Paths of .params and .vk. Whoever comes meanwhile waits."""
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not glob.glob(os.path.join(FOLDER, "dev-v28-*.params")):
            subprocess.run([os.path.join(BUILD, "cuzk"), "setup", "porep-2KiB", "--insecure-seed", "porep-2k", "-o", FOLDER],
                           check=True, stdout=subprocess.DEVNULL)
    return [glob.glob(os.path.join(FOLDER, "dev-v28-*" + e))[0] for e in (".params", ".vk")]
