#!/usr/bin/env python3
"""What is shipped beside the program: alert rules, the Grafana dashboard, the systemd units, the
manual page."""
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support.claims import Skip, run  # noqa: E402

PACKAGING = os.path.join(ROOT, "packaging")


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def metric_names():
    """The families that src/daemon/metrics.c writes."""
    names = re.findall(r'(?:family|whole)\(out,\s*"(\w+)"', read("src", "daemon", "metrics.c"))
    return {"cuzk_" + n for n in names} | {f"cuzk_{n}_{end}" for n in names for end in ("sum", "count")}


def test_alert_rules_are_valid_and_fire():
    rules = os.path.join(PACKAGING, "prometheus")
    subprocess.run(["promtool", "check", "rules", "cuzk.rules.yml"], cwd=rules, check=True)
    subprocess.run(["promtool", "test", "rules", "cuzk.rules.test.yml"], cwd=rules, check=True)


def test_rules_and_dashboard_name_metrics_that_there_are():
    known = metric_names()
    assert len(known) > 60
    for path in ("prometheus/cuzk.rules.yml", "grafana/cuzk.json"):
        named = set(re.findall(r"\bcuzk_\w+", read("packaging", path)))
        assert len(named) > 8, path
        assert named <= known, f"{path}: {sorted(named - known)}"


def test_the_grafana_dashboard_is_what_its_tool_makes():
    subprocess.run([sys.executable, os.path.join(ROOT, "tools", "grafana.py"), "--check"], check=True)
    panels = json.loads(read("packaging", "grafana", "cuzk.json"))["panels"]
    places = set()
    for p in panels:
        g = p["gridPos"]
        cells = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
        assert g["x"] + g["w"] <= 24 and not cells & places, p["title"]
        places |= cells


def test_the_unit_says_what_the_daemon_does():
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read_string(read("packaging", "cuzk.service"))
    service = dict(unit["Service"])
    assert service["Type"] == "notify" and service["KillMode"] == "mixed"
    assert service["ExecStart"].startswith("/usr/bin/cuzk daemon -c ")
    assert 0 < int(service["WatchdogSec"]) <= 300


def test_the_manual_page_names_what_the_program_names():
    page = read("packaging", "cuzk.1")
    listed = {word for words in re.findall(r"^\.It Cm (.*)", page, re.M) for word in words.split(" , ")}
    text = subprocess.run([os.path.join(BUILD, "cuzk"), "--help"], capture_output=True, text=True, check=True).stdout
    verbs, codes = text.split("Verbs:\n")[1].split("\n\n")[0], text.split("Exit codes: ")[1]
    assert listed == {line.split()[0] for line in verbs.splitlines()}
    assert re.findall(r"\d+", codes) == re.findall(r"\d+", page.split(".Sh EXIT STATUS")[1].split(".Sh")[0])


def test_systemd_understands_the_units():
    if not shutil.which("systemd-analyze"):
        raise Skip("no systemd-analyze here")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cuzk.service", "cuzk.socket"):
            with open(os.path.join(folder, name), "w") as f:
                f.write(read("packaging", name).replace("/usr/bin/cuzk", os.path.join(BUILD, "cuzk")))
        units = [os.path.join(folder, name) for name in ("cuzk.service", "cuzk.socket")]
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
        complaints = [line for line in done.stderr.splitlines() if "cuzk" in line]
        assert done.returncode == 0 and not complaints, done.stderr


if __name__ == "__main__":
    run(globals())
