#!/usr/bin/env python3
"""Writes packaging/grafana/cuzk.json, the dashboard for Grafana (10 or newer):

    tools/grafana.py            writes it
    tools/grafana.py --check    fails if the file is not what this makes
"""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATH = os.path.join(ROOT, "packaging", "grafana", "cuzk.json")
SOURCE = {"type": "prometheus", "uid": "${source}"}
PICK = 'instance=~"$instance"'

# title, unit, kind, width, height, [(expression, legend)], options
PANELS = [
    ("Running", "short", "stat", 4, 4, [(f"sum(cuzk_queue_jobs{{{PICK},state=\"running\"}})", "")], {}),
    ("Waiting", "short", "stat", 4, 4, [(f"sum(cuzk_queue_jobs{{{PICK},state=\"waiting\"}})", "")], {}),
    ("Proofs an hour", "short", "stat", 4, 4,
     [(f"sum(increase(cuzk_proofs_total{{{PICK},outcome=\"done\"}}[1h]))", "")], {}),
    ("Failed in a day", "short", "stat", 4, 4,
     [(f"sum(increase(cuzk_proofs_total{{{PICK},outcome=\"failed\"}}[1d]))", "")], {"alarm": 1}),
    ("Bad proofs caught", "short", "stat", 4, 4, [(f"sum(cuzk_verify_failures_total{{{PICK}}})", "")], {"alarm": 1}),
    ("Workers up", "short", "stat", 4, 4, [(f"sum(cuzk_worker_up{{{PICK}}})", "")], {}),
    ("Memory by class", "bytes", "timeseries", 12, 9,
     [(f"sum by (class) (cuzk_memory_used_bytes{{{PICK}}})", "{{class}}")], {"stack": True}),
    ("Memory against the budget", "bytes", "timeseries", 12, 9,
     [(f"cuzk_memory_budget_bytes{{{PICK}}}", "budget {{instance}}"),
      (f"cuzk_memory_reserved_bytes{{{PICK}}}", "reserved {{instance}}"),
      (f"cuzk_memory_metered_bytes{{{PICK}}}", "as the kernel counts {{instance}}")], {}),
    ("Proofs a minute", "short", "timeseries", 12, 8,
     [(f"sum by (kind) (rate(cuzk_proofs_total{{{PICK},outcome=\"done\"}}[5m])) * 60", "{{kind}}")], {"stack": True}),
    ("From accepted to done", "s", "timeseries", 12, 8,
     [(f"sum by (kind) (rate(cuzk_proof_duration_seconds_sum{{{PICK}}}[15m])) / "
       f"sum by (kind) (rate(cuzk_proof_duration_seconds_count{{{PICK}}}[15m]))", "{{kind}}")], {}),
    ("Queue by priority", "short", "timeseries", 12, 8,
     [(f"sum by (priority) (cuzk_queue_waiting_jobs{{{PICK}}})", "{{priority}}")], {"stack": True}),
    ("Wait for memory and a worker", "s", "timeseries", 12, 8,
     [(f"rate(cuzk_admission_wait_seconds_sum{{{PICK}}}[15m]) / rate(cuzk_admission_wait_seconds_count{{{PICK}}}[15m])",
       "{{instance}}")], {}),
    ("Workers busy", "percentunit", "timeseries", 12, 8,
     [(f"rate(cuzk_worker_busy_seconds_total{{{PICK}}}[5m])", "{{instance}} {{worker}}")], {"max": 1}),
    ("Device memory taken", "bytes", "timeseries", 12, 8,
     [(f"cuzk_device_memory_bytes{{{PICK},state=\"total\"}} - ignoring(state) "
       f"cuzk_device_memory_bytes{{{PICK},state=\"free\"}}", "{{instance}} {{worker}}")], {}),
    ("Keys loaded", "bytes", "timeseries", 12, 8,
     [(f"cuzk_key_resident_bytes{{{PICK}}}", "{{circuit}} on {{worker}}")], {"stack": True}),
    ("Disk", "bytes", "timeseries", 12, 8,
     [(f"cuzk_disk_free_bytes{{{PICK}}}", "free {{instance}}"), (f"cuzk_spool_bytes{{{PICK}}}", "payloads {{instance}}"),
      (f"cuzk_disk_reserve_bytes{{{PICK}}}", "reserve {{instance}}")], {}),
    ("Faults in an hour", "short", "timeseries", 24, 7,
     [(f"increase(cuzk_{name}_total{{{PICK}}}[1h])", label + " {{instance}}")
      for name, label in (("worker_deaths", "workers lost"), ("retries", "begun again"),
                          ("verify_failures", "bad proofs"), ("poisoned", "poisoned"),
                          ("preemptions", "made way for urgent"))], {}),
]


def panel(number, x, y, title, unit, kind, width, height, targets, options):
    defaults = {"unit": unit, "min": 0}
    custom = {"fillOpacity": 30 if options.get("stack") else 5, "lineWidth": 1, "showPoints": "never"}
    if options.get("stack"):
        custom["stacking"] = {"mode": "normal", "group": "A"}
    if kind == "timeseries":
        defaults["custom"] = custom
    if "max" in options:
        defaults["max"] = options["max"]
    if "alarm" in options:
        defaults["thresholds"] = {"mode": "absolute", "steps": [{"color": "green", "value": None},
                                                                {"color": "red", "value": options["alarm"]}]}
    return {"id": number, "title": title, "type": kind, "datasource": SOURCE,
            "gridPos": {"x": x, "y": y, "w": width, "h": height}, "fieldConfig": {"defaults": defaults, "overrides": []},
            "targets": [{"refId": chr(65 + i), "datasource": SOURCE, "expr": expression, "legendFormat": legend}
                        for i, (expression, legend) in enumerate(targets)]}


def dashboard():
    panels, x, y, row = [], 0, 0, 0
    for number, one in enumerate(PANELS, 1):
        if x + one[3] > 24:
            x, y, row = 0, y + row, 0
        panels.append(panel(number, x, y, *one))
        x, row = x + one[3], max(row, one[4])
    return {"uid": "cuzk", "title": "cuzk", "tags": ["cuzk", "filecoin"], "schemaVersion": 38, "editable": True,
            "refresh": "10s", "time": {"from": "now-6h", "to": "now"}, "panels": panels,
            "templating": {"list": [
                {"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"},
                {"name": "instance", "type": "query", "datasource": SOURCE, "includeAll": True, "multi": True,
                 "query": {"query": "label_values(cuzk_build_info, instance)", "refId": "instances"}, "refresh": 2}]}}


def main():
    text = json.dumps(dashboard(), indent=1) + "\n"
    if "--check" not in sys.argv:
        with open(PATH, "w") as f:
            f.write(text)
        return
    with open(PATH) as f:
        if f.read() != text:
            sys.exit("packaging/grafana/cuzk.json is not what tools/grafana.py makes")


if __name__ == "__main__":
    main()
