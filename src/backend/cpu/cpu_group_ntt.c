/* Points times powers; and the transform with points for elements, by the definition of the fast
 * one: reorder, then lg n
 * layers (a, b) -> (a + w^k b, a - w^k b) with k the place in the block. A key is transformed once,
 * so this is plain: in each layer, batches of butterflies gather their points, multiply, add and
 * scatter. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

#define LG_BATCH 12u /* butterflies */

struct group_ntt {
    struct device *device;
    const struct group_kernels *group;
    uint8_t *points;
    unsigned lg_n;
    size_t batch;
    /* scratch: batch points each, batch scalars, and what add_batch wants */
    uint8_t *a, *b;
    uint8_t *factors;
    void *add;
};

static size_t batch_of(unsigned lg_n)
{
    return (size_t)1 << (lg_n < LG_BATCH ? lg_n : LG_BATCH);
}

static size_t group_ntt_room(const struct curve *curve, enum element group, unsigned lg_n,
                             unsigned n_threads)
{
    const struct group_kernels *kernels = group_of(curve, group);
    size_t batch = batch_of(lg_n);

    return batch * (2 * kernels->point_bytes + curve->fr_bytes) + 64 +
           kernels->add_batch_bytes(batch, n_threads);
}

size_t cpu_group_ntt_bytes(const struct curve *curve, enum element group, unsigned lg_n,
                           unsigned n_threads)
{
    return device_piece(group_ntt_room(curve, group, lg_n, n_threads));
}

/* factors[i] = first * base^i, plain. */
static void plain_powers(const struct group_ntt *t, const struct scalar *first,
                         const struct scalar *base, size_t n)
{
    const struct scalar_kernels *fr = t->device->curve->fr;

    fr->powers(t->factors, first, base, n);
    fr->to_plain(t->factors, t->factors, n);
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Butterfly i of the layer whose blocks are 2 * half long. */
static uint8_t *upper(const struct group_ntt *t, size_t half, size_t i)
{
    return t->points + ((i / half) * 2 * half + i % half) * t->group->point_bytes;
}

static void layer_factors(const struct group_ntt *t, size_t half, const struct scalar *root,
                          size_t begin, size_t n)
{
    const struct curve *curve = t->device->curve;
    struct scalar first;
    size_t period = half < n ? half : n;

    curve->fr_pow(&first, root, begin % half);
    plain_powers(t, &first, root, period);
    for (size_t i = period; i < n; i += period)
        memcpy(t->factors + i * curve->fr_bytes, t->factors, period * curve->fr_bytes);
}

static void butterflies(const struct group_ntt *t, size_t half, const struct scalar *root,
                        size_t begin, size_t n)
{
    const struct group_kernels *group = t->group;
    struct pool *pool = t->device->pool;
    size_t bytes = group->point_bytes;

    for (size_t i = 0; i < n; i++) {
        memcpy(t->a + i * bytes, upper(t, half, begin + i), bytes);
        memcpy(t->b + i * bytes, upper(t, half, begin + i) + half * bytes, bytes);
    }
    if (half > 1) {
        layer_factors(t, half, root, begin, n);
        group->mul_each(t->b, t->b, (const uint64_t *)t->factors, n, pool);
    }
    group->add_batch(t->a, t->a, t->b, n, t->add, pool);
    for (size_t i = 0; i < n; i++) { /* b is in t->b, a + b in t->a; a is still in its place */
        uint8_t *place = upper(t, half, begin + i), sum[sizeof(struct g2_point)];

        memcpy(sum, t->a + i * bytes, bytes);
        memcpy(t->a + i * bytes, place, bytes);
        memcpy(place, sum, bytes);
    }
    group->neg_batch(t->b, n);
    group->add_batch(t->a, t->a, t->b, n, t->add, pool);
    for (size_t i = 0; i < n; i++)
        memcpy(upper(t, half, begin + i) + half * bytes, t->a + i * bytes, bytes);
}

/* root: of order 2^lg_n, or its inverse. */
static void layers(const struct group_ntt *t, const struct scalar *root)
{
    size_t n_butterflies = ((size_t)1 << t->lg_n) / 2;
    size_t batch = t->batch < n_butterflies ? t->batch : n_butterflies;

    for (unsigned layer = 0; layer < t->lg_n; layer++) {
        struct scalar layer_root; /* of order 2 half */

        t->device->curve->fr_pow(&layer_root, root, (uint64_t)1 << (t->lg_n - 1 - layer));
        for (size_t i = 0; i < n_butterflies && !device_cancelled(t->device); i += batch)
            butterflies(t, (size_t)1 << layer, &layer_root, i, batch);
    }
}

/* ---- order and shift ------------------------------------------------------------------------- */

static void reorder(const struct group_ntt *t)
{
    size_t bytes = t->group->point_bytes, image = 0;

    for (size_t i = 0; i < (size_t)1 << t->lg_n; i++) {
        size_t bit = ((size_t)1 << t->lg_n) / 2;

        if (i < image) {
            uint8_t x[sizeof(struct g2_point)];

            memcpy(x, t->points + i * bytes, bytes);
            memcpy(t->points + i * bytes, t->points + image * bytes, bytes);
            memcpy(t->points + image * bytes, x, bytes);
        }
        for (; image & bit; bit /= 2) /* image + 1, counted from the highest bit down */
            image ^= bit;
        image |= bit;
    }
}

/* points[i] *= first * base^i, i in [0, n) */
static void scale(const struct group_ntt *t, const struct scalar *first, const struct scalar *base,
                  size_t n)
{
    const struct curve *curve = t->device->curve;
    size_t bytes = t->group->point_bytes;

    for (size_t i = 0; i < n && !device_cancelled(t->device); i += t->batch) {
        const size_t batch = n - i < t->batch ? n - i : t->batch;
        struct scalar at;

        curve->fr_pow(&at, base, i);
        curve->fr_mul(&at, &at, first);
        plain_powers(t, &at, base, batch);
        t->group->mul_each(t->points + i * bytes, t->points + i * bytes,
                           (const uint64_t *)t->factors, batch, t->device->pool);
    }
}

static void transform(const struct group_ntt *t, const struct domain *domain, bool inverse,
                      bool coset)
{
    const struct curve *curve = t->device->curve;
    const struct scalar one = {{1}}, g = {{domain->g}};
    struct scalar root = domain->root, shift = coset ? g : one;
    const size_t n = (size_t)1 << t->lg_n;

    if (!inverse && coset)
        scale(t, &one, &shift, n);
    if (inverse)
        curve->fr_inv(&root, &root);
    reorder(t);
    layers(t, &root);
    if (inverse) {
        curve->fr_inv(&shift, &shift);
        scale(t, &domain->n_inv, &shift, n);
    }
}

void cpu_group_ntt(struct stream *stream, const struct domain *domain, struct buf *points,
                   bool inverse, bool coset)
{
    struct device *device = stream->device;
    const struct curve *curve = device->curve;
    const struct group_kernels *group = group_of(curve, points->element);
    size_t batch = batch_of(domain->lg_n);
    uint8_t *scratch;

    if (!stream_begin(stream, "group_ntt"))
        return;
    assert(points->element != ELEMENT_SCALAR && points->n >= (size_t)1 << domain->lg_n);
    scratch = stream_scratch(
        stream, group_ntt_room(curve, points->element, domain->lg_n, pool_size(device->pool)));
    if (scratch) {
        struct group_ntt t = {
            .device = device,
            .group = group,
            .points = points->data,
            .lg_n = domain->lg_n,
            .batch = batch,
            .a = scratch,
            .b = scratch + batch * group->point_bytes,
            .factors = scratch + 2 * batch * group->point_bytes,
        };
        size_t used = batch * (2 * group->point_bytes + curve->fr_bytes);

        t.add = scratch + (used + 63) / 64 * 64;
        transform(&t, domain, inverse, coset);
        device_give(device, scratch);
    }
    stream_end(stream);
}

/* ---- by itself ------------------------------------------------------------------------------- */

static size_t scaled_together(size_t n)
{
    const size_t batch = (size_t)1 << LG_BATCH;

    return n < batch ? n : batch;
}

size_t cpu_scale_points_bytes(const struct curve *curve, enum element group, size_t n,
                              unsigned n_threads)
{
    (void)group;
    (void)n_threads;
    return device_piece(scaled_together(n) * curve->fr_bytes);
}

void cpu_scale_points(struct stream *stream, struct buf *points, const struct scalar *first,
                      const struct scalar *base, size_t n)
{
    struct device *device = stream->device;
    struct group_ntt t = {.device = device,
                          .group = group_of(device->curve, points->element),
                          .points = points->data,
                          .batch = scaled_together(n)};

    if (!stream_begin(stream, "scale_points"))
        return;
    assert(points->element != ELEMENT_SCALAR && n <= points->n);
    t.factors = stream_scratch(stream, t.batch * device->curve->fr_bytes);
    if (t.factors) {
        scale(&t, first, base, n);
        device_give(device, t.factors);
    }
    stream_end(stream);
}
