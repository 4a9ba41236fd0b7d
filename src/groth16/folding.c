#include "groth16/folding.h"

#include <string.h>

#include "backend/host.h"
#include "msm/group_kernels.h"

/* Points on their way between host and device; variables whose sums are made at once: on the host
 * they are what memory is taken for, on a card a pass over the matrix is worth more of them. */
enum { SLICE = 1 << 16, WINDOW_HOST = 1 << 16, WINDOW_CARD = 1 << 22 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static size_t window_of(const struct qap *qap, const struct folding_options *o)
{
    return smaller(o->backend->beside_host ? WINDOW_CARD : WINDOW_HOST,
                   larger(qap->cs->n_aux, qap->cs->n_inputs));
}

size_t folding_arena_bytes(const struct qap *qap, const struct folding_options *o)
{
    const struct backend *b = o->backend;
    const struct curve *curve = qap->cs->curve;
    const size_t window = window_of(qap, o);
    const unsigned n_threads = pool_size(o->pool);
    const size_t transform =
        b->domain_bytes(curve, qap->lg_domain, TABLES_SMALL) +
        larger(b->group_ntt_bytes(curve, ELEMENT_G1, qap->lg_domain, n_threads),
               b->scale_points_bytes(curve, ELEMENT_G1, qap->n_domain, n_threads));
    const size_t product = b->matrix_bytes(curve, &qap->cs->c) +
                           b->buf_bytes(curve, ELEMENT_G1, window) +
                           b->point_spmv_bytes(curve, &qap->cs->c, ELEMENT_G1, window, n_threads);

    return b->buf_bytes(curve, ELEMENT_G1, qap->n_domain) + larger(transform, product);
}

static size_t slice_bytes(const struct qap *qap)
{
    return SLICE * qap->cs->curve->g1_bytes;
}

static size_t room_bytes(const struct qap *qap, const struct folding_options *o)
{
    const struct group_kernels *group = host_curve(qap->cs->curve)->g1;

    return slice_bytes(qap) + group->add_batch_bytes(SLICE, pool_size(o->pool));
}

size_t folding_bytes(const struct qap *qap, const struct folding_options *o)
{
    const size_t arena = o->backend->beside_host ? 0 : folding_arena_bytes(qap, o);

    return region_bytes(arena) + region_bytes(room_bytes(qap, o));
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum cuzk_status open_device(struct folding *f, struct cuzk_error *err)
{
    const struct folding_options *o = &f->options;

    TRY(o->backend->open(&f->device,
                         &(struct device_options){.curve = f->qap->cs->curve,
                                                  .pool = o->pool,
                                                  .budget = o->budget,
                                                  .arena_bytes = folding_arena_bytes(f->qap, o),
                                                  .ordinal = o->ordinal,
                                                  .cancel = o->cancel},
                         err));
    TRY(o->backend->stream_new(f->device, &f->stream, err));
    return o->backend->buf_new(f->device, ELEMENT_G1, f->qap->n_domain, &f->points, err);
}

static enum cuzk_status make_domain(struct folding *f, struct cuzk_error *err)
{
    const struct folding_options *o = &f->options;

    return o->backend->domain_new(f->device, f->qap->lg_domain, o->domain_generator, TABLES_SMALL,
                                  &f->domain, err);
}

enum cuzk_status folding_open(struct folding *f, const struct qap *qap,
                              const struct folding_options *options, struct cuzk_error *err)
{
    enum cuzk_status st;

    *f = (struct folding){.qap = qap, .options = *options, .group = host_curve(qap->cs->curve)->g1};
    if (!options->backend->group_ntt)
        return error_set(err, CUZK_USAGE, "the %s back end only proves", options->backend->name);
    TRY_GOTO(st, fail,
             region_map(&f->room, options->budget, MEM_SCRATCH, room_bytes(qap, options), err));
    f->slice = f->room.base;
    f->add = f->room.base + slice_bytes(qap);
    TRY_GOTO(st, fail, open_device(f, err));
    TRY_GOTO(st, fail, make_domain(f, err));
    return CUZK_OK;
fail:
    folding_close(f);
    return st;
}

void folding_close(struct folding *f)
{
    const struct backend *b = f->options.backend;

    if (f->device) {
        b->buf_free(f->sums);
        b->matrix_free(f->c);
        b->domain_free(f->domain);
        b->buf_free(f->points);
        b->stream_free(f->stream);
        b->close(f->device);
    }
    region_unmap(&f->room);
    *f = (struct folding){0};
}

/* ---- points to and from the device ----------------------------------------------------------- */

enum cuzk_status folding_put_h(struct folding *f, size_t first, const void *native, size_t n,
                               struct cuzk_error *err)
{
    const struct backend *b = f->options.backend;
    const uint8_t *from = native;

    for (size_t at = 0; at < n; at += SLICE) {
        const size_t some = smaller(n - at, SLICE);

        f->group->to_plain(f->slice, from + at * f->group->point_bytes, some);
        b->buf_put(f->stream, f->points, first + at, f->slice, some);
        TRY(b->wait(f->stream, err));
    }
    return CUZK_OK;
}

/* Points [at, at + n), n <= SLICE, of a buffer. */
static enum cuzk_status get_slice(struct folding *f, const struct buf *from, size_t at,
                                  void *native, size_t n, struct cuzk_error *err)
{
    const struct backend *b = f->options.backend;

    b->buf_get(f->stream, from, at, f->slice, n);
    TRY(b->wait(f->stream, err));
    f->group->from_plain(native, f->slice, n);
    return CUZK_OK;
}

static enum cuzk_status check_points(const struct folding *f, enum key_query query, size_t first,
                                     const void *native, size_t n, struct cuzk_error *err)
{
    struct points_fault fault;

    if (f->group->check(native, n, &fault))
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT, "%s: folded point %zu: %s", key_query_name(query),
                     first + fault.index, point_fault_name(fault.fault));
}

/* ---- transforms ------------------------------------------------------------------------------ */

/* points = F^-1 (first base^i points[i]); a key in powers has one point less than the domain. */
static enum cuzk_status transform(struct folding *f, const struct scalar *first,
                                  const struct scalar *base, struct cuzk_error *err)
{
    const struct backend *b = f->options.backend;
    const size_t n = f->qap->n_domain;

    b->buf_zero(f->stream, f->points, n - 1, 1);
    b->scale_points(f->stream, f->points, first, base, n);
    b->group_ntt(f->stream, f->domain, f->points, true, false);
    return b->wait(f->stream, err);
}

/* 1 / (s^n - 1) */
static struct scalar inverse_of_z(const struct folding *f)
{
    const struct curve *curve = f->qap->cs->curve;
    const struct scalar one = {{1}}, shift = {{f->options.domain_generator}};
    struct scalar z;

    curve->fr_pow(&z, &shift, f->qap->n_domain);
    curve->fr_sub(&z, &z, &one);
    curve->fr_inv(&z, &z);
    return z;
}

enum cuzk_status folding_make_h(struct folding *f, struct cuzk_error *err)
{
    const struct scalar factor = inverse_of_z(f);
    struct scalar base = {{f->options.domain_generator}};

    f->qap->cs->curve->fr_inv(&base, &base);
    return transform(f, &factor, &base, err);
}

enum cuzk_status folding_get_h(struct folding *f, size_t first, void *native, size_t n,
                               struct cuzk_error *err)
{
    uint8_t *to = native;

    for (size_t at = 0; at < n; at += SLICE)
        TRY(get_slice(f, f->points, first + at, to + at * f->group->point_bytes,
                      smaller(n - at, SLICE), err));
    return check_points(f, QUERY_H, first, native, n, err);
}

enum cuzk_status folding_make_c(struct folding *f, struct cuzk_error *err)
{
    const struct backend *b = f->options.backend;
    const struct scalar one = {{1}}, zero = {{0}};
    struct scalar factor = inverse_of_z(f);

    f->qap->cs->curve->fr_sub(&factor, &zero, &factor);
    TRY(transform(f, &factor, &one, err));
    b->domain_free(f->domain);
    f->domain = NULL;
    TRY(b->matrix_new(f->device, &f->qap->cs->c, &f->c, err));
    return b->buf_new(f->device, ELEMENT_G1, window_of(f->qap, &f->options), &f->sums, err);
}

/* ---- L --------------------------------------------------------------------------------------- */

/* The window with this variable's sum is there. */
static enum cuzk_status make_sums(struct folding *f, bool inputs, size_t variable,
                                  struct cuzk_error *err)
{
    const struct backend *b = f->options.backend;
    const size_t n_all = inputs ? f->qap->cs->n_inputs : f->qap->cs->n_aux;

    if (f->n > 0 && f->inputs == inputs && variable >= f->first && variable < f->first + f->n)
        return CUZK_OK;
    f->inputs = inputs;
    f->first = variable;
    f->n = smaller(window_of(f->qap, &f->options), n_all - variable);
    b->point_spmv(f->stream, f->sums, f->c, f->points, inputs, f->first, f->n);
    return b->wait(f->stream, err);
}

/* The sums of variables from `variable` on, *n of them, at most SLICE. */
static enum cuzk_status get_sums(struct folding *f, bool inputs, size_t variable, void *native,
                                 size_t *n, struct cuzk_error *err)
{
    TRY(make_sums(f, inputs, variable, err));
    *n = smaller(*n, smaller(SLICE, f->first + f->n - variable));
    return get_slice(f, f->sums, variable - f->first, native, *n, err);
}

enum cuzk_status folding_get_inputs(struct folding *f, void *native, struct cuzk_error *err)
{
    const size_t bytes = f->group->point_bytes, n_all = f->qap->cs->n_inputs;
    const uint64_t *map = f->qap->c_inputs;
    uint8_t *to = native;
    size_t n;

    for (size_t first = 0; first < n_all; first += n) {
        n = n_all - first;
        TRY(get_sums(f, true, first, f->slice, &n, err));
        for (size_t i = 0; i < n; i++) {
            if (!(map[(first + i) / 64] >> (first + i) % 64 & 1))
                continue;
            memcpy(to, f->slice + i * bytes, bytes);
            to += bytes;
        }
    }
    return check_points(f, QUERY_L, 0, native, f->qap->n_c_inputs, err);
}

enum cuzk_status folding_add_l(struct folding *f, size_t first, void *native, size_t n,
                               struct cuzk_error *err)
{
    uint8_t *to = native;
    size_t some;

    for (size_t at = 0; at < n; at += some) {
        uint8_t *const here = to + at * f->group->point_bytes;

        some = n - at;
        TRY(get_sums(f, false, first + at, f->slice, &some, err));
        f->group->add_batch(here, here, f->slice, some, f->add, f->options.pool);
    }
    return check_points(f, QUERY_L, f->qap->n_c_inputs + first, native, n, err);
}
