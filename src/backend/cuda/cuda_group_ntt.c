/* Points times powers; and the transform with points for elements: decimation in frequency over XYZZ
 * points, a launch a layer, and the order put right when the points become affine again.
 *
 *     points ─► XYZZ ─► (times g^k) ─► layers lg n - 1 .. 0 ─► (times g^-k / n) ─► affine
 *
 * A factor after the layers finds the points in bit-reversed order, so an inverse transform goes to
 * affine and back before it: a hundredth of the whole. */
#include "backend/cuda/cuda_domain.h"

struct room {
    void *xyzz, *powers; /* n points; n / 2 scalars, 1 at least */
    size_t bytes;
};

static struct room room_of(enum cuda_group group, unsigned lg_n, uint8_t *base)
{
    const size_t n = (size_t)1 << lg_n;
    struct room r = {0};

    r.xyzz = cuda_place(base, &r.bytes, n * 4 * cuda_coordinate_bytes(group));
    r.powers = cuda_place(base, &r.bytes, (n > 1 ? n / 2 : 1) * 32);
    return r;
}

size_t cuda_group_ntt_bytes(const struct curve *curve, enum element element, unsigned lg_n,
                            unsigned n_threads)
{
    (void)n_threads;
    return cuda_piece(room_of(cuda_group_of(curve, element), lg_n, NULL).bytes);
}

/* A layer of 2^26 butterflies takes seconds: the host looks at the flag between them. */
static enum cuzk_status step_done(struct stream *s, struct cuzk_error *err)
{
    const atomic_bool *cancel = s->device->cancel;

    TRY(CU(cudaStreamSynchronize(s->cuda), err));
    if (cancel && atomic_load(cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    return CUZK_OK;
}

/* point k of the XYZZ points *= first base^k, in halves because powers holds so many */
static enum cuzk_status scale(struct stream *s, enum cuda_group group, const struct room *r,
                              unsigned lg_n, const struct scalar *first, const struct scalar *base,
                              struct cuzk_error *err)
{
    const struct curve *curve = s->device->curve;
    const size_t n = (size_t)1 << lg_n, part = n > 1 ? n / 2 : 1;

    for (size_t at = 0; at < n; at += part) {
        struct scalar from;

        curve->fr_pow(&from, base, at);
        curve->fr_mul(&from, &from, first);
        TRY(CU(s->device->kernels->powers(r->powers, &from, base, part, s->cuda), err));
        TRY(CU(BY_CURVE(xyzz_scale, group,
                        (uint8_t *)r->xyzz + at * 4 * cuda_coordinate_bytes(group), r->powers, part,
                        s->cuda),
               err));
        TRY(step_done(s, err));
    }
    return CUZK_OK;
}

static enum cuzk_status layers(struct stream *s, enum cuda_group group, const struct room *r,
                               unsigned lg_n, const struct scalar *root, struct cuzk_error *err)
{
    const struct scalar one = {{1}};

    if (lg_n)
        TRY(CU(s->device->kernels->powers(r->powers, &one, root, (size_t)1 << (lg_n - 1), s->cuda),
               err));
    for (unsigned lg_half = lg_n; lg_half-- > 0;) {
        TRY(CU(BY_CURVE(xyzz_butterflies, group, r->xyzz, lg_n, lg_half, r->powers, s->cuda), err));
        TRY(step_done(s, err));
    }
    return CUZK_OK;
}

static enum cuzk_status transform(struct stream *s, const struct domain *d, struct buf *points,
                                  const struct room *r, bool inverse, bool coset,
                                  struct cuzk_error *err)
{
    const enum cuda_group group = cuda_group_of(s->device->curve, points->element);
    const size_t n = (size_t)1 << d->lg_n;
    const struct scalar one = {{1}};

    TRY(CU(BY_CURVE(xyzz_load, group, r->xyzz, buf_data(points), NULL, n, s->cuda), err));
    if (!inverse && coset)
        TRY(scale(s, group, r, d->lg_n, &one, &d->g, err));
    TRY(layers(s, group, r, d->lg_n, &d->root[inverse ? INVERSE : FORWARD], err));
    TRY(CU(BY_CURVE(xyzz_affine, group, buf_data(points), r->xyzz, n, d->lg_n, s->cuda), err));
    if (!inverse)
        return CUZK_OK;
    TRY(CU(BY_CURVE(xyzz_load, group, r->xyzz, buf_data(points), NULL, n, s->cuda), err));
    TRY(scale(s, group, r, d->lg_n, &d->n_inverse, coset ? &d->g_inverse : &one, err));
    return CU(BY_CURVE(xyzz_affine, group, buf_data(points), r->xyzz, n, 0, s->cuda), err);
}

void cuda_group_ntt(struct stream *s, const struct domain *d, struct buf *points, bool inverse,
                    bool coset)
{
    const enum cuda_group group = cuda_group_of(s->device->curve, points->element);
    struct room room = room_of(group, d->lg_n, NULL);
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "group_ntt"))
        return;
    st = cuda_scratch_begin(s, room.bytes, &scratch, &s->failure);
    if (st == CUZK_OK) {
        room = room_of(group, d->lg_n, scratch);
        st = transform(s, d, points, &room, inverse, coset, &s->failure);
        cuda_scratch_end(s);
    }
    cuda_op_end(s, st, &s->failure);
}

/* ---- points times powers, by themselves ------------------------------------------------------ */

/* So many together: their multiples take a tenth of a second. */
enum { LG_SCALED = 19 };

static size_t scaled_together(size_t n)
{
    return n < (size_t)1 << LG_SCALED ? n : (size_t)1 << LG_SCALED;
}

static struct room scale_room(enum cuda_group group, size_t n, uint8_t *base)
{
    struct room r = {0};

    r.xyzz = cuda_place(base, &r.bytes, scaled_together(n) * 4 * cuda_coordinate_bytes(group));
    r.powers = cuda_place(base, &r.bytes, scaled_together(n) * 32);
    return r;
}

size_t cuda_scale_points_bytes(const struct curve *curve, enum element element, size_t n,
                               unsigned n_threads)
{
    (void)n_threads;
    return cuda_piece(scale_room(cuda_group_of(curve, element), n, NULL).bytes);
}

static enum cuzk_status scale_all(struct stream *s, struct buf *points, const struct room *r,
                                  const struct scalar *first, const struct scalar *base, size_t n,
                                  struct cuzk_error *err)
{
    const struct curve *curve = s->device->curve;
    const enum cuda_group group = cuda_group_of(curve, points->element);
    const size_t together = scaled_together(n), bytes = 2 * cuda_coordinate_bytes(group);

    for (size_t at = 0; at < n; at += together) {
        const size_t some = n - at < together ? n - at : together;
        uint8_t *const here = (uint8_t *)buf_data(points) + at * bytes;
        struct scalar from;

        curve->fr_pow(&from, base, at);
        curve->fr_mul(&from, &from, first);
        TRY(CU(s->device->kernels->powers(r->powers, &from, base, some, s->cuda), err));
        TRY(CU(BY_CURVE(xyzz_load, group, r->xyzz, here, NULL, some, s->cuda), err));
        TRY(CU(BY_CURVE(xyzz_scale, group, r->xyzz, r->powers, some, s->cuda), err));
        TRY(CU(BY_CURVE(xyzz_affine, group, here, r->xyzz, some, 0, s->cuda), err));
        TRY(step_done(s, err));
    }
    return CUZK_OK;
}

void cuda_scale_points(struct stream *s, struct buf *points, const struct scalar *first,
                       const struct scalar *base, size_t n)
{
    const enum cuda_group group = cuda_group_of(s->device->curve, points->element);
    struct room room = scale_room(group, n, NULL);
    void *scratch;
    enum cuzk_status st;

    if (!cuda_op_begin(s, "scale_points"))
        return;
    st = cuda_scratch_begin(s, room.bytes, &scratch, &s->failure);
    if (st == CUZK_OK) {
        room = scale_room(group, n, scratch);
        st = scale_all(s, points, &room, first, base, n, &s->failure);
        cuda_scratch_end(s);
    }
    cuda_op_end(s, st, &s->failure);
}
