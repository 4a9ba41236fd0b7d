#!/usr/bin/env python3
"""gRPC as three independent clients speak it (clients/README.md): every method on the real daemon, and over
the made-up jobs of staged_daemon; large bodies, and what is urgent among what is held back; h2load; nothing
left behind."""
import concurrent.futures
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from daemon.daemon_process import CUZK, FAST, Daemon, Sector, free_port  # noqa: E402
from support import porep_key  # noqa: E402
from support.claims import run  # noqa: E402
from support.staged import make_certificate  # noqa: E402

BUILD = os.path.abspath(os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build")))
CLIENTS = os.path.join(ROOT, "tests", "daemon", "clients")
WORK = os.path.join(BUILD, "grpc_clients")
MIB = 1 << 20

EXPECTED = """GetStatus: porep-c2 snap-update window-post winning-post
GetMetrics: True
SubmitProof: calls-1
AwaitProof 1 ms: 4
WatchJob: 2
AwaitProof: 1 192
Prove: True
ListJobs: 1
GetTrace: {
at once: DEADLINE_EXCEEDED
late: DEADLINE_EXCEEDED
after it: 1
CancelProof: 3
CancelProof of none: NOT_FOUND
PreloadSRS: answered
EvictSRS: answered
no kind: INVALID_ARGUMENT
"""


def sh(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}"
    return done.stdout


# ---- the clients ----------------------------------------------------------------------------------

def newer(made, *sources):
    return os.path.exists(made) and all(os.path.getmtime(made) >= os.path.getmtime(s) for s in sources)


def protoc(option, out):
    os.makedirs(out, exist_ok=True)
    sh(["protoc", "-I" + os.path.join(ROOT, "proto"), option + out, "proving.proto"])


def make_python():
    out = os.path.join(WORK, "python")
    if not newer(os.path.join(out, "proving_pb2.py"), os.path.join(ROOT, "proto", "proving.proto")):
        protoc("--python_out=", out)
    return ["/usr/bin/python3", os.path.join(CLIENTS, "client.py")], {"PYTHONPATH": out}


def make_node():
    out = os.path.join(WORK, "node")
    os.makedirs(out, exist_ok=True)
    lock = os.path.join(CLIENTS, "package-lock.json")
    made = os.path.join(out, "node_modules", ".package-lock.json")
    for name in ("package.json", "package-lock.json", "client.mjs"):
        shutil.copyfile(os.path.join(CLIENTS, name), os.path.join(out, name))
    if not newer(made, lock):
        sh(["npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=out)
    return (["node", os.path.join(out, "client.mjs")],
            {"PROTO": os.path.join(ROOT, "proto", "proving.proto")})


def make_go():
    out = os.path.join(WORK, "go")
    program, source = os.path.join(out, "client"), os.path.join(CLIENTS, "client.go")
    proto = os.path.join(ROOT, "proto", "proving.proto")
    if not newer(program, source, proto):
        protoc("--go_out=plugins=grpc:", os.path.join(out, "src", "cuzkproto"))
        sh(["go", "build", "-o", program, source],
           env=dict(os.environ, GOPATH=out + ":/usr/share/gocode", GO111MODULE="off",
                    GOCACHE=os.path.join(out, "cache")))
    return [program], {}


MAKERS = {"grpcio": make_python, "grpc-js": make_node, "grpc-go": make_go}
made = {}


def make(name):
    """Once, also when another test wants it at the same time."""
    if name not in made:
        os.makedirs(WORK, exist_ok=True)
        with open(os.path.join(WORK, "lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made[name] = MAKERS[name]()
    return made[name]


def client(name, *arguments, seconds=300, **more):
    command, environment = make(name)
    return sh([*command, *map(str, arguments)], env=dict(os.environ, **environment, **more), timeout=seconds)


# ---- the daemon -----------------------------------------------------------------------------------

class Staged:
    """A staged daemon that speaks gRPC on a unix socket and on TCP, as long as the block lasts."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="cuzk-grpc-")
        self.tcp = f"127.0.0.1:{free_port()}"
        self.unix = f"unix://{self.folder}/socket"
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(
            [os.path.join(BUILD, "tests", "staged_daemon"), "--quiet", "--max-message", str(256 * MIB),
             "--listen", self.unix, "--listen", self.tcp, *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout.readline(), "the daemon did not start"

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.terminate()
        ended = self.process.wait(20)
        self.log.seek(0)
        text = self.log.read()
        shutil.rmtree(self.folder)
        assert ended == 0, f"the daemon ended with {ended}: {text[-2000:]}"

    def resident(self, what="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(what + r":\s+(\d+)", f.read()).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settled(self, wanted):
        """The descriptors, once they are no more than wanted, or after 10 s."""
        for _ in range(100):
            if self.descriptors() <= wanted:
                break
            time.sleep(0.1)
        return self.descriptors()


# ---- the tests ------------------------------------------------------------------------------------

def at_once(functions):
    """Runs them in threads; the first failure is raised."""
    with concurrent.futures.ThreadPoolExecutor(len(functions)) as pool:
        return [f.result() for f in [pool.submit(f) for f in functions]]


def calls_of(name):
    make(name)
    with Staged() as one, Staged() as other:
        unix, tcp = at_once([lambda: client(name, one.unix, "calls"), lambda: client(name, other.tcp, "calls")])
        assert unix == EXPECTED, f"over a unix socket: {unix}"
        assert tcp == EXPECTED, f"over TCP: {tcp}"


def test_grpcio_calls_every_method():
    calls_of("grpcio")


def test_grpc_js_calls_every_method():
    calls_of("grpc-js")


def test_grpc_go_calls_every_method():
    calls_of("grpc-go")


class Real:
    """The real daemon, on a unix socket and on TCP; with program=FAST, its workers prove fast."""

    def __init__(self, keys, program=CUZK, **more):
        self.folder = tempfile.TemporaryDirectory(prefix="cuzk-grpc-")
        self.tcp = f"127.0.0.1:{free_port()}"
        self.unix = f"unix://{self.folder.name}/cuzk.sock"
        self.daemon = Daemon(self.folder.name, keys, program=program, **more)
        self.daemon.environment["CUZK_DAEMON_LISTEN"] = f"{self.unix},{self.tcp}"

    def __enter__(self):
        self.daemon.start()
        return self

    def __exit__(self, *what):
        try:
            ended = self.daemon.stop()
            assert ended == 0, f"the daemon ended with {ended}: {self.daemon.tail()}"
        finally:
            self.folder.cleanup()


def winning_of(sector):
    """What tells the clients to ask for this sector's WinningPoSt."""
    return dict(VANILLA=sector.files[0], RANDOMNESS=sector.facts["randomness"].strip(), CIRCUIT=sector.circuit)


def test_each_client_calls_every_method_of_the_real_daemon():
    with tempfile.TemporaryDirectory(prefix="cuzk-grpc-") as folder:
        sector = Sector(folder, "winning-2KiB")
        open(os.path.join(folder, "slow"), "w").close()  # half a second a proof: time to be late, and to cancel
        with Real(sector.keys, program=FAST, wrongs=folder) as real:
            for name in MAKERS:
                for transport, target in (("unix", real.unix), ("tcp", real.tcp)):
                    id = f"{name}-{transport}"
                    found = client(name, target, "calls", ID=id, **winning_of(sector))
                    expected = EXPECTED.replace("SubmitProof: calls-1", f"SubmitProof: {id}-1")
                    assert found == expected.replace("GetTrace: {", "GetTrace: ["), f"{id}: {found}"


def test_each_client_gets_a_proof_from_the_real_daemon():
    with tempfile.TemporaryDirectory(prefix="cuzk-grpc-") as folder:
        sector = Sector(folder, "winning-2KiB")
        with Real(sector.keys) as real:
            for name in MAKERS:
                first = client(name, real.unix, "prove", "real-" + name, **winning_of(sector))
                again = client(name, real.tcp, "prove", "real-" + name, **winning_of(sector))
                assert first.startswith("prove: 1 ") and again == first, f"{name}: {first}{again}"
                assert sector.verify(bytes.fromhex(first.split()[2])), f"{name}: an invalid proof"


def test_a_porep_of_2_kib_is_proven_for_each_client():
    """The same request from all three at once is one job, and each has its proof."""
    params, _ = porep_key.make()
    with Real(os.path.dirname(params), threads=0) as real:
        texts = at_once([lambda name=name: client(name, real.unix, "porep", porep_key.C1, "porep-1000-7", seconds=900)
                         for name in MAKERS])
        assert len(set(texts)) == 1 and texts[0].startswith("porep: 1 "), texts
        assert real.daemon.status()["counters"]["total_completed"] == 1
        path = os.path.join(real.folder.name, "proof.bin")
        with open(path, "wb") as f:
            f.write(bytes.fromhex(texts[0].split()[2]))
        sh([CUZK, "verify", "porep", "--c1", porep_key.C1, "--params", os.path.dirname(params), "--allow-dev-key",
            "--proof", path])


def test_bodies_of_68_and_250_mib_are_taken_from_each_client():
    with Staged() as daemon:
        idle = daemon.resident()
        for name in MAKERS:
            assert client(name, daemon.unix, "large", 68, 1) == "large: 192\n", name
            assert client(name, daemon.tcp, "large", 250, 1) == "large: 192\n", name
        assert daemon.resident("VmHWM") < idle + 16 * MIB, (idle, daemon.resident("VmHWM"))


def test_twelve_clients_with_68_mib_each_leave_the_daemon_small():
    with Staged() as daemon:
        client("grpc-go", daemon.tcp, "large", 1, 1)  # it is built, and everything has begun
        idle, descriptors = daemon.resident(), daemon.descriptors()
        texts = at_once([lambda: client("grpc-go", daemon.tcp, "large", 68, 1)] * 12)
        assert texts == ["large: 192\n"] * 12, texts
        peak = daemon.resident("VmHWM")
        print(f"12 clients with 68 MiB: {(peak - idle) / MIB:.1f} MiB above idle")
        assert peak <= idle + 64 * MIB, f"{peak - idle} bytes above idle"
        assert daemon.settled(descriptors) <= descriptors


def test_what_is_urgent_passes_what_is_held_on_the_same_connection():
    for name in MAKERS:
        with Staged() as daemon:
            daemon.process.send_signal(signal.SIGUSR1)  # bodies are held back
            text = client(name, daemon.tcp, "urgent", 8, 6)
            assert text == "urgent: 1, 0 of 6 before it\n", f"{name}: {text}"
            with open(daemon.log.name) as log:
                assert "waits: the disk's reserve" in log.read(), "the operator was not told"
            assert daemon.resident("VmHWM") < daemon.resident() + 16 * MIB


def test_tls_is_spoken_as_the_c_core_wants_it():
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
        make_certificate(certificate, key)
        with Staged("--cert", certificate, "--key", key) as daemon:
            assert client("grpcio", daemon.tcp, "large", 3, 2, TLS_CA=certificate) == "large: 192 192\n"


def test_sockets_of_systemd_are_served():
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        daemon = Daemon(folder, folder, program=CUZK)
        as_systemd = (f"exec 3<&{listening.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ "
                      f"exec {CUZK} daemon -c {daemon.config}")
        process = subprocess.Popen(["sh", "-c", as_systemd], pass_fds=[listening.fileno()], stderr=daemon.log)
        try:
            port = listening.getsockname()[1]
            status = sh([CUZK, "status", "-a", f"127.0.0.1:{port}"])  # it waits in the socket until we are ready
            assert "budget" in status or "memory" in status, status
            assert not os.path.exists(os.path.join(folder, "cuzk.sock"))
        finally:
            process.terminate()
            assert process.wait(60) == 0, daemon.tail()


def test_h2load_finds_no_error():
    with Staged() as daemon:
        body = os.path.join(daemon.folder, "body")
        with open(body, "wb") as f:
            f.write(bytes(5))
        load = ["h2load", "-d", body, "-H", "content-type: application/grpc", "-H", "te: trailers",
                f"http://{daemon.tcp}/grpc.health.v1.Health/Check"]
        sh([*load, "-n", "1"])
        descriptors = daemon.descriptors()
        text = sh([*load, "-n", "20000", "-c", "20", "-m", "10"])
        assert "20000 succeeded, 0 failed, 0 errored" in text, text
        assert "status codes: 20000 2xx" in text, text
        print(re.search(r"finished in .*", text).group())
        assert daemon.settled(descriptors) <= descriptors


if __name__ == "__main__":
    run(globals())
