/* Buffers of the CUDA back end. */
#include <string.h>

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

size_t cuda_element_bytes(const struct curve *curve, enum element element)
{
    return element == ELEMENT_SCALAR ? curve->fr_bytes
           : element == ELEMENT_G1   ? curve->g1_bytes
                                     : curve->g2_bytes;
}

size_t cuda_buf_bytes(const struct curve *curve, enum element element, size_t n)
{
    return cuda_piece(n * cuda_element_bytes(curve, element));
}

enum cuzk_status cuda_buf_new(struct device *d, enum element element, size_t n, struct buf **ret,
                              struct cuzk_error *err)
{
    struct buf *buf = mem_new(sizeof *buf);
    enum cuzk_status st;

    if (!buf)
        return error_set(err, CUZK_NO_MEMORY, "buffer: out of memory");
    *buf = (struct buf){.device = d, .element = element, .n = n};
    st = cuda_take(d, n * cuda_element_bytes(d->curve, element), &buf->piece, err);
    if (st == CUZK_OK)
        *ret = buf;
    else
        mem_free(buf);
    return st;
}

void cuda_buf_free(struct buf *buf)
{
    if (!buf)
        return;
    cuda_give(buf->device, buf->piece);
    mem_free(buf);
}

/* Points change their form on the device. */
static enum cuzk_status put(struct stream *s, void *to, const void *plain, size_t n,
                            enum element element, struct cuzk_error *err)
{
    const size_t bytes = n * cuda_element_bytes(s->device->curve, element);

    TRY(CU(cudaMemcpyAsync(to, plain, bytes, cudaMemcpyHostToDevice, s->cuda), err));
    if (element == ELEMENT_SCALAR)
        return CUZK_OK;
    return CU(s->device->kernels->points_from_plain(cuda_group_of(s->device->curve, element), to, n,
                                                    s->cuda),
              err);
}

void cuda_buf_put(struct stream *s, struct buf *buf, size_t at, const void *plain, size_t n)
{
    if (cuda_op_begin(s, "buf_put"))
        cuda_op_end(s, put(s, buf_at(buf, at), plain, n, buf->element, &s->failure), &s->failure);
}

/* Points are plain while they travel, and what they were afterwards. */
static enum cuzk_status get(struct stream *s, void *from, void *plain, size_t n,
                            enum element element, struct cuzk_error *err)
{
    const struct cuda_kernels *kernels = s->device->kernels;
    const enum cuda_group group = cuda_group_of(s->device->curve, element);
    const size_t bytes = n * cuda_element_bytes(s->device->curve, element);

    if (element == ELEMENT_SCALAR)
        return CU(cudaMemcpyAsync(plain, from, bytes, cudaMemcpyDeviceToHost, s->cuda), err);
    TRY(CU(kernels->points_to_plain(group, from, n, s->cuda), err));
    TRY(CU(cudaMemcpyAsync(plain, from, bytes, cudaMemcpyDeviceToHost, s->cuda), err));
    return CU(kernels->points_from_plain(group, from, n, s->cuda), err);
}

void cuda_buf_get(struct stream *s, const struct buf *buf, size_t at, void *plain, size_t n)
{
    if (cuda_op_begin(s, "buf_get"))
        cuda_op_end(s, get(s, buf_at(buf, at), plain, n, buf->element, &s->failure), &s->failure);
}

void cuda_buf_zero(struct stream *s, struct buf *buf, size_t at, size_t n)
{
    const size_t size = cuda_element_bytes(s->device->curve, buf->element);

    if (cuda_op_begin(s, "buf_zero"))
        cuda_op_end(s, CU(cudaMemsetAsync(buf_at(buf, at), 0, n * size, s->cuda), &s->failure),
                    &s->failure);
}

/* ---- some of a buffer's elements ------------------------------------------------------------ */

struct select_room {
    uint64_t *map;
    uint32_t *offsets;
    void *scan;
    size_t bytes;
};

static struct select_room select_room_of(size_t n, uint8_t *base)
{
    const size_t n_words = n / 64 + 1;
    struct select_room r = {0};

    r.map = cuda_place(base, &r.bytes, n_words * sizeof *r.map);
    r.offsets = cuda_place(base, &r.bytes, n_words * sizeof *r.offsets);
    r.scan = cuda_place(base, &r.bytes, cuda_scan_bytes(n_words));
    return r;
}

size_t cuda_select_bytes(const struct curve *curve, size_t n)
{
    (void)curve;
    return cuda_piece(select_room_of(n, NULL).bytes);
}

static enum cuzk_status select_some(struct stream *s, const struct select_room *r, void *out,
                                    const void *a, const uint64_t *map, size_t n,
                                    struct cuzk_error *err)
{
    TRY(CU(
        cudaMemcpyAsync(r->map, map, (n + 63) / 64 * sizeof *map, cudaMemcpyHostToDevice, s->cuda),
        err));
    TRY(CU(s->device->kernels->count_ones(r->offsets, r->map, n, s->cuda), err));
    TRY(CU(cuda_exclusive_sum(r->offsets, r->offsets, n / 64 + 1, r->scan, s->cuda), err));
    return CU(s->device->kernels->select_scalars(out, a, r->map, r->offsets, n, s->cuda), err);
}

void cuda_select_op(struct stream *s, struct buf *out, const struct buf *a, const uint64_t *map,
                    size_t first, size_t n)
{
    struct select_room room;
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "select"))
        return;
    st = cuda_scratch_begin(s, cuda_select_bytes(s->device->curve, n), &scratch, &s->failure);
    if (st == CUZK_OK) {
        room = select_room_of(n, scratch);
        st = select_some(s, &room, buf_data(out), buf_data(a), map + first / 64, n, &s->failure);
        cuda_scratch_end(s);
    }
    cuda_op_end(s, st, &s->failure);
}

size_t cuda_find_zero_bytes(const struct curve *curve)
{
    (void)curve;
    return cuda_piece(sizeof(uint64_t));
}

/* landed: the smallest index found, or all ones */
static void finish_find_zero(const struct result *result, const void *landed)
{
    uint64_t first;

    memcpy(&first, landed, sizeof first);
    *(size_t *)result->out = first < result->n ? first : result->n;
}

static enum cuzk_status find_zero(struct stream *s, uint64_t *first, const struct buf *a, size_t n,
                                  size_t *ret, struct cuzk_error *err)
{
    const struct result how = {.finish = finish_find_zero, .out = ret, .n = n};

    TRY(CU(cudaMemsetAsync(first, 0xff, sizeof *first, s->cuda), err));
    TRY(CU(s->device->kernels->first_zero(first, buf_data(a), n, s->cuda), err));
    return cuda_result(s, first, sizeof *first, &how, err);
}

void cuda_find_zero(struct stream *s, const struct buf *a, size_t n, size_t *ret)
{
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "find_zero"))
        return;
    st = cuda_scratch_begin(s, cuda_find_zero_bytes(s->device->curve), &scratch, &s->failure);
    if (st == CUZK_OK) {
        st = find_zero(s, scratch, a, n, ret, &s->failure);
        cuda_scratch_end(s);
    }
    cuda_op_end(s, st, &s->failure);
}
