/* A key's points on the device: uploaded once, tile by tile, in native form, or put there from a
 * buffer.
 *
 * Points that are native already go from the caller's memory as they are; others are decoded and
 * checked by the host's kernels. Both go through the device's pinned tiles, the next one filled
 * while one travels. */
#include <string.h>

#include "backend/cuda/cuda_witness.h"
#include "backend/host.h"
#include "msm/group_kernels.h"

enum { TILE_POINTS = 1 << 16, DECODE_GRAIN = 1 << 10, DOUBLING_POINTS = 1 << 18 };

static const struct group_kernels *kernels_of(const struct curve *curve, enum element group)
{
    return group == ELEMENT_G1 ? curve->g1 : curve->g2;
}

static size_t point_bytes(const struct bases *b)
{
    return 2 * cuda_coordinate_bytes(b->group);
}

static size_t ones(const uint64_t *map, size_t n)
{
    size_t count = 0;

    for (size_t w = 0; map && w < witness_map_words(n); w++)
        count += (size_t)__builtin_popcountll(map[w]);
    return count;
}

static size_t doubling_points(const struct bases *b)
{
    return b->n < DOUBLING_POINTS ? b->n : DOUBLING_POINTS;
}

static size_t place_parts(struct bases *b, uint8_t *base)
{
    size_t used = 0;

    b->table = cuda_place(base, &used, b->multiples.n * (b->n + 1) * point_bytes(b));
    if (b->multiples.n > 1)
        b->doubling = cuda_place(base, &used, doubling_points(b) * 2 * point_bytes(b));
    b->input_index = cuda_place(base, &used, b->n_input_points * sizeof(uint32_t));
    if (b->source.aux_map) {
        b->aux_map = cuda_place(base, &used, witness_map_words(b->source.n_aux) * sizeof(uint64_t));
        b->aux_rank =
            cuda_place(base, &used, witness_rank_entries(b->source.n_aux) * sizeof(uint32_t));
    }
    return used;
}

static struct bases bases_of(const struct curve *curve, const struct bases_source *source)
{
    const enum cuda_group group = cuda_group_of(curve, source->group);

    return (struct bases){
        .source = *source,
        .group = group,
        .n = source->points.n,
        .multiples = cuda_multiples_of(group, source->points.n, source->multiples),
        .n_input_points = ones(source->input_map, source->n_inputs),
    };
}

size_t cuda_bases_bytes(const struct curve *curve, const struct bases_source *source)
{
    struct bases b = bases_of(curve, source);

    return cuda_piece(place_parts(&b, NULL));
}

/* ---- points --------------------------------------------------------------------------------- */

/* One tile, decoded on the pool. */
struct decoding {
    const struct group_kernels *kernels;
    const struct points_view *points;
    uint8_t *out;
    size_t begin, end;
    struct points_fault *faults; /* of each grain: index SIZE_MAX where there is none */
};

static void decode_grain(void *context, size_t i, unsigned worker)
{
    const struct decoding *d = context;
    const size_t begin = d->begin + i * DECODE_GRAIN;
    const size_t end = d->end - begin < DECODE_GRAIN ? d->end : begin + DECODE_GRAIN;

    (void)worker;
    if (d->kernels->decode(d->out + i * DECODE_GRAIN * d->kernels->point_bytes, d->points, begin,
                           end, &d->faults[i]))
        d->faults[i].index = SIZE_MAX;
}

static enum cuzk_status decode_tile(const struct bases *b, uint8_t *out, size_t begin, size_t end,
                                    struct cuzk_error *err)
{
    struct points_fault faults[TILE_POINTS / DECODE_GRAIN];
    const size_t n = (end - begin + DECODE_GRAIN - 1) / DECODE_GRAIN;
    struct decoding d = {.kernels = kernels_of(host_curve(b->device->curve), b->source.group),
                         .points = &b->source.points,
                         .out = out,
                         .begin = begin,
                         .end = end,
                         .faults = faults};

    pool_run(b->device->pool, n, decode_grain, &d);
    if (pool_cancelled(b->device->pool) || (b->device->cancel && atomic_load(b->device->cancel)))
        return error_set(err, CUZK_CANCELLED, "bases: cancelled");
    for (size_t i = 0; i < n; i++)
        if (faults[i].index != SIZE_MAX)
            return error_set(err, CUZK_BAD_INPUT, "point %zu: %s", faults[i].index,
                             point_fault_name(faults[i].fault));
    return CUZK_OK;
}

static enum cuzk_status send_decoded(struct bases *b, struct cuzk_error *err)
{
    struct device *d = b->device;
    const size_t size = kernels_of(d->curve, b->source.group)->point_bytes;

    TRY(cuda_tiles_make(d, err));
    for (size_t begin = 0, tile = 0; begin < b->n; begin += TILE_POINTS, tile++) {
        const size_t end = b->n - begin < TILE_POINTS ? b->n : begin + TILE_POINTS;
        const size_t k = tile % 2;
        uint8_t *points = d->tiles + k * CUDA_TILE_BYTES;

        TRY(CU(cudaEventSynchronize(d->tile_sent[k]), err));
        TRY(decode_tile(b, points, begin, end, err));
        TRY(CU(cudaMemcpyAsync(b->table + begin * size, points, (end - begin) * size,
                               cudaMemcpyHostToDevice, NULL),
               err));
        TRY(CU(cudaEventRecord(d->tile_sent[k], NULL), err));
    }
    return CUZK_OK;
}

static enum cuzk_status send_points(struct bases *b, struct cuzk_error *err)
{
    const size_t size = kernels_of(b->device->curve, b->source.group)->point_bytes;

    if (b->source.points.form == POINTS_NATIVE)
        return cuda_upload(b->device, b->table, b->source.points.data, b->n * size, b->source.fetch,
                           NULL, err);
    return send_decoded(b, err);
}

/* ---- multiples ------------------------------------------------------------------------------ */

/* Points [at, at + n) of a copy -> 2^(c n_sets) times them, in the next. */
static enum cuzk_status double_tile(const struct bases *b, const uint8_t *copy, size_t at, size_t n,
                                    struct cuzk_error *err)
{
    const uint8_t *from = copy + at * point_bytes(b);
    uint8_t *to = (uint8_t *)from + (b->n + 1) * point_bytes(b);
    const unsigned times = b->multiples.c * b->multiples.n_sets;

    TRY(CU(BY_CURVE(xyzz_load, b->group, b->doubling, from, NULL, n, NULL), err));
    TRY(CU(BY_CURVE(xyzz_double, b->group, b->doubling, n, times, NULL), err));
    TRY(CU(BY_CURVE(xyzz_affine, b->group, to, b->doubling, n, 0, NULL), err));
    return CU(BY_CURVE(points_prepare, b->group, to, n, NULL), err);
}

static enum cuzk_status make_multiples(const struct bases *b, struct cuzk_error *err)
{
    const size_t tile = doubling_points(b), copy_bytes = (b->n + 1) * point_bytes(b);

    for (unsigned j = 0; j < b->multiples.n; j++) {
        uint8_t *copy = b->table + j * copy_bytes;

        TRY(CU(cudaMemsetAsync(copy + b->n * point_bytes(b), 0xff, point_bytes(b), NULL), err));
        for (size_t at = 0; j + 1 < b->multiples.n && at < b->n; at += tile)
            TRY(double_tile(b, copy, at, b->n - at < tile ? b->n - at : tile, err));
    }
    return CUZK_OK;
}

/* ---- maps ----------------------------------------------------------------------------------- */

static enum cuzk_status send_maps(struct bases *b, struct cuzk_error *err)
{
    const size_t n_aux = b->source.n_aux, rank_bytes = witness_rank_entries(n_aux) * 4;
    const size_t index_bytes = b->n_input_points * 4;
    struct region room;
    uint32_t *index;
    enum cuzk_status st = CUZK_OK;

    TRY(region_map(&room, b->device->budget, MEM_SCRATCH,
                   rank_bytes > index_bytes ? rank_bytes : index_bytes, err));
    index = (uint32_t *)(void *)room.base;
    for (size_t i = 0, k = 0; b->source.input_map && i < b->source.n_inputs; i++)
        if (witness_bit(b->source.input_map, i))
            index[k++] = (uint32_t)i;
    if (index_bytes)
        TRY_GOTO(st, out,
                 CU(cudaMemcpy(b->input_index, index, index_bytes, cudaMemcpyHostToDevice), err));
    if (b->aux_map) {
        (void)witness_rank_fill(index, b->source.aux_map, n_aux);
        TRY_GOTO(st, out,
                 CU(cudaMemcpy(b->aux_map, b->source.aux_map, witness_map_words(n_aux) * 8,
                               cudaMemcpyHostToDevice),
                    err));
        st = CU(cudaMemcpy(b->aux_rank, index, rank_bytes, cudaMemcpyHostToDevice), err);
    }
out:
    region_unmap(&room);
    return st;
}

enum cuzk_status cuda_bases_new(struct device *device, const struct bases_source *source,
                                struct bases **ret, struct cuzk_error *err)
{
    struct bases *b = mem_new(sizeof *b);
    size_t n_named;
    enum cuzk_status st;

    if (!b)
        return error_set(err, CUZK_NO_MEMORY, "bases: out of memory");
    *b = bases_of(device->curve, source);
    b->device = device;
    n_named = b->n_input_points +
              (source->aux_map ? ones(source->aux_map, source->n_aux) : source->n_aux);
    if (source->to_come && source->multiples > 1) {
        st = error_set(err, CUZK_USAGE, "bases: no multiples of points that are to come");
        goto out;
    }
    if (source->n_inputs + source->n_aux > 0 && n_named != b->n) {
        st = error_set(err, CUZK_BAD_INPUT, "a key with %zu points for %zu variables", b->n,
                       n_named);
        goto out;
    }
    TRY_GOTO(st, out, cuda_take(device, place_parts(b, NULL), &b->piece, err));
    (void)place_parts(b, cuda_at(device, b->piece));
    if (!source->to_come) {
        TRY_GOTO(st, out, send_points(b, err));
        TRY_GOTO(st, out, CU(BY_CURVE(points_prepare, b->group, b->table, b->n, NULL), err));
    }
    TRY_GOTO(st, out, make_multiples(b, err));
    TRY_GOTO(st, out, send_maps(b, err));
    TRY_GOTO(st, out, CU(cudaStreamSynchronize(NULL), err));
    *ret = b;
    b = NULL;
out:
    if (b)
        (void)cudaStreamSynchronize(NULL); /* a tile may still travel to what is given back */
    cuda_bases_free(b);
    return st;
}

void cuda_bases_free(struct bases *b)
{
    if (!b)
        return;
    cuda_give(b->device, b->piece);
    mem_free(b);
}

static enum cuzk_status put(struct stream *s, struct bases *b, size_t at, const void *points,
                            size_t n, struct cuzk_error *err)
{
    uint8_t *to = b->table + at * point_bytes(b);

    TRY(CU(cudaMemcpyAsync(to, points, n * point_bytes(b), cudaMemcpyDeviceToDevice, s->cuda),
           err));
    return CU(BY_CURVE(points_prepare, b->group, to, n, s->cuda), err);
}

void cuda_bases_put(struct stream *s, struct bases *b, size_t at, const struct buf *points,
                    size_t n)
{
    if (cuda_op_begin(s, "bases_put"))
        cuda_op_end(s, put(s, b, at, buf_data(points), n, &s->failure), &s->failure);
}
