/* Domains, transforms, and the quotient.
 *
 * With A, B the polynomials of the rows' values and Z = x^n - 1, the quotient is h = (A B - C) / Z
 * where C takes the values a∘b on the domain, or those that are given. Write i for the index of a
 * coefficient.
 *
 *   powers        On the coset g <root>, Z is the constant g^n - 1, and C has degree below n, so
 *                 h_i = (inverse coset transform of A B there - c_i) / (g^n - 1): C needs no
 *                 forward transform. Three inverse, two forward, one inverse.
 *   coset bases   The values of A B - C on the coset are what the key wants: three and three.
 *
 * Between an inverse transform and a forward one coefficients are in reversed order, so only the
 * last vector of `powers` is ever reordered; all constants ride on the shifts. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

/* ---- domains --------------------------------------------------------------------------------- */

/* There is one kind of table, and it is small. */
size_t cpu_domain_bytes(const struct curve *curve, unsigned lg_n, enum domain_tables tables)
{
    (void)tables;
    return device_piece(HANDLE_ROOM(struct domain) + curve->fr->ntt_table_bytes(lg_n));
}

enum cuzk_status cpu_domain_new(struct device *device, unsigned lg_n, uint64_t g,
                                enum domain_tables tables, struct domain **ret,
                                struct cuzk_error *err)
{
    const struct curve *curve = device->curve;
    void *memory;
    struct domain *domain;

    (void)tables;
    if (lg_n > NTT_LG_MAX)
        return error_set(err, CUZK_USAGE, "a domain of 2^%u elements is larger than 2^%u", lg_n,
                         NTT_LG_MAX);
    TRY(device_take(device, HANDLE_ROOM(struct domain) + curve->fr->ntt_table_bytes(lg_n), &memory,
                    err));
    domain = memory;
    *domain = (struct domain){.device = device, .lg_n = lg_n, .g = g};
    domain->table = (uint8_t *)memory + HANDLE_ROOM(struct domain);
    if (!curve->fr_root(&domain->root, g, lg_n) ||
        !curve->fr->ntt_table_init(domain->table, lg_n, g, device->pool)) {
        device_give(device, memory);
        return error_set(err, CUZK_USAGE, "%s has no domain of 2^%u elements generated from %llu",
                         curve->name, lg_n, (unsigned long long)g);
    }
    domain->n_inv = (struct scalar){{(uint64_t)1 << lg_n}};
    curve->fr_inv(&domain->n_inv, &domain->n_inv);
    *ret = domain;
    return CUZK_OK;
}

void cpu_domain_free(struct domain *domain)
{
    if (domain)
        device_give(domain->device, domain);
}

/* ---- one transform --------------------------------------------------------------------------- */

size_t cpu_ntt_bytes(const struct curve *curve, unsigned lg_n)
{
    (void)curve;
    (void)lg_n;
    return 0;
}

void cpu_ntt(struct stream *stream, const struct domain *domain, struct buf *a, bool inverse,
             bool coset)
{
    struct device *device = stream->device;

    if (!stream_begin(stream, "ntt"))
        return;
    assert(a->n >= (size_t)1 << domain->lg_n);
    buf_make_native(a);
    device->curve->fr->ntt(a->data, domain->table, inverse ? NTT_INVERSE : NTT_FORWARD,
                           coset ? NTT_COSET : NTT_SUBGROUP, device->pool);
    stream_end(stream);
}

/* ---- the quotient ---------------------------------------------------------------------------- */

/* The vector c, where there is one. */
static size_t quotient_room(const struct curve *curve, unsigned lg_n, enum h_basis basis)
{
    return basis == H_COSET_FOLDED ? 0 : curve->fr_bytes << lg_n;
}

size_t cpu_quotient_bytes(const struct curve *curve, unsigned lg_n, enum h_basis basis)
{
    return device_piece(quotient_room(curve, lg_n, basis));
}

/* Of the bases that are one. */
static enum ntt_coset coset_of(enum h_basis basis)
{
    return basis == H_ODD_COSET ? NTT_ODD_COSET : NTT_COSET;
}

/* Of H_POWERS: 1 / (n Z), with which both its parts come back to coefficients. */
static struct scalar back_factor(const struct domain *d)
{
    const struct curve *curve = d->device->curve;
    struct scalar factor;

    curve->fr->ntt_vanishing(&factor, d->table, NTT_COSET);
    curve->fr_inv(&factor, &factor);
    curve->fr_mul(&factor, &factor, &d->n_inv);
    return factor;
}

/* a = A B on the coset; for H_POWERS the coefficients of A B / Z there, in reversed order. */
static void multiply_on_coset(const struct domain *d, void *a, void *b, enum h_basis basis)
{
    const struct scalar_kernels *fr = d->device->curve->fr;
    struct pool *pool = d->device->pool;

    fr->ntt_move(a, d->table, coset_of(basis), pool);
    fr->ntt_move(b, d->table, coset_of(basis), pool);
    pointwise_mul(d->device, a, a, b, (size_t)1 << d->lg_n);
    if (basis == H_POWERS) {
        const struct scalar factor = back_factor(d);

        fr->ntt_to_reversed(a, d->table, NTT_INVERSE, pool);
        fr->ntt_shift(a, d->table, NTT_INVERSE, NTT_COSET, &factor, pool);
    }
}

/* a, as the above leaves it, becomes h. c: values on the domain, destroyed. */
static void subtract_c(const struct domain *d, void *a, void *c, enum h_basis basis)
{
    const struct curve *curve = d->device->curve;
    const struct scalar_kernels *fr = curve->fr;
    struct pool *pool = d->device->pool;
    const size_t n = (size_t)1 << d->lg_n;

    if (basis == H_POWERS) {
        const struct scalar zero = {{0}};
        struct scalar factor = back_factor(d);

        fr->ntt_to_reversed(c, d->table, NTT_INVERSE, pool);
        curve->fr_sub(&factor, &zero, &factor);
        pointwise_axpy(d->device, a, &factor, c, n);
        fr->ntt_reverse(a, d->table, pool);
    } else {
        fr->ntt_move(c, d->table, coset_of(basis), pool);
        pointwise_sub(d->device, a, a, c, n);
    }
}

void cpu_quotient(struct stream *stream, const struct domain *domain, struct buf *a, struct buf *b,
                  enum h_basis basis)
{
    struct device *device = stream->device;
    size_t n = (size_t)1 << domain->lg_n;
    void *c;

    if (!stream_begin(stream, "quotient"))
        return;
    assert(a->n >= n && b->n >= n);
    c = stream_scratch(stream, quotient_room(device->curve, domain->lg_n, basis));
    if (stream_is_ok(stream)) {
        buf_make_native(a);
        buf_make_native(b);
        if (c)
            pointwise_mul(device, c, a->data, b->data, n);
        multiply_on_coset(domain, a->data, b->data, basis);
        if (c)
            subtract_c(domain, a->data, c, basis);
        device_give(device, c);
    }
    stream_end(stream);
}

void cpu_quotient_ab(struct stream *stream, const struct domain *domain, struct buf *a,
                     struct buf *b, enum h_basis basis)
{
    if (!stream_begin(stream, "quotient_ab"))
        return;
    assert(a->n >= (size_t)1 << domain->lg_n && b->n >= (size_t)1 << domain->lg_n);
    buf_make_native(a);
    buf_make_native(b);
    multiply_on_coset(domain, a->data, b->data, basis);
    stream_end(stream);
}

void cpu_quotient_c(struct stream *stream, const struct domain *domain, struct buf *a,
                    struct buf *c, enum h_basis basis)
{
    const size_t n = (size_t)1 << domain->lg_n;

    if (!stream_begin(stream, "quotient_c"))
        return;
    assert(a->n >= n && c->n >= n && basis != H_COSET_FOLDED);
    buf_make_native(a);
    buf_make_native(c);
    subtract_c(domain, a->data, c->data, basis);
    memcpy(c->data, a->data, n * stream->device->curve->fr_bytes);
    stream_end(stream);
}
