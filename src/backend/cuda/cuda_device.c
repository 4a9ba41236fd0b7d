/* Device, arena and streams of the CUDA back end. */
#include "backend/cuda/cuda_device.h"

#include <string.h>

#include "backend/cuda/launch.h"
#include "base/clock.h"

static _Atomic size_t fail_countdown, n_checked;
static _Atomic int fail_error;

size_t cuda_fail_at(size_t n, cudaError_t error)
{
    atomic_store(&fail_error, error);
    atomic_store(&fail_countdown, n);
    return atomic_exchange(&n_checked, 0);
}

/* What is injected here: mostly cudaSuccess. */
static cudaError_t injected(void)
{
    size_t n = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

    atomic_fetch_add_explicit(&n_checked, 1, memory_order_relaxed);
    while (n > 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &n, n - 1))
            return n == 1 ? (cudaError_t)atomic_load(&fail_error) : cudaSuccess;
    return cudaSuccess;
}

enum cuzk_status cuda_check(cudaError_t e, const char *call, struct cuzk_error *err)
{
    if (e == cudaSuccess)
        e = injected();
    if (e == cudaSuccess)
        return CUZK_OK;
    (void)cudaGetLastError();
    if (e == cudaErrorMemoryAllocation)
        return error_set(err, CUZK_NO_MEMORY, "device memory: %s", cudaGetErrorString(e));
    return error_set(err, CUZK_DEVICE, "%s: %s", call, cudaGetErrorString(e));
}

/* ---- device --------------------------------------------------------------------------------- */

enum { LEAST_CAPABILITY = 8 };

const char *cuda_unavailable(void)
{
    int n = 0, major = 0;
    cudaError_t e = cudaGetDeviceCount(&n);

    if (e == cudaSuccess && n > 0)
        e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        return cudaGetErrorString(e);
    }
    if (n == 0)
        return "no CUDA device";
    return major < LEAST_CAPABILITY ? "compute capability below 8.0" : NULL;
}

/* Kernels keep local memory and the driver pages of its own besides the arena. */
#define DRIVER_BYTES ((size_t)1 << 30)

enum cuzk_status cuda_memory_free(int ordinal, size_t *ret, struct cuzk_error *err)
{
    size_t free_bytes = 0, total = 0;

    TRY(CU(cudaSetDevice(ordinal), err));
    TRY(CU(cudaMemGetInfo(&free_bytes, &total), err));
    *ret = free_bytes > DRIVER_BYTES ? free_bytes - DRIVER_BYTES : 0;
    return CUZK_OK;
}

static enum cuzk_status set_origin(struct device *d, struct cuzk_error *err)
{
    TRY(CU(cudaEventCreate(&d->origin), err));
    TRY(CU(cudaEventRecord(d->origin, NULL), err));
    TRY(CU(cudaEventSynchronize(d->origin), err));
    d->origin_seconds = clock_seconds();
    return CUZK_OK;
}

static enum cuzk_status open_on_card(struct device *d, struct cuzk_error *err)
{
    int major = 0, n_sm = 0;

    TRY(CU(cudaSetDevice(d->ordinal), err));
    TRY(CU(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d->ordinal), err));
    if (major < LEAST_CAPABILITY)
        return error_set(err, CUZK_DEVICE, "device %d: compute capability %d.x, 8.0 is needed",
                         d->ordinal, major);
    TRY(CU(cudaDeviceGetAttribute(&n_sm, cudaDevAttrMultiProcessorCount, d->ordinal), err));
    d->n_sm = (unsigned)n_sm;
    TRY(CU(cudaMalloc((void **)&d->arena, d->arena_bytes ? d->arena_bytes : 1), err));
    TRY(CU(cudaEventCreateWithFlags(&d->scratch_done, cudaEventDisableTiming), err));
    if (d->timeline.f)
        TRY(set_origin(d, err));
    return CU(cudaMallocHost((void **)&d->pinned, RESULT_SLOTS * RESULT_SLOT_BYTES), err);
}

enum cuzk_status cuda_open(struct device **ret, const struct device_options *options,
                           struct cuzk_error *err)
{
    struct device *d;
    enum cuzk_status st;

    if (strcmp(options->curve->name, "bls12_381") != 0 && !cuda_curve_is_bn254(options->curve))
        return error_set(err, CUZK_USAGE, "back end cuda: curve %s is not built",
                         options->curve->name);
    if (options->budget)
        TRY(budget_take(options->budget, MEM_PINNED, RESULT_SLOTS * RESULT_SLOT_BYTES, err));
    d = mem_new(sizeof *d);
    if (!d) {
        if (options->budget)
            budget_give(options->budget, MEM_PINNED, RESULT_SLOTS * RESULT_SLOT_BYTES);
        return error_set(err, CUZK_NO_MEMORY, "device: out of memory");
    }
    d->curve = options->curve;
    d->kernels = cuda_kernels_of(cuda_group_of(d->curve, ELEMENT_G1));
    d->pool = options->pool;
    d->budget = options->budget;
    d->cancel = options->cancel;
    d->ordinal = options->ordinal;
    d->arena_bytes = options->arena_bytes;
    d->timeline = options->timeline;
    st = open_on_card(d, err);
    if (st == CUZK_OK)
        *ret = d;
    else
        cuda_close(d);
    return st;
}

void cuda_close(struct device *d)
{
    if (!d)
        return;
    if (d->scratch_done)
        (void)cudaEventDestroy(d->scratch_done);
    if (d->origin)
        (void)cudaEventDestroy(d->origin);
    cuda_tiles_free(d);
    (void)cudaFreeHost(d->pinned);
    (void)cudaFree(d->arena);
    (void)cudaGetLastError();
    if (d->budget)
        budget_give(d->budget, MEM_PINNED, RESULT_SLOTS * RESULT_SLOT_BYTES);
    mem_free(d);
}

void cuda_info(const struct device *d, struct device_info *ret)
{
    struct cudaDeviceProp properties;

    memset(ret, 0, sizeof *ret);
    if (cudaGetDeviceProperties(&properties, d->ordinal) == cudaSuccess)
        memcpy(ret->name, properties.name, sizeof ret->name - 1);
    (void)cudaMemGetInfo(&ret->memory_free, &ret->memory_total);
}

/* ---- arena ---------------------------------------------------------------------------------- */

/* Nothing enqueued before the last free may still run when its bytes are handed out again. */
static enum cuzk_status settle_frees(struct device *d, struct cuzk_error *err)
{
    for (struct stream *s = d->streams; s; s = s->next)
        if (s->freed_pending) {
            TRY(CU(cudaEventSynchronize(s->freed), err));
            s->freed_pending = false;
        }
    return CUZK_OK;
}

static enum cuzk_status settle_scratch(struct device *d, struct cuzk_error *err)
{
    if (d->scratch_busy)
        TRY(CU(cudaEventSynchronize(d->scratch_done), err));
    d->scratch_busy = false;
    d->scratch_bytes = 0;
    return CUZK_OK;
}

static enum cuzk_status arena_full(const struct device *d, size_t bytes, struct cuzk_error *err)
{
    return error_set(err, CUZK_NO_MEMORY, "device arena: %zu bytes asked for, %zu of %zu free",
                     bytes, d->arena_bytes - d->low, d->arena_bytes);
}

enum cuzk_status cuda_take(struct device *d, size_t bytes, struct piece **ret,
                           struct cuzk_error *err)
{
    struct piece *piece;

    bytes = cuda_piece(bytes);
    if (bytes > d->arena_bytes - d->low)
        return arena_full(d, bytes, err);
    TRY(settle_frees(d, err));
    if (d->low + bytes > d->arena_bytes - d->scratch_bytes)
        TRY(settle_scratch(d, err));
    piece = mem_new(sizeof *piece);
    if (!piece)
        return error_set(err, CUZK_NO_MEMORY, "device arena: out of host memory");
    *piece = (struct piece){.older = d->youngest, .at = d->low, .bytes = bytes};
    d->youngest = piece;
    d->low += bytes;
    *ret = piece;
    return CUZK_OK;
}

void cuda_give(struct device *d, struct piece *piece)
{
    if (!piece)
        return;
    for (struct stream *s = d->streams; s; s = s->next)
        s->freed_pending |= cudaEventRecord(s->freed, s->cuda) == cudaSuccess;
    piece->freed = true;
    while (d->youngest && d->youngest->freed) {
        struct piece *gone = d->youngest;

        d->youngest = gone->older;
        d->low = gone->at;
        mem_free(gone);
    }
}

enum cuzk_status cuda_stream_scratch(struct stream *stream, size_t bytes, struct cuzk_error *err)
{
    return cuda_take(stream->device, bytes, &stream->scratch, err);
}

static enum cuzk_status own_scratch(const struct stream *stream, size_t bytes, void **ret,
                                    struct cuzk_error *err)
{
    if (bytes > stream->scratch->bytes)
        return error_set(err, CUZK_NO_MEMORY, "%zu bytes of scratch, the stream has %zu", bytes,
                         stream->scratch->bytes);
    *ret = cuda_at(stream->device, stream->scratch);
    return CUZK_OK;
}

enum cuzk_status cuda_scratch_begin(struct stream *stream, size_t bytes, void **ret,
                                    struct cuzk_error *err)
{
    struct device *d = stream->device;

    bytes = cuda_piece(bytes);
    if (stream->scratch)
        return own_scratch(stream, bytes, ret, err);
    if (bytes > d->arena_bytes - d->low)
        return arena_full(d, bytes, err);
    TRY(settle_frees(d, err));
    if (d->scratch_busy && d->scratch_user != stream)
        TRY(CU(cudaStreamWaitEvent(stream->cuda, d->scratch_done, 0), err));
    if (bytes > d->scratch_bytes)
        d->scratch_bytes = bytes;
    d->scratch_user = stream;
    *ret = d->arena + (d->arena_bytes & ~(size_t)(CUDA_ALIGN - 1)) - bytes;
    return CUZK_OK;
}

void cuda_scratch_end(struct stream *stream)
{
    struct device *d = stream->device;

    if (stream->scratch)
        return;
    /* cannot fail but with the device itself, which the next wait reports */
    (void)cudaEventRecord(d->scratch_done, stream->cuda);
    d->scratch_busy = true;
}

/* ---- streams -------------------------------------------------------------------------------- */

static enum cuzk_status make_timed(struct stream *s, struct cuzk_error *err)
{
    s->timed = mem_new(STREAM_TIMED * sizeof *s->timed);
    if (!s->timed)
        return error_set(err, CUZK_NO_MEMORY, "stream: out of memory");
    for (int i = 0; i < STREAM_TIMED; i++) {
        TRY(CU(cudaEventCreate(&s->timed[i].begin), err));
        TRY(CU(cudaEventCreate(&s->timed[i].end), err));
    }
    return CUZK_OK;
}

static void end_timed(struct stream *s)
{
    for (int i = 0; s->timed && i < STREAM_TIMED; i++) {
        if (s->timed[i].begin)
            (void)cudaEventDestroy(s->timed[i].begin);
        if (s->timed[i].end)
            (void)cudaEventDestroy(s->timed[i].end);
    }
    mem_free(s->timed);
}

/* The operations since the last wait, all done by now. */
static void tell_timed(struct stream *s)
{
    const struct device *d = s->device;

    for (unsigned i = 0; i < s->n_timed; i++) {
        const struct timed *t = &s->timed[i];
        float begin, end;

        if (cudaEventElapsedTime(&begin, d->origin, t->begin) == cudaSuccess &&
            cudaEventElapsedTime(&end, d->origin, t->end) == cudaSuccess)
            d->timeline.f(d->timeline.ctx, s->number, t->operation,
                          d->origin_seconds + (double)begin * 1e-3,
                          d->origin_seconds + (double)end * 1e-3);
    }
}

enum cuzk_status cuda_stream_new(struct device *d, struct stream **ret, struct cuzk_error *err)
{
    struct stream *s = mem_new(sizeof *s);
    enum cuzk_status st = CUZK_OK;
    int first; /* the priority that goes first */

    if (!s)
        return error_set(err, CUZK_NO_MEMORY, "stream: out of memory");
    s->device = d;
    s->last = "nothing";
    s->results_end = &s->results;
    s->number = d->n_streams++;
    s->next = d->streams;
    d->streams = s;
    if (d->timeline.f)
        TRY_GOTO(st, out, make_timed(s, err));
    TRY_GOTO(st, out, CU(cudaStreamCreateWithFlags(&s->cuda, cudaStreamNonBlocking), err));
    TRY_GOTO(st, out, CU(cudaEventCreateWithFlags(&s->freed, cudaEventDisableTiming), err));
    for (int i = 0; i < STREAM_MARKS; i++)
        TRY_GOTO(st, out, CU(cudaEventCreateWithFlags(&s->marks[i], cudaEventDisableTiming), err));
    TRY_GOTO(st, out, CU(cudaDeviceGetStreamPriorityRange(NULL, &first), err));
    TRY_GOTO(st, out,
             CU(cudaStreamCreateWithPriority(&s->side, cudaStreamNonBlocking, first), err));
    for (int i = 0; i < 2; i++) {
        TRY_GOTO(st, out,
                 CU(cudaEventCreateWithFlags(&s->lists_made[i], cudaEventDisableTiming), err));
        TRY_GOTO(st, out,
                 CU(cudaEventCreateWithFlags(&s->lists_free[i], cudaEventDisableTiming), err));
    }
    *ret = s;
    s = NULL;
out:
    cuda_stream_free(s);
    return st;
}

static void drop_results(struct stream *s)
{
    while (s->results) {
        struct result *r = s->results;

        s->results = r->next;
        atomic_fetch_and(&s->device->slots_busy, ~((uint64_t)1 << r->slot));
        mem_free(r);
    }
    s->results_end = &s->results;
}

void cuda_stream_free(struct stream *s)
{
    struct stream **at;

    if (!s)
        return;
    if (s->cuda)
        (void)cudaStreamSynchronize(s->cuda);
    if (s->side)
        (void)cudaStreamSynchronize(s->side);
    drop_results(s);
    cuda_give(s->device, s->scratch);
    for (at = &s->device->streams; *at != s; at = &(*at)->next)
        ;
    *at = s->next;
    if (s->device->scratch_user == s)
        s->device->scratch_user = NULL;
    for (int i = 0; i < STREAM_MARKS; i++)
        if (s->marks[i])
            (void)cudaEventDestroy(s->marks[i]);
    for (int i = 0; i < 2; i++) {
        if (s->lists_made[i])
            (void)cudaEventDestroy(s->lists_made[i]);
        if (s->lists_free[i])
            (void)cudaEventDestroy(s->lists_free[i]);
    }
    if (s->side)
        (void)cudaStreamDestroy(s->side);
    end_timed(s);
    if (s->freed)
        (void)cudaEventDestroy(s->freed);
    if (s->cuda)
        (void)cudaStreamDestroy(s->cuda);
    (void)cudaGetLastError();
    mem_free(s);
}

/* Marks share a ring of events: an event that was used again stands for a later place, and waiting
 * for that one waits for the older too. */
uint64_t cuda_mark(struct stream *s)
{
    uint64_t mark = s->n_marks++;

    if (cuda_op_begin(s, "mark"))
        cuda_op_end(s, CU(cudaEventRecord(s->marks[mark % STREAM_MARKS], s->cuda), &s->failure),
                    &s->failure);
    return mark;
}

void cuda_wait_on(struct stream *s, struct stream *other, uint64_t mark)
{
    if (!cuda_op_begin(s, "wait_on"))
        return;
    if (other->failure.status != CUZK_OK)
        s->failure = other->failure;
    else
        cuda_op_end(
            s, CU(cudaStreamWaitEvent(s->cuda, other->marks[mark % STREAM_MARKS], 0), &s->failure),
            &s->failure);
}

enum cuzk_status cuda_wait(struct stream *s, struct cuzk_error *err)
{
    struct cuzk_error failure = s->failure;
    enum cuzk_status st = failure.status;

    if (st == CUZK_OK) {
        st = CU(cudaStreamSynchronize(s->cuda), &failure);
        if (st != CUZK_OK)
            st = error_prefix(&failure, st, "after %s", s->last);
    } else {
        (void)cudaStreamSynchronize(s->cuda);
        (void)cudaGetLastError();
    }
    if (st == CUZK_OK) {
        for (struct result *r = s->results; r; r = r->next)
            r->finish(r, s->device->pinned + (size_t)r->slot * RESULT_SLOT_BYTES);
        tell_timed(s);
    } else if (err) {
        *err = failure;
    }
    s->n_timed = 0;
    drop_results(s);
    memset(&s->failure, 0, sizeof s->failure);
    return st;
}

/* ---- operations ----------------------------------------------------------------------------- */

bool cuda_op_begin(struct stream *s, const char *name)
{
    const atomic_bool *cancel = s->device->cancel;

    if (s->failure.status != CUZK_OK)
        return false;
    s->last = name;
    if (CU(cudaSetDevice(s->device->ordinal), &s->failure) != CUZK_OK) /* for each thread anew */
        return false;
    if (cancel && atomic_load(cancel)) {
        (void)error_set(&s->failure, CUZK_CANCELLED, "%s: cancelled", name);
        return false;
    }
    if (s->timed && s->n_timed < STREAM_TIMED) {
        s->timed[s->n_timed].operation = name;
        (void)cudaEventRecord(s->timed[s->n_timed].begin, s->cuda);
    }
    return true;
}

void cuda_op_end(struct stream *s, enum cuzk_status status, const struct cuzk_error *err)
{
    if (status == CUZK_OK) {
        if (s->timed && s->n_timed < STREAM_TIMED)
            (void)cudaEventRecord(s->timed[s->n_timed++].end, s->cuda);
        return;
    }
    (void)cudaStreamSynchronize(s->side); /* what it was preparing is wanted no more */
    (void)cudaGetLastError();
    if (err != &s->failure)
        s->failure = *err;
    s->failure.status = status;
    (void)error_prefix(&s->failure, status, "%s", s->last);
}

/* RESULT_SLOTS: none is free. Two threads may look. */
static unsigned take_slot(struct device *d)
{
    uint64_t busy = atomic_load(&d->slots_busy);

    while (~busy) {
        const unsigned slot = (unsigned)__builtin_ctzll(~busy);

        if (atomic_compare_exchange_weak(&d->slots_busy, &busy, busy | (uint64_t)1 << slot))
            return slot;
    }
    return RESULT_SLOTS;
}

enum cuzk_status cuda_result(struct stream *s, const void *from, size_t bytes,
                             const struct result *how, struct cuzk_error *err)
{
    struct device *d = s->device;
    struct result *r;
    unsigned slot;

    if (bytes > RESULT_SLOT_BYTES)
        return error_set(err, CUZK_INTERNAL, "result of %zu bytes", bytes);
    r = mem_new(sizeof *r);
    if (!r)
        return error_set(err, CUZK_NO_MEMORY, "result: out of memory");
    slot = take_slot(d);
    if (slot == RESULT_SLOTS) {
        mem_free(r);
        return error_set(err, CUZK_INTERNAL, "more than %d results without wait", RESULT_SLOTS);
    }
    *r = *how;
    r->next = NULL;
    r->slot = slot;
    *s->results_end = r;
    s->results_end = &r->next;
    return CU(cudaMemcpyAsync(d->pinned + (size_t)slot * RESULT_SLOT_BYTES, from, bytes,
                              cudaMemcpyDeviceToHost, s->cuda),
              err);
}
