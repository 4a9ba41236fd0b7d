"""A daemon as tests run it: a folder, a configuration, a process, and questions over REST.

fast_cuzk (tests/daemon/fast_cuzk.c) is the daemon with workers that prove from the trapdoor of a
development key, so that a second has several proofs; build/cuzk is the real one."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support import porep_key  # noqa: E402

BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
CUZK = os.path.join(BUILD, "cuzk")
FAST = os.path.join(BUILD, "tests", "fast_cuzk")
LABEL = "daemon-tests"
START_SECONDS = END_SECONDS = 180  # for a daemon that begins or ends on a machine that has other work


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Crew:
    """Threads beside this one. What goes wrong in one of them is told by `join`, and by leaving the block."""

    def __init__(self):
        self.threads, self.faults = [], []

    def start(self, f, *arguments):
        def work():
            try:
                f(*arguments)
            except Exception as fault:  # noqa: BLE001: whatever it is, it is told at the end
                self.faults.append(f"{f.__name__}: {type(fault).__name__}: {fault}")
        thread = threading.Thread(target=work, daemon=True)
        self.threads.append(thread)
        thread.start()
        return thread

    def join(self):
        for thread in self.threads:
            thread.join()
        assert not self.faults, self.faults[0]


class Sector:
    """A made-up sector, its key, and what a request about it has to say."""

    def __init__(self, folder, circuit):
        self.folder, self.circuit = folder, circuit
        self.kind = circuit.split("-")[0]
        self.keys = os.path.join(folder, "keys")
        os.makedirs(self.keys, exist_ok=True)
        if circuit == "porep-2KiB":  # the one whose key is large
            for path in porep_key.make():
                os.symlink(path, os.path.join(self.keys, os.path.basename(path)))
            self.facts, self.files, self.body = {}, [porep_key.C1], read(porep_key.C1)
            return
        run(CUZK, "setup", circuit, "--insecure-seed", LABEL, "-o", self.keys)
        path = os.path.join(folder, circuit)
        report = run(CUZK, "sample", circuit, "--seed", "1", "-o", path)
        self.facts = dict(line.split(None, 1) for line in report.splitlines() if " " in line.strip())
        if self.kind == "winning":
            self.files = sorted(os.path.join(path, name) for name in os.listdir(path)
                                if name.startswith("vanilla"))
        else:
            self.files = [path]
        self.body = b"".join(read(name) for name in self.files)

    def parameters(self, request_id, priority=None):
        p = {"request_id": request_id}
        if self.kind == "winning":
            p.update(kind="winning-post", registered_proof="0",
                     randomness=self.facts["randomness"].strip(), miner_id="1000")
        else:
            p.update(kind="porep-c2")
        if priority:
            p["priority"] = priority
        return p

    def verify(self, proof):
        """By the command line, beside the daemon's own word."""
        with tempfile.NamedTemporaryFile(dir=self.folder) as f:
            f.write(proof)
            f.flush()
            command = [CUZK, "verify", self.kind, "--proof", f.name, "--params", self.keys,
                       "--allow-dev-key"]
            if self.kind == "winning":
                command += ["--vanilla", *self.files, "--registered-proof", "0", "--miner-id", "1000",
                            "--randomness", self.facts["randomness"].strip()]
            else:
                command += ["--c1", *self.files]
            return subprocess.run(command, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0


class Daemon:
    def __init__(self, folder, keys, program=FAST, budget="2GiB", reserve="auto", threads=1, wrongs=None,
                 cgroup=None, device_budget="auto"):
        self.folder, self.program, self.cgroup = folder, program, cgroup
        self.port = free_port()
        self.log = open(os.path.join(folder, "daemon.log"), "ab")
        self.process = None
        self.environment = dict(os.environ, FAST_WORKER_LABEL=LABEL)
        if wrongs:
            self.environment["FAST_WORKER"] = wrongs
        self.config = os.path.join(folder, "cuzk.toml")
        with open(self.config, "w") as f:
            f.write(f'''[daemon]
listen = "unix://{folder}/cuzk.sock"
status_listen = "127.0.0.1:{self.port}"
drain_timeout = "20s"
[srs]
param_cache = "{keys}"
allow_dev_keys = true
[memory]
total_budget = "{budget}"
urgent_reserve = "{reserve}"
device_budget = "{device_budget}"
[gpus]
gpu_threads = {threads}
[journal]
path = "{folder}/journal"
disk_reserve = "64MiB"
''')

    def start(self):
        def enter():
            if self.cgroup:
                with open(os.path.join(self.cgroup, "cgroup.procs"), "w") as f:
                    f.write(str(os.getpid()))
        self.process = subprocess.Popen([self.program, "daemon", "-c", self.config], stdout=self.log,
                                        stderr=self.log, env=self.environment, preexec_fn=enter)
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise RuntimeError(f"the daemon ended with {self.process.returncode}: {self.tail()}")
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the daemon is not ready after {START_SECONDS} s: " + self.tail())

    def tail(self):
        self.log.flush()
        with open(self.log.name, "rb") as f:
            return f.read()[-2000:].decode(errors="replace")

    def ask(self, method, path, body=None, timeout=120, **query):
        if query:
            path += "?" + urllib.parse.urlencode(query)
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            c.request(method, path, body=body)
            answer = c.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as bad: # it ended in the middle of the answer
            raise ConnectionError(str(bad)) from bad
        finally:
            c.close()

    def submit(self, sector, request_id, priority=None):
        """The job id, or None with the status and sentence of a refusal."""
        status, body = self.ask("POST", "/api/v1/jobs", sector.body,
                                **sector.parameters(request_id, priority))
        answer = json.loads(body)
        return answer.get("job_id") if status in (200, 202) else None, status, answer

    def job(self, job_id, wait=0):
        status, body = self.ask("GET", f"/api/v1/jobs/{urllib.parse.quote(job_id, safe='')}",
                                **({"wait": wait} if wait else {}))
        return json.loads(body) if status in (200, 202) else None

    def ended(self):
        """How many jobs have ended since its start."""
        return sum(self.status()["counters"][name] for name in ("total_completed", "total_failed", "total_cancelled"))

    def wait(self, job_id, seconds=300):
        """Until it is over; `seconds` is how long the daemon may go on without the end of any job."""
        ended, until = None, time.monotonic() + seconds
        while time.monotonic() < until:
            job = self.job(job_id, wait=5)
            if job and job["state"] in ("done", "failed", "cancelled"):
                return job
            now = self.ended()
            if now != ended:
                ended, until = now, time.monotonic() + seconds
        raise RuntimeError(f"{job_id} is not over, and no other has ended for {seconds:.0f} s: {job}: {self.tail()}")

    def proof(self, job_id):
        return self.ask("GET", f"/api/v1/jobs/{urllib.parse.quote(job_id, safe='')}/proof")[1]

    def status(self):
        return json.loads(self.ask("GET", "/status")[1])

    def pids(self):
        """The daemon and its workers."""
        pids = [self.process.pid]
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
                pids += [int(p) for p in f.read().split()]
        except OSError:
            pass
        return pids

    def metered(self):
        """Anonymous and shared memory of all its processes."""
        total = 0
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/status") as f:
                    total += 1024 * sum(int(n) for n in re.findall(r"Rss(?:Anon|Shmem):\s+(\d+)", f.read()))
            except OSError:
                pass
        return total

    def descriptors(self):
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in self.pids()[:1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """SIGTERM; the exit code."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError("the daemon does not end: " + self.tail())
        return self.process.returncode if self.process else None


class Scratch:
    """A folder that ends with the block."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="cuzk-", dir=BUILD)
        return self.path

    def __exit__(self, *unused):
        shutil.rmtree(self.path, ignore_errors=True)
