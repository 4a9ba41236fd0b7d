#!/usr/bin/env python3
"""The program itself: every verb on real input, its exit codes, what it refuses and how.

The development key of the 2 KiB PoRep circuit (1.1 GB) is made once, in <build>/demo, where
`./x demo` looks for it too.
"""
import base64
import csv
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support import porep_key  # noqa: E402

BUILD = os.environ.get("CUZK_BUILD", os.path.join(ROOT, "build"))
CUZK = os.path.join(BUILD, "cuzk")
VECTORS = os.path.join(ROOT, "tests", "vectors", "filecoin")
KEYS = porep_key.FOLDER
SCRATCH = tempfile.mkdtemp(prefix="cuzk-cli-", dir=BUILD)


class Skip(Exception):
    """A test that does not run here, and why."""


def cuzk(*arguments, code=0):
    done = subprocess.run([CUZK, *arguments], capture_output=True, text=True, errors="replace",
                          timeout=900)
    assert done.returncode == code, (f"cuzk {' '.join(arguments)}: exit code {done.returncode}, "
                                     f"expected {code}\n{done.stdout}{done.stderr}")
    return done


def refuses(*arguments, code, saying, no_file=None):
    """One line on stderr that contains `saying` (a word or several); no output file."""
    lines = cuzk(*arguments, code=code).stderr.strip().splitlines()
    assert len(lines) == 1, lines
    for word in [saying] if isinstance(saying, str) else saying:
        assert word in lines[0], f"'{word}' is not in: {lines[0]}"
    if no_file:
        assert not glob.glob(no_file + "*"), f"{no_file} was left behind"


def answer(*arguments):
    return json.loads(cuzk(*arguments, "--json").stdout)


def vector(*path):
    return os.path.join(VECTORS, *path)


def meta(name):
    with open(vector(name, "meta.json")) as f:
        return json.load(f)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def out(name):
    return os.path.join(SCRATCH, name)


def write(name, data):
    with open(out(name), "wb") as f:
        f.write(data)
    return out(name)


def the_key():
    """Paths of the development key's .params and .vk."""
    return porep_key.make()


def prove(name, c1, *more):
    return cuzk("prove", "porep", "--c1", c1, "--params", KEYS, "-o", out(name), *more)


# ---- usage ---------------------------------------------------------------------------------------


def test_help_names_every_verb_and_the_exit_codes():
    text = cuzk("--help").stdout
    for verb in "setup prove verify check circuit plan key inspect info".split():
        assert verb in text
        assert cuzk(verb, "--help").stdout.startswith("Usage: cuzk " + verb)
    assert "Exit codes" in text


def test_wrong_usage_is_exit_code_2():
    cuzk(code=2)
    cuzk("frobnicate", code=2)
    cuzk("circuit", code=2)
    cuzk("circuit", "porep-3KiB", code=2)
    cuzk("circuit", "update-1GiB", code=2)
    cuzk("circuit", "porep-2KiB", "--threads", "many", code=2)
    cuzk("prove", "porep", code=2)
    cuzk("prove", "porep", "--c1", "x", code=2)
    cuzk("prove", "rain", "--c1", "x", "-o", "y", code=2)
    cuzk("check", "window", "--vanilla", "x", "--registered-proof", "10", code=2)
    cuzk("check", "window", "--vanilla", "x", "--randomness", "00" * 32, code=2)
    cuzk("check", "winning", "--vanilla", "x", "--randomness", "00" * 32, "--registered-proof", "5",
         code=2)
    cuzk("check", "update", "--vanilla", "x", "--registered-proof", "0", code=2)
    cuzk("plan", "porep-2KiB", "--mem", "12parsecs", code=2)
    cuzk("setup", "porep-2KiB", "-o", SCRATCH, code=2)
    cuzk("key", "info", "x", "--parameters", "y", code=2)
    cuzk("key", "info", "x", "--fold", code=2)
    for kind in ("window", "winning"):
        cuzk("prove", kind, "--randomness", "00" * 32, "--registered-proof", "10", "-o", "y", code=2)


def test_info_names_the_back_ends():
    info = answer("info")
    assert info["backends"]["cpu"].startswith("available")
    assert info["version"] in cuzk("--version").stdout


def test_info_counts_the_threads_that_are_right():
    info = answer("info")
    mask = sorted(os.sched_getaffinity(0))
    assert info["processors"] >= info["affinity"] == len(mask) >= info["threads"] >= 1
    if info["cpu_quota"] == "none":
        assert info["threads"] == len(mask)
    one = json.loads(subprocess.run(["taskset", "-c", str(mask[0]), CUZK, "info", "--json"],
                                    capture_output=True, text=True, check=True).stdout)
    assert one["affinity"] == one["threads"] == 1 and one["processors"] == info["processors"]


def test_threads_are_no_more_than_a_group_has_time_for():
    name = f"cuzk-cli-{os.getpid()}"
    v1 = os.path.exists("/sys/fs/cgroup/cpu/tasks")
    group = os.path.join("/sys/fs/cgroup/cpu" if v1 else "/sys/fs/cgroup", name)
    file, quota = ("cpu.cfs_quota_us", "50000") if v1 else ("cpu.max", "50000 100000")
    inside = f"echo $$ >{group}/cgroup.procs && grep -q ':/{name}$' /proc/self/cgroup && exec {CUZK} info --json"
    try:
        if not v1:
            with open("/sys/fs/cgroup/cgroup.subtree_control", "w") as f:
                f.write("+cpu")
        os.mkdir(group)
    except OSError as e:
        print(f"without a control group, which cannot be made here: {e}")
        return
    try:
        with open(os.path.join(group, file), "w") as f:
            f.write(quota)
        done = subprocess.run(["sh", "-c", inside], capture_output=True, text=True)
        if done.returncode != 0:
            print("without a control group, which is not where it was made:", done.stderr)
            return
        info = json.loads(done.stdout)
        assert info["threads"] == 1 and info["cpu_quota"] == f"0.50 ({group}/{file})", info
    except OSError as e:
        print(f"without a quota, which cannot be set here: {e}")
    finally:
        os.rmdir(group)


# ---- circuits ------------------------------------------------------------------------------------


def test_circuit_counts_and_digests_are_upstreams():
    with open(vector("shapes.tsv")) as f:
        row = next(r for r in csv.DictReader(f, delimiter="\t") if r["set"] == "porep-2k")
    circuit = answer("circuit", "porep-2k", "--digest")
    assert circuit["circuit"] == "porep-2KiB"
    for key, column in (("constraints", "constraints"), ("aux", "aux"), ("inputs_with_one", "inputs"),
                        ("a_aux", "a_aux"), ("b_aux", "b_aux"), ("b_inputs", "b_inputs"),
                        ("nonzeros_a", "nnzA"), ("nonzeros_b", "nnzB"), ("nonzeros_c", "nnzC")):
        assert circuit[key] == int(row[column]), (key, circuit[key], row[column])
    assert circuit["structural_digest"] == row["structural"]
    assert circuit["coefficient_sha256"] == row["coefficient_sha256"]
    assert circuit["params_bytes"] == meta("porep-2k")["params"]["bytes"]
    assert circuit["vk_bytes"] == len(read(vector("porep-2k", "vk.bin")))
    assert circuit["files"][0] == f"v28-{meta('porep-2k')['cache_identifier']}.params"


def test_circuit_of_a_32GiB_sector_has_upstreams_counts():
    circuit = answer("circuit", "porep-32g")
    assert circuit["constraints"] == 130278541 and circuit["aux"] == 130169893
    assert circuit["nonzeros_a"] == 309405051
    assert circuit["params_bytes"] == 47373928632


# ---- keys ----------------------------------------------------------------------------------------


def test_setup_makes_bellpersons_bytes():
    params, vk = the_key()
    file = answer("inspect", params)
    assert file["sha256"] == meta("porep-2k")["params"]["sha256"], file
    assert file["parameters_json_digest"] == meta("porep-2k")["params"]["blake2b512_first16"]
    assert "development key" in file["warning"]
    assert answer("key", "info", vk)["inputs_with_one"] == 40
    assert read(vk) == read(vector("porep-2k", "vk.bin"))


def test_key_verify_compares_points_and_digest():
    tiny = write("key.params", read(vector("tiny", "mimc322", "params.bin")))
    found = answer("key", "verify", tiny, "--deep")
    assert found["subgroup_checked"] and found["points_checked"] > 1000
    official = {"key.params": {"cid": "Qm", "digest": found["digest"], "sector_size": 2048}}
    listing = write("listing.json", json.dumps(official).encode())
    assert answer("key", "verify", tiny, "--parameters", listing)["digest_is_official"]
    official["key.params"]["digest"] = "00" * 16
    listing = write("listing.json", json.dumps(official).encode())
    refuses("key", "verify", tiny, "--parameters", listing, code=1, saying=["digest", found["digest"]])
    refuses("key", "verify", tiny, "--parameters", write("list.json", b"{}"), code=3, saying="not listed")
    refuses("key", "verify", tiny, "--parameters", write("list.json", b'{"a":[1]}'), code=3,
            saying="offset")
    data = bytearray(read(tiny))
    data[-150] ^= 1
    refuses("key", "verify", write("bent.params", bytes(data)), code=3, saying="b_g2: point")
    vk = write("key.vk", read(vector("tiny", "mimc322", "vk.bin")))
    assert answer("key", "verify", vk)["points_checked"] >= 8


def test_development_key_is_refused_unless_allowed():
    the_key()
    refuses("prove", "porep", "--c1", vector("porep-2k", "c1.json"), "--params", KEYS, "-o",
            out("official"), code=3, saying=["--allow-dev-key", "dev-v28"], no_file=out("official"))


def test_truncated_and_altered_keys_are_refused():
    params, _ = the_key()
    folder = out("keys")
    os.makedirs(folder)
    copy = os.path.join(folder, os.path.basename(params))
    shutil.copyfile(params, copy)
    size = os.path.getsize(copy)
    command = ["prove", "porep", "--c1", vector("porep-2k", "c1.json"), "--params", folder,
               "--allow-dev-key", "-o", out("altered")]

    def altered(at, data, saying):
        with open(copy, "r+b") as f:
            f.seek(at)
            old = f.read(len(data))
            f.seek(at)
            f.write(data)
        refuses(*command, code=3, saying=saying, no_file=out("altered"))
        with open(copy, "r+b") as f:
            f.seek(at)
            f.write(old)

    h = 868 + 96 * 40
    altered(5, b"\xff", "alpha_g1")
    altered(864, b"\xff\xff\xff\xff", "ic")
    altered(h, b"\x00\x3f\xff\xfe", "h")  # one point less than the domain asks for
    altered(h + 4 + 96 * 1000 + 50, b"\x00", "1000")  # off the curve
    altered(h + 4 + 96 * 7, b"\x40" + b"\x00" * 95, "7")  # infinity
    os.truncate(copy, size - 1)
    refuses(*command, code=3, saying="b_g2", no_file=out("altered"))
    os.truncate(copy, 100)
    refuses(*command, code=3, saying=os.path.basename(copy), no_file=out("altered"))
    os.remove(copy)


def test_key_of_another_circuit_is_refused():
    params, _ = the_key()
    folder = out("other-circuit")
    os.makedirs(folder)
    name = "dev-" + answer("circuit", "porep-4KiB")["files"][0]
    os.symlink(params, os.path.join(folder, name))
    refuses("prove", "porep", "--c1", vector("porep-4k", "c1.bin"), "--sector-size", "4KiB",
            "--api-version", "1.1.0", "--porep-id", meta("porep-4k")["porep_id"], "--params", folder,
            "--allow-dev-key", "-o", out("other.proof"), code=3, saying=name,
            no_file=out("other.proof"))


# ---- proofs --------------------------------------------------------------------------------------


def test_proof_bytes_with_fixed_randomness_are_bellpersons():
    the_key()
    for name in ("porep-2k", "porep-2k-v1", "porep-2k-synth"):
        prove(name, vector(name, "c1.json"), "--insecure-seed", "porep-2k")
        assert read(out(name)) == read(vector(name, "proof.bin")), name


def test_every_form_of_a_c1_gives_the_same_proof():
    the_key()
    api = read(vector("porep-2k", "c1.json"))
    wrapper = {"SectorNum": 42, "Phase1Out": base64.b64encode(api).decode(), "SectorSize": 2048}
    prove("from-wrapper", write("wrapper.json", json.dumps(wrapper).encode()), "--insecure-seed",
          "porep-2k")
    prove("from-bincode", vector("porep-2k", "c1.bin"), "--registered-proof", "5", "--insecure-seed",
          "porep-2k")
    expected = read(vector("porep-2k", "proof.bin"))
    assert read(out("from-wrapper")) == expected
    assert read(out("from-bincode")) == expected


def test_one_partition_of_thirteen_is_bellpersons():
    the_key()
    c1 = vector("porep-2k-ni", "c1.json")
    prove("ni", c1, "--partition", "7", "--insecure-seed", "porep-2k")
    assert read(out("ni")) == read(vector("porep-2k-ni", "proof.bin"))[7 * 192:8 * 192]
    cuzk("verify", "porep", "--c1", c1, "--partition", "7", "--params", KEYS, "--allow-dev-key",
         "--proof", out("ni"))


def test_fresh_proofs_differ_and_verify():
    the_key()
    c1 = vector("porep-2k", "c1.json")
    for name in ("one", "two"):
        text = prove(name, c1, "--allow-dev-key", "--trace", out(name + ".trace")).stdout
        assert "verified" in text and "stage" in text
        cuzk("verify", "porep", "--c1", c1, "--params", KEYS, "--allow-dev-key", "--proof", out(name))
    assert read(out("one")) != read(out("two"))
    assert len(json.loads(read(out("one.trace")))) > 8


def test_verify_takes_thirteen_partitions_and_refuses_every_change():
    _, vk = the_key()
    c1, good = vector("porep-2k-ni", "c1.json"), read(vector("porep-2k-ni", "proof.bin"))
    common = ["verify", "porep", "--c1", c1, "--vk", vk, "--allow-dev-key", "--proof"]
    cuzk(*common, vector("porep-2k-ni", "proof.bin"))
    swapped = good[192:384] + good[:192] + good[384:]
    refuses(*common, write("swapped", swapped), code=1, saying="0")
    refuses(*common, write("short", good[:-1]), code=3, saying="expected 2496")
    broken = bytearray(good)
    broken[5 * 192 + 30] ^= 1
    refuses(*common, write("broken", bytes(broken)), code=1, saying="5")
    refuses("verify", "porep", "--c1", c1, "--vk", vk, "--proof", vector("porep-2k-ni", "proof.bin"),
            code=3, saying="development key")


def test_identity_of_the_sector_is_checked_when_given():
    _, vk = the_key()
    facts = meta("porep-2k")
    common = ["verify", "porep", "--c1", vector("porep-2k", "c1.json"), "--vk", vk, "--allow-dev-key",
              "--proof", vector("porep-2k", "proof.bin"), "--sector-num", str(facts["sector_id"]),
              "--miner-id"]
    cuzk(*common, str(facts["miner"]))
    refuses(*common, str(facts["miner"] + 1), code=3, saying="replica_id")


def test_memory_of_a_proof_is_the_plan_and_the_plan_is_a_limit():
    the_key()
    c1 = vector("porep-2k", "c1.json")
    total = answer("plan", "porep-2KiB", "--threads", "2")["bytes"]["total"]
    prove("planned", c1, "--allow-dev-key", "--threads", "2", "--mem", str(total), "--trace",
          out("planned.trace"))
    peak = max(stage["args"]["bytes"] for stage in json.loads(read(out("planned.trace"))))
    assert peak == total, f"the counters reached {peak}, the plan says {total}"
    assert total <= 700 << 20, total
    refuses("prove", "porep", "--c1", c1, "--params", KEYS, "--allow-dev-key", "--threads", "2", "--mem",
            str(total - 4096), "-o", out("tight"), code=4, saying="allowed", no_file=out("tight"))


def test_memory_of_a_set_up_is_the_plan_and_the_plan_is_a_limit():
    for circuit in ("winning-2KiB", "window-2KiB"):
        plan = answer("plan", circuit, "--setup", "--threads", "2")
        total, keys = plan["bytes"]["total"], out("planned-keys")
        refuses("setup", circuit, "--insecure-seed", "x", "--threads", "2", "--mem", str(total - 4096),
                "-o", keys, code=4, saying="allowed")
        assert not glob.glob(os.path.join(keys, "*"))
        cuzk("setup", circuit, "--insecure-seed", "x", "--threads", "2", "--mem", str(total), "-o", keys,
             "--trace", out("setup.trace"))
        peak = max(stage["args"]["bytes"] for stage in json.loads(read(out("setup.trace"))))
        assert peak == total, f"{circuit}: the counters reached {peak}, the plan says {total}"
        assert sum(map(os.path.getsize, glob.glob(os.path.join(keys, "*")))) == plan["disk"]
        shutil.rmtree(keys)


def test_set_up_of_any_circuit_takes_a_gigabyte_and_a_half_at_most():
    for circuit in ("porep-32GiB", "porep-64GiB", "window-32GiB", "winning-32GiB", "update-32GiB",
                    "update-64GiB"):
        total = answer("plan", circuit, "--setup", "--threads", "64")["bytes"]["total"]
        assert total <= 3 << 29, f"{circuit}: {total >> 20} MiB"


def test_a_set_up_that_is_told_to_end_ends_and_leaves_nothing():
    keys = out("ended-keys")
    for seconds in (0, 1, 3):
        process = subprocess.Popen([CUZK, "setup", "porep-2KiB", "--insecure-seed", "x", "-o", keys],
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while not glob.glob(os.path.join(keys, "*")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        time.sleep(seconds)
        process.terminate()
        asked = time.monotonic()
        text = process.communicate(timeout=60)[1].decode()
        assert process.returncode == 7 and text.startswith("cuzk: ") and "cancelled" in text, text
        print(f"ended after {time.monotonic() - asked:.2f} s")
        assert not glob.glob(os.path.join(keys, "*"))


def test_the_2_gb_key_of_a_512MiB_sector_is_made_in_its_memory_and_proves():
    """Anonymous and shared memory are sampled, and mappings beyond the plan are impossible."""
    if os.environ.get("CUZK_LONG") != "1":
        raise Skip("a quarter of an hour; CUZK_LONG=1 runs it")
    keys, circuit, threads = out("large-keys"), "porep-512MiB", 2
    plan = answer("plan", circuit, "--setup", "--threads", str(threads))
    limit = plan["bytes"]["total"] + (64 << 20) # the program, stacks, libraries

    def limited():
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    process = subprocess.Popen([CUZK, "setup", circuit, "--insecure-seed", "large", "--threads",
                                str(threads), "-o", keys], preexec_fn=limited, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    peak = 0
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as f:
            peak = max(peak, 1024 * sum(map(int, re.findall(r"Rss(?:Anon|Shmem):\s+(\d+)", f.read()))))
        time.sleep(0.05)
    assert process.returncode == 0, process.communicate()
    print(f"anonymous and shared {peak >> 20} MiB at most, planned {plan['bytes']['total'] >> 20}")
    assert 0 < peak <= limit <= (3 << 29) + (64 << 20)
    sizes = {os.path.splitext(p)[1]: os.path.getsize(p) for p in glob.glob(os.path.join(keys, "*"))}
    assert sum(sizes.values()) == plan["disk"], sizes
    assert sizes[".params"] == answer("circuit", circuit)["params_bytes"], sizes
    sample(circuit, "large.json", 7)
    cuzk("prove", "porep", "--c1", out("large.json"), "--params", keys, "--allow-dev-key", "--partition",
         "0", "-o", out("large-proof"))
    shutil.rmtree(keys)


def test_wrong_c1s_are_refused_before_any_work():
    def altered_c1(name, change):
        c1 = json.loads(read(vector("porep-2k", "c1.json")))
        change(c1, c1["vanilla_proofs"]["StackedDrg2KiBV1"][0])
        return ["porep", "--c1", write(name, json.dumps(c1).encode()), "--params", out("none"),
                "--allow-dev-key", "-o", out("never")]

    def far_node(c1, proofs):
        for label in [*proofs[0]["labeling_proofs"], proofs[0]["encoding_proof"]]:
            label["node"] = 1 << 40

    def other_seed(c1, proofs):
        c1["seed"][0] ^= 1

    def mixed(c1, proofs):
        with open(vector("porep-4k", "c1-native.json")) as f:
            proofs[1] = json.load(f)["vanilla_proofs"][0][1]

    refuses("prove", *altered_c1("far", far_node), code=3, saying=["challenge 0", "1099511627776"])
    refuses("prove", *altered_c1("seed", other_seed), code=3, saying=["from replica id and seed"])
    refuses("prove", *altered_c1("mixed", mixed), code=3, saying=["[0][1].comm_d_proofs", "6 entries"])


def test_unsatisfied_witness_gives_no_proof_and_check_names_the_row():
    the_key()
    c1 = json.loads(read(vector("porep-2k", "c1.json")))
    first = next(iter(c1["vanilla_proofs"].values()))[0][0]
    first["comm_r_last_proof"]["data"]["Single"]["path"]["path"][0]["hashes"][0][0] ^= 1
    altered = write("altered-c1.json", json.dumps(c1).encode())
    refuses("prove", "porep", "--c1", altered, "--params", KEYS, "--allow-dev-key", "-o",
            out("unsatisfied"), code=1, saying="partition 0", no_file=out("unsatisfied"))
    refuses("check", "porep", "--c1", altered, code=1, saying=["row", "challenge"])
    cuzk("check", "porep", "--c1", vector("porep-2k", "c1.json"))


def test_check_names_what_is_wrong_where_no_row_looks():
    def refused(name, change, saying):
        c1 = json.loads(read(vector("porep-2k", "c1.json")))
        change(next(iter(c1["vanilla_proofs"].values()))[0][1])
        refuses("check", "porep", "--c1", write(name, json.dumps(c1).encode()), code=3, saying=saying)

    def parent(proof):
        proof["labeling_proofs"][1]["parents"][7][0] ^= 1

    def row_of_the_challenged_node(proof):
        proof["replica_column_proofs"]["c_x"]["column"]["rows"][0][0] ^= 1

    refused("parent.json", parent, ["challenge 1: labeling_proofs[1].parents[7]", "exp_parents[1]"])
    refused("c_x.json", row_of_the_challenged_node, ["challenge 1: c_x: "])


# ---- proofs of spacetime, updates ----------------------------------------------------------------


def post_input(name, *files):
    """KIND and flags of a PoSt set, with its own vanilla proofs or others."""
    facts = meta(os.path.join("post", name))
    number = facts.get("registered_proof_number", 10)
    files = files or sorted(glob.glob(vector("post", name, "vanilla-*.bin")))
    return [facts["kind"], "--vanilla", *files, "--randomness", facts["randomness"], "--miner-id",
            str(facts["miner"]), "--registered-proof", str(number)]


def update_input(*files):
    facts = meta("update-2k")
    return ["update", "--vanilla", *(files or [vector("update-2k", "vanilla-0.bin")]),
            "--comm-r-old", facts["comm_r_old"], "--comm-d-new", facts["comm_d_new"],
            "--comm-r-new", facts["comm_r_new"], "--registered-proof", "0"]


def altered(name, path, at):
    data = bytearray(read(path))
    data[at] ^= 1
    return write(name, data)


def post_keys(*kinds):
    """A folder with the development keys of these kinds at 2 KiB."""
    keys = out("post-keys")
    for kind in kinds:
        name = answer("circuit", f"{kind}-2KiB")["files"][0]
        if not os.path.exists(os.path.join(keys, "dev-" + name)):
            cuzk("setup", f"{kind}-2KiB", "--insecure-seed", f"{kind}-2k", "-o", keys)
    return keys


def test_post_proof_bytes_with_fixed_randomness_are_bellpersons():
    keys = post_keys("winning", "window")
    for kind, sets in (("winning", ["winning-2k"]),
                       ("window", ["window-2k-1s-v1_0", "window-2k-1s-v1_2", "window-2k-3s-v1_2"])):
        for name in sets:
            vk, expected = vector("post", name, "vk.bin"), vector("post", name, "proof.bin")
            cuzk("prove", *post_input(name), "--params", keys, "--insecure-seed", f"{kind}-2k", "-o",
                 out(name))
            assert read(out(name)) == read(expected), name
            cuzk("verify", *post_input(name), "--proof", expected, "--vk", vk)
            refuses("verify", *post_input(name), "--proof", altered("other", expected, 100), "--vk", vk,
                    code=1, saying="")
    both = read(out("window-2k-3s-v1_2"))
    cuzk("prove", *post_input("window-2k-3s-v1_2"), "--partition", "1", "--params", keys,
         "--insecure-seed", "window-2k", "-o", out("second"))
    assert read(out("second")) == both[192:]
    cuzk("prove", *post_input("window-2k-3s-v1_2", vector("post", "window-2k-3s-v1_2", "vanilla-2.bin")),
         "--partition", "1", "--params", keys, "--insecure-seed", "window-2k", "-o", out("alone"))
    assert read(out("alone")) == both[192:]


def prepared_window():
    """(folder, .params, prepared key) of window-2KiB, in a folder of its own."""
    keys = post_keys("window")
    name = "dev-" + answer("circuit", "window-2KiB")["files"][0]
    folder, params = out("prepared"), os.path.join(keys, name)
    prepared = os.path.join(folder, name[:-len(".params")] + ".cuzk")
    if not os.path.exists(prepared):
        made = answer("key", "prepare", params, "-o", folder)
        assert made["prepared"] == prepared and made["circuit"] == "window-2KiB"
        assert made["digest"] == answer("key", "verify", params)["digest"]
    return folder, params, prepared


def test_a_prepared_key_gives_the_same_proof():
    folder, params, prepared = prepared_window()
    name = "window-2k-1s-v1_2"
    common = ["prove", *post_input(name), "--insecure-seed", "window-2k", "-o", out("by-prepared")]
    text = cuzk(*common, "--params", folder).stdout
    assert "open key (prepared)" in text
    assert read(out("by-prepared")) == read(vector("post", name, "proof.bin"))
    assert "open key (bellperson)" in cuzk(*common, "--params", os.path.dirname(params)).stdout

    both = out("both-keys") # the prepared one is preferred, and the other one must be its source
    os.makedirs(both, exist_ok=True)
    shutil.copy(prepared, both)
    shutil.copy(params, both)
    assert "open key (prepared)" in cuzk(*common, "--params", both).stdout
    cuzk("setup", "window-2KiB", "--insecure-seed", "another", "-o", both)
    refuses(*common, "--params", both, code=3, saying=["prepared from another key", ".params"])


def test_key_verbs_know_a_prepared_key():
    folder, params, prepared = prepared_window()
    info, verified = answer("key", "info", prepared), answer("key", "verify", prepared)
    circuit = answer("circuit", "window-2KiB", "--digest")
    assert info["what"].startswith("prepared key") and info["circuit"] == "window-2KiB"
    assert info["h_basis"] == "powers of tau" and "development key" in info["warning"]
    for name in ("structural_digest", "coefficient_sha256"):
        assert info[name] == circuit[name]
    assert info["l"] == answer("inspect", params)["l"]
    assert verified["points_checked"] == 0 and not verified["checksums_checked"]
    deep = answer("key", "verify", prepared, "--deep")
    assert deep["checksums_checked"] and deep["subgroup_checked"]
    assert deep["points_checked"] == sum(info[q] for q in ("h", "l", "a", "b_g1", "b_g2"))
    official = {os.path.basename(params): {"cid": "Qm", "digest": deep["digest"], "sector_size": 2048}}
    listing = write("prepared-list.json", json.dumps(official).encode())
    assert answer("key", "verify", prepared, "--parameters", listing)["digest_is_official"]
    official[os.path.basename(params)]["digest"] = "00" * 16
    listing = write("prepared-list.json", json.dumps(official).encode())
    refuses("key", "verify", prepared, "--parameters", listing, code=1, saying="digest")
    refuses("key", "prepare", params, "-o", out("unlisted"), "--parameters", listing, code=1,
            saying="digest", no_file=out("unlisted/dev"))


def test_damaged_prepared_keys_are_refused():
    folder, params, prepared = prepared_window()
    file, bent = bytearray(read(prepared)), out("bent")
    os.makedirs(bent, exist_ok=True)
    path = os.path.join(bent, os.path.basename(prepared))
    prove_it = ["prove", *post_input("window-2k-1s-v1_2"), "--insecure-seed", "window-2k", "--params", bent,
                "-o", out("bent.proof")]

    def damaged(saying, code=3, prove=True, deep=False):
        with open(path, "wb") as f:
            f.write(file)
        refuses("key", "verify", path, *["--deep"] * deep, code=code, saying=saying)
        if prove:
            refuses(*prove_it, code=code, saying=saying, no_file=out("bent.proof"))

    def with_sum(at, data):
        old = bytes(file)
        file[at:at + len(data)] = data
        file[4064:4096] = hashlib.sha256(file[:4064]).digest()
        return old

    for at in (0, 8, 100, 300, 4000, 4095):
        file[at] ^= 1
        damaged("header: offset")
        file[at] ^= 1
    old = with_sum(72, b"winning-2KiB\0") # the name of another circuit
    with open(path, "wb") as f:
        f.write(file)
    refuses(*prove_it, code=3, saying=["winning-2KiB", "expected \"window-2KiB\""])
    refuses("key", "verify", path, "--deep", code=3, saying="another circuit")
    file[:] = old
    old = with_sum(136, bytes(32)) # the digest of another
    damaged("digests are not those of circuit window-2KiB", code=1, prove=False, deep=True)
    file[:] = old
    h = int.from_bytes(file[256 + 80 + 32:][:8], "little")
    one, two = bytes(file[h:h + 96]), bytes(file[h + 96:h + 192])
    file[h:h + 192] = two + one # good points in wrong places: only the checksum tells
    damaged(["h: offset", "checksum"], prove=False, deep=True)
    refuses(*prove_it, code=1, saying="", no_file=out("bent.proof")) # the proof comes out wrong
    file[h:h + 192] = one + two
    file[h + 5] ^= 1
    damaged("h: point 0: ", prove=False, deep=True)
    file[h + 5] ^= 1
    del file[-1]
    damaged("bytes of the file")


def test_key_prepare_refuses_what_it_cannot_use():
    folder, params, prepared = prepared_window()
    refuses("key", "prepare", write("mine.params", read(params)), code=2, saying="--circuit")
    refuses("key", "prepare", out("mine.params"), "--circuit", "winning-2KiB", code=3,
            saying="another circuit", no_file=out("mine.cuzk"))
    refuses("key", "prepare", prepared, "--circuit", "window-2KiB", code=3, saying="")
    cuzk("key", "prepare", out("mine.params"), "--circuit", "window-2KiB")
    assert read(out("mine.cuzk")) == read(prepared)
    cuzk("key", "info", params, "--circuit", "window-2KiB", code=2)
    data = bytearray(read(params)) # a point of the curve in the midst of h, outside the subgroup
    at = 868 + 96 * answer("key", "info", params)["inputs_with_one"] + 4 + 96 * 20000
    data[at:at + 96] = bytes(95) + b"\2"
    refuses("key", "prepare", write("outside.params", bytes(data)), "--circuit", "window-2KiB", code=1,
            saying=["h: point 20000", "subgroup"], no_file=out("outside.cuzk"))
    refuses("key", "verify", out("outside.params"), "--deep", code=1, saying="h: point 20000")
    assert answer("key", "verify", out("outside.params"))["points_checked"] > 50000


def test_update_proof_verifies_and_every_row_holds():
    vk, proof = vector("update-2k", "vk.bin"), vector("update-2k", "proof.bin")
    cuzk("verify", *update_input(), "--proof", proof, "--vk", vk)
    cuzk("check", *update_input())
    other = update_input()
    other[other.index("--comm-d-new") + 1] = "11" * 31 + "01"
    refuses("verify", *other, "--proof", proof, "--vk", vk, code=1, saying="")
    refuses("check", *other, code=1, saying=["row", "does not hold"])


def test_wrong_vanilla_proofs_are_refused_before_any_work():
    files = sorted(glob.glob(vector("post", "window-2k-3s-v1_2", "vanilla-*.bin")))
    wrong = altered("post", files[1], 200)  # a sibling
    name = "window-2k-3s-v1_2"
    prove_it = ["--params", out("none"), "--allow-dev-key", "-o", out("never")]
    refuses("prove", *post_input(name, files[0], wrong), *prove_it, code=3,
            saying=["proof 1 (sector 300)", "challenge 0", "path"], no_file=out("never"))
    refuses("check", *post_input(name, files[0], wrong), code=1, saying=["row", "slot 1/challenge 0"])
    refuses("prove", *post_input(name, files[0], files[0]), *prove_it, code=3, saying="the same sector")
    refuses("prove", *post_input(name, write("cut", read(files[0])[:-1])), *prove_it, code=3,
            saying=["cut", "comm_r_last", "offset"])
    refuses("prove", *post_input("winning-2k", *files[:2]), *prove_it, code=3, saying="single sector")
    refuses("prove", *post_input(name), "--partition", "2", *prove_it, code=2, saying="there are 2")
    other = post_input(name)
    other[other.index("--randomness") + 1] = "11" * 32
    refuses("prove", *other, *prove_it, code=3, saying=["proof 0 (sector 5)", "from the randomness"])
    mixed = vector("post", "window-32k-3s-v1_2", "vanilla-1.bin")
    refuses("prove", *post_input(name, files[0], mixed), *prove_it, code=3,
            saying=["window-32k", "inclusion_proofs", "expected 0, found 2"])
    index = bytearray(read(files[0]))
    index[364] = 9  # of the first level of the first path
    refuses("prove", *post_input(name, write("index", bytes(index))), *prove_it, code=3,
            saying=["index", "expected at most 7, found 9"])
    update = altered("update", vector("update-2k", "vanilla-0.bin"), 400)
    refuses("prove", *update_input(update), *prove_it, code=3, saying="partition 0")
    file = vector("update-2k", "vanilla-0.bin")
    refuses("prove", *update_input(file, file), *prove_it, code=3, saying="2 vanilla proofs: expected 1")
    for commitment in ("--comm-r-old", "--comm-d-new", "--comm-r-new"):
        wrong = update_input()
        wrong[wrong.index(commitment) + 1] = "ff" * 32
        refuses("prove", *wrong, *prove_it, code=3, saying="not below the field's modulus")
        wrong[wrong.index(commitment) + 1] = "11" * 31 + "00"
        refuses("prove", *wrong, *prove_it, code=3, saying=["partition 0", "comm_"])


# ---- sample sectors ------------------------------------------------------------------------------


def sample(circuit, name, seed, *more):
    return answer("sample", circuit, "--seed", str(seed), "-o", out(name), *more)


def test_sample_of_a_2KiB_sector_passes_the_check():
    for version, number in ("1.0.0", 0), ("1.1.0", 5):
        facts = sample("porep-2KiB", "sample.json", 7, "--api-version", version)
        assert facts["registered_proof"] == number
        cuzk("check", "porep", "--c1", out("sample.json"), "--registered-proof", str(number),
             "--miner-id", str(facts["miner_id"]), "--sector-num", str(facts["sector_num"]))
    c1 = json.loads(read(out("sample.json")))
    c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][1]["comm_d_proofs"]["data"]["Single"]["path"][
        "path"][2]["hashes"][0][0] ^= 1
    refuses("check", "porep", "--c1", write("bad.json", json.dumps(c1).encode()), code=1,
            saying=["row", "challenge 1"])
    c1 = json.loads(read(out("sample.json")))
    c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][1]["replica_column_proofs"]["drg_parents"][2][
        "column"]["rows"][1][0] ^= 1
    refuses("check", "porep", "--c1", write("bad.json", json.dumps(c1).encode()), code=1,
            saying=["row", "challenge 1/parent 2"])
    c1 = json.loads(read(out("sample.json")))
    c1["comm_r"][0] ^= 1
    refuses("check", "porep", "--c1", write("bad.json", json.dumps(c1).encode()), code=1,
            saying=["row", "fixed"])


def test_sample_of_a_size_without_a_registered_proof_is_native_bincode():
    facts = sample("porep-4KiB", "sample.bin", 7)
    cuzk("check", "porep", "--c1", out("sample.bin"), "--sector-size", "4KiB", "--api-version",
         facts["api_version"], "--porep-id", facts["porep_id"])


def test_sample_is_the_same_for_the_same_seed_only():
    for name, seed in ("first", 1), ("again", 1), ("other", 2):
        sample("porep-8MiB", name, seed)
    assert read(out("first")) == read(out("again"))
    assert read(out("first")) != read(out("other"))


def test_samples_of_32GiB_hold_in_their_last_partitions():
    if os.environ.get("CUZK_LONG") != "1":
        raise Skip("a minute; CUZK_LONG=1 runs it")
    sample("porep-32GiB", "sample-32.json", 1)
    cuzk("check", "porep", "--c1", out("sample-32.json"), "--partition", "9")
    facts = sample("update-32GiB", "update-32", 1)
    cuzk("check", *sampled_update(facts, out("update-32/vanilla-0000015.bin")), "--partition", "15")


def test_sample_of_winning_at_32GiB_passes_the_check():
    facts = sample("winning-32GiB", "winning-32", 1)
    cuzk("check", "winning", "--vanilla", out("winning-32/vanilla-0000000.bin"), "--randomness",
         facts["randomness"], "--registered-proof", "3")


def test_sample_of_spacetime_passes_the_check():
    for kind, sectors, version, number in (("winning", 1, "1.0.0", 0), ("window", 3, "1.0.0", 5),
                                           ("window", 3, "1.2.0", 10)):
        folder = f"{kind}-{version}"
        facts = sample(f"{kind}-2KiB", folder, 9, "--api-version", version, "--sectors", str(sectors))
        assert facts["registered_proof"] == number
        files = sorted(glob.glob(os.path.join(out(folder), "vanilla-*.bin")))
        assert len(files) == sectors == facts["sectors"]
        cuzk("check", kind, "--vanilla", *files, "--randomness", facts["randomness"],
             "--registered-proof", str(number))
    refuses("check", "window", "--vanilla", altered("leaf", files[0], 200), *files[1:], "--randomness",
            facts["randomness"], "--registered-proof", "10", code=1, saying=["row", "slot 0"])


def sampled_update(facts, *files):
    return ["update", "--vanilla", *files, "--comm-r-old", facts["comm_r_old"], "--comm-d-new",
            facts["comm_d_new"], "--comm-r-new", facts["comm_r_new"], "--registered-proof",
            str(facts["registered_proof"])]


def test_sample_of_an_update_passes_the_check():
    facts = sample("update-8MiB", "update-8m", 9)
    files = sorted(glob.glob(os.path.join(out("update-8m"), "vanilla-*.bin")))
    assert len(files) == 4 == facts["partitions"]
    cuzk("check", *sampled_update(facts, *files), "--partition", "2")
    cuzk("check", *sampled_update(facts, files[3]), "--partition", "3")
    refuses("check", *sampled_update(facts, altered("apex", files[3], 32 + 8 + 5 * 32)), "--partition",
            "3", code=1, saying=["row", "partition"])


def test_samples_of_sizes_without_registered_proofs_pass_the_check():
    facts = sample("update-16KiB", "update-16k", 9)
    files = sorted(glob.glob(os.path.join(out("update-16k"), "vanilla-*.bin")))
    update = ["update", "--vanilla", *files, "--comm-r-old", facts["comm_r_old"], "--comm-d-new",
              facts["comm_d_new"], "--comm-r-new", facts["comm_r_new"]]
    cuzk("check", *update, "--sector-size", "16KiB", "--partition", "1")
    refuses("check", *update, "--sector-size", "1GiB", code=2, saying="no updates")
    refuses("check", *update, "--sector-size", "16KiB", "--registered-proof", "1", code=3, saying="")
    for kind, name, flags in (("winning", "winning-32k", []),
                              ("window", "window-32k-3s-v1_2", ["--api-version", "1.2.0"])):
        facts = meta(os.path.join("post", name))
        files = sorted(glob.glob(vector("post", name, "vanilla-*.bin")))
        cuzk("check", kind, "--vanilla", *files, "--randomness", facts["randomness"], "--sector-size",
             "32KiB", *flags)
    refuses("check", "window", "--vanilla", *files, "--randomness", facts["randomness"], "--sector-size",
            "32KiB", code=2, saying="--api-version")


def test_dense_samples_are_upstreams_sectors():
    facts = meta("porep-2k")
    found = sample("porep-2KiB", "dense.json", 1, "--dense", "--data", vector("porep-2k", "data.bin"),
                   "--sector-num", str(facts["sector_id"]), "--miner-id", str(facts["miner"]),
                   "--ticket", facts["ticket"], "--seal-seed", facts["seed"], "--sector-files",
                   out("dense"))
    for key in ("replica_id", "comm_d", "comm_c", "comm_r_last", "comm_r"):
        assert found[key] == facts[key], key
    assert read(out("dense.json")) == read(vector("porep-2k", "c1.json"))
    for name in ("unsealed.bin", "sealed.bin", "p_aux.bin"):
        assert read(out("dense/" + name)) == read(vector("porep-2k", name)), name


def test_dense_samples_of_every_kind_pass_the_check():
    for number in (0, 10, 15):
        found = sample("porep-2KiB", "dense-c1", 3, "--dense", "--registered-proof", str(number))
        assert found["registered_proof"] == number
        cuzk("check", "porep", "--c1", out("dense-c1"), "--miner-id", "1000", "--sector-num", "3")
    found = sample("window-2KiB", "dense-window", 3, "--dense", "--sectors", "3")
    files = sorted(glob.glob(os.path.join(out("dense-window"), "vanilla-*.bin")))
    cuzk("check", "window", "--vanilla", *files, "--randomness", found["randomness"],
         "--registered-proof", str(found["registered_proof"]))
    found = sample("update-2KiB", "dense-update", 3, "--dense", "--sector-files", out("dense-files"))
    cuzk("check", *sampled_update(found, out("dense-update/vanilla-0000000.bin")))
    assert len(os.listdir(out("dense-files"))) == 6


def test_samples_that_cannot_be_made_are_refused():
    common = ["--seed", "1", "-o", out("refused")]
    refuses("sample", "update-1GiB", *common, code=2, saying="no updates", no_file=out("refused"))
    refuses("sample", "update-2KiB", "--sectors", "2", *common, code=2, saying="--sectors",
            no_file=out("refused"))
    refuses("sample", "porep-8MiB", "--dense", *common, code=2, saying="32 KiB",
            no_file=out("refused"))
    refuses("sample", "porep-8MiB", "--registered-proof", "11", *common, code=2, saying="comm_r",
            no_file=out("refused"))
    refuses("sample", "porep-2KiB", "--registered-proof", "6", *common, code=2, saying="2KiB",
            no_file=out("refused"))
    refuses("sample", "porep-2KiB", "--data", out("none"), *common, code=2, saying="--data",
            no_file=out("refused"))
    refuses("sample", "porep-2KiB", "--dense", "--data", vector("porep-2k", "p_aux.bin"), *common,
            code=3, saying=["expected 2032", "found 64"], no_file=out("refused"))
    refuses("sample", "winning-2KiB", "--randomness", "ff" * 32, *common, code=2, saying="top bits",
            no_file=out("refused"))
    refuses("sample", "porep-2KiB", "--sectors", "2", *common, code=2, saying="--sectors",
            no_file=out("refused"))
    refuses("sample", "winning-2KiB", "--sectors", "2", *common, code=3, saying="single sector",
            no_file=out("refused"))
    refuses("sample", "porep-2KiB", "--api-version", "1.2.0", *common, code=2, saying="1.1.0",
            no_file=out("refused"))
    refuses("sample", "porep-32GiB", "--mem", "1MiB", *common, code=4, saying="",
            no_file=out("refused"))


# ---- files ---------------------------------------------------------------------------------------


def bench(circuit, *more):
    return answer("bench", circuit, "--backend", "cpu", *more)


def test_bench_proves_every_kind_of_2KiB_sectors_from_nothing():
    for kind in ("porep", "winning", "window", "update"):
        trace = out(f"{kind}.trace")
        found = bench(kind + "-2KiB", "--trace", trace)
        names = [stage["stage"] for stage in found["stages"]]
        assert found["partitions_verified"] == 1
        assert names[:5] == ["make sample", "record circuit", "open device", "development key",
                             "open prover"], names
        assert "partition 0: witness" in names and names[-1] == "verify all", names
        assert found["seconds"]["from_proof_to_proof"] == [found["seconds"]["proofs"]]
        assert found["bytes"]["budget"] == max(stage["bytes"] for stage in found["stages"])
        assert found["bytes"]["anonymous_sampled"] < found["bytes"]["budget"] + (64 << 20)
        assert [event["name"] for event in json.loads(read(trace))] == names


def test_bench_proves_as_many_partitions_as_are_asked_for_and_no_more_than_there_are():
    found = bench("window-2KiB", "--partitions", "2")
    assert found["partitions_verified"] == 2
    assert len(found["seconds"]["from_proof_to_proof"]) == 2
    refuses("bench", "winning-2KiB", "--partitions", "2", code=2, saying=["2 partitions", "have 1"])
    refuses("bench", "winning-2KiB", "--backend", "cpu", "--mem", "64MiB", code=4, saying="67108864")
    assert "which circuit" in cuzk("bench", code=2).stderr


def test_inspect_knows_our_files():
    def what(path):
        return answer("inspect", path)["what"]

    assert "verifying key" in what(vector("porep-2k", "vk.bin"))
    assert "proof" in what(vector("porep-2k-ni", "proof.bin"))
    assert "C1" in what(vector("porep-2k", "c1.json"))
    assert "parameters" in what(vector("tiny", "mimc322", "params.bin"))
    refuses("inspect", write("noise", b"\x01\x02\x03" * 1000), code=3, saying="neither")
    refuses("inspect", write("empty", b""), code=3, saying="neither")
    refuses("inspect", out("absent"), code=6, saying="absent")


def test_output_that_cannot_be_written_is_exit_code_6():
    refuses("setup", "porep-2KiB", "--insecure-seed", "x", "-o", "/proc/nowhere", code=6, saying="/proc")


def main():
    tests = [f for name, f in list(globals().items()) if name.startswith("test_")]
    wanted = sys.argv[1:]
    bad = 0
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        print(f"[ RUN      ] {test.__name__}", flush=True)
        try:
            test()
            print(f"[       OK ] {test.__name__}", flush=True)
        except Skip as why:
            print(why)
            print(f"[  SKIPPED ] {test.__name__}", flush=True)
        except Exception as error:  # whatever it is, the other tests still run
            print(f"{type(error).__name__}: {error}")
            print(f"[  FAILED  ] {test.__name__}", flush=True)
            bad += 1
    shutil.rmtree(SCRATCH, ignore_errors=True)
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
