#include <assert.h>

#include "backend/cpu/cpu_device.h"
#include "backend/lagrange.h"

#define GRAIN 4096u

struct pointwise {
    const struct curve *curve;
    enum pointwise_op op;
    uint8_t *out;
    const uint8_t *a, *b;
    const struct scalar *factor, *base;
};

static void pointwise_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct pointwise *p = ctx;
    const struct scalar_kernels *fr = p->curve->fr;
    size_t at = begin * fr->bytes, n = end - begin;

    (void)worker;
    switch (p->op) {
    case POINTWISE_MUL: fr->mul(p->out + at, p->a + at, p->b + at, n); break;
    case POINTWISE_SUB: fr->sub(p->out + at, p->a + at, p->b + at, n); break;
    case POINTWISE_AXPY: fr->axpy(p->out + at, p->factor, p->a + at, n); break;
    case POINTWISE_SCALE: fr->scale(p->out + at, p->a + at, p->factor, n); break;
    }
}

void pointwise_mul(const struct device *device, void *out, const void *x, const void *y, size_t n)
{
    struct pointwise p = {.curve = device->curve, .op = POINTWISE_MUL, .out = out, .a = x, .b = y};

    pool_for(device->pool, n, GRAIN, pointwise_range, &p);
}

void pointwise_sub(const struct device *device, void *out, const void *x, const void *y, size_t n)
{
    struct pointwise p = {.curve = device->curve, .op = POINTWISE_SUB, .out = out, .a = x, .b = y};

    pool_for(device->pool, n, GRAIN, pointwise_range, &p);
}

void pointwise_axpy(const struct device *device, void *out, const struct scalar *factor,
                    const void *x, size_t n)
{
    struct pointwise p = {
        .curve = device->curve, .op = POINTWISE_AXPY, .out = out, .a = x, .factor = factor};

    pool_for(device->pool, n, GRAIN, pointwise_range, &p);
}

void cpu_pointwise(struct stream *stream, enum pointwise_op op, struct buf *out,
                   const struct buf *a, const struct buf *b, const struct scalar *factor, size_t n)
{
    struct pointwise p = {
        .curve = stream->device->curve,
        .op = op,
        .out = out->data,
        .a = a->data,
        .b = b ? b->data : NULL,
        .factor = factor,
    };

    if (!stream_begin(stream, "pointwise"))
        return;
    assert(n <= a->n && (!b || n <= b->n));
    buf_make_native(a);
    if (b)
        buf_make_native(b);
    if (op == POINTWISE_AXPY)
        buf_make_native(out);
    buf_will_write(out, n);
    pool_for(stream->device->pool, n, GRAIN, pointwise_range, &p);
    stream_end(stream);
}

/* ---- powers ---------------------------------------------------------------------------------- */

static void powers_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct pointwise *p = ctx;
    struct scalar first;

    (void)worker;
    p->curve->fr_pow(&first, p->base, begin);
    p->curve->fr_mul(&first, &first, p->factor);
    p->curve->fr->powers(p->out + begin * p->curve->fr_bytes, &first, p->base, end - begin);
}

void cpu_powers(struct stream *stream, struct buf *out, const struct scalar *first,
                const struct scalar *base, size_t n)
{
    struct pointwise p = {
        .curve = stream->device->curve, .out = out->data, .factor = first, .base = base};

    if (!stream_begin(stream, "powers"))
        return;
    buf_will_write(out, n);
    pool_for(stream->device->pool, n, GRAIN, powers_range, &p);
    stream_end(stream);
}

/* ---- Lagrange polynomials at a point --------------------------------------------------------- */

struct lagrange_range {
    const struct curve *curve;
    const struct lagrange *lagrange;
    uint8_t *out;
};

static void lagrange_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct lagrange_range *r = ctx;
    const struct lagrange *l = r->lagrange;
    struct scalar y;

    (void)worker;
    r->curve->fr_pow(&y, &l->root_inv, begin);
    r->curve->fr_mul(&y, &y, &l->y);
    r->curve->fr->lagrange(r->out + begin * r->curve->fr_bytes, &l->scale, &y, &l->root,
                           &l->root_inv, end - begin);
}

void cpu_lagrange(struct stream *stream, struct buf *out, unsigned lg_n, uint64_t g,
                  const struct scalar *factor, const struct scalar *x, uint64_t first, size_t n)
{
    const struct curve *curve = stream->device->curve;
    struct lagrange lagrange;
    struct lagrange_range range = {curve, &lagrange, out->data};

    if (!stream_begin(stream, "lagrange"))
        return;
    if (lagrange_init(&lagrange, curve, lg_n, g, factor, x, first)) {
        buf_will_write(out, n);
        pool_for(stream->device->pool, n, GRAIN, lagrange_range, &range);
    } else {
        stream_fail(stream, CUZK_USAGE, "%s has no domain of 2^%u elements generated from %llu",
                    curve->name, lg_n, (unsigned long long)g);
    }
    stream_end(stream);
}
