"""A staged daemon (tests/daemon/staged_daemon.c), as long as a block lasts."""
import http.client
import json
import os
import subprocess
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))


class Http:
    """Requests to 127.0.0.1:port, a connection each."""

    port = 0

    def ask(self, path, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, path, method="GET", body=None, headers=None, want=200):
        status, _, text = self.ask(path, method, body, headers)
        assert status == want, f"{method} {path}: {status}, expected {want}: {text[:300]}"
        return json.loads(text)


class Staged(Http):
    def __init__(self, *options):
        self.process = subprocess.Popen([os.path.join(BUILD, "tests", "staged_daemon"), *options],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.terminate()
        assert self.process.wait(20) == 0, "the daemon did not end well"


def make_certificate(cert, key, name="localhost"):
    """One that signs itself, for 127.0.0.1 too, and so is its own authority."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", key, "-out", cert, "-subj", "/CN=" + name, "-days", "2", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def job_path(job_id):
    return "/api/v1/jobs/" + urllib.parse.quote(job_id, safe="")
