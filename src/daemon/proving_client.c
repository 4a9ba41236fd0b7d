#include "daemon/proving_client.h"

#include <stdlib.h>
#include <string.h>

#include <pb_decode.h>
#include <pb_encode.h>

#include "base/mem.h"
#include "daemon/proving_message.h"
#include "daemon/tls.h"

enum cuzk_status proving_open(struct client **ret, const struct proving_place *place,
                              struct cuzk_error *err)
{
    static const char https[] = "https://";
    const char *text = place->address ? place->address : PROVING_ADDRESS;
    const bool is_https = strncmp(text, https, sizeof https - 1) == 0;
    struct address address;
    struct tls *tls = NULL;
    enum cuzk_status st;

    TRY(address_parse(&address, is_https ? text + sizeof https - 1 : text, err));
    if (is_https || place->ca || place->certificate) {
        if (address.is_unix)
            return error_set(err, CUZK_USAGE, "'%s': no TLS is spoken over a unix socket", text);
        TRY(tls_new_client(&tls, place->ca, place->certificate, place->key, err));
    }
    st = client_open(ret, &address, tls, err);
    tls_free(tls); /* the connection keeps what it needs */
    return st;
}

/* ---- one call -------------------------------------------------------------------------------- */

static enum cuzk_status status_of(enum grpc_code code)
{
    switch (code) {
    case GRPC_OK: return CUZK_OK;
    case GRPC_CANCELLED: return CUZK_CANCELLED;
    case GRPC_INVALID_ARGUMENT:
    case GRPC_NOT_FOUND:
    case GRPC_ALREADY_EXISTS:
    case GRPC_FAILED_PRECONDITION:
    case GRPC_OUT_OF_RANGE: return CUZK_BAD_INPUT;
    case GRPC_RESOURCE_EXHAUSTED: return CUZK_NO_MEMORY;
    case GRPC_UNAVAILABLE:
    case GRPC_DEADLINE_EXCEEDED: return CUZK_IO;
    default: return CUZK_INTERNAL;
    }
}

struct decoding {
    const pb_msgdesc_t *fields;
    void *message;
    bool came, failed;
};

static bool take_message(void *ctx, const uint8_t *bytes, size_t n)
{
    struct decoding *decoding = ctx;

    decoding->came = true;
    decoding->failed = !message_decode(decoding->message, decoding->fields, bytes, n);
    return true;
}

/* A call of ProvingEngine with the request in parts. */
static enum cuzk_status call_parts(struct client *client, const char *name,
                                   const struct client_part *parts, size_t n_parts,
                                   const pb_msgdesc_t *fields, void *ret, struct cuzk_error *err)
{
    char method[80];
    struct client_request request = {.method = method, .parts = parts, .n_parts = n_parts};
    struct decoding decoding = {fields, ret, false, false};
    struct client_answer answer = {.code = GRPC_OK};

    snprintf(method, sizeof method, "/cuzk.v1.ProvingEngine/%s", name);
    TRY(client_call(client, &request, take_message, &decoding, &answer, err));
    if (answer.code != GRPC_OK)
        return error_set(err, status_of(answer.code), "%s: %s",
                         answer.sentence[0] ? answer.sentence : "no reason given",
                         grpc_code_name(answer.code));
    if (!decoding.came || decoding.failed)
        return error_set(err, CUZK_IO, "the daemon's answer to %s is none", name);
    return CUZK_OK;
}

static enum cuzk_status call(struct client *client, const char *name,
                             const pb_msgdesc_t *request_fields, const void *request,
                             const pb_msgdesc_t *fields, void *ret, struct cuzk_error *err)
{
    size_t n;
    uint8_t *bytes = message_encode(request_fields, request, &n);
    enum cuzk_status st;

    if (!bytes)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a request");
    st = call_parts(client, name, &(struct client_part){.bytes = bytes, .n = n}, 1, fields, ret,
                    err);
    mem_free(bytes);
    return st;
}

/* ---- fields of answers ----------------------------------------------------------------------- */

struct place {
    char *text;
    size_t size;
};

/* A string into a place of fixed size, for a terminal: what does not fit is cut, and control
 * characters (other clients choose their ids) become question marks. */
static bool decode_text(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    const struct place *place = *arg;
    size_t n = stream->bytes_left < place->size - 1 ? stream->bytes_left : place->size - 1;

    (void)field;
    if (!pb_read(stream, (pb_byte_t *)place->text, n))
        return false;
    place->text[n] = 0;
    for (char *p = place->text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return pb_read(stream, NULL, stream->bytes_left);
}

#define TEXT_FIELD(place) ((pb_callback_t){.funcs.decode = decode_text, .arg = &(place)})
#define PLACE(array)                                                                               \
    {                                                                                              \
        (array), sizeof(array)                                                                     \
    }

/* A long string into a text. */
static bool decode_long_text(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct text *text = *arg;
    pb_byte_t piece[4096];

    (void)field;
    while (stream->bytes_left > 0) {
        size_t n = stream->bytes_left < sizeof piece ? stream->bytes_left : sizeof piece;

        if (!pb_read(stream, piece, n) || fwrite(piece, 1, n, text->stream) != n)
            return false;
    }
    return true;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

struct listing {
    proving_job_fn *fn;
    void *ctx;
};

static bool decode_job(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    const struct listing *listing = *arg;
    struct proving_job job = {.circuit = ""};
    struct place id = PLACE(job.id), request_id = PLACE(job.request_id),
                 circuit = PLACE(job.circuit), why = PLACE(job.why), worker = PLACE(job.worker),
                 stage = PLACE(job.stage), error = PLACE(job.error);
    cuzk_v1_JobInfo info = {.job_id = TEXT_FIELD(id),
                            .request_id = TEXT_FIELD(request_id),
                            .circuit = TEXT_FIELD(circuit),
                            .why = TEXT_FIELD(why),
                            .worker = TEXT_FIELD(worker),
                            .stage = TEXT_FIELD(stage),
                            .error = TEXT_FIELD(error)};

    (void)field;
    if (!pb_decode_ex(stream, cuzk_v1_JobInfo_fields, &info, PB_DECODE_NOINIT))
        return false;
    job.priority = (enum job_priority)info.priority;
    job.state = (enum job_state)info.state;
    job.cancelling = info.cancelling;
    job.queue_position = info.queue_position;
    job.partitions = info.partitions;
    job.done = info.partitions_done;
    job.attempts = info.attempts;
    job.submitted = info.submitted;
    job.deadline = info.deadline;
    job.started = info.started;
    job.finished = info.finished;
    job.reserved_bytes = info.reserved_bytes;
    if (job.priority < N_PRIORITIES && job.state < JOB_N_STATES)
        listing->fn(listing->ctx, &job);
    return true;
}

enum cuzk_status proving_list(struct client *client, proving_job_fn *fn, void *ctx,
                              struct cuzk_error *err)
{
    struct listing listing = {fn, ctx};
    cuzk_v1_ListJobsRequest request = cuzk_v1_ListJobsRequest_init_zero;
    cuzk_v1_ListJobsResponse answer = {.jobs = {.funcs.decode = decode_job, .arg = &listing}};

    return call(client, "ListJobs", cuzk_v1_ListJobsRequest_fields, &request,
                cuzk_v1_ListJobsResponse_fields, &answer, err);
}

/* Ids and names come from the command line. */
static enum cuzk_status copy_name(char *field, size_t size, const char *name,
                                  struct cuzk_error *err)
{
    if (strlen(name) >= size)
        return error_set(err, CUZK_BAD_INPUT, "'%.40s...': at most %zu characters", name, size - 1);
    memcpy(field, name, strlen(name) + 1);
    return CUZK_OK;
}

enum cuzk_status proving_cancel(struct client *client, const char *id, bool *ret_was_running,
                                struct cuzk_error *err)
{
    cuzk_v1_CancelProofRequest request = cuzk_v1_CancelProofRequest_init_zero;
    cuzk_v1_CancelProofResponse answer = cuzk_v1_CancelProofResponse_init_zero;

    TRY(copy_name(request.job_id, sizeof request.job_id, id, err));
    TRY(call(client, "CancelProof", cuzk_v1_CancelProofRequest_fields, &request,
             cuzk_v1_CancelProofResponse_fields, &answer, err));
    *ret_was_running = answer.was_running;
    return CUZK_OK;
}

enum cuzk_status proving_clear(struct client *client, const char *id, struct cuzk_error *err)
{
    cuzk_v1_ClearJobRequest request = cuzk_v1_ClearJobRequest_init_zero;
    cuzk_v1_ClearJobResponse answer = cuzk_v1_ClearJobResponse_init_zero;

    TRY(copy_name(request.job_id, sizeof request.job_id, id, err));
    return call(client, "ClearJob", cuzk_v1_ClearJobRequest_fields, &request,
                cuzk_v1_ClearJobResponse_fields, &answer, err);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Ends the text that a call has filled, or frees it. */
static enum cuzk_status end_text(struct text *text, enum cuzk_status status, struct cuzk_error *err)
{
    if (status == CUZK_OK)
        return text_end(text, err);
    text_free(text);
    return status;
}

enum cuzk_status proving_status(struct client *client, struct text *ret, struct cuzk_error *err)
{
    cuzk_v1_GetStatusRequest request = cuzk_v1_GetStatusRequest_init_zero;
    cuzk_v1_GetStatusResponse answer = {.json = {.funcs.decode = decode_long_text, .arg = ret}};

    TRY(text_begin(ret, err));
    return end_text(ret,
                    call(client, "GetStatus", cuzk_v1_GetStatusRequest_fields, &request,
                         cuzk_v1_GetStatusResponse_fields, &answer, err),
                    err);
}

enum cuzk_status proving_metrics(struct client *client, struct text *ret, struct cuzk_error *err)
{
    cuzk_v1_GetMetricsRequest request = cuzk_v1_GetMetricsRequest_init_zero;
    cuzk_v1_GetMetricsResponse answer = {
        .prometheus_text = {.funcs.decode = decode_long_text, .arg = ret}};

    TRY(text_begin(ret, err));
    return end_text(ret,
                    call(client, "GetMetrics", cuzk_v1_GetMetricsRequest_fields, &request,
                         cuzk_v1_GetMetricsResponse_fields, &answer, err),
                    err);
}

enum cuzk_status proving_trace(struct client *client, const char *id, struct text *ret,
                               struct cuzk_error *err)
{
    cuzk_v1_GetTraceRequest request = cuzk_v1_GetTraceRequest_init_zero;
    cuzk_v1_GetTraceResponse answer = {.json = {.funcs.decode = decode_long_text, .arg = ret}};

    TRY(copy_name(request.job_id, sizeof request.job_id, id, err));
    TRY(text_begin(ret, err));
    return end_text(ret,
                    call(client, "GetTrace", cuzk_v1_GetTraceRequest_fields, &request,
                         cuzk_v1_GetTraceResponse_fields, &answer, err),
                    err);
}

double proving_metric(const char *metrics, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = metrics; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            return strtod(line + n, NULL);
    }
    return 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum cuzk_status proving_preload(struct client *client, const char *circuit, bool *ret_was_loaded,
                                 uint64_t *ret_ms, struct cuzk_error *err)
{
    cuzk_v1_PreloadSrsRequest request = cuzk_v1_PreloadSrsRequest_init_zero;
    cuzk_v1_PreloadSrsResponse answer = cuzk_v1_PreloadSrsResponse_init_zero;

    TRY(copy_name(request.circuit_id, sizeof request.circuit_id, circuit, err));
    TRY(call(client, "PreloadSRS", cuzk_v1_PreloadSrsRequest_fields, &request,
             cuzk_v1_PreloadSrsResponse_fields, &answer, err));
    *ret_was_loaded = answer.already_loaded;
    *ret_ms = answer.load_time_ms;
    return CUZK_OK;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static void copy_commitment(pb_size_t *size, pb_byte_t *out, const uint8_t *in, unsigned n)
{
    *size = (pb_size_t)n;
    memcpy(out, in, n);
}

/* The short fields of a SubmitProofRequest. */
static uint8_t *encode_head(const struct job_request *r, size_t *ret_n)
{
    cuzk_v1_SubmitProofRequest m = cuzk_v1_SubmitProofRequest_init_zero;

    memcpy(m.request_id, r->request_id, strlen(r->request_id) + 1);
    m.proof_kind = (cuzk_v1_ProofKind)r->kind;
    m.deadline_ms = r->deadline_ms;
    m.sector_size = r->sector_size;
    m.registered_proof = r->registered_proof;
    m.priority = (cuzk_v1_Priority)r->priority;
    m.sector_number = r->sector_number;
    m.miner_id = r->miner_id;
    m.partition_index = r->partition_index;
    copy_commitment(&m.randomness.size, m.randomness.bytes, r->randomness, r->n_randomness);
    copy_commitment(&m.comm_r_old.size, m.comm_r_old.bytes, r->comm_r_old, r->n_comm_r_old);
    copy_commitment(&m.comm_r_new.size, m.comm_r_new.bytes, r->comm_r_new, r->n_comm_r_new);
    copy_commitment(&m.comm_d_new.size, m.comm_d_new.bytes, r->comm_d_new, r->n_comm_d_new);
    return message_encode(cuzk_v1_SubmitProofRequest_fields, &m, ret_n);
}

/* Tag and length of a field that holds bytes; returns how many. */
enum { PREFIX_MAX = 16 };
static size_t encode_prefix(uint8_t out[PREFIX_MAX], uint32_t tag, uint64_t bytes)
{
    pb_ostream_t stream = pb_ostream_from_buffer(out, PREFIX_MAX);

    return pb_encode_tag(&stream, PB_WT_STRING, tag) && pb_encode_varint(&stream, bytes)
               ? stream.bytes_written
               : 0;
}

struct proof_place {
    uint8_t *bytes;
    size_t size, n;
};

static bool decode_proof(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct proof_place *place = *arg;

    (void)field;
    place->n = stream->bytes_left;
    return place->n <= place->size && pb_read(stream, place->bytes, place->n);
}

static enum cuzk_status send_prove(struct client *client, const struct client_part *parts,
                                   size_t n_parts, struct proving_answer *ret,
                                   struct cuzk_error *err)
{
    struct place id = PLACE(ret->job_id), error = PLACE(ret->error);
    struct proof_place proof = {ret->proof, sizeof ret->proof, 0};
    cuzk_v1_ProveResponse answer = {
        .result = {.job_id = TEXT_FIELD(id),
                   .proof = {.funcs.decode = decode_proof, .arg = &proof},
                   .error_message = TEXT_FIELD(error)}};

    memset(ret, 0, sizeof *ret);
    TRY(call_parts(client, "Prove", parts, n_parts, cuzk_v1_ProveResponse_fields, &answer, err));
    ret->state = answer.result.status == cuzk_v1_AwaitProofResponse_Status_COMPLETED ? JOB_DONE
                 : answer.result.status == cuzk_v1_AwaitProofResponse_Status_CANCELLED
                     ? JOB_CANCELLED
                     : JOB_FAILED;
    ret->proof_bytes = proof.n;
    ret->queue_wait_ms = answer.result.queue_wait_ms;
    ret->srs_load_ms = answer.result.srs_load_ms;
    ret->synthesis_ms = answer.result.synthesis_ms;
    ret->gpu_compute_ms = answer.result.gpu_compute_ms;
    ret->total_ms = answer.result.total_ms;
    return CUZK_OK;
}

struct prefix {
    size_t n;
    uint8_t bytes[PREFIX_MAX];
};

enum cuzk_status proving_prove(struct client *client, const struct job_request *request,
                               const struct proving_file *files, size_t n_files,
                               struct proving_answer *ret, struct cuzk_error *err)
{
    const uint32_t tag = request->kind == JOB_POREP ? cuzk_v1_SubmitProofRequest_vanilla_proof_tag
                                                    : cuzk_v1_SubmitProofRequest_vanilla_proofs_tag;
    struct client_part *parts = mem_new((2 * n_files + 2) * sizeof *parts);
    struct prefix *prefixes = mem_new((n_files + 1) * sizeof *prefixes);
    size_t n_head = 0;
    uint8_t *head = encode_head(request, &n_head);
    uint64_t total = n_head;
    enum cuzk_status st;

    if (!parts || !prefixes || !head) {
        st = error_set(err, CUZK_NO_MEMORY, "no memory for a request");
        goto out;
    }
    /* outer prefix, head, then prefix and file for each vanilla proof */
    for (size_t i = 0; i < n_files; i++) {
        struct prefix *prefix = &prefixes[i + 1];

        prefix->n = encode_prefix(prefix->bytes, tag, files[i].bytes);
        parts[2 + 2 * i] = (struct client_part){.bytes = prefix->bytes, .n = prefix->n};
        parts[3 + 2 * i] = (struct client_part){.fd = files[i].fd, .n = files[i].bytes};
        total += prefix->n + files[i].bytes;
    }
    prefixes[0].n = encode_prefix(prefixes[0].bytes, cuzk_v1_ProveRequest_submit_tag, total);
    parts[0] = (struct client_part){.bytes = prefixes[0].bytes, .n = prefixes[0].n};
    parts[1] = (struct client_part){.bytes = head, .n = n_head};
    st = send_prove(client, parts, 2 * n_files + 2, ret, err);
out:
    mem_free(parts);
    mem_free(prefixes);
    mem_free(head);
    return st;
}
