/* Two pinned tiles, through which large things go to the device: the pool fills one while the other
 * travels. A copy from pageable memory reaches 7 GB/s on a link of 55: 0.6 s for the witness of a
 * full Window PoSt, 8 s for its key. */
#include <string.h>

#include "backend/cuda/cuda_device.h"
#include "base/file_fetch.h"

#define COPY_GRAIN ((size_t)1 << 20)

static enum cuzk_status take_tiles(struct device *d, struct cuzk_error *err)
{
    if (d->budget)
        TRY(budget_take(d->budget, MEM_PINNED, 2 * CUDA_TILE_BYTES, err));
    if (CU(cudaMallocHost((void **)&d->tiles, 2 * CUDA_TILE_BYTES), err) != CUZK_OK) {
        if (d->budget)
            budget_give(d->budget, MEM_PINNED, 2 * CUDA_TILE_BYTES);
        d->tiles = NULL;
        return error_set(err, CUZK_NO_MEMORY, "%zu bytes of pinned memory are refused",
                         2 * CUDA_TILE_BYTES);
    }
    return CUZK_OK;
}

enum cuzk_status cuda_tiles_make(struct device *d, struct cuzk_error *err)
{
    if (!d->tiles)
        TRY(take_tiles(d, err));
    for (int k = 0; k < 2; k++) /* one may be missing since a failure */
        if (!d->tile_sent[k])
            TRY(CU(cudaEventCreateWithFlags(&d->tile_sent[k], cudaEventDisableTiming), err));
    return CUZK_OK;
}

void cuda_tiles_free(struct device *d)
{
    if (!d->tiles)
        return;
    for (int k = 0; k < 2; k++)
        if (d->tile_sent[k])
            (void)cudaEventDestroy(d->tile_sent[k]);
    (void)cudaFreeHost(d->tiles);
    if (d->budget)
        budget_give(d->budget, MEM_PINNED, 2 * CUDA_TILE_BYTES);
}

/* What a tile is filled with: bytes from the begin of a page on, where it is a file's. */
struct filling {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
    const struct file_fetch *fetch;
    struct cuzk_error failed[CUDA_TILE_BYTES / COPY_GRAIN]; /* status CUZK_OK: it has not */
};

static void fill_grain(void *ctx, size_t i, unsigned worker)
{
    struct filling *f = ctx;
    const size_t begin = i * COPY_GRAIN, left = f->bytes - begin;
    const size_t n = left < COPY_GRAIN ? left : COPY_GRAIN;

    (void)worker;
    f->failed[i].status = CUZK_OK;
    if (!f->fetch)
        memcpy(f->to + begin, f->from + begin, n);
    else if (file_fetch_read(f->fetch, f->to + begin, f->from + begin, n, &f->failed[i]) == CUZK_OK)
        f->failed[i].status = CUZK_OK;
}

static enum cuzk_status fill(struct device *d, struct filling *f, struct cuzk_error *err)
{
    const size_t n = (f->bytes + COPY_GRAIN - 1) / COPY_GRAIN;

    pool_run(d->pool, n, fill_grain, f);
    if (pool_cancelled(d->pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    for (size_t i = 0; i < n; i++)
        if (f->failed[i].status != CUZK_OK)
            return error_set(err, f->failed[i].status, "%s", f->failed[i].message);
    return CUZK_OK;
}

enum cuzk_status cuda_upload(struct device *d, void *to, const void *from, size_t bytes,
                             const struct file_fetch *fetch, cudaStream_t stream,
                             struct cuzk_error *err)
{
    const size_t lead = fetch ? file_fetch_lead(fetch, from) : 0;
    const size_t step = CUDA_TILE_BYTES - (lead ? FETCH_PAGE : 0);
    struct filling filling = {.fetch = fetch};
    unsigned k = 0;

    TRY(cuda_tiles_make(d, err));
    for (size_t at = 0; at < bytes; at += step, k ^= 1) {
        const size_t n = bytes - at < step ? bytes - at : step;

        filling.to = d->tiles + k * CUDA_TILE_BYTES;
        filling.from = (const uint8_t *)from + at - lead;
        filling.bytes = lead + n;
        TRY(CU(cudaEventSynchronize(d->tile_sent[k]), err));
        TRY(fill(d, &filling, err));
        TRY(CU(cudaMemcpyAsync((uint8_t *)to + at, filling.to + lead, n, cudaMemcpyHostToDevice,
                               stream),
               err));
        TRY(CU(cudaEventRecord(d->tile_sent[k], stream), err));
    }
    return CUZK_OK;
}
