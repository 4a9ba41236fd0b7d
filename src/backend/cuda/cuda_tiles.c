/* Two pinned tiles, through which large things go to the device: the pool fills one while the other
 * travels. A copy from pageable memory reaches 7 GB/s on a link of 55: 0.6 s for the witness of a
 * full Window PoSt, 8 s for its key. */
#include <string.h>

#include "backend/cuda/cuda_device.h"

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

struct copy {
    uint8_t *to;
    const uint8_t *from;
};

static void copy_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct copy *c = ctx;

    (void)worker;
    memcpy(c->to + begin, c->from + begin, end - begin);
}

enum cuzk_status cuda_upload(struct device *d, void *to, const void *from, size_t bytes,
                             cudaStream_t stream, struct cuzk_error *err)
{
    unsigned k = 0;

    TRY(cuda_tiles_make(d, err));
    for (size_t at = 0; at < bytes; at += CUDA_TILE_BYTES, k ^= 1) {
        const size_t n = bytes - at < CUDA_TILE_BYTES ? bytes - at : CUDA_TILE_BYTES;
        struct copy copy = {d->tiles + k * CUDA_TILE_BYTES, (const uint8_t *)from + at};

        TRY(CU(cudaEventSynchronize(d->tile_sent[k]), err));
        pool_for(d->pool, n, COPY_GRAIN, copy_range, &copy);
        TRY(CU(cudaMemcpyAsync((uint8_t *)to + at, copy.to, n, cudaMemcpyHostToDevice, stream),
               err));
        TRY(CU(cudaEventRecord(d->tile_sent[k], stream), err));
    }
    return CUZK_OK;
}
