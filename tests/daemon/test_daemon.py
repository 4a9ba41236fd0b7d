#!/usr/bin/env python3
"""`cuzk daemon` itself: its arguments, readiness, a real proof over each port, reload, the end."""
import http.client
import json
import os
import queue
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support.claims import run  # noqa: E402
from support.staged import BUILD, Http, job_path, make_certificate  # noqa: E402

CUZK = os.path.join(BUILD, "cuzk")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Daemon(Http):
    """A daemon in a folder of its own, told to systemd's protocol on a socket of ours."""

    def __init__(self, more="", **environment):
        self.environment = environment
        self.folder = tempfile.mkdtemp(prefix="cuzk-daemon-")
        self.port = free_port()
        self.address = "unix://" + self.path("s.sock")
        os.mkdir(self.path("journal"))
        os.mkdir(self.path("params"))
        self.configure(more)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(self.path("notify"))
        self.heard = queue.Queue()
        threading.Thread(target=self.hear, daemon=True).start()
        self.process = None

    def hear(self):
        """As systemd does: reads at once, so that the daemon never waits for us."""
        while notice := self.notices.recv(4096):
            self.heard.put(notice.decode())

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self, more=""):
        with open(self.path("cuzk.toml"), "w") as f:
            f.write(f"""{more}
[daemon]
listen = "{self.address}"
status_listen = "127.0.0.1:{self.port}"
[srs]
param_cache = "{self.path("params")}"
allow_dev_keys = true
[memory]
total_budget = "1GiB"
[journal]
path = "{self.path("journal")}"
disk_reserve = "10MiB"
""")

    def __enter__(self):
        environment = dict(os.environ, NOTIFY_SOCKET=self.path("notify"), WATCHDOG_USEC="2000000",
                           **self.environment)
        with open(self.path("log"), "wb") as log:
            self.process = subprocess.Popen([CUZK, "daemon", "-c", self.path("cuzk.toml")], stderr=log,
                                            env=environment)
        self.wait_notice("READY=1")
        return self

    def wait_notice(self, line, seconds=30):
        until = time.monotonic() + seconds
        while True:
            notice = self.heard.get(timeout=max(until - time.monotonic(), 0.001))
            if line in notice:
                return notice

    def end(self):
        self.process.terminate()
        return self.process.wait(60)

    def log(self):
        with open(self.path("log")) as f:
            return f.read()

    def __exit__(self, *what):
        if self.process.poll() is None:
            self.end()
        self.notices.shutdown(socket.SHUT_RDWR)
        self.notices.close()
        if what[0]:
            print(self.log()[-3000:])
        shutil.rmtree(self.folder)


def run_cuzk(*arguments, want=0, environment=None):
    done = subprocess.run([CUZK, *arguments], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **(environment or {})))
    assert done.returncode == want, f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout if want == 0 else done.stderr


def test_the_configuration_is_checked_and_printed():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.toml")
        with open(path, "w") as f:
            f.write("[memory]\ntotal_budget = '64GiB'\n[pipeline]\nenabled = true\n")
        printed = run_cuzk("daemon", "-c", path, "--print-config", "-l", "127.0.0.1:1",
                           environment={"CUZK_JOURNAL_RETAIN": "1h"})
        assert f'total_budget = "64GiB"  # {path}:2\n' in printed
        assert 'retain = "1h"  # CUZK_JOURNAL_RETAIN\n' in printed and 'listen = ["127.0.0.1:1"]  # flag\n' in printed
        # as the original is started: without a verb, or by its own name
        run_cuzk("-c", path, "--check-config")
        subprocess.run([os.path.join(BUILD, "cuzk-daemon"), "-c", path, "--check-config"], check=True, timeout=30,
                       stderr=subprocess.DEVNULL)
        with open(path, "a") as f:
            f.write("[memry]\nx = 1\n")
        assert f"{path}:6: unknown key 'memry.x'" in run_cuzk("daemon", "-c", path, "--check-config", want=3)
        assert "no_such" in run_cuzk("daemon", "-c", os.path.join(folder, "no_such"), "--check-config", want=6)
        assert "allow_insecure" in run_cuzk("daemon", "-l", "0.0.0.0:1", "--check-config", want=3)


def test_systemd_hears_of_it():
    with Daemon() as daemon:
        assert "STATUS=proving 0 jobs, 0 waiting, " in daemon.wait_notice("WATCHDOG=1")
        daemon.wait_notice("WATCHDOG=1", 2)  # twice within the watchdog's time
        assert daemon.ask("/readyz")[2] == b"ready\n"
        daemon.process.terminate()
        daemon.wait_notice("STOPPING=1")
        assert daemon.process.wait(30) == 0
        assert not os.path.exists(daemon.path("s.sock"))
        assert "msg=ended" in daemon.log()


def test_sighup_takes_what_may_change():
    with Daemon() as daemon:
        daemon.configure("[logging]\nlevel = 'debug'\n[scheduler]\nmax_batch_wait_ms = 2\n[gpus]\ngpu_threads = 1")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_notice("READY=1")
        assert "key=gpus.gpu_threads" in daemon.log() and "configuration read again" in daemon.log()
        with open(daemon.path("cuzk.toml"), "a") as f:
            f.write("nonsense")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_notice("READY=1")
        assert "the configuration stays as it was" in daemon.log()
        assert daemon.ask("/healthz")[0] == 200


def shown_certificate(port):
    """What the server on this port of 127.0.0.1 shows, in DER."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", port), 10) as plain, context.wrap_socket(plain) as s:
        return s.getpeercert(binary_form=True)


def test_sighup_takes_new_certificates_and_a_new_token():
    with tempfile.TemporaryDirectory() as folder:
        cert, key, token = (os.path.join(folder, name) for name in ("cert", "key", "token"))

        def write_token(text):
            with open(token, "w") as f:
                f.write(text)

        def status_with(connection, text):
            connection.request("GET", "/status", headers={"Authorization": "Bearer " + text})
            answer = connection.getresponse()
            answer.read()
            return answer.status

        def https():
            context = ssl.create_default_context(cafile=cert)
            return http.client.HTTPSConnection("127.0.0.1", daemon.port, context=context, timeout=10)

        def ask_to_reload():
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_notice("READY=1")

        make_certificate(cert, key)
        write_token("the first of tokens")
        grpc_port = free_port()
        daemon = Daemon(CUZK_DAEMON_TLS_CERT=cert, CUZK_DAEMON_TLS_KEY=key, CUZK_DAEMON_TOKEN_FILE=token,
                        CUZK_DAEMON_LISTEN=f"127.0.0.1:{grpc_port}")
        with daemon:
            first = ssl.PEM_cert_to_DER_cert(open(cert).read())
            assert shown_certificate(grpc_port) == shown_certificate(daemon.port) == first
            old = https()
            assert status_with(old, "the first of tokens") == 200
            address = f"https://127.0.0.1:{grpc_port}"
            assert "budget" in run_cuzk("status", "-a", address, "--ca", cert)

            make_certificate(cert, key)
            write_token("the second of tokens")
            ask_to_reload()
            second = ssl.PEM_cert_to_DER_cert(open(cert).read())
            assert second != first
            assert shown_certificate(grpc_port) == shown_certificate(daemon.port) == second
            assert status_with(https(), "the second of tokens") == 200
            assert status_with(https(), "the first of tokens") == 401
            # who was there goes on under the certificate of then, and needs the token of now
            assert status_with(old, "the first of tokens") == 401
            assert status_with(old, "the second of tokens") == 200
            assert "budget" in run_cuzk("status", "-a", address, "--ca", cert)
            old.close()

            ask_to_reload()  # nothing has changed
            shutil.copyfile(key, os.path.join(folder, "before"))
            make_certificate(os.path.join(folder, "other"), key)  # not a pair any more
            ask_to_reload()
            assert "the certificates stay as they were" in daemon.log() and key in daemon.log()
            assert shown_certificate(grpc_port) == shown_certificate(daemon.port) == second
            shutil.copyfile(os.path.join(folder, "before"), key)
            write_token("short")
            ask_to_reload()
            assert "a token has 16 to 255 characters, found 5" in daemon.log()
            assert status_with(https(), "the second of tokens") == 200
            assert daemon.end() == 0, daemon.log()


def test_metrics_of_the_real_one_pass_promtool():
    with Daemon() as daemon:
        subprocess.run(["promtool", "check", "metrics"], input=daemon.ask("/metrics")[2], check=True)
        status = json.loads(run_cuzk("status", "--json", "-a", daemon.address))
        assert status["memory"]["total_bytes"] == 1 << 30
        assert {w["name"] for w in status["gpu_workers"]} >= {"cpu", "urgent"}
        best = next(name for name, what in json.loads(run_cuzk("info", "--json"))["backends"].items()
                    if what.startswith("available (processor"))
        best = os.environ.get("CUZK_BACKEND", best)
        assert {w["backend"] for w in status["gpu_workers"] if w["name"] in ("cpu", "urgent")} == {best}


def test_what_another_daemon_has_is_one_line():
    with Daemon() as daemon:
        same = run_cuzk("daemon", "-c", daemon.path("cuzk.toml"), want=6)
        assert "another daemon has this folder" in same.splitlines()[-1], same
        os.mkdir(daemon.path("other"))
        error = run_cuzk("daemon", "-c", daemon.path("cuzk.toml"), want=2,
                         environment={"CUZK_JOURNAL_PATH": daemon.path("other")})
        assert "s.sock: another process listens there" in error.splitlines()[-1], error


def test_a_real_proof_over_both_ports():
    with Daemon() as daemon:
        run_cuzk("setup", "winning-2KiB", "--insecure-seed", "daemon", "-o", daemon.path("params"))
        sample = run_cuzk("sample", "winning-2KiB", "--seed", "7", "-o", daemon.path("w"), "--json")
        randomness = json.loads(sample)["randomness"]
        vanilla = daemon.path("w/vanilla-0000000.bin")
        proof = daemon.path("proof.bin")
        subprocess.run([os.path.join(BUILD, "cuzk-bench"), "single", "-t", "winning", "--vanilla", vanilla, "--randomness",
                        randomness, "--registered-proof", "0", "-a", daemon.address, "-o", proof], check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        run_cuzk("verify", "winning", "--vanilla", vanilla, "--randomness", randomness, "--miner-id", "1000",
                 "--registered-proof", "0", "--proof", proof, "--params", daemon.path("params"), "--allow-dev-key")
        with open(vanilla, "rb") as f:
            answer = daemon.json(f"/api/v1/jobs?kind=winning-post&randomness={randomness}&registered_proof=0"
                                 "&miner_id=1000&request_id=rest", "POST", f.read(), want=202)
        job = daemon.json(job_path(answer["job_id"]) + "?wait=60")
        assert job["state"] == "done" and len(job["proofs"]) == 1
        assert any("partition 0" in e["name"] or e.get("args", {}).get("partition") == 0
                   for e in daemon.json(job_path(answer["job_id"]) + "/trace"))


if __name__ == "__main__":
    run(globals())
