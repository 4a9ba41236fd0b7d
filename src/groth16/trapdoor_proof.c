#include "groth16/trapdoor_proof.h"

#include "groth16/at_tau.h"

#define SLICE ((size_t)1 << 14) /* values read back at once */

/* Discrete logarithms on the way. */
struct logarithms {
    struct scalar a, b;   /* a(tau), b(tau) */
    struct scalar inputs; /* the sum over the inputs */
};

struct maker {
    const struct qap *qap;
    const struct curve *curve;
    const struct backend *backend;
    const struct prove_options *options;
    const struct witness *witness;
    struct device *device;
    struct stream *stream;
    struct at_tau tau;
    struct buf *rows;
    struct witness_handle *w;
    struct region host; /* SLICE scalars */
    struct logarithms logs;
};

static void load_scalar(struct scalar *ret, const struct curve *curve, const void *packed, size_t i)
{
    *ret = (struct scalar){{0}};
    memcpy(ret, (const uint8_t *)packed + i * curve->fr_bytes, curve->fr_bytes);
}

/* *ret = sum over rows of (matrix w)_row L_row(tau) */
static enum cuzk_status row_sum(struct maker *m, const struct matrix_handle *matrix, size_t n_rows,
                                struct scalar *ret, struct cuzk_error *err)
{
    const struct backend *backend = m->backend;

    *ret = (struct scalar){{0}};
    backend->spmv(m->stream, m->rows, matrix, m->w, 0, n_rows);
    backend->pointwise(m->stream, POINTWISE_MUL, m->rows, m->rows, m->tau.values, NULL, n_rows);
    for (size_t at = 0; at < n_rows; at += SLICE) {
        size_t n = n_rows - at < SLICE ? n_rows - at : SLICE;

        backend->buf_get(m->stream, m->rows, at, m->host.base, n);
        TRY(backend->wait(m->stream, err));
        for (size_t i = 0; i < n; i++) {
            struct scalar value;

            load_scalar(&value, m->curve, m->host.base, i);
            m->curve->fr_add(ret, ret, &value);
        }
    }
    return CUZK_OK;
}

/* sum over inputs of x_i (beta u_i + alpha v_i + w_i)(tau) */
static enum cuzk_status input_sum(struct maker *m, struct cuzk_error *err)
{
    const struct scalar one = {{1}};
    struct scalar *sum = &m->logs.inputs;

    const size_t window = at_tau_window(&m->tau.options, true);

    for (size_t first = 0; first < m->witness->n_inputs; first += window) {
        size_t left = m->witness->n_inputs - first, n = left < window ? left : window;

        at_tau_combined(&m->tau, true, first, n, &one);
        m->backend->buf_get(m->stream, m->tau.w, 0, m->host.base, n);
        TRY(m->backend->wait(m->stream, err));
        for (size_t i = 0; i < n; i++) {
            struct scalar x, value;

            load_scalar(&x, m->curve, m->witness->inputs, first + i);
            load_scalar(&value, m->curve, m->host.base, i);
            m->curve->fr_mul(&value, &value, &x);
            m->curve->fr_add(sum, sum, &value);
        }
    }
    return CUZK_OK;
}

/* The values of all rows at once, beside the rows themselves. */
static struct at_tau_options tau_options(const struct maker *m, uint64_t g)
{
    return (struct at_tau_options){.backend = m->backend,
                                   .qap = m->qap,
                                   .domain_generator = g,
                                   .part = SIZE_MAX,
                                   .window = SLICE,
                                   .pool = m->options->pool,
                                   .budget = m->options->budget,
                                   .cancel = m->options->cancel};
}

static size_t device_bytes(const struct maker *m, const struct at_tau_options *tau)
{
    const struct backend *backend = m->backend;

    return at_tau_held_bytes(tau) + backend->buf_bytes(m->curve, ELEMENT_SCALAR, m->qap->n_domain) +
           backend->witness_bytes(m->curve, m->witness) + at_tau_scratch_bytes(tau);
}

static enum cuzk_status run_on_device(struct maker *m, const struct trapdoor *trapdoor, uint64_t g,
                                      struct cuzk_error *err)
{
    const struct at_tau_options tau = tau_options(m, g);
    const struct prove_options *o = m->options;
    const struct backend *backend = m->backend;
    const struct r1cs *cs = m->qap->cs;
    enum cuzk_status st;

    TRY(backend->open(&m->device,
                      &(struct device_options){.curve = m->curve,
                                               .pool = o->pool,
                                               .budget = o->budget,
                                               .arena_bytes = device_bytes(m, &tau),
                                               .ordinal = o->ordinal,
                                               .cancel = o->cancel},
                      err));
    TRY_GOTO(st, out, backend->stream_new(m->device, &m->stream, err));
    TRY_GOTO(st, out, at_tau_init(&m->tau, &tau, m->device, m->stream, trapdoor, err));
    at_tau_load(&m->tau, 0);
    TRY_GOTO(st, out, backend->buf_new(m->device, ELEMENT_SCALAR, m->qap->n_domain, &m->rows, err));
    TRY_GOTO(st, out, backend->witness_new(m->device, m->witness, &m->w, err));
    backend->witness_put(m->stream, m->w, m->witness);
    TRY_GOTO(st, out, row_sum(m, m->tau.matrix[AT_TAU_A], cs->a.n_rows, &m->logs.a, err));
    TRY_GOTO(st, out, row_sum(m, m->tau.matrix[AT_TAU_B], cs->b.n_rows, &m->logs.b, err));
    st = input_sum(m, err);
out:
    backend->witness_free(m->w);
    backend->buf_free(m->rows);
    at_tau_done(&m->tau);
    backend->stream_free(m->stream);
    backend->close(m->device);
    return st;
}

static void assemble(const struct curve *curve, const struct trapdoor *t,
                     const struct blinding *blinding, const struct logarithms *logs,
                     struct proof *ret)
{
    struct scalar a, b, c, x;

    curve->fr_mul(&a, &blinding->r, &t->delta);
    curve->fr_add(&a, &a, &logs->a);
    curve->fr_add(&a, &a, &t->alpha);
    curve->fr_mul(&b, &blinding->s, &t->delta);
    curve->fr_add(&b, &b, &logs->b);
    curve->fr_add(&b, &b, &t->beta);

    curve->fr_mul(&c, &a, &b);
    curve->fr_mul(&x, &t->alpha, &t->beta);
    curve->fr_sub(&c, &c, &x);
    curve->fr_sub(&c, &c, &logs->inputs);
    curve->fr_inv(&x, &t->delta);
    curve->fr_mul(&c, &c, &x);

    curve->g1_mul(&ret->a, &curve->g1_generator, &a);
    curve->g2_mul(&ret->b, &curve->g2_generator, &b);
    curve->g1_mul(&ret->c, &curve->g1_generator, &c);
}

enum cuzk_status trapdoor_prove(const struct qap *qap, const struct trapdoor *trapdoor,
                                uint64_t domain_generator, const struct witness *witness,
                                const struct blinding *blinding,
                                const struct prove_options *options, struct proof *ret,
                                struct cuzk_error *err)
{
    struct maker m = {.qap = qap,
                      .curve = qap->cs->curve,
                      .backend = options->backend,
                      .options = options,
                      .witness = witness};
    enum cuzk_status st;

    TRY(trapdoor_check(trapdoor, qap, err));
    TRY(region_map(&m.host, options->budget, MEM_SCRATCH, SLICE * m.curve->fr_bytes, err));
    st = run_on_device(&m, trapdoor, domain_generator, err);
    region_unmap(&m.host);
    if (st == CUZK_OK)
        assemble(m.curve, trapdoor, blinding, &m.logs, ret);
    return st;
}
