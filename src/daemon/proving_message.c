#include "daemon/proving_message.h"

#include <errno.h>
#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>
#include <unistd.h>

/* ---- a file as nanopb's stream --------------------------------------------------------------- */

struct file_source {
    int fd;
    uint64_t at; /* of the next byte that nanopb reads */
    int error;   /* errno of a read that failed */
    uint64_t window_at;
    size_t window_n;
    uint8_t window[4096];
};

static bool fill_window(struct file_source *source)
{
    ssize_t n;

    do
        n = pread(source->fd, source->window, sizeof source->window, (off_t)source->at);
    while (n < 0 && errno == EINTR);
    if (n <= 0) {
        source->error = n < 0 ? errno : ENODATA;
        return false;
    }
    source->window_at = source->at;
    source->window_n = (size_t)n;
    return true;
}

static bool read_file(pb_istream_t *stream, pb_byte_t *out, size_t n)
{
    struct file_source *source = stream->state;

    while (n > 0) {
        uint64_t into = source->at - source->window_at;
        size_t part;

        if (source->at < source->window_at || into >= source->window_n) {
            if (!fill_window(source))
                return false;
            into = 0;
        }
        part = source->window_n - (size_t)into;
        if (part > n)
            part = n;
        memcpy(out, source->window + into, part);
        out += part;
        source->at += part;
        n -= part;
    }
    return true;
}

/* ---- a request for a proof ------------------------------------------------------------------- */

struct decoding {
    struct job_request *request;
    struct file_source source;
    struct job_range single; /* vanilla_proof; bytes 0: none */
    enum cuzk_status status;
    struct cuzk_error *err;
};

/* The bytes of the field are stepped over: they stay where they are. False: the field is a number,
 * which nanopb hands over as a stream of its own. */
static bool step_over(struct decoding *d, pb_istream_t *stream, struct job_range *ret)
{
    if (stream->state != &d->source)
        return false;
    *ret = (struct job_range){.offset = d->source.at, .bytes = stream->bytes_left};
    d->source.at += stream->bytes_left;
    stream->bytes_left = 0;
    return true;
}

static bool single_proof(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct decoding *d = *arg;

    (void)field;
    return step_over(d, stream, &d->single);
}

static bool one_of_the_proofs(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct decoding *d = *arg;
    struct job_range range;

    (void)field;
    if (!step_over(d, stream, &range))
        return false;
    d->status = job_request_add_range(d->request, range, d->err);
    return d->status == CUZK_OK;
}

static enum cuzk_status take_hash(uint8_t out[32], uint8_t *n, const uint8_t *bytes, size_t size,
                                  const char *name, struct cuzk_error *err)
{
    if (size != 0 && size != 32)
        return error_set(err, CUZK_BAD_INPUT, "%s: expected 32 bytes, found %zu", name, size);
    memcpy(out, bytes, size);
    *n = (uint8_t)size;
    return CUZK_OK;
}

static enum cuzk_status take_proofs(struct decoding *d, struct cuzk_error *err)
{
    size_t n = job_request_n_ranges(d->request);

    if (d->request->kind == JOB_POREP) {
        if (n > 0 || d->single.bytes == 0)
            return error_set(
                err, CUZK_BAD_INPUT,
                "POREP_SEAL_COMMIT takes vanilla_proof (one), found %zu vanilla_proofs", n);
        return job_request_add_range(d->request, d->single, err);
    }
    if (n == 0 || d->single.bytes > 0)
        return error_set(err, CUZK_BAD_INPUT, "this kind takes vanilla_proofs, found %s",
                         d->single.bytes ? "vanilla_proof" : "none");
    return CUZK_OK;
}

static enum cuzk_status take_request(struct decoding *d, const cuzk_v1_SubmitProofRequest *m,
                                     struct cuzk_error *err)
{
    struct job_request *r = d->request;
    unsigned kind = (unsigned)m->proof_kind, priority = (unsigned)m->priority;

    if (kind == JOB_KIND_NONE || kind >= JOB_N_KINDS)
        return error_set(err, CUZK_BAD_INPUT, "proof_kind: expected 1 to %d, found %u",
                         JOB_N_KINDS - 1, kind);
    memcpy(r->request_id, m->request_id, sizeof r->request_id);
    r->kind = (enum job_kind)kind;
    r->priority = priority < N_PRIORITIES ? (enum job_priority)priority : PRIORITY_NORMAL;
    if (m->deadline_ms) /* else the call's, if that is known */
        r->deadline_ms = m->deadline_ms;
    r->sector_size = m->sector_size;
    r->registered_proof = m->registered_proof;
    r->sector_number = m->sector_number;
    r->miner_id = m->miner_id;
    r->partition_index = m->partition_index;
    TRY(take_hash(r->randomness, &r->n_randomness, m->randomness.bytes, m->randomness.size,
                  "randomness", err));
    TRY(take_hash(r->comm_r_old, &r->n_comm_r_old, m->comm_r_old.bytes, m->comm_r_old.size,
                  "comm_r_old", err));
    TRY(take_hash(r->comm_r_new, &r->n_comm_r_new, m->comm_r_new.bytes, m->comm_r_new.size,
                  "comm_r_new", err));
    TRY(take_hash(r->comm_d_new, &r->n_comm_d_new, m->comm_d_new.bytes, m->comm_d_new.size,
                  "comm_d_new", err));
    return take_proofs(d, err);
}

static enum cuzk_status decode_file(struct job_request *request, int fd, uint64_t bytes, bool prove,
                                    struct cuzk_error *err)
{
    struct decoding d = {.request = request, .source.fd = fd, .err = err};
    pb_istream_t stream = {.callback = read_file, .state = &d.source, .bytes_left = (size_t)bytes};
    cuzk_v1_ProveRequest message = cuzk_v1_ProveRequest_init_zero;
    bool good;

    message.submit.vanilla_proof.funcs.decode = single_proof;
    message.submit.vanilla_proofs.funcs.decode = one_of_the_proofs;
    message.submit.vanilla_proof.arg = message.submit.vanilla_proofs.arg = &d;
    /* NOINIT: the callbacks are set already. */
    good = pb_decode_ex(&stream,
                        prove ? cuzk_v1_ProveRequest_fields : cuzk_v1_SubmitProofRequest_fields,
                        prove ? (void *)&message : (void *)&message.submit, PB_DECODE_NOINIT);
    if (d.status != CUZK_OK)
        return d.status;
    if (d.source.error && d.source.error != ENODATA)
        return error_set(err, CUZK_IO, "the spooled request cannot be read: %s",
                         strerror(d.source.error));
    if (!good)
        return error_set(err, CUZK_BAD_INPUT, "the request is no %s: offset %llu: %s",
                         prove ? "cuzk.v1.ProveRequest" : "cuzk.v1.SubmitProofRequest",
                         (unsigned long long)d.source.at, PB_GET_ERROR(&stream));
    if (prove && !message.has_submit)
        return error_set(err, CUZK_BAD_INPUT, "submit: it is missing");
    return take_request(&d, &message.submit, err);
}

enum cuzk_status proving_decode_submit(struct job_request *request, int fd, uint64_t bytes,
                                       struct cuzk_error *err)
{
    return decode_file(request, fd, bytes, false, err);
}

enum cuzk_status proving_decode_prove(struct job_request *request, int fd, uint64_t bytes,
                                      struct cuzk_error *err)
{
    return decode_file(request, fd, bytes, true, err);
}

/* ---- how urgent ------------------------------------------------------------------------------ */

static bool read_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
    uint64_t value = 0;

    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t byte = *(*p)++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* Steps over the value of a field that is no varint; false: it does not end here. */
static bool skip_value(const uint8_t **p, const uint8_t *end, unsigned wire_type)
{
    uint64_t n = wire_type == PB_WT_64BIT ? 8 : 4;

    if (wire_type == PB_WT_STRING && !read_varint(p, end, &n))
        return false;
    if (wire_type != PB_WT_64BIT && wire_type != PB_WT_STRING && wire_type != PB_WT_32BIT)
        return false;
    if (n > (uint64_t)(end - *p))
        return false;
    *p += n;
    return true;
}

/* Up to where the head ends, or to the first long field: kind and priority come before those in
 * every client that writes fields in their order. */
unsigned proving_urgency_submit(const uint8_t *head, size_t n)
{
    const uint8_t *p = head, *end = head + n;
    uint64_t key, kind = JOB_KIND_NONE, priority = PRIORITY_NONE;

    while (read_varint(&p, end, &key)) {
        uint64_t ignored, *value = key >> 3 == cuzk_v1_SubmitProofRequest_proof_kind_tag ? &kind
                                   : key >> 3 == cuzk_v1_SubmitProofRequest_priority_tag ? &priority
                                                                                         : &ignored;

        if (!((key & 7) == PB_WT_VARINT ? read_varint(&p, end, value)
                                        : skip_value(&p, end, (unsigned)key & 7)))
            break;
    }
    return PRIORITY_CRITICAL -
           job_priority_of(priority < N_PRIORITIES ? (unsigned)priority : N_PRIORITIES,
                           kind < JOB_N_KINDS ? (enum job_kind)kind : JOB_KIND_NONE);
}

unsigned proving_urgency_prove(const uint8_t *head, size_t n)
{
    const uint8_t *p = head, *end = head + n;
    uint64_t key, bytes;

    if (!read_varint(&p, end, &key) ||
        key != (cuzk_v1_ProveRequest_submit_tag << 3 | PB_WT_STRING) ||
        !read_varint(&p, end, &bytes))
        return proving_urgency_submit(head, 0);
    return proving_urgency_submit(p, (size_t)(end - p));
}

/* ---- small messages -------------------------------------------------------------------------- */

bool message_decode(void *ret, const pb_msgdesc_t *fields, const uint8_t *bytes, size_t n)
{
    pb_istream_t stream = pb_istream_from_buffer(bytes, n);

    return pb_decode(&stream, fields, ret);
}

uint8_t *message_encode(const pb_msgdesc_t *fields, const void *message, size_t *ret_n)
{
    size_t n;
    uint8_t *bytes;
    pb_ostream_t stream;

    if (!pb_get_encoded_size(&n, fields, message))
        return NULL;
    bytes = mem_new(n);
    if (!bytes)
        return NULL;
    stream = pb_ostream_from_buffer(bytes, n);
    if (!pb_encode(&stream, fields, message)) {
        mem_free(bytes);
        return NULL;
    }
    *ret_n = n;
    return bytes;
}

static bool write_text(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const char *text = *arg;

    return !text || !*text ||
           (pb_encode_tag_for_field(stream, field) &&
            pb_encode_string(stream, (const pb_byte_t *)text, strlen(text)));
}

pb_callback_t message_text(const char *text)
{
    return (pb_callback_t){.funcs.encode = write_text, .arg = (void *)(uintptr_t)text};
}

static bool write_bytes(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct message_bytes *b = *arg;

    return b->n == 0 ||
           (pb_encode_tag_for_field(stream, field) && pb_encode_string(stream, b->bytes, b->n));
}

pb_callback_t message_bytes(const struct message_bytes *bytes)
{
    return (pb_callback_t){.funcs.encode = write_bytes, .arg = (void *)(uintptr_t)bytes};
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static cuzk_v1_AwaitProofResponse_Status result_status(enum await_end end, enum job_state state)
{
    if (end == AWAIT_TIMEOUT)
        return cuzk_v1_AwaitProofResponse_Status_TIMEOUT;
    switch (state) {
    case JOB_DONE: return cuzk_v1_AwaitProofResponse_Status_COMPLETED;
    case JOB_FAILED: return cuzk_v1_AwaitProofResponse_Status_FAILED;
    case JOB_CANCELLED: return cuzk_v1_AwaitProofResponse_Status_CANCELLED;
    default: return cuzk_v1_AwaitProofResponse_Status_UNKNOWN;
    }
}

void proving_result(cuzk_v1_AwaitProofResponse *ret, enum await_end end, const struct job_view *job,
                    struct message_bytes *proof)
{
    *proof = (struct message_bytes){job->proof, job->proof_bytes};
    *ret = (cuzk_v1_AwaitProofResponse){
        .job_id = message_text(job->id),
        .status = result_status(end, job->state),
        .proof = message_bytes(proof),
        .error_message = message_text(job->error),
        .queue_wait_ms = job->timing.queue_wait,
        .srs_load_ms = job->timing.key_load,
        .synthesis_ms = job->timing.synthesis,
        .gpu_compute_ms = job->timing.compute,
        .total_ms = job->timing.total,
    };
}

void proving_job_info(cuzk_v1_JobInfo *ret, const struct job_view *job)
{
    *ret = (cuzk_v1_JobInfo){
        .job_id = message_text(job->id),
        .request_id = message_text(job->request_id),
        .proof_kind = (cuzk_v1_ProofKind)job->kind,
        .circuit = message_text(job->circuit),
        .priority = (cuzk_v1_Priority)job->priority,
        .state = (cuzk_v1_JobInfo_State)job->state,
        .cancelling = job->cancelling,
        .why = message_text(job->why),
        .worker = message_text(job->worker),
        .stage = message_text(job->stage),
        .queue_position = job->queue_position,
        .partitions = job->partitions,
        .partitions_done = job->done,
        .attempts = job->attempts,
        .submitted = job->submitted,
        .deadline = job->deadline,
        .started = job->started,
        .finished = job->finished,
        .reserved_bytes = job->reserved_bytes,
        .error = message_text(job->error),
    };
}
