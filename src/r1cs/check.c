/* Satisfaction, over the waist: windows of rows of A w, B w and C w, the product of the first two
 * against the third. */
#include <string.h>

#include "r1cs/r1cs.h"

enum { WINDOW_ROWS = 1 << 16, N_MATRICES = 3 };

struct checker {
    const struct r1cs *cs;
    const struct backend *backend;
    struct pool *pool;
    struct device *device;
    struct stream *stream;
    struct matrix_handle *matrices[N_MATRICES];
    struct witness_handle *witness;
    struct buf *values[N_MATRICES];
    struct region host; /* the product and c of a window, plain */
};

static size_t device_bytes(const struct checker *c, const struct witness *witness)
{
    const struct curve *curve = c->cs->curve;

    return c->backend->witness_bytes(curve, witness) + c->backend->matrix_bytes(curve, &c->cs->a) +
           c->backend->matrix_bytes(curve, &c->cs->b) + c->backend->matrix_bytes(curve, &c->cs->c) +
           N_MATRICES * c->backend->buf_bytes(curve, ELEMENT_SCALAR, WINDOW_ROWS);
}

static enum cuzk_status checker_open(struct checker *c, const struct witness *witness,
                                     struct cuzk_error *err)
{
    const struct matrix *const matrices[N_MATRICES] = {&c->cs->a, &c->cs->b, &c->cs->c};
    const struct device_options options = {
        .curve = c->cs->curve,
        .pool = c->pool,
        .budget = c->cs->budget,
        .arena_bytes = device_bytes(c, witness),
    };

    TRY(c->backend->open(&c->device, &options, err));
    TRY(c->backend->stream_new(c->device, &c->stream, err));
    for (size_t i = 0; i < N_MATRICES; i++) {
        TRY(c->backend->matrix_new(c->device, matrices[i], &c->matrices[i], err));
        TRY(c->backend->buf_new(c->device, ELEMENT_SCALAR, WINDOW_ROWS, &c->values[i], err));
    }
    TRY(c->backend->witness_new(c->device, witness, &c->witness, err));
    c->backend->witness_put(c->stream, c->witness, witness, witness_whole(witness->n_aux));
    return region_map(&c->host, c->cs->budget, MEM_SCRATCH,
                      2 * WINDOW_ROWS * c->cs->curve->fr_bytes, err);
}

static void checker_close(struct checker *c)
{
    region_unmap(&c->host);
    if (!c->device)
        return;
    c->backend->witness_free(c->witness);
    for (size_t i = N_MATRICES; i-- > 0;) {
        c->backend->buf_free(c->values[i]);
        c->backend->matrix_free(c->matrices[i]);
    }
    if (c->stream)
        c->backend->stream_free(c->stream);
    c->backend->close(c->device);
}

/* Leaves A w, B w and C w of the rows in `values`. */
static void evaluate(struct checker *c, uint64_t first, size_t n)
{
    for (size_t i = 0; i < N_MATRICES; i++)
        c->backend->spmv(c->stream, c->values[i], c->matrices[i], c->witness, first, n);
}

static enum cuzk_status wait(struct checker *c, struct cuzk_error *err)
{
    TRY(c->backend->wait(c->stream, err));
    if (pool_cancelled(c->pool))
        return error_set(err, CUZK_CANCELLED, "check: cancelled");
    return CUZK_OK;
}

/* *ret is the first bad row of the window, relative to it; n if there is none. */
static enum cuzk_status check_window(struct checker *c, uint64_t first, size_t n, size_t *ret,
                                     struct cuzk_error *err)
{
    const size_t fr_bytes = c->cs->curve->fr_bytes;
    uint8_t *product = c->host.base, *value = product + n * fr_bytes;

    evaluate(c, first, n);
    c->backend->pointwise(c->stream, POINTWISE_MUL, c->values[0], c->values[0], c->values[1], NULL,
                          n);
    c->backend->buf_get(c->stream, c->values[0], 0, product, n);
    c->backend->buf_get(c->stream, c->values[2], 0, value, n);
    TRY(wait(c, err));
    *ret = 0;
    while (*ret < n && memcmp(product + *ret * fr_bytes, value + *ret * fr_bytes, fr_bytes) == 0)
        ++*ret;
    return CUZK_OK;
}

static enum cuzk_status tell_row(struct checker *c, uint64_t row, struct r1cs_check *ret,
                                 struct cuzk_error *err)
{
    *ret = (struct r1cs_check){.first_bad_row = row};
    evaluate(c, row, 1);
    c->backend->buf_get(c->stream, c->values[0], 0, ret->a.w, 1);
    c->backend->buf_get(c->stream, c->values[1], 0, ret->b.w, 1);
    c->backend->buf_get(c->stream, c->values[2], 0, ret->c.w, 1);
    return wait(c, err);
}

static enum cuzk_status check_all(struct checker *c, struct r1cs_check *ret, struct cuzk_error *err)
{
    const uint64_t n_rows = c->cs->n_constraints; /* input rows hold for every witness */

    for (uint64_t first = 0; first < n_rows; first += WINDOW_ROWS) {
        size_t n = n_rows - first < WINDOW_ROWS ? (size_t)(n_rows - first) : WINDOW_ROWS, bad;

        TRY(check_window(c, first, n, &bad, err));
        if (bad < n)
            return tell_row(c, first + bad, ret, err);
    }
    *ret = (struct r1cs_check){.satisfied = true};
    return CUZK_OK;
}

enum cuzk_status r1cs_check(const struct r1cs *cs, const struct witness *witness, struct pool *pool,
                            struct r1cs_check *ret, struct cuzk_error *err)
{
    struct checker c = {.cs = cs, .backend = backend_find("cpu"), .pool = pool};
    enum cuzk_status st;

    TRY_GOTO(st, out, checker_open(&c, witness, err));
    TRY_GOTO(st, out, check_all(&c, ret, err));
out:
    checker_close(&c);
    return st;
}
