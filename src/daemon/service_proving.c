#include "daemon/service_proving.h"

#include <pb_encode.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/metrics.h"
#include "daemon/proving_message.h"
#include "daemon/status_report.h"

/* A client that does not read its events gets fewer of them. */
enum { WATCH_BACKLOG_MAX = 64 << 10 };

struct service_proving {
    struct jobs *jobs;
    const struct rpc *rpc;
    struct rpc_service service;
};

/* ---- a call that waits for the jobs ---------------------------------------------------------- */

struct asking {
    struct service_proving *service;
    struct rpc_call *call;
    struct job_call *waits_for;        /* NULL: for nothing that could be dropped */
    struct subscription *subscription; /* WatchJob */
    char job_id[JOB_ID_MAX + 1];       /* WatchJob, once it is known */
};

static void asking_end(struct asking *a)
{
    if (!a)
        return;
    job_call_drop(a->waits_for);
    jobs_unsubscribe(a->subscription);
    mem_free(a);
}

static void client_gone(void *ctx)
{
    asking_end(ctx);
}

/* NULL: the call has been answered. */
static struct asking *asking_new(struct service_proving *service, struct rpc_call *call)
{
    struct asking *a = mem_new(sizeof *a);

    if (!a) {
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for another question");
        return NULL;
    }
    a->service = service;
    a->call = call;
    rpc_on_gone(call, client_gone, a);
    return a;
}

/* The jobs answer later, or had no memory for the question. */
static void wait_for(struct asking *a, struct job_call *question)
{
    a->waits_for = question;
    if (!question) {
        rpc_finish(a->call, GRPC_UNAVAILABLE, "no memory for another question");
        asking_end(a);
    }
}

static void reply(struct rpc_call *call, const pb_msgdesc_t *fields, const void *message)
{
    size_t n;
    uint8_t *bytes = message_encode(fields, message, &n);

    if (bytes)
        rpc_reply(call, bytes, n);
    else
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for the answer");
    mem_free(bytes);
}

/* The callback of the question is being called: it is gone when that returns. */
static void reply_and_end(struct asking *a, const pb_msgdesc_t *fields, const void *message)
{
    a->waits_for = NULL;
    reply(a->call, fields, message);
    asking_end(a);
}

static void refuse_and_end(struct asking *a, enum grpc_code code, const char *sentence)
{
    a->waits_for = NULL;
    rpc_finish(a->call, code, sentence);
    asking_end(a);
}

/* False: the request has been refused. */
static bool read_request(struct rpc_call *call, void *ret, const pb_msgdesc_t *fields,
                         const struct rpc_request *request)
{
    if (message_decode(ret, fields, request->message, request->n))
        return true;
    rpc_finish(call, GRPC_INVALID_ARGUMENT, "the request is not of its form");
    return false;
}

/* ---- SubmitProof, Prove, AwaitProof ---------------------------------------------------------- */

static enum grpc_code code_of_refusal(enum refusal refusal)
{
    switch (refusal) {
    case REFUSED_BAD_REQUEST: return GRPC_INVALID_ARGUMENT;
    case REFUSED_NO_KEY: return GRPC_FAILED_PRECONDITION;
    case REFUSED_TOO_LARGE: return GRPC_RESOURCE_EXHAUSTED;
    case REFUSED_POISON: return GRPC_FAILED_PRECONDITION;
    case REFUSED_DRAINING:
    case REFUSED_FAULT: return GRPC_UNAVAILABLE;
    case REFUSED_NOT: break;
    }
    return GRPC_INTERNAL;
}

static enum grpc_code code_of_status(enum cuzk_status status)
{
    switch (status) {
    case CUZK_OK: return GRPC_OK;
    case CUZK_USAGE:
    case CUZK_BAD_INPUT:
    case CUZK_INVALID: return GRPC_INVALID_ARGUMENT;
    case CUZK_NO_MEMORY: return GRPC_RESOURCE_EXHAUSTED;
    case CUZK_DEVICE:
    case CUZK_IO: return GRPC_UNAVAILABLE;
    case CUZK_CANCELLED: return GRPC_CANCELLED;
    case CUZK_INTERNAL: break;
    }
    return GRPC_INTERNAL;
}

static void submit(struct service_proving *service, struct rpc_call *call,
                   const struct rpc_request *request, uint64_t deadline_ms, job_decode_fn *decode,
                   submit_fn *answer)
{
    struct submission submission = {.fd = request->fd,
                                    .bytes = request->n,
                                    .request.deadline_ms = deadline_ms,
                                    .decode = decode};
    struct asking *a = asking_new(service, call);

    if (a)
        wait_for(a, jobs_submit(service->jobs, &submission, answer, a));
    else
        close(request->fd);
}

static void submitted(void *ctx, const struct submit_answer *answer)
{
    struct asking *a = ctx;
    cuzk_v1_SubmitProofResponse m = {
        .job_id = message_text(answer->job_id),
        .queue_position = answer->queue_position,
        .attached = answer->attached,
    };

    if (answer->refusal == REFUSED_NOT)
        reply_and_end(a, cuzk_v1_SubmitProofResponse_fields, &m);
    else
        refuse_and_end(a, code_of_refusal(answer->refusal), answer->sentence);
}

static void submit_proof(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    submit(ctx, call, request, 0, proving_decode_submit, submitted);
}

static void proven(void *ctx, enum await_end end, const struct job_view *job)
{
    cuzk_v1_ProveResponse m = {.has_result = true};
    struct message_bytes proof;

    if (end == AWAIT_UNKNOWN) {
        refuse_and_end(ctx, GRPC_NOT_FOUND, "the job has been removed");
        return;
    }
    proving_result(&m.result, end, job, &proof);
    reply_and_end(ctx, cuzk_v1_ProveResponse_fields, &m);
}

static void prove_accepted(void *ctx, const struct submit_answer *answer)
{
    struct asking *a = ctx;

    if (answer->refusal == REFUSED_NOT)
        wait_for(a, jobs_await(a->service->jobs, answer->job_id, 0, proven, a));
    else
        refuse_and_end(a, code_of_refusal(answer->refusal), answer->sentence);
}

static void prove(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    submit(ctx, call, request, rpc_left_ms(call), proving_decode_prove, prove_accepted);
}

static void awaited(void *ctx, enum await_end end, const struct job_view *job)
{
    cuzk_v1_AwaitProofResponse m;
    struct message_bytes proof;

    if (end == AWAIT_UNKNOWN) {
        refuse_and_end(ctx, GRPC_NOT_FOUND, "there is no such job");
        return;
    }
    proving_result(&m, end, job, &proof);
    reply_and_end(ctx, cuzk_v1_AwaitProofResponse_fields, &m);
}

static void await_proof(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_AwaitProofRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_AwaitProofRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_await(service->jobs, m.job_id, m.timeout_ms, awaited, a));
}

/* ---- CancelProof, ClearJob, PreloadSRS, EvictSRS --------------------------------------------- */

static void cancelled(void *ctx, enum cancel_end end)
{
    cuzk_v1_CancelProofResponse m = {.was_running = end == CANCEL_WAS_RUNNING};

    if (end == CANCEL_UNKNOWN)
        refuse_and_end(ctx, GRPC_NOT_FOUND, "there is no such job");
    else
        reply_and_end(ctx, cuzk_v1_CancelProofResponse_fields, &m);
}

static void cancel_proof(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_CancelProofRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_CancelProofRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_cancel(service->jobs, m.job_id, cancelled, a));
}

static void cleared(void *ctx, enum cancel_end end)
{
    const cuzk_v1_ClearJobResponse m = cuzk_v1_ClearJobResponse_init_zero;

    if (end == CANCEL_UNKNOWN)
        refuse_and_end(ctx, GRPC_NOT_FOUND, "there is no such job");
    else
        reply_and_end(ctx, cuzk_v1_ClearJobResponse_fields, &m);
}

static void clear_job(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_ClearJobRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_ClearJobRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_clear(service->jobs, m.job_id, cleared, a));
}

static void preloaded(void *ctx, const struct preload_answer *answer)
{
    cuzk_v1_PreloadSrsResponse m = {.already_loaded = answer->already_loaded,
                                    .load_time_ms = answer->load_ms};

    if (answer->status == CUZK_OK)
        reply_and_end(ctx, cuzk_v1_PreloadSrsResponse_fields, &m);
    else
        refuse_and_end(ctx, code_of_status(answer->status), answer->sentence);
}

static void preload_srs(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_PreloadSrsRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_PreloadSrsRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_preload(service->jobs, m.circuit_id, preloaded, a));
}

static void evicted(void *ctx, const struct evict_answer *answer)
{
    cuzk_v1_EvictSrsResponse m = {.was_loaded = answer->was_loaded,
                                  .freed_bytes = answer->freed_bytes};

    if (answer->status == CUZK_OK)
        reply_and_end(ctx, cuzk_v1_EvictSrsResponse_fields, &m);
    else
        refuse_and_end(ctx, code_of_status(answer->status), answer->sentence);
}

static void evict_srs(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_EvictSrsRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_EvictSrsRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_evict(service->jobs, m.circuit_id, evicted, a));
}

/* ---- GetStatus, GetMetrics, GetTrace --------------------------------------------------------- */

static bool write_one(pb_ostream_t *stream, const pb_field_t *field, const pb_msgdesc_t *fields,
                      const void *message)
{
    return pb_encode_tag_for_field(stream, field) && pb_encode_submessage(stream, fields, message);
}

struct status_of {
    struct jobs *jobs;
    struct jobs_status jobs_status;
};

/* The kind of the job with this id; "" if it is not in memory. */
struct kind_search {
    const char *id, *kind;
};

static void look_for_kind(void *ctx, const struct job_view *job)
{
    struct kind_search *search = ctx;

    if (strcmp(job->id, search->id) == 0)
        search->kind = job_kind_name(job->kind);
}

static bool write_gpus(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct status_of *of = *arg;

    for (size_t i = 0; i < of->jobs_status.n_workers; i++) {
        const struct worker_view *w = &of->jobs_status.workers[i];
        struct kind_search search = {w->job_id, ""};
        cuzk_v1_GPUStatus m = {
            .ordinal = (uint32_t)w->ordinal,
            .name = message_text(w->device),
            .vram_total_bytes = w->device_total,
            .vram_free_bytes = w->device_free,
            .current_job_id = message_text(w->job_id),
        };

        if (w->ordinal < 0)
            continue;
        if (*w->job_id)
            jobs_each(of->jobs, look_for_kind, &search);
        m.current_proof_kind = message_text(search.kind);
        if (!write_one(stream, field, cuzk_v1_GPUStatus_fields, &m))
            return false;
    }
    return true;
}

static bool write_keys(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct status_of *of = *arg;

    for (size_t i = 0; i < of->jobs_status.n_keys; i++) {
        const struct key_view *k = &of->jobs_status.keys[i];
        cuzk_v1_SRSStatus m = {
            .circuit_id = message_text(k->circuit),
            .tier = (cuzk_v1_SRSStatus_Tier)k->tier,
            .size_bytes = k->bytes + k->file_bytes,
            .ref_count = k->users,
        };

        if (!write_one(stream, field, cuzk_v1_SRSStatus_fields, &m))
            return false;
    }
    return true;
}

static bool write_queues(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct status_of *of = *arg;

    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        cuzk_v1_QueueStatus m = {
            .proof_kind = message_text(job_kind_name(kind)),
            .pending = of->jobs_status.kind[kind].waiting,
            .in_progress = of->jobs_status.kind[kind].running,
        };

        if (!write_one(stream, field, cuzk_v1_QueueStatus_fields, &m))
            return false;
    }
    return true;
}

/* The report of the HTTP port; false: no memory for it. */
static bool write_report(struct text *text, struct jobs *jobs)
{
    struct report report;
    struct cuzk_error err;
    enum cuzk_status st;

    report_init(&report);
    status_report(&report, jobs);
    st = text_begin(text, &err);
    if (st == CUZK_OK)
        st = report_print_json(&report, text->stream, &err);
    if (st == CUZK_OK)
        st = text_end(text, &err);
    report_done(&report);
    return st == CUZK_OK;
}

static void get_status(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    struct status_of of = {.jobs = service->jobs};
    struct text json = {0};
    cuzk_v1_GetStatusResponse m = {
        .gpus = {.funcs.encode = write_gpus, .arg = &of},
        .loaded_srs = {.funcs.encode = write_keys, .arg = &of},
        .queues = {.funcs.encode = write_queues, .arg = &of},
    };

    (void)request;
    jobs_status(service->jobs, &of.jobs_status);
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        m.total_proofs_completed += of.jobs_status.kind[kind].done;
        m.total_proofs_failed += of.jobs_status.kind[kind].failed;
    }
    m.uptime_seconds = (uint64_t)(clock_unix_seconds() - of.jobs_status.started);
    m.pinned_memory_bytes = of.jobs_status.class_bytes[MEM_PINNED];
    m.pinned_memory_limit_bytes = of.jobs_status.budget_bytes;
    if (write_report(&json, service->jobs)) {
        m.json = message_text(json.bytes);
        reply(call, cuzk_v1_GetStatusResponse_fields, &m);
    } else {
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for the answer");
    }
    text_free(&json);
}

static void get_metrics(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    struct text text = {0};
    struct cuzk_error err;
    cuzk_v1_GetMetricsResponse m;
    enum cuzk_status st = text_begin(&text, &err);

    (void)request;
    if (st == CUZK_OK) {
        metrics_write(text.stream, service->jobs, service->rpc, true);
        st = text_end(&text, &err);
    }
    if (st == CUZK_OK) {
        m.prometheus_text = message_text(text.bytes);
        reply(call, cuzk_v1_GetMetricsResponse_fields, &m);
    } else {
        rpc_finish(call, GRPC_UNAVAILABLE, err.message);
    }
    text_free(&text);
}

static void traced(void *ctx, enum cuzk_status status, const char *text, size_t n)
{
    struct message_bytes json = {text, n};
    cuzk_v1_GetTraceResponse m = {.json = message_bytes(&json)};

    if (status == CUZK_OK)
        reply_and_end(ctx, cuzk_v1_GetTraceResponse_fields, &m);
    else
        refuse_and_end(ctx, status == CUZK_BAD_INPUT ? GRPC_NOT_FOUND : code_of_status(status),
                       status == CUZK_BAD_INPUT ? "there is no such job, or it has not begun"
                                                : cuzk_status_name(status));
}

static void get_trace(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_GetTraceRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_GetTraceRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_trace(service->jobs, m.job_id, traced, a));
}

/* ---- ListJobs, WatchJob ---------------------------------------------------------------------- */

struct listing {
    struct jobs *jobs;
    pb_ostream_t *stream;
    const pb_field_t *field;
    bool good;
};

static void write_job(void *ctx, const struct job_view *job)
{
    struct listing *l = ctx;
    cuzk_v1_JobInfo m;

    proving_job_info(&m, job);
    l->good = l->good && write_one(l->stream, l->field, cuzk_v1_JobInfo_fields, &m);
}

static bool write_jobs(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    struct listing l = {*arg, stream, field, true};

    jobs_each(l.jobs, write_job, &l);
    return l.good;
}

static void list_jobs(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_ListJobsResponse m = {.jobs = {.funcs.encode = write_jobs, .arg = service->jobs}};

    (void)request;
    reply(call, cuzk_v1_ListJobsResponse_fields, &m);
}

/* False: there is no memory for it. */
static bool send_job(struct asking *a, const struct job_view *job)
{
    cuzk_v1_JobInfo m;
    size_t n;
    uint8_t *bytes;
    bool sent;

    proving_job_info(&m, job);
    bytes = message_encode(cuzk_v1_JobInfo_fields, &m, &n);
    sent = bytes && rpc_send(a->call, bytes, n);
    mem_free(bytes);
    return sent;
}

static void watch_looked(void *ctx, enum await_end end, const struct job_view *job);

/* A subscription may not end within its callback, so a job that is over is looked at once more, and
 * the call ends there (without memory for that question, when the client's patience does). */
static void watch_event(void *ctx, const struct event *event)
{
    struct asking *a = ctx;

    if (!event->job || a->waits_for || strcmp(event->job->id, a->job_id) != 0)
        return;
    if (job_state_is_final(event->job->state))
        a->waits_for = jobs_look(a->service->jobs, a->job_id, watch_looked, a);
    else if (rpc_backlog(a->call) < WATCH_BACKLOG_MAX)
        (void)send_job(a, event->job); /* without memory this one is left out */
}

/* At the beginning, and when the job is over. */
static void watch_looked(void *ctx, enum await_end end, const struct job_view *job)
{
    struct asking *a = ctx;

    a->waits_for = NULL;
    if (end == AWAIT_UNKNOWN) {
        refuse_and_end(a, GRPC_NOT_FOUND, "there is no such job");
        return;
    }
    if (!send_job(a, job)) {
        refuse_and_end(a, GRPC_UNAVAILABLE, "no memory for the answer");
        return;
    }
    if (job_state_is_final(job->state)) {
        refuse_and_end(a, GRPC_OK, NULL);
        return;
    }
    memcpy(a->job_id, job->id, strlen(job->id) + 1);
    if (!a->subscription)
        a->subscription = jobs_subscribe(a->service->jobs, watch_event, a);
    if (!a->subscription)
        refuse_and_end(a, GRPC_UNAVAILABLE, "no memory for another subscription");
}

static void watch_job(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_proving *service = ctx;
    cuzk_v1_WatchJobRequest m;
    struct asking *a;

    if (read_request(call, &m, cuzk_v1_WatchJobRequest_fields, request) &&
        (a = asking_new(service, call)) != NULL)
        wait_for(a, jobs_look(service->jobs, m.job_id, watch_looked, a));
}

/* ---- the table ------------------------------------------------------------------------------- */

#define PATH(method) "/cuzk.v1.ProvingEngine/" method

static const struct rpc_method methods[] = {
    {PATH("SubmitProof"), RPC_SPOOLED, submit_proof, proving_urgency_submit},
    {PATH("AwaitProof"), RPC_SMALL, await_proof, NULL},
    {PATH("Prove"), RPC_SPOOLED, prove, proving_urgency_prove},
    {PATH("CancelProof"), RPC_SMALL, cancel_proof, NULL},
    {PATH("GetStatus"), RPC_SMALL, get_status, NULL},
    {PATH("GetMetrics"), RPC_SMALL, get_metrics, NULL},
    {PATH("PreloadSRS"), RPC_SMALL, preload_srs, NULL},
    {PATH("EvictSRS"), RPC_SMALL, evict_srs, NULL},
    {PATH("WatchJob"), RPC_SMALL, watch_job, NULL},
    {PATH("ListJobs"), RPC_SMALL, list_jobs, NULL},
    {PATH("GetTrace"), RPC_SMALL, get_trace, NULL},
    {PATH("ClearJob"), RPC_SMALL, clear_job, NULL},
};

enum cuzk_status service_proving_new(struct service_proving **ret, struct rpc *rpc,
                                     struct jobs *jobs, struct cuzk_error *err)
{
    struct service_proving *service = mem_new(sizeof *service);

    if (!service)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the proving service");
    service->jobs = jobs;
    service->rpc = rpc;
    service->service = (struct rpc_service){
        .name = "cuzk.v1.ProvingEngine",
        .methods = methods,
        .n_methods = sizeof methods / sizeof methods[0],
        .ctx = service,
    };
    rpc_serve(rpc, &service->service);
    *ret = service;
    return CUZK_OK;
}

void service_proving_free(struct service_proving *service)
{
    mem_free(service);
}
