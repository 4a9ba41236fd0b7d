#!/usr/bin/python3
"""README.md says what this is. The generated messages are on PYTHONPATH."""
import os
import sys
import threading

import grpc
import proving_pb2 as pb

LIMIT = 256 << 20
OPTIONS = [("grpc.max_send_message_length", LIMIT), ("grpc.max_receive_message_length", LIMIT)]


def pem(name):
    if name not in os.environ:
        return None
    with open(os.environ[name], "rb") as f:
        return f.read()


if "TLS_CA" in os.environ:
    credentials = grpc.ssl_channel_credentials(pem("TLS_CA"), pem("TLS_KEY"), pem("TLS_CERT"))
    channel = grpc.secure_channel(sys.argv[1], credentials, options=OPTIONS)
else:
    channel = grpc.insecure_channel(sys.argv[1], options=OPTIONS)


def call(method, request, answer, stream=False, timeout=120):
    kind = channel.unary_stream if stream else channel.unary_unary
    return kind("/cuzk.v1.ProvingEngine/" + method, request_serializer=lambda m: m.SerializeToString(),
                response_deserializer=answer.FromString)(request, timeout=timeout)


def say(name, value):
    print(f"{name}: {value}", flush=True)


def code(method, request, answer, **more):
    try:
        call(method, request, answer, **more)
        return "OK"
    except grpc.RpcError as error:
        return error.code().name


ID, CIRCUIT = os.environ.get("ID", "calls"), os.environ.get("CIRCUIT", "winning-32GiB")
RANDOMNESS = bytes.fromhex(os.environ.get("RANDOMNESS", "09" * 32))


def read(path):
    with open(path, "rb") as f:
        return f.read()


VANILLA = read(os.environ["VANILLA"]) if "VANILLA" in os.environ else bytes([7]) * 100


def winning(request_id, n=0):
    return pb.SubmitProofRequest(request_id=request_id, proof_kind=pb.WINNING_POST, sector_size=2048,
                                 registered_proof=0, vanilla_proofs=[bytes([7]) * n if n else VANILLA],
                                 miner_id=1000, randomness=RANDOMNESS)


def calls():
    status = call("GetStatus", pb.GetStatusRequest(), pb.GetStatusResponse)
    say("GetStatus", " ".join(q.proof_kind for q in status.queues))
    say("GetMetrics", "cuzk_" in call("GetMetrics", pb.GetMetricsRequest(), pb.GetMetricsResponse).prometheus_text)
    job = call("SubmitProof", winning(ID + "-1"), pb.SubmitProofResponse)
    say("SubmitProof", job.job_id.split("~")[0])
    soon = call("AwaitProof", pb.AwaitProofRequest(job_id=job.job_id, timeout_ms=1), pb.AwaitProofResponse)
    say("AwaitProof 1 ms", soon.status)
    states = [j.state for j in call("WatchJob", pb.WatchJobRequest(job_id=job.job_id), pb.JobInfo, stream=True)]
    say("WatchJob", states[-1])
    done = call("AwaitProof", pb.AwaitProofRequest(job_id=ID + "-1"), pb.AwaitProofResponse)
    say("AwaitProof", f"{done.status} {len(done.proof)}")
    again = call("Prove", pb.ProveRequest(submit=winning(ID + "-1")), pb.ProveResponse)
    say("Prove", again.result.status == done.status and again.result.proof == done.proof)
    jobs = call("ListJobs", pb.ListJobsRequest(), pb.ListJobsResponse)
    say("ListJobs", sum(j.request_id == ID + "-1" for j in jobs.jobs))
    say("GetTrace", call("GetTrace", pb.GetTraceRequest(job_id=ID + "-1"), pb.GetTraceResponse).json[:1])
    say("at once", code("Prove", pb.ProveRequest(submit=winning(ID + "-2")), pb.ProveResponse, timeout=0.001))
    say("late", code("Prove", pb.ProveRequest(submit=winning(ID + "-2")), pb.ProveResponse, timeout=0.05))
    say("after it", call("Prove", pb.ProveRequest(submit=winning(ID + "-2")), pb.ProveResponse).result.status)
    job = call("SubmitProof", winning(ID + "-3"), pb.SubmitProofResponse)
    call("CancelProof", pb.CancelProofRequest(job_id=job.job_id), pb.CancelProofResponse)
    say("CancelProof", call("AwaitProof", pb.AwaitProofRequest(job_id=job.job_id), pb.AwaitProofResponse).status)
    say("CancelProof of none", code("CancelProof", pb.CancelProofRequest(job_id="none"), pb.CancelProofResponse))
    call("PreloadSRS", pb.PreloadSrsRequest(circuit_id=CIRCUIT), pb.PreloadSrsResponse)
    say("PreloadSRS", "answered")
    call("EvictSRS", pb.EvictSrsRequest(circuit_id=CIRCUIT), pb.EvictSrsResponse)
    say("EvictSRS", "answered")
    say("no kind", code("Prove", pb.ProveRequest(submit=pb.SubmitProofRequest()), pb.ProveResponse))


def prove(request_id):
    result = call("Prove", pb.ProveRequest(submit=winning(request_id)), pb.ProveResponse).result
    say("prove", f"{result.status} {result.proof.hex()}")


def porep(path, request_id):
    submit = pb.SubmitProofRequest(request_id=request_id, proof_kind=pb.POREP_SEAL_COMMIT, sector_size=2048,
                                   vanilla_proof=read(path))
    result = call("Prove", pb.ProveRequest(submit=submit), pb.ProveResponse, timeout=600).result
    say("porep", f"{result.status} {result.proof.hex()}")


def large(mib, n):
    mib, n = int(mib), int(n)
    lengths = [0] * n

    def one(i):
        request = pb.ProveRequest(submit=winning(f"large-{mib}-{i}", mib << 20))
        lengths[i] = len(call("Prove", request, pb.ProveResponse, timeout=300).result.proof)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(n)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    say("large", " ".join(map(str, lengths)))


def urgent(mib, n):
    mib, n = int(mib), int(n)
    held = [channel.unary_unary("/cuzk.v1.ProvingEngine/Prove",
                                request_serializer=lambda m: m.SerializeToString(),
                                response_deserializer=pb.ProveResponse.FromString).future(
        pb.ProveRequest(submit=pb.SubmitProofRequest(
            request_id=f"held-{i}", proof_kind=pb.POREP_SEAL_COMMIT, vanilla_proof=bytes(mib << 20))),
        timeout=300) for i in range(n)]
    result = call("Prove", pb.ProveRequest(submit=winning("urgent", 200000)), pb.ProveResponse).result
    say("urgent", f"{result.status}, {sum(f.done() for f in held)} of {n} before it")
    [f.cancel() for f in held]


globals()[sys.argv[2]](*sys.argv[3:])
