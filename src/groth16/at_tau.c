#include "groth16/at_tau.h"

#include <assert.h>

/* 2 MiB a thread. */
enum { INPUTS_MAX = 1 << 16 };

/* ---- sizes ---------------------------------------------------------------------------------- */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t part_of(const struct at_tau_options *o)
{
    return min_size(o->part, o->qap->n_domain);
}

size_t at_tau_window(const struct at_tau_options *o, bool inputs)
{
    return inputs ? min_size(o->window, min_size(o->qap->cs->n_inputs, INPUTS_MAX)) : o->window;
}

static const struct matrix *matrix_of(const struct at_tau_options *o, enum at_tau_matrix matrix)
{
    const struct r1cs *cs = o->qap->cs;
    const struct matrix *const matrices[] = {&cs->a, &cs->b, &cs->c};

    return matrices[matrix];
}

size_t at_tau_held_bytes(const struct at_tau_options *o)
{
    const struct curve *curve = o->qap->cs->curve;
    size_t bytes = o->backend->buf_bytes(curve, ELEMENT_SCALAR, part_of(o)) +
                   3 * o->backend->buf_bytes(curve, ELEMENT_SCALAR, o->window);

    for (enum at_tau_matrix m = AT_TAU_A; m < AT_TAU_N_MATRICES; m++)
        bytes += o->backend->matrix_bytes(curve, matrix_of(o, m));
    return bytes;
}

size_t at_tau_scratch_bytes(const struct at_tau_options *o)
{
    size_t most = 0;

    for (enum at_tau_matrix m = AT_TAU_A; m < AT_TAU_N_MATRICES; m++)
        for (int inputs = 0; inputs < 2; inputs++) /* aux, then inputs */
            most = max_size(most, o->backend->spmv_transposed_bytes(
                                      o->qap->cs->curve, matrix_of(o, m), inputs != 0,
                                      at_tau_window(o, inputs != 0), pool_size(o->pool)));
    return most;
}

/* ---- what is held ---------------------------------------------------------------------------- */

static enum cuzk_status take_room(struct at_tau *t, struct cuzk_error *err)
{
    const struct at_tau_options *o = &t->options;
    struct buf **const windows[] = {&t->u, &t->v, &t->w};

    TRY(row_parts_init(&t->parts, o->qap->cs, part_of(o), o->window, o->pool, o->budget, o->cancel,
                       err));
    TRY(o->backend->buf_new(t->device, ELEMENT_SCALAR, part_of(o), &t->values, err));
    for (size_t i = 0; i < 3; i++)
        TRY(o->backend->buf_new(t->device, ELEMENT_SCALAR, o->window, windows[i], err));
    for (enum at_tau_matrix m = AT_TAU_A; m < AT_TAU_N_MATRICES; m++)
        TRY(o->backend->matrix_new(t->device, matrix_of(o, m), &t->matrix[m], err));
    return CUZK_OK;
}

enum cuzk_status at_tau_init(struct at_tau *t, const struct at_tau_options *options,
                             struct device *device, struct stream *stream,
                             const struct trapdoor *trapdoor, struct cuzk_error *err)
{
    const struct scalar one = {{1}};
    enum cuzk_status st;

    *t = (struct at_tau){
        .options = *options, .device = device, .stream = stream, .trapdoor = trapdoor};
    at_tau_point(t, &one, &trapdoor->tau);
    st = take_room(t, err);
    if (st != CUZK_OK)
        at_tau_done(t);
    return st;
}

void at_tau_done(struct at_tau *t)
{
    const struct backend *backend = t->options.backend;

    if (!backend)
        return;
    for (size_t m = AT_TAU_N_MATRICES; m-- > 0;)
        backend->matrix_free(t->matrix[m]);
    backend->buf_free(t->w);
    backend->buf_free(t->v);
    backend->buf_free(t->u);
    backend->buf_free(t->values);
    row_parts_done(&t->parts);
    *t = (struct at_tau){0};
}

/* ---- values ---------------------------------------------------------------------------------- */

void at_tau_point(struct at_tau *t, const struct scalar *factor, const struct scalar *x)
{
    t->factor = *factor;
    t->x = *x;
    t->loaded = SIZE_MAX;
}

size_t at_tau_load(struct at_tau *t, size_t i)
{
    const struct at_tau_options *o = &t->options;
    const size_t part = part_of(o), n_domain = o->qap->n_domain;
    const size_t first = i < n_domain / part + 1 ? i * part : n_domain;
    const size_t n = n_domain - first < part ? n_domain - first : part;

    if (n == 0 || i == t->loaded)
        return n;
    o->backend->lagrange(t->stream, t->values, o->qap->lg_domain, o->domain_generator, &t->factor,
                         &t->x, first, n);
    t->loaded = i;
    return n;
}

/* ---- sums over the rows ---------------------------------------------------------------------- */

/* out += what part i adds, if anything. */
static void add_part(struct at_tau *t, struct buf *out, enum at_tau_matrix m, size_t i, bool inputs,
                     uint64_t first, size_t n)
{
    const struct at_tau_options *o = &t->options;
    const uint64_t n_rows = matrix_of(o, m)->n_rows, row = (uint64_t)i * t->parts.part;
    const uint64_t left = n_rows - row;

    if (!inputs && !row_parts_meet(&t->parts, m, i, (size_t)(first / o->window)))
        return;
    at_tau_load(t, i);
    o->backend->spmv_transposed(t->stream, out, t->matrix[m], t->values, row,
                                left < t->parts.part ? (size_t)left : t->parts.part, inputs, first,
                                n);
}

/* Of A in out[0], of B in out[1], of C in out[2]; NULL: not wanted. */
static void sum_up(struct at_tau *t, struct buf *const out[AT_TAU_N_MATRICES], bool inputs,
                   uint64_t first, size_t n)
{
    const size_t n_parts = t->parts.n_parts, begin = t->loaded < n_parts ? t->loaded : 0;

    assert(n <= at_tau_window(&t->options, inputs) &&
           first % at_tau_window(&t->options, inputs) == 0);
    for (enum at_tau_matrix m = AT_TAU_A; m < AT_TAU_N_MATRICES; m++)
        if (out[m])
            t->options.backend->buf_zero(t->stream, out[m], 0, n);
    for (size_t i = 0; i < n_parts; i++)
        for (enum at_tau_matrix m = AT_TAU_A; m < AT_TAU_N_MATRICES; m++)
            if (out[m])
                add_part(t, out[m], m, (begin + i) % n_parts, inputs, first, n);
}

void at_tau_polynomial(struct at_tau *t, enum at_tau_matrix matrix, bool inputs, uint64_t first,
                       size_t n)
{
    struct buf *out[AT_TAU_N_MATRICES] = {NULL};

    out[matrix] = t->u;
    sum_up(t, out, inputs, first, n);
}

void at_tau_combined(struct at_tau *t, bool inputs, uint64_t first, size_t n,
                     const struct scalar *factor)
{
    const struct backend *backend = t->options.backend;
    struct buf *const out[AT_TAU_N_MATRICES] = {t->u, t->v, t->w};

    sum_up(t, out, inputs, first, n);
    backend->pointwise(t->stream, POINTWISE_AXPY, t->w, t->u, NULL, &t->trapdoor->beta, n);
    backend->pointwise(t->stream, POINTWISE_AXPY, t->w, t->v, NULL, &t->trapdoor->alpha, n);
    backend->pointwise(t->stream, POINTWISE_SCALE, t->w, t->w, NULL, factor, n);
}
