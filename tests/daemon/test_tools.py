#!/usr/bin/env python3
"""cuzk jobs, status, cancel, clear, top, trace and cuzk-bench, over the made-up jobs of staged_daemon."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from daemon.daemon_process import free_port  # noqa: E402
from support.claims import run  # noqa: E402
from support.staged import BUILD, Staged, job_path, make_certificate  # noqa: E402


class Tools(Staged):
    """A staged daemon with gRPC on a unix socket, and our tools on it."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="cuzk-tools-")
        self.address = self.unix = "unix://" + os.path.join(self.folder.name, "s.sock")
        options = list(options)
        if "--tcp" in options:
            self.tcp = f"http://127.0.0.1:{free_port()}"
            at = options.index("--tcp")
            options[at:at + 1] = ["--listen", self.tcp]
        super().__init__("--listen", self.address, *options)
        until = time.monotonic() + 30
        while "--quiet" not in options and self.json("/status")["counters"]["queue_depth"] < 3:
            assert time.monotonic() < until, "the made-up queue does not fill"
            time.sleep(0.1)

    def __exit__(self, *what):
        super().__exit__(*what)
        self.folder.cleanup()

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "wb") as f:
                f.write(content)
        return path

    def tool(self, *arguments, want=0, program="cuzk"):
        done = subprocess.run([os.path.join(BUILD, program), *arguments, "-a", self.address], capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == want, f"{arguments}: {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        return done.stdout if want == 0 else done.stderr


def test_jobs_are_listed():
    with Tools() as daemon:
        text = daemon.tool("jobs")
        assert text.startswith("STATE ") and "\nrunning " in text and "waiting 1" in text, text
        jobs = json.loads(daemon.tool("jobs", "--json"))["jobs"]
        assert jobs[0]["state"] == "running" and jobs[0]["partitions"] in (10, 16, 1)
        assert {j["state"] for j in jobs} == {"running", "waiting"}
        assert any("GiB free of" in j["why"] for j in jobs)


def test_status_says_the_same_as_http():
    with Tools() as daemon:
        over_grpc, over_http = json.loads(daemon.tool("status", "--json")), daemon.json("/status")
        assert set(over_grpc) == set(over_http) and over_grpc["memory"]["total_bytes"] == 96 << 30
        text = daemon.tool("status")
        assert re.search(r"memory budget +96\.0 GiB\n", text), text


def test_cancel_ends_a_job_and_knows_none():
    with Tools() as daemon:
        waiting = [j for j in json.loads(daemon.tool("jobs", "--json"))["jobs"] if j["state"] == "waiting"][-1]
        assert daemon.tool("cancel", waiting["job_id"]) == "it was not running\n"
        assert daemon.json(job_path(waiting["job_id"]))["state"] == "cancelled"
        assert "NOT_FOUND" in daemon.tool("cancel", "nothing", want=3)


def test_clear_finds_a_job_and_knows_none():
    with Tools("--quiet") as daemon:
        daemon.json("/api/v1/jobs?kind=winning-post&request_id=w", "POST", b"abc", want=202)
        assert daemon.tool("clear", "w") == "cleared\n"
        assert "NOT_FOUND" in daemon.tool("clear", "nothing", want=3)
        assert "expected the id of a job" in daemon.tool("clear", want=2)


def test_tls_is_spoken_with_the_files_that_are_given():
    with tempfile.TemporaryDirectory() as folder:
        key, cert = os.path.join(folder, "key"), os.path.join(folder, "cert")
        make_certificate(cert, key)
        with Tools("--quiet", "--cert", cert, "--key", key, "--client-ca", cert, "--tcp") as daemon:
            daemon.address = "https" + daemon.tcp[4:]
            ours = ["--cert", cert, "--key", key]
            assert daemon.tool("jobs", "--ca", cert, *ours).startswith("STATE ")
            for _ in range(20):  # the server's flight, its alert and the end of the connection race
                said = daemon.tool("jobs", "--ca", cert, want=6)  # it wants to see ours
                assert "certificate required" in said, said
                said = daemon.tool("jobs", *ours, want=6)  # nobody we trust has signed the server's
                assert "certificate verify failed" in said, said
            assert "belong together" in daemon.tool("jobs", "--cert", cert, want=2)
            daemon.address = daemon.tcp
            assert daemon.tool("top", "--ca", cert, *ours).startswith("cuzk ")  # the files say that it is TLS
            assert daemon.tool("jobs", want=6)
            daemon.address = daemon.unix
            assert "no TLS is spoken over a unix socket" in daemon.tool("jobs", "--ca", cert, want=2)


def test_trace_is_a_chrome_trace():
    with Tools("--quiet") as daemon:
        daemon.json("/api/v1/jobs?kind=winning-post&request_id=w", "POST", b"abc", want=202)
        daemon.json("/api/v1/jobs/w?wait=30")
        out = daemon.path("trace.json")
        daemon.tool("trace", "w", "-o", out)
        with open(out) as f:
            assert {e["ph"] for e in json.load(f)["traceEvents"]} == {"X"}
        assert json.loads(daemon.tool("trace", "w"))["traceEvents"]
        daemon.tool("trace", "nothing", want=3)


def test_top_prints_one_screen_where_there_is_no_terminal():
    with Tools() as daemon:
        text = daemon.tool("top")
        assert text.startswith("cuzk ") and "memory   [k" in text and "reserved of 96.0 GiB" in text
        assert "\033" not in text


def test_hostile_ids_reach_no_terminal():
    with Tools("--quiet") as daemon:
        daemon.json("/api/v1/jobs?kind=porep-c2&request_id=%1b%5b31m%0aevil", "POST", b"abc", want=202)
        for verb in ("jobs", "top"):
            text = daemon.tool(verb)
            assert "?[31m?evil~" in text and "\033" not in text, text


def test_bench_single_prints_and_writes_the_proof():
    with Tools("--quiet") as daemon:
        proof = daemon.path("proof.bin")
        text = daemon.tool("single", "-t", "winning", "--vanilla", daemon.path("v", b"v" * 1000), "--randomness",
                           "ab" * 32, "--registered-proof", "3", "-o", proof, program="cuzk-bench")
        with open(proof, "rb") as f:
            found = f.read()
        assert len(found) == 192 and found.hex() in text
        job = daemon.json("/api/v1/jobs")["jobs"][0]
        assert job["kind"] == "winning-post" and job["request_id"].startswith("bench-")
        assert daemon.json(job_path(job["job_id"]))["proofs"] == [found.hex()]


def test_bench_batch_measures_and_draws():
    with Tools("--quiet") as daemon:
        plot, vanilla = daemon.path("plot.svg"), daemon.path("v", b"v" * 100000)
        answer = json.loads(daemon.tool("batch", "-t", "winning", "--vanilla", vanilla, "-c", "4", "-j", "3", "--plot",
                                        plot, "--json", program="cuzk-bench"))
        assert answer["proofs"] == 4 and answer["failed"] == 0
        assert 0 < answer["min"] <= answer["median"] <= answer["p95"] <= answer["max"] <= answer["seconds"] + 0.01
        assert abs(answer["proofs a minute"] * answer["seconds a proof"] - 60) < 0.01
        assert answer["daemon peak bytes"] > 300 << 20
        root = xml.etree.ElementTree.parse(plot).getroot()
        kinds = [e.get("class") for e in root.iter() if e.get("class")]
        assert {"metered", "reserved", "budget", "witness", "sum"} <= set(kinds), set(kinds)
        assert len({j["request_id"] for j in daemon.json("/api/v1/jobs")["jobs"]}) == 4


def test_wrong_arguments_of_bench_are_named():
    with Tools("--quiet") as daemon:
        file = daemon.path("v", b"abc")
        assert "expected -t" in daemon.tool("single", "--c1", file, program="cuzk-bench", want=2)
        assert "expected --c1" in daemon.tool("single", "-t", "porep", program="cuzk-bench", want=2)
        assert "no command" in daemon.tool("gen-vanilla", program="cuzk-bench", want=2)
        assert daemon.path("gone") in daemon.tool("single", "-t", "porep", "--c1", daemon.path("gone"),
                                                  program="cuzk-bench", want=6)


def test_bench_asks_status_metrics_and_preloads():
    with Tools("--quiet") as daemon:
        assert json.loads(daemon.tool("status", program="cuzk-bench"))["version"]
        metrics = daemon.tool("metrics", program="cuzk-bench")
        assert "cuzk_proofs_completed_total 0" in metrics
        daemon.tool("cancel", "nobody", want=3)
        metrics = daemon.tool("metrics", program="cuzk-bench")
        for line in ('cuzk_rpc_calls_total{code="OK"} 2', 'cuzk_rpc_calls_total{code="NOT_FOUND"} 1',
                     "cuzk_rpc_connections_total 4", "cuzk_rpc_open_calls 1"):
            assert line + "\n" in metrics, line
        assert daemon.tool("preload", "-c", "porep-64GiB", program="cuzk-bench") == "loaded in 1234 ms\n"
        assert daemon.tool("preload", "-c", "porep-64GiB", program="cuzk-bench") == "loaded already\n"


def test_an_answer_that_cannot_be_written_is_a_failure():
    with Tools() as daemon:
        job = json.loads(daemon.tool("jobs", "--json"))["jobs"][0]["job_id"]
        for program, *arguments in (("cuzk", "trace", job), ("cuzk", "status"), ("cuzk", "status", "--json"),
                                    ("cuzk", "jobs"), ("cuzk", "top", "--once"), ("cuzk-bench", "metrics")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([os.path.join(BUILD, program), *arguments, "-a", daemon.address],
                                      stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
            assert done.returncode == 6, (arguments, done.returncode, done.stderr)
            assert done.stderr == "cuzk: cannot write the answer\n", done.stderr


def test_nobody_there_is_one_line():
    done = subprocess.run([os.path.join(BUILD, "cuzk"), "jobs", "-a", "unix:///nowhere/s.sock"], capture_output=True,
                          text=True)
    assert done.returncode == 6 and done.stderr.count("\n") == 1 and "/nowhere/s.sock" in done.stderr


if __name__ == "__main__":
    run(globals())
