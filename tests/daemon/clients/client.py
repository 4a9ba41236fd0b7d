#!/usr/bin/python3
"""README.md says what this is. The generated messages are on PYTHONPATH."""
import os
import sys
import threading

import grpc
import proving_pb2 as pb

LIMIT = 256 << 20
OPTIONS = [("grpc.max_send_message_length", LIMIT), ("grpc.max_receive_message_length", LIMIT)]
if "TLS_CA" in os.environ:  # a PEM file
    with open(os.environ["TLS_CA"], "rb") as ca:
        channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials(ca.read()), options=OPTIONS)
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


def winning(request_id, n=100):
    return pb.SubmitProofRequest(request_id=request_id, proof_kind=pb.WINNING_POST, sector_size=2048,
                                 registered_proof=0, vanilla_proofs=[bytes([7]) * n], miner_id=1000,
                                 randomness=bytes([9]) * 32)


def calls():
    status = call("GetStatus", pb.GetStatusRequest(), pb.GetStatusResponse)
    say("GetStatus", " ".join(q.proof_kind for q in status.queues))
    say("GetMetrics", "cuzk_" in call("GetMetrics", pb.GetMetricsRequest(), pb.GetMetricsResponse).prometheus_text)
    job = call("SubmitProof", winning("calls-1"), pb.SubmitProofResponse)
    say("SubmitProof", job.job_id.split("~")[0])
    soon = call("AwaitProof", pb.AwaitProofRequest(job_id=job.job_id, timeout_ms=1), pb.AwaitProofResponse)
    say("AwaitProof 1 ms", soon.status)
    states = [j.state for j in call("WatchJob", pb.WatchJobRequest(job_id=job.job_id), pb.JobInfo, stream=True)]
    say("WatchJob", states[-1])
    done = call("AwaitProof", pb.AwaitProofRequest(job_id="calls-1"), pb.AwaitProofResponse)
    say("AwaitProof", f"{done.status} {len(done.proof)}")
    again = call("Prove", pb.ProveRequest(submit=winning("calls-1")), pb.ProveResponse)
    say("Prove", again.result.status == done.status and again.result.proof == done.proof)
    jobs = call("ListJobs", pb.ListJobsRequest(), pb.ListJobsResponse)
    say("ListJobs", sum(j.request_id == "calls-1" for j in jobs.jobs))
    say("GetTrace", call("GetTrace", pb.GetTraceRequest(job_id="calls-1"), pb.GetTraceResponse).json[:1])
    say("late", code("Prove", pb.ProveRequest(submit=winning("calls-2")), pb.ProveResponse, timeout=0.05))
    say("after it", call("Prove", pb.ProveRequest(submit=winning("calls-2")), pb.ProveResponse).result.status)
    job = call("SubmitProof", winning("calls-3"), pb.SubmitProofResponse)
    call("CancelProof", pb.CancelProofRequest(job_id=job.job_id), pb.CancelProofResponse)
    say("CancelProof", call("AwaitProof", pb.AwaitProofRequest(job_id=job.job_id), pb.AwaitProofResponse).status)
    say("CancelProof of none", code("CancelProof", pb.CancelProofRequest(job_id="none"), pb.CancelProofResponse))
    call("PreloadSRS", pb.PreloadSrsRequest(circuit_id="winning-32GiB"), pb.PreloadSrsResponse)
    say("PreloadSRS", "answered")
    call("EvictSRS", pb.EvictSrsRequest(circuit_id="winning-32GiB"), pb.EvictSrsResponse)
    say("EvictSRS", "answered")
    say("no kind", code("Prove", pb.ProveRequest(submit=pb.SubmitProofRequest()), pb.ProveResponse))


def prove(path, randomness, request_id):
    with open(path, "rb") as f:
        request = winning(request_id)
        request.vanilla_proofs[0] = f.read()
    request.randomness = bytes.fromhex(randomness)
    result = call("Prove", pb.ProveRequest(submit=request), pb.ProveResponse).result
    say("prove", f"{result.status} {result.proof.hex()}")


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
