/* The record, in order; u is 32 bits, U is 64:
 *
 *     u  version            u  kind            U  sector_size      U  registered_proof
 *     U  sector_number      U  miner_id        u  partition_index  u  has_partition
 *     four times: u bytes that came (0 or 32), 32 bytes    randomness, comm_r_old, _r_new, _d_new
 *     32 bytes of circuit name, zero-filled
 *     u  first   u  end     U  n_inputs   U  n_ranges
 *     n_ranges times U offset, U bytes
 *     (end - first) * n_inputs times 32 bytes
 */
#include "daemon/payload.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/reader.h"

enum { VERSION = 1, NAME_BYTES = 32, HEAD_BYTES = 248, TRAILER_BYTES = 24 };

static const char magic[9] = "cuzkjob1";

void payload_done(struct payload *payload)
{
    job_request_done(&payload->request);
    region_unmap(&payload->inputs);
}

static size_t n_partitions(const struct payload *payload)
{
    return payload->end - payload->first;
}

static uint64_t inputs_bytes(const struct payload *payload)
{
    return n_partitions(payload) * (uint64_t)payload->n_inputs * 32;
}

/* ---- what a request asks for ----------------------------------------------------------------- */

static enum cuzk_status need_32(const char *name, unsigned found, struct cuzk_error *err)
{
    if (found != 32)
        return error_set(err, CUZK_BAD_INPUT, "%s: expected 32 bytes, found %u", name, found);
    return CUZK_OK;
}

static enum cuzk_status check_fields(const struct job_request *r, struct cuzk_error *err)
{
    const size_t n = job_request_n_ranges(r);

    if (r->kind <= JOB_KIND_NONE || r->kind >= JOB_N_KINDS)
        return error_set(err, CUZK_BAD_INPUT, "proof_kind: expected 1 to %d, found %u",
                         (int)JOB_N_KINDS - 1, (unsigned)r->kind);
    if (n == 0)
        return error_set(err, CUZK_BAD_INPUT, "the request holds no vanilla proof");
    if (r->registered_proof > 19)
        return error_set(err, CUZK_BAD_INPUT, "registered_proof: expected 0 to 19, found %" PRIu64,
                         r->registered_proof);
    if (r->kind == JOB_POREP && n != 1)
        return error_set(err, CUZK_BAD_INPUT, "vanilla_proof: expected one, found %zu", n);
    if (r->kind == JOB_WINDOW || r->kind == JOB_WINNING)
        TRY(need_32("randomness", r->n_randomness, err));
    if (r->kind == JOB_UPDATE) {
        TRY(need_32("comm_r_old", r->n_comm_r_old, err));
        TRY(need_32("comm_r_new", r->n_comm_r_new, err));
        TRY(need_32("comm_d_new", r->n_comm_d_new, err));
    }
    if (r->kind == JOB_WINDOW && r->partition_index > 10000)
        return error_set(err, CUZK_BAD_INPUT, "partition_index: expected at most 10000, found %u",
                         r->partition_index);
    return CUZK_OK;
}

/* Which partitions: Window PoSt is asked for one at a time; a lone proof of an update is that of
 * the partition named, where there are several. */
static int partition_of(const struct job_request *r)
{
    if (r->kind == JOB_WINDOW || r->has_partition ||
        (r->kind == JOB_UPDATE && job_request_n_ranges(r) == 1))
        return (int)r->partition_index;
    return ALL_PARTITIONS;
}

/* The wire says 0 for what is not there; a C1 of the API says its own number. Of miner and sector,
 * the miner tells: no real one is 0. */
static void take_facts(struct request_input *in, const struct job_request *r)
{
    in->kind = job_circuit_kind(r->kind);
    in->partition = partition_of(r);
    in->hints.registered_proof =
        r->kind == JOB_POREP && r->registered_proof == 0 ? -1 : (int)r->registered_proof;
    in->hints.sector_size = r->sector_size;
    in->has_identity = r->kind == JOB_POREP && r->miner_id != 0;
    in->miner_id = r->miner_id;
    in->sector_num = r->sector_number;
    memcpy(in->randomness, r->randomness, 32);
    memcpy(in->comm_r_old, r->comm_r_old, 32);
    memcpy(in->comm_d_new, r->comm_d_new, 32);
    memcpy(in->comm_r_new, r->comm_r_new, 32);
}

enum { PART_NAME_BYTES = 24 };

static enum cuzk_status find_parts(struct payload_input *ret, const struct job_request *request,
                                   uint64_t body_bytes, struct budget *budget,
                                   struct cuzk_error *err)
{
    const size_t n = job_request_n_ranges(request);
    const struct job_range *range = job_request_ranges(request);
    struct file_part *parts;

    TRY(region_map(&ret->parts, budget, MEM_REQUEST, n * sizeof *parts, err));
    TRY(region_map(&ret->names, budget, MEM_REQUEST, n * PART_NAME_BYTES, err));
    parts = (struct file_part *)(void *)ret->parts.base;
    for (size_t i = 0; i < n; i++) {
        char *name = (char *)ret->names.base + i * PART_NAME_BYTES;

        if (range[i].offset > body_bytes || range[i].bytes > body_bytes - range[i].offset)
            return error_set(err, CUZK_BAD_INPUT,
                             "vanilla proof %zu: %" PRIu64 " bytes at %" PRIu64
                             " leave the body of %" PRIu64,
                             i, range[i].bytes, range[i].offset, body_bytes);
        if (request->kind == JOB_POREP)
            snprintf(name, PART_NAME_BYTES, "vanilla_proof");
        else
            snprintf(name, PART_NAME_BYTES, "vanilla_proofs[%zu]", i % JOB_RANGES_MAX);
        parts[i] = (struct file_part){
            .path = ret->path, .name = name, .offset = range[i].offset, .bytes = range[i].bytes};
    }
    ret->input.c1 = parts[0];
    ret->input.vanilla = parts;
    ret->input.n_vanilla = n;
    return CUZK_OK;
}

enum cuzk_status payload_input_make(struct payload_input *ret, const struct job_request *request,
                                    int fd, uint64_t body_bytes, struct budget *budget,
                                    struct cuzk_error *err)
{
    enum cuzk_status st;

    *ret = (struct payload_input){0};
    TRY(check_fields(request, err));
    take_facts(&ret->input, request);
    snprintf(ret->path, sizeof ret->path, "/proc/self/fd/%d", fd);
    st = find_parts(ret, request, body_bytes, budget, err);
    if (st != CUZK_OK)
        payload_input_done(ret);
    return st;
}

void payload_input_done(struct payload_input *input)
{
    region_unmap(&input->parts);
    region_unmap(&input->names);
}

/* ---- a fresh body ---------------------------------------------------------------------------- */

static enum cuzk_status derive(struct payload *p, const struct request *request,
                               struct budget *budget, struct cuzk_error *err)
{
    p->name = request->name;
    p->first = request->first;
    p->end = request->end;
    p->n_inputs = request->n_inputs;
    if (n_partitions(p) > PAYLOAD_PARTITIONS_MAX || inputs_bytes(p) / 32 > PAYLOAD_INPUTS_MAX)
        return error_set(err, CUZK_BAD_INPUT, "%zu partitions of %zu inputs are too many",
                         n_partitions(p), p->n_inputs);
    TRY(region_map(&p->inputs, budget, MEM_REQUEST, inputs_bytes(p), err));
    for (unsigned k = p->first; k < p->end; k++)
        request->kind->public_inputs(
            request,
            (struct scalar *)(void *)(p->inputs.base + (size_t)(k - p->first) * p->n_inputs * 32),
            k);
    return CUZK_OK;
}

enum cuzk_status payload_check(struct payload *ret, struct job_request *request, int fd,
                               uint64_t body_bytes, struct engine *engine, struct cuzk_error *err)
{
    struct payload p = {.body_bytes = body_bytes};
    struct payload_input input = {0};
    struct request read = {0};
    enum cuzk_status st;

    TRY_GOTO(st, out, payload_input_make(&input, request, fd, body_bytes, &engine->budget, err));
    TRY_GOTO(st, out, request_read(&read, &input.input, engine, err));
    TRY_GOTO(st, out, request_check(&read, engine, err));
    p.request = *request; /* borrowed until it is known to be good */
    TRY_GOTO(st, out, derive(&p, &read, &engine->budget, err));
    *ret = p;
    *request = (struct job_request){0};
    p = (struct payload){0};
out:
    if (st != CUZK_OK)
        region_unmap(&p.inputs);
    request_done(&read);
    payload_input_done(&input);
    engine_stage_end(engine);
    return st;
}

/* ---- identity -------------------------------------------------------------------------------- */

static void hash_u64(struct hash *h, uint64_t v)
{
    uint8_t bytes[8];

    store_u64_le(bytes, v);
    hash_update(h, bytes, 8);
}

static void hash_32(struct hash *h, unsigned n, const uint8_t bytes[32])
{
    hash_u64(h, n);
    hash_update(h, bytes, n);
}

static enum cuzk_status hash_range(struct hash *h, int fd, struct job_range range,
                                   struct cuzk_error *err)
{
    uint8_t buffer[16384];

    hash_u64(h, range.bytes);
    while (range.bytes > 0) {
        const size_t want = range.bytes < sizeof buffer ? (size_t)range.bytes : sizeof buffer;
        const ssize_t n = pread(fd, buffer, want, (off_t)range.offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_set(err, CUZK_IO, "request body: offset %" PRIu64 ": %s", range.offset,
                             n < 0 ? strerror(errno) : "the file ends");
        hash_update(h, buffer, (size_t)n);
        range.offset += (uint64_t)n;
        range.bytes -= (uint64_t)n;
    }
    return CUZK_OK;
}

enum cuzk_status payload_identity(uint8_t ret[JOB_IDENTITY_BYTES],
                                  const struct job_request *request, int fd, struct cuzk_error *err)
{
    struct hash *h = hash_new(HASH_SHA256);
    const size_t n = job_request_n_ranges(request);
    enum cuzk_status st = CUZK_OK;

    if (!h)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    hash_u64(h, request->kind);
    hash_u64(h, request->sector_size);
    hash_u64(h, request->registered_proof);
    hash_u64(h, request->sector_number);
    hash_u64(h, request->miner_id);
    hash_u64(h, request->partition_index);
    hash_u64(h, request->has_partition);
    hash_32(h, request->n_randomness, request->randomness);
    hash_32(h, request->n_comm_r_old, request->comm_r_old);
    hash_32(h, request->n_comm_r_new, request->comm_r_new);
    hash_32(h, request->n_comm_d_new, request->comm_d_new);
    hash_u64(h, n);
    for (size_t i = 0; i < n && st == CUZK_OK; i++)
        st = hash_range(h, fd, job_request_ranges(request)[i], err);
    hash_final(h, ret);
    hash_free(h);
    return st;
}

/* ---- record ---------------------------------------------------------------------------------- */

struct writer {
    uint8_t *at;
};

static void put_u32(struct writer *w, uint32_t v)
{
    store_u32_le(w->at, v);
    w->at += 4;
}

static void put_u64(struct writer *w, uint64_t v)
{
    store_u64_le(w->at, v);
    w->at += 8;
}

static void put_32(struct writer *w, unsigned n, const uint8_t bytes[32])
{
    put_u32(w, n);
    memcpy(w->at, bytes, 32);
    w->at += 32;
}

static void put_head(uint8_t head[HEAD_BYTES], const struct payload *p)
{
    const struct job_request *r = &p->request;
    struct writer w = {head};
    char name[CIRCUIT_TEXT_MAX] = {0};

    put_u32(&w, VERSION);
    put_u32(&w, r->kind);
    put_u64(&w, r->sector_size);
    put_u64(&w, r->registered_proof);
    put_u64(&w, r->sector_number);
    put_u64(&w, r->miner_id);
    put_u32(&w, r->partition_index);
    put_u32(&w, r->has_partition);
    put_32(&w, r->n_randomness, r->randomness);
    put_32(&w, r->n_comm_r_old, r->comm_r_old);
    put_32(&w, r->n_comm_r_new, r->comm_r_new);
    put_32(&w, r->n_comm_d_new, r->comm_d_new);
    circuit_name_print(name, p->name);
    memcpy(w.at, name, NAME_BYTES);
    w.at += NAME_BYTES;
    put_u32(&w, p->first);
    put_u32(&w, p->end);
    put_u64(&w, p->n_inputs);
    put_u64(&w, job_request_n_ranges(r));
}

static enum cuzk_status write_at(int fd, uint64_t *offset, const void *bytes, size_t n,
                                 struct cuzk_error *err)
{
    const uint8_t *from = bytes;

    while (n > 0) {
        const ssize_t done = pwrite(fd, from, n, (off_t)*offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(err, CUZK_IO, "spool file: %s", strerror(errno));
        from += done;
        n -= (size_t)done;
        *offset += (uint64_t)done;
    }
    return CUZK_OK;
}

enum cuzk_status payload_seal(const struct payload *payload, int fd, struct cuzk_error *err)
{
    const struct job_range *ranges = job_request_ranges(&payload->request);
    const size_t n = job_request_n_ranges(&payload->request);
    uint64_t at = payload->body_bytes;
    uint8_t head[HEAD_BYTES], bytes[TRAILER_BYTES];

    put_head(head, payload);
    TRY(write_at(fd, &at, head, sizeof head, err));
    for (size_t i = 0; i < n; i++) {
        store_u64_le(bytes, ranges[i].offset);
        store_u64_le(bytes + 8, ranges[i].bytes);
        TRY(write_at(fd, &at, bytes, 16, err));
    }
    TRY(write_at(fd, &at, payload->inputs.base, (size_t)inputs_bytes(payload), err));
    store_u64_le(bytes, payload->body_bytes);
    store_u64_le(bytes + 8, at - payload->body_bytes);
    memcpy(bytes + 16, magic, 8);
    TRY(write_at(fd, &at, bytes, sizeof bytes, err));
    if (fdatasync(fd) != 0)
        return error_set(err, CUZK_IO, "spool file: %s", strerror(errno));
    return CUZK_OK;
}

static enum cuzk_status get_32(struct reader *r, uint8_t *ret_n, uint8_t ret[32],
                               struct cuzk_error *err)
{
    const uint8_t *bytes;
    uint32_t n;

    TRY(read_u32_le(r, &n, err));
    if (n != 0 && n != 32)
        return reader_error(r, err, "expected 0 or 32, found %u", n);
    *ret_n = (uint8_t)n;
    TRY(read_bytes(r, 32, &bytes, err));
    memcpy(ret, bytes, 32);
    return CUZK_OK;
}

static enum cuzk_status get_head(struct payload *p, struct reader *r, size_t *ret_ranges,
                                 struct cuzk_error *err)
{
    struct job_request *q = &p->request;
    uint32_t version, kind, has_partition;
    uint64_t n_inputs, n_ranges;
    const uint8_t *text;
    char name[NAME_BYTES + 1] = {0};

    TRY(read_u32_le(r, &version, err));
    TRY(read_u32_le(r, &kind, err));
    if (version != VERSION || kind == JOB_KIND_NONE || kind >= JOB_N_KINDS)
        return reader_error(r, err, "expected version %d and a kind, found %u and %u", (int)VERSION,
                            version, kind);
    q->kind = (enum job_kind)kind;
    TRY(read_u64_le(r, &q->sector_size, err));
    TRY(read_u64_le(r, &q->registered_proof, err));
    TRY(read_u64_le(r, &q->sector_number, err));
    TRY(read_u64_le(r, &q->miner_id, err));
    TRY(read_u32_le(r, &q->partition_index, err));
    TRY(read_u32_le(r, &has_partition, err));
    q->has_partition = has_partition != 0;
    TRY(get_32(r, &q->n_randomness, q->randomness, err));
    TRY(get_32(r, &q->n_comm_r_old, q->comm_r_old, err));
    TRY(get_32(r, &q->n_comm_r_new, q->comm_r_new, err));
    TRY(get_32(r, &q->n_comm_d_new, q->comm_d_new, err));
    TRY(read_bytes(r, NAME_BYTES, &text, err));
    memcpy(name, text, NAME_BYTES);
    TRY(circuit_name_parse(&p->name, name, err));
    TRY(read_u32_le(r, &p->first, err));
    TRY(read_u32_le(r, &p->end, err));
    TRY(read_u64_le(r, &n_inputs, err));
    TRY(read_u64_le(r, &n_ranges, err));
    if (p->first >= p->end || n_partitions(p) > PAYLOAD_PARTITIONS_MAX ||
        n_inputs > PAYLOAD_INPUTS_MAX || n_ranges > JOB_RANGES_MAX)
        return reader_error(r, err, "partitions, inputs or ranges are out of range");
    p->n_inputs = (size_t)n_inputs;
    *ret_ranges = (size_t)n_ranges;
    return CUZK_OK;
}

static enum cuzk_status get_record(struct payload *p, struct reader *r, struct budget *budget,
                                   struct cuzk_error *err)
{
    const uint8_t *inputs;
    size_t n;

    TRY(get_head(p, r, &n, err));
    for (size_t i = 0; i < n; i++) {
        struct job_range range;

        TRY(read_u64_le(r, &range.offset, err));
        TRY(read_u64_le(r, &range.bytes, err));
        TRY(job_request_add_range(&p->request, range, err));
    }
    TRY(read_bytes(r, (size_t)inputs_bytes(p), &inputs, err));
    TRY(read_end(r, err));
    TRY(region_map(&p->inputs, budget, MEM_REQUEST, (size_t)inputs_bytes(p), err));
    if (inputs_bytes(p))
        memcpy(p->inputs.base, inputs, (size_t)inputs_bytes(p));
    return CUZK_OK;
}

/* Where the record lies, by the trailer. */
static enum cuzk_status find_record(struct file_part *ret, uint64_t *ret_body, int fd,
                                    struct cuzk_error *err)
{
    uint8_t trailer[TRAILER_BYTES];
    uint64_t size, body, record;
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st) != 0)
        return error_set(err, CUZK_IO, "payload: %s", strerror(errno));
    size = (uint64_t)st.st_size;
    if (size < TRAILER_BYTES)
        return error_set(err, CUZK_BAD_INPUT, "payload: %" PRIu64 " bytes hold no trailer", size);
    n = pread(fd, trailer, sizeof trailer, (off_t)(size - TRAILER_BYTES));
    if (n != (ssize_t)sizeof trailer)
        return error_set(err, CUZK_IO, "payload: trailer: %s",
                         n < 0 ? strerror(errno) : "the file ends");
    body = load_u64_le(trailer);
    record = load_u64_le(trailer + 8);
    size -= TRAILER_BYTES;
    if (memcmp(trailer + 16, magic, 8) != 0 || body > size || record != size - body)
        return error_set(err, CUZK_BAD_INPUT,
                         "payload: trailer: %" PRIu64 " and %" PRIu64 " bytes are not the %" PRIu64
                         " before it",
                         body, record, size);
    ret->offset = body;
    ret->bytes = record;
    *ret_body = body;
    return CUZK_OK;
}

enum cuzk_status payload_read(struct payload *ret, int fd, struct budget *budget,
                              struct cuzk_error *err)
{
    struct payload p = {0};
    struct file_part part = {.name = "payload"};
    struct region record;
    struct reader r;
    char path[32];
    enum cuzk_status st;
    size_t n;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    part.path = path;
    TRY(find_record(&part, &p.body_bytes, fd, err));
    TRY(file_read(&record, &n, &part, budget, MEM_REQUEST, err));
    r = reader_over(record.base, n, "payload");
    r.section = "record";
    st = get_record(&p, &r, budget, err);
    region_unmap(&record);
    if (st != CUZK_OK) {
        payload_done(&p);
        return st;
    }
    *ret = p;
    return CUZK_OK;
}
