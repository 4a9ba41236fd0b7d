#!/usr/bin/env python3
"""The HTTP port and the dashboard, over the made-up jobs of staged_daemon."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from daemon.browser import Browser  # noqa: E402
from support.claims import run  # noqa: E402
from support.staged import BUILD, Staged, job_path, make_certificate  # noqa: E402


def test_metrics_pass_promtool():
    with Staged() as daemon:
        status, headers, text = daemon.ask("/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
        subprocess.run(["promtool", "check", "metrics"], input=text, check=True)
        for name in (b"cuzk_build_info", b'cuzk_proofs_total{kind="porep-c2",outcome="done"}',
                     b'cuzk_memory_used_bytes{class="witness"}', b"cuzk_memory_budget_bytes 103079215104",
                     b"cuzk_rpc_open_connections 0", b'cuzk_rpc_calls_total{code="OK"} 0'):
            assert name in text, name


def test_status_has_the_originals_shape():
    with Staged() as daemon:
        s = daemon.json("/status")
        assert {"uptime_secs", "memory", "synthesis", "pipelines", "gpu_workers", "allocations", "counters",
                "buffers"} <= set(s)
        assert {"total_bytes", "used_bytes", "available_bytes"} <= set(s["memory"])
        assert {"max_concurrent", "active"} <= set(s["synthesis"])
        pipeline = s["pipelines"][0]
        assert {"job_id", "proof_kind", "started_secs_ago", "total_partitions", "partitions_done"} <= set(pipeline)
        assert len(pipeline["partitions"]) == pipeline["total_partitions"]
        assert {"index", "state", "synth_ms", "gpu_ms"} <= set(pipeline["partitions"][0])
        assert {"worker_id", "gpu_ordinal", "state", "busy_secs"} <= set(s["gpu_workers"][0])
        assert {"circuit_id", "bytes", "last_used_secs_ago", "evictable"} <= set(s["allocations"]["srs"][0])
        assert {"total_completed", "total_failed", "completed_by_kind", "failed_by_kind",
                "queue_depth"} <= set(s["counters"])
        assert {"synth_in_flight", "provers_in_flight", "aux_in_flight", "shells_in_flight",
                "pending_handles"} <= set(s["buffers"])


def test_a_job_from_its_body_to_its_proof():
    with Staged("--quiet") as daemon:
        query = urllib.parse.urlencode({"kind": "winning-post", "request_id": "winpost-1/2 [3]",
                                        "randomness": "ab" * 32, "registered_proof": 3, "lengths": "1000,500"})
        status, headers, text = daemon.ask("/api/v1/jobs?" + query, "POST", b"v" * 1500)
        assert status == 202, text
        job_id = json.loads(text)["job_id"]
        assert headers["Location"] == job_path(job_id), headers["Location"]
        job = daemon.json(job_path(job_id) + "?wait=30")
        assert job["state"] == "done" and job["request_id"] == "winpost-1/2 [3]"
        assert [len(p) for p in job["proofs"]] == [384]
        status, _, proof = daemon.ask(job_path(job_id) + "/proof")
        assert status == 200 and proof.hex() == job["proofs"][0]
        assert daemon.json(job_path("winpost-1/2 [3]"))["job_id"] == job_id
        assert daemon.json(job_path(job_id) + "/trace")["traceEvents"]
        again = daemon.json("/api/v1/jobs?" + query, "POST", b"v" * 1500, want=202)
        assert again["attached"] and again["job_id"] == job_id
        assert [j["job_id"] for j in daemon.json("/api/v1/jobs?state=done")["jobs"]] == [job_id]


def test_bodies_stream_and_have_a_limit():
    with Staged("--quiet") as daemon:
        large = b"x" * (8 << 20)
        answer = daemon.json("/api/v1/jobs?kind=porep-c2", "POST", iter([large[:5 << 20], large[5 << 20:]]),
                             want=202)
        assert answer["job_id"].startswith("body-8388608-0~"), answer
        daemon.json("/api/v1/jobs?kind=porep-c2", "POST", iter([large, b"x"]), want=413)
        # announced too long: refused before the body is sent
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as s:
            s.sendall(b"POST /api/v1/jobs?kind=porep-c2 HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n")
            assert s.recv(100).startswith(b"HTTP/1.1 413 ")
        # a client that goes away in the middle leaves nothing
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as s:
            s.sendall(b"POST /api/v1/jobs?kind=porep-c2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
        assert len(daemon.json("/api/v1/jobs")["jobs"]) == 1


def test_busy_is_429():
    with Staged("--quiet") as daemon:
        daemon.process.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        large = bytes((512 << 10) + 1)
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=60) as s:  # it waits for no body
            s.sendall(b"POST /api/v1/jobs?kind=porep-c2 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(large))
            text = b"".join(iter(lambda: s.recv(4096), b""))
        assert text.startswith(b"HTTP/1.1 429 ") and b"the disk's reserve" in text, text
        assert int(re.search(rb"Retry-After: (\d+)", text)[1]) > 0
        daemon.json("/api/v1/jobs?kind=porep-c2&request_id=small", "POST", large[:-1], want=202)
        daemon.process.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        daemon.json("/api/v1/jobs?kind=porep-c2&request_id=large", "POST", large, want=202)


def test_wrong_requests_are_named():
    with Staged("--quiet") as daemon:
        cases = [("POST", "/api/v1/jobs", b"abc", 400, "expected kind="),
                 ("POST", "/api/v1/jobs?kind=porep", b"abc", 400, "kind: 'porep' is not a value of it"),
                 ("POST", "/api/v1/jobs?kind=porep-c2&colour=red", b"abc", 400, "unknown parameter colour"),
                 ("POST", "/api/v1/jobs?kind=porep-c2&miner_id=-1", b"abc", 400, "miner_id"),
                 ("POST", "/api/v1/jobs?kind=porep-c2&randomness=00", b"abc", 400, "randomness"),
                 ("POST", "/api/v1/jobs?kind=window-post&lengths=1,1", b"abc", 400, "add up to 2 bytes, the body has 3"),
                 ("POST", "/api/v1/jobs?kind=window-post&lengths=1,,2", b"abc", 400, "lengths"),
                 ("POST", "/api/v1/jobs?kind=window-post&lengths=3&lengths=3", b"abc", 400, "lengths"),
                 ("POST", "/api/v1/jobs?kind=porep-c2", b"", 400, "found nothing"),
                 ("POST", "/api/v1/jobs?kind=porep-c2", b"bad things", 400, "bad things"),
                 ("GET", "/api/v1/jobs/none", None, 404, "no job 'none'"),
                 ("GET", "/api/v1/jobs/none/trace", None, 404, "no timeline"),
                 ("DELETE", "/api/v1/jobs/none", None, 404, "no job"),
                 ("PUT", "/api/v1/jobs", b"abc", 405, "PUT"),
                 ("GET", "/api/v1/jobs/a?wait=1000", None, 400, "at most 300"),
                 ("GET", "/api/v1/jobs?limit=many", None, 400, "limit"),
                 ("GET", "/api/v1/jobs/" + "i" * 300, None, 404, "there is no"),
                 ("GET", "/api/v1/keys/porep-32GiB/evict", None, 405, "POST"),
                 ("POST", "/api/v1/keys/nothing/evict", None, 409, "no such circuit"),
                 ("POST", "/status", b"", 405, "GET"),
                 ("GET", "/../etc/passwd", None, 404, "there is no")]
        for method, path, body, code, sentence in cases:
            error = daemon.json(path, method, body, want=code)["error"]
            assert sentence in error, f"{method} {path}: {error}"


def test_a_token_guards_all_but_health_and_the_page():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "token")
        with open(path, "w") as f:
            f.write("0123456789abcdef\n")
        with Staged("--token-file", path) as daemon:
            for free in ("/", "/style.css", "/script.js", "/uplot.js", "/healthz", "/readyz"):
                assert daemon.ask(free)[0] == 200, free
            for guarded in ("/status", "/metrics", "/events", "/api/v1/jobs", "/api/v1/history"):
                status, headers, _ = daemon.ask(guarded)
                assert status == 401 and headers["WWW-Authenticate"] == "Bearer", guarded
            for wrong in ("Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "0123456789abcdef", "Bearer "):
                assert daemon.ask("/status", headers={"Authorization": wrong})[0] == 401, wrong
            daemon.json("/status", headers={"Authorization": "Bearer 0123456789abcdef"})
        with open(path, "w") as f:
            f.write("short\n")
        done = subprocess.run([os.path.join(BUILD, "tests", "staged_daemon"), "--token-file", path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 3 and "16 to 255 characters, found 5" in done.stderr, done.stderr


def test_other_sites_pages_change_nothing():
    with Staged("--quiet") as daemon:
        here = f"127.0.0.1:{daemon.port}"
        evict = "/api/v1/keys/window-32GiB/evict"
        daemon.json(evict, "POST", headers={"Origin": "http://elsewhere.example"}, want=403)
        daemon.json(evict, "POST", headers={"Origin": "null"}, want=403)
        assert daemon.json(evict, "POST", headers={"Origin": "http://" + here})["was_loaded"]
        _, headers, _ = daemon.ask("/status", headers={"Origin": "http://elsewhere.example"})
        assert "Access-Control-Allow-Origin" not in headers
        policy = daemon.ask("/")[1]["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_events_tell_of_jobs():
    with Staged("--quiet") as daemon:
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
        connection.request("GET", "/events")
        stream = connection.getresponse()
        assert stream.getheader("Content-Type") == "text/event-stream"
        assert stream.readline() == b"retry: 2000\n" and stream.readline() == b"\n"
        daemon.json("/api/v1/jobs?kind=winning-post&request_id=w", "POST", b"abc", want=202)
        states, stages = [], set()
        while not states or states[-1] != "done":
            assert stream.readline() == b"event: job\n"
            data = stream.readline()
            assert data.startswith(b"data: ") and stream.readline() == b"\n"
            job = json.loads(data[6:])
            assert job["request_id"] == "w"
            states.append(job["state"])
            stages.add(job["stage"])
        assert states[0] == "waiting" and "partition 0: witness" in stages
        connection.close()


def test_a_reader_that_sleeps_holds_nobody_up():
    with Staged() as daemon:
        sleepers = []
        for _ in range(32):
            s = socket.create_connection(("127.0.0.1", daemon.port), timeout=10)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            assert s.recv(12) == b"HTTP/1.1 200"
            sleepers.append(s)
        assert daemon.ask("/events")[0] == 503
        begin = time.monotonic()
        for _ in range(20):
            daemon.json("/status")
        assert time.monotonic() - begin < 10
        for s in sleepers:
            s.close()


def test_history_grows_and_goes_on_from_a_time():
    with Staged() as daemon:
        time.sleep(2.5)
        whole = daemon.json("/api/v1/history")
        n = len(whole["time_ms"])
        assert n >= 2 and all(len(whole[c]) == n for c in ("reserved", "metered", "done", "key", "pinned"))
        assert daemon.json(f"/api/v1/history?since={whole['time_ms'][0]}")["time_ms"][:n - 1] == whole["time_ms"][1:]


def test_tls_is_spoken_where_it_is_set():
    with tempfile.TemporaryDirectory() as folder:
        cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        make_certificate(cert, key)
        with Staged("--cert", cert, "--key", key) as daemon:
            context = ssl.create_default_context(cafile=cert)
            connection = http.client.HTTPSConnection("127.0.0.1", daemon.port, context=context, timeout=10)
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b"ok\n"
            connection.close()


def test_a_certificate_or_the_token_lets_a_client_in():
    with tempfile.TemporaryDirectory() as folder:
        names = ("server", "client", "stranger")
        cert, key = ({n: os.path.join(folder, n + end) for n in names} for end in (".pem", ".key"))
        token = os.path.join(folder, "token")
        with open(token, "w") as f:
            f.write("0123456789abcdef")
        for n in names:
            make_certificate(cert[n], key[n], n)

        def ask(path, who=None, bearer=None):
            context = ssl.create_default_context(cafile=cert["server"])
            if who:
                context.load_cert_chain(cert[who], key[who])
            connection = http.client.HTTPSConnection("127.0.0.1", daemon.port, context=context, timeout=10)
            connection.request("GET", path, headers={"Authorization": "Bearer " + bearer} if bearer else {})
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
            return answer.status, text.decode()

        options = ["--cert", cert["server"], "--key", key["server"], "--client-ca", cert["client"]]
        with Staged(*options) as daemon:
            assert ask("/healthz")[0] == 200
            for who in (None, "stranger", "server"):
                status, text = ask("/status", who)
                assert status == 401 and "expected a certificate of daemon.tls_client_ca\"" in text, (who, text)
            assert ask("/status", "client")[0] == 200
            assert ask("/status", bearer="0123456789abcdef")[0] == 401
        with Staged(*options, "--token-file", token) as daemon:
            assert "tls_client_ca, or Authorization" in ask("/status")[1]
            assert ask("/status", bearer="0123456789abcdef")[0] == ask("/status", "client")[0] == 200
            assert ask("/status", "stranger", "0123456789abcdef")[0] == 200
            assert ask("/status", "stranger", "0123456789abcdeX")[0] == 401


def test_hostile_bytes_are_survived():
    pieces = [b"\x00" * 5000, b"GET " + b"/" * 60000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000,
              b"POST /api/v1/jobs?kind=porep-c2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
              b"GET /api/v1/jobs/%00%ff%0a HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\x00" * 100,
              b"POST /api/v1/jobs?kind=window-post&lengths=" + b"1," * 9000 + b"1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"]
    with Staged("--quiet") as daemon:
        for piece in pieces:
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=1) as s:
                try:
                    s.sendall(piece)
                    s.shutdown(socket.SHUT_WR)
                    while s.recv(65536):
                        pass
                except OSError:
                    pass
            assert daemon.ask("/healthz")[0] == 200
        assert daemon.json("/api/v1/jobs")["jobs"] == []


def test_the_dashboard_shows_cancels_and_evicts():
    with Staged() as daemon, Browser() as browser:
        for theme in ("dark", "light"):
            browser.open(f"http://127.0.0.1:{daemon.port}/?theme={theme}", 1920, 1200)
            browser.wait("document.querySelectorAll('#queue tr').length > 5")
            browser.wait("document.querySelectorAll('#waterfall rect').length > 15")
            browser.wait("document.querySelectorAll('#memory-plot canvas').length == 1")
            browser.screenshot(os.path.join(BUILD, f"dashboard-{theme}.png"))
        assert browser.value("document.getElementById('state').textContent") == "serving"
        assert browser.value("document.querySelectorAll('#workers .tile').length") == 4
        assert browser.value("document.querySelectorAll('#keys [data-evict]').length") == 2
        ids = "[...document.querySelectorAll('[data-cancel]')].map(b => b.dataset.cancel)"
        victim = browser.value(ids)[-1]
        browser.value(f"document.querySelector('[data-cancel=\"{victim}\"]').click()")
        browser.wait(f"!{ids}.includes('{victim}')")
        assert daemon.json(job_path(victim))["state"] == "cancelled"
        browser.value("document.querySelector('[data-evict=\"window-32GiB\"]').click()")
        browser.wait("document.querySelector('[data-preload=\"window-32GiB\"]') != null")
        srs = {k["circuit_id"]: k["tier"] for k in daemon.json("/status")["allocations"]["srs"]}
        assert srs["window-32GiB"] == "cold"
        assert browser.complaints() == [], browser.complaints()


if __name__ == "__main__":
    run(globals())
