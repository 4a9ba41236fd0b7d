#!/usr/bin/env python3
"""packaging/nginx-cuzk.conf: nginx understands it, and passes gRPC on for those who show a certificate. Where nginx is
installed; nothing else needs it."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from daemon.daemon_process import free_port  # noqa: E402
from daemon.test_grpc import EXPECTED, Staged, at_once, client, make  # noqa: E402
from support.claims import Skip, run  # noqa: E402


def certificates(folder):
    """An authority, a server's certificate of it for 127.0.0.1, a client's, and a client's of nobody."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "clients-ca.pem", "-subj", "/CN=authority")
    for name in ("server", "client"):
        with open(os.path.join(folder, "extensions"), "w") as f:
            f.write("subjectAltName = IP:127.0.0.1\n")
        openssl("req", *key, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "clients-ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-extfile", "extensions", "-out", name + ".pem")
    openssl("req", "-x509", *key, "-keyout", "stranger.key", "-out", "stranger.pem", "-subj", "/CN=stranger")


def read_example():
    with open(os.path.join(ROOT, "packaging", "nginx-cuzk.conf")) as f:
        return f.read()


class Nginx:
    """nginx with the example, whose paths and port are ours."""

    def __init__(self, folder, socket_path):
        self.folder, self.port = folder, free_port()
        example = read_example()
        for theirs, ours in (("/etc/cuzk/tls/", folder + "/"), ("unix:/run/curio/cuzk.sock", "unix:" + socket_path),
                             ("listen 9443", f"listen 127.0.0.1:{self.port}")):
            assert theirs in example, theirs
            example = example.replace(theirs, ours)
        self.config = os.path.join(folder, "nginx.conf")
        with open(self.config, "w") as f:
            f.write(f"user {'root' if os.getuid() == 0 else 'nobody'};\ndaemon off;\npid {folder}/pid;\n"
                    f"error_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n"
                    f"client_body_temp_path {folder}/body;\nproxy_temp_path {folder}/proxy;\n{example}\n}}\n")

    def command(self, *more):
        return ["nginx", "-p", self.folder, "-e", os.path.join(self.folder, "error.log"), "-c", self.config, *more]

    def __enter__(self):
        done = subprocess.run(self.command("-t"), capture_output=True, text=True)
        assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr
        self.process = subprocess.Popen(self.command())
        return self

    def __exit__(self, *what):
        self.process.terminate()
        self.process.wait(20)
        if what[0]:
            with open(os.path.join(self.folder, "error.log")) as f:
                print(f.read()[-2000:])


def test_the_example_lets_in_who_has_a_certificate_and_nobody_else():
    if not shutil.which("nginx"):
        raise Skip("no nginx here")
    make("grpcio")
    with Staged() as staged:
        folder = staged.folder
        certificates(folder)
        with Nginx(folder, staged.unix[len("unix://"):]) as nginx:
            target = f"127.0.0.1:{nginx.port}"

            def known(what, *arguments, **more):
                return client("grpcio", target, what, *arguments, TLS_CA=f"{folder}/clients-ca.pem",
                              TLS_CERT=f"{folder}/client.pem", TLS_KEY=f"{folder}/client.key", **more)
            assert known("calls") == EXPECTED
            assert known("large", 68, 1) == "large: 192\n"
            assert at_once([lambda: known("large", 30, 2)] * 2) == ["large: 192 192\n"] * 2
            for certificate in ("stranger", None):
                shown = {} if not certificate else dict(TLS_CERT=f"{folder}/{certificate}.pem",
                                                        TLS_KEY=f"{folder}/{certificate}.key")
                try:
                    client("grpcio", target, "calls", TLS_CA=f"{folder}/clients-ca.pem", **shown)
                except AssertionError as refused:
                    assert "RpcError" in str(refused) or "UNAVAILABLE" in str(refused) or "400" in str(refused), refused
                else:
                    raise AssertionError(f"{certificate or 'a client without a certificate'} was let in")


if __name__ == "__main__":
    run(globals())
