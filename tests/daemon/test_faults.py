#!/usr/bin/env python3
"""The daemon in trouble: its disk is full, it is told to end in the middle of much work. Its workers are those of
fast_cuzk."""
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from daemon_process import BUILD, FAST, Daemon, Scratch, Sector  # noqa: E402
from support.claims import Skip, run  # noqa: E402

MIB = 1 << 20


class SmallDisk:
    """A disk of so many MiB at a path, as long as the block lasts."""

    def __init__(self, path, mib):
        self.path, self.ballast = path, os.path.join(path, "ballast")
        os.mkdir(path)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m", "cuzk-test", path], capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise Skip(f"no small disk can be mounted here: {done.stderr.strip()}")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        subprocess.run(["umount", "--lazy", self.path], check=True)

    def free(self):
        fs = os.statvfs(self.path)
        return fs.f_bavail * fs.f_frsize

    def fill(self, leave=0):
        with open(self.ballast, "ab", buffering=0) as f:
            try:
                while self.free() > leave:
                    f.write(bytes(min(4096, self.free() - leave)))
            except OSError:
                pass
        assert self.free() <= leave

    def empty(self):
        os.unlink(self.ballast)


class Scene:
    """A daemon with fast workers and a sector, in a folder of their own; `wrongs` is what the workers do."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.wrongs = os.path.join(folder, "wrongs")
        os.makedirs(self.wrongs, exist_ok=True)
        self.sector = Sector(folder, "winning-2KiB")
        self.daemon = Daemon(folder, self.sector.keys, wrongs=self.wrongs)
        self.daemon.environment.update(environment)
        self.daemon.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.daemon.process.poll() is None:
            self.daemon.kill()

    def slow(self, yes=True):
        path = os.path.join(self.wrongs, "slow")
        if yes:
            open(path, "w").close()
        else:
            os.unlink(path)

    def submit(self, name):
        job_id, status, answer = self.daemon.submit(self.sector, name, "low")
        assert job_id, f"{name}: {status}: {answer}"
        return job_id

    def announce(self, n):
        """The answer to a body of n bytes of which none is sent."""
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=120) as s:
            s.sendall(b"POST /api/v1/jobs?kind=porep-c2 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % n)
            return b"".join(iter(lambda: s.recv(4096), b"")).decode()

    def must_be_logged(self, text):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with open(self.daemon.log.name) as log:
                if text in log.read():
                    return
            time.sleep(0.05)
        raise AssertionError(f"not in the log: {text}: {self.daemon.tail()}")

    def must_be_done(self, job_id):
        job = self.daemon.wait(job_id)
        assert job["state"] == "done", f"{job_id}: {job}"
        assert self.sector.verify(self.daemon.proof(job_id)), f"{job_id}: its proof does not verify"


def start_client(scene, name):
    """A gRPC client that asks for one proof and waits for it."""
    return subprocess.Popen(
        [os.path.join(BUILD, "cuzk-bench"), "single", "-t", "winning", "--vanilla", scene.sector.files[0], "--randomness",
         scene.sector.facts["randomness"].strip(), "--registered-proof", "0", "-a", f"unix://{scene.folder}/cuzk.sock",
         "-o", os.path.join(scene.folder, name)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_disk_at_its_reserve_takes_small_requests_only():
    with Scratch() as folder, SmallDisk(os.path.join(folder, "journal"), 32) as disk, \
            Scene(folder, CUZK_JOURNAL_DISK_RESERVE="8MiB") as scene:
        scene.must_be_done(scene.submit("before"))
        disk.fill(leave=4 * MIB)
        # One rule for both: what is small is taken, the reserve is there for it.
        scene.must_be_done(scene.submit("small"))
        client = start_client(scene, "proof")
        text = client.communicate(timeout=180)[0]
        assert client.returncode == 0, text
        with open(os.path.join(folder, "proof"), "rb") as f:
            assert scene.sector.verify(f.read())
        # What is large hears of it over HTTP and waits over gRPC.
        large = os.path.join(folder, "large")
        with open(large, "wb") as f:
            f.write(bytes(600 << 10))  # with its fields more than a stream sends without leave
        answer = scene.announce((512 << 10) + 1)
        assert answer.startswith("HTTP/1.1 429 ") and "reserve" in answer, answer
        client = subprocess.Popen([os.path.join(BUILD, "cuzk-bench"), "single", "-t", "porep", "--c1", large, "-a",
                                   f"unix://{folder}/cuzk.sock"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
        scene.must_be_logged("waits: the disk of the journal is down to its reserve")
        assert client.poll() is None, client.communicate()[0]
        disk.empty()
        text = client.communicate(timeout=180)[0]
        assert client.returncode != 0 and "429" not in text and "reserve" not in text, text  # it was read, and is no C1
        status, answer = scene.daemon.ask("POST", "/api/v1/jobs", bytes((512 << 10) + 1), kind="porep-c2")
        assert status == 400, (status, answer)
        assert scene.daemon.stop() == 0, scene.daemon.tail()


def test_a_disk_that_fills_up_under_work_loses_nothing():
    with Scratch() as folder, SmallDisk(os.path.join(folder, "journal"), 16) as disk, \
            Scene(folder, CUZK_JOURNAL_DISK_RESERVE="0") as scene:
        scene.must_be_done(scene.submit("before"))
        scene.slow()
        owed = [scene.submit(f"job-{i}") for i in range(5)]
        disk.fill()
        time.sleep(3)  # some have been proven meanwhile, and none of it can be stored
        job_id, status, answer = scene.daemon.submit(scene.sector, "more", "low")
        assert job_id is None and status in (429, 500, 507), (status, answer)
        states = {scene.daemon.job(j)["state"] for j in owed}
        assert states <= {"waiting", "running", "done"}, states
        assert scene.daemon.ask("GET", "/healthz")[0] == 200
        disk.empty()
        scene.slow(False)
        for job_id in owed:
            scene.must_be_done(job_id)
        scene.must_be_done(scene.submit("more"))
        assert scene.daemon.stop() == 0, scene.daemon.tail()


def test_a_disk_that_is_full_when_the_daemon_dies_loses_nothing():
    with Scratch() as folder, SmallDisk(os.path.join(folder, "journal"), 16) as disk, \
            Scene(folder, CUZK_JOURNAL_DISK_RESERVE="0") as scene:
        scene.slow()
        owed = [scene.submit(f"job-{i}") for i in range(4)]
        disk.fill()
        time.sleep(1.2)
        scene.daemon.kill()
        disk.empty()
        scene.slow(False)
        scene.daemon.start()
        for job_id in owed:
            scene.must_be_done(job_id)
        assert scene.daemon.stop() == 0, scene.daemon.tail()


def load(scene, owed, clients, lock=threading.Lock()):
    """Submits until the daemon takes nothing more; notes what was accepted."""
    def client(number):
        for i in range(100000):
            name = f"load-{number}-{i}"
            try:
                job_id = scene.daemon.submit(scene.sector, name, "low")[0]
            except OSError:
                return
            if not job_id:
                return
            with lock:
                owed.append(job_id)
            time.sleep(0.02)
    threads = [threading.Thread(target=client, args=(n,)) for n in range(clients)]
    for t in threads:
        t.start()
    return threads


def end_under_load(drain, slow, patience):
    with Scratch() as folder, Scene(folder, CUZK_DAEMON_DRAIN_TIMEOUT=drain) as scene:
        scene.must_be_done(scene.submit("before"))
        if slow:
            scene.slow()
        owed = []
        threads = load(scene, owed, 8)
        waiting = [start_client(scene, f"proof-{i}") for i in range(3)]
        time.sleep(1.5)
        begin = time.monotonic()
        code = scene.daemon.stop()
        seconds = time.monotonic() - begin
        assert code == 0, f"exit code {code}: {scene.daemon.tail()}"
        for t in threads:
            t.join(30)
            assert not t.is_alive(), "a client hangs"
        for c in waiting:
            c.communicate(timeout=30)  # an answer or an error, but an end
        assert seconds < patience, f"it took {seconds:.1f} s to end"
        if slow:
            scene.slow(False)
        scene.daemon.start()
        for job_id in owed:
            job = scene.daemon.wait(job_id)
            assert job["state"] == "done", f"{job_id}: {job}"
        for job_id in owed[:3] + owed[-3:]:
            scene.must_be_done(job_id)
        assert len(set(owed)) == len(owed)
        print(f"drain {drain}: ended after {seconds:.1f} s; {len(owed)} jobs accepted, all done after the restart")
        assert scene.daemon.stop() == 0


def test_sigterm_under_load_lets_running_jobs_end_and_loses_nothing():
    end_under_load("20s", slow=False, patience=10)


def test_sigterm_without_time_stops_at_the_checkpoint_and_loses_nothing():
    end_under_load("100ms", slow=True, patience=10)


if not os.path.exists(FAST):
    print("this build is without the daemon")
    for name in [n for n in globals() if n.startswith("test_")]:
        print(f"[ RUN      ] {name}\n[  SKIPPED ] {name}")
    sys.exit(0)
run(globals())
