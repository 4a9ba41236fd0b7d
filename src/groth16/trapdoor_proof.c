#include "groth16/trapdoor_proof.h"

#include "base/mem.h"
#include "groth16/at_tau.h"

#define SLICE ((size_t)1 << 14) /* values read back at once */

/* Discrete logarithms on the way. */
struct logarithms {
    struct scalar a, b;   /* a(tau), b(tau) */
    struct scalar inputs; /* the sum over the inputs */
};

struct trapdoor_prover {
    const struct qap *qap;
    const struct curve *curve;
    const struct backend *backend;
    struct trapdoor trapdoor;
    struct device *device;
    struct stream *stream;
    struct at_tau tau;
    struct buf *rows;
    struct witness_handle *w;
    struct region host; /* SLICE scalars */
};

static void load_scalar(struct scalar *ret, const struct curve *curve, const void *packed, size_t i)
{
    *ret = (struct scalar){{0}};
    memcpy(ret, (const uint8_t *)packed + i * curve->fr_bytes, curve->fr_bytes);
}

/* *ret = sum over rows of (matrix w)_row L_row(tau) */
static enum cuzk_status row_sum(struct trapdoor_prover *p, const struct matrix_handle *matrix,
                                size_t n_rows, struct scalar *ret, struct cuzk_error *err)
{
    const struct backend *backend = p->backend;

    *ret = (struct scalar){{0}};
    backend->spmv(p->stream, p->rows, matrix, p->w, 0, n_rows);
    backend->pointwise(p->stream, POINTWISE_MUL, p->rows, p->rows, p->tau.values, NULL, n_rows);
    for (size_t at = 0; at < n_rows; at += SLICE) {
        size_t n = n_rows - at < SLICE ? n_rows - at : SLICE;

        backend->buf_get(p->stream, p->rows, at, p->host.base, n);
        TRY(backend->wait(p->stream, err));
        for (size_t i = 0; i < n; i++) {
            struct scalar value;

            load_scalar(&value, p->curve, p->host.base, i);
            p->curve->fr_add(ret, ret, &value);
        }
    }
    return CUZK_OK;
}

/* *sum = over inputs, x_i (beta u_i + alpha v_i + w_i)(tau) */
static enum cuzk_status input_sum(struct trapdoor_prover *p, const struct witness *witness,
                                  struct scalar *sum, struct cuzk_error *err)
{
    const struct scalar one = {{1}};
    const size_t window = at_tau_window(&p->tau.options, true);

    *sum = (struct scalar){{0}};
    for (size_t first = 0; first < witness->n_inputs; first += window) {
        size_t left = witness->n_inputs - first, n = left < window ? left : window;

        at_tau_combined(&p->tau, true, first, n, &one);
        p->backend->buf_get(p->stream, p->tau.w, 0, p->host.base, n);
        TRY(p->backend->wait(p->stream, err));
        for (size_t i = 0; i < n; i++) {
            struct scalar x, value;

            load_scalar(&x, p->curve, witness->inputs, first + i);
            load_scalar(&value, p->curve, p->host.base, i);
            p->curve->fr_mul(&value, &value, &x);
            p->curve->fr_add(sum, sum, &value);
        }
    }
    return CUZK_OK;
}

/* The values of all rows at once, beside the rows themselves. */
static struct at_tau_options tau_options(const struct qap *qap, uint64_t g,
                                         const struct prove_options *o)
{
    return (struct at_tau_options){.backend = o->backend,
                                   .qap = qap,
                                   .domain_generator = g,
                                   .part = SIZE_MAX,
                                   .window = SLICE,
                                   .pool = o->pool,
                                   .budget = o->budget,
                                   .cancel = o->cancel};
}

static size_t device_bytes(const struct trapdoor_prover *p, const struct at_tau_options *tau,
                           const struct witness *shape)
{
    const struct backend *backend = p->backend;

    return at_tau_held_bytes(tau) + backend->buf_bytes(p->curve, ELEMENT_SCALAR, p->qap->n_domain) +
           backend->witness_bytes(p->curve, shape) + at_tau_scratch_bytes(tau);
}

static enum cuzk_status open_device(struct trapdoor_prover *p, uint64_t g,
                                    const struct witness *shape, const struct prove_options *o,
                                    struct cuzk_error *err)
{
    const struct at_tau_options tau = tau_options(p->qap, g, o);
    const struct backend *backend = p->backend;

    TRY(trapdoor_check(&p->trapdoor, p->qap, err));
    TRY(region_map(&p->host, o->budget, MEM_SCRATCH, SLICE * p->curve->fr_bytes, err));
    TRY(backend->open(&p->device,
                      &(struct device_options){.curve = p->curve,
                                               .pool = o->pool,
                                               .budget = o->budget,
                                               .arena_bytes = device_bytes(p, &tau, shape),
                                               .ordinal = o->ordinal,
                                               .cancel = o->cancel},
                      err));
    TRY(backend->stream_new(p->device, &p->stream, err));
    TRY(at_tau_init(&p->tau, &tau, p->device, p->stream, &p->trapdoor, err));
    at_tau_load(&p->tau, 0);
    TRY(backend->buf_new(p->device, ELEMENT_SCALAR, p->qap->n_domain, &p->rows, err));
    return backend->witness_new(p->device, shape, &p->w, err);
}

enum cuzk_status trapdoor_prover_new(struct trapdoor_prover **ret, const struct qap *qap,
                                     const struct trapdoor *trapdoor, uint64_t domain_generator,
                                     const struct witness *shape,
                                     const struct prove_options *options, struct cuzk_error *err)
{
    struct trapdoor_prover *p = mem_new(sizeof *p);
    enum cuzk_status st;

    if (!p)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a prover");
    p->qap = qap;
    p->curve = qap->cs->curve;
    p->backend = options->backend;
    p->trapdoor = *trapdoor;
    st = open_device(p, domain_generator, shape, options, err);
    if (st != CUZK_OK) {
        trapdoor_prover_free(p);
        return st;
    }
    *ret = p;
    return CUZK_OK;
}

void trapdoor_prover_free(struct trapdoor_prover *p)
{
    if (!p)
        return;
    p->backend->witness_free(p->w);
    p->backend->buf_free(p->rows);
    at_tau_done(&p->tau);
    p->backend->stream_free(p->stream);
    p->backend->close(p->device);
    region_unmap(&p->host);
    mem_wipe(&p->trapdoor, sizeof p->trapdoor);
    mem_free(p);
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

enum cuzk_status trapdoor_prover_prove(struct trapdoor_prover *p, const struct witness *witness,
                                       const struct blinding *blinding, struct proof *ret,
                                       struct cuzk_error *err)
{
    const struct r1cs *cs = p->qap->cs;
    struct logarithms logs;

    p->backend->witness_put(p->stream, p->w, witness, witness_whole(witness->n_aux));
    TRY(row_sum(p, p->tau.matrix[AT_TAU_A], cs->a.n_rows, &logs.a, err));
    TRY(row_sum(p, p->tau.matrix[AT_TAU_B], cs->b.n_rows, &logs.b, err));
    TRY(input_sum(p, witness, &logs.inputs, err));
    assemble(p->curve, &p->trapdoor, blinding, &logs, ret);
    return CUZK_OK;
}

enum cuzk_status trapdoor_prove(const struct qap *qap, const struct trapdoor *trapdoor,
                                uint64_t domain_generator, const struct witness *witness,
                                const struct blinding *blinding,
                                const struct prove_options *options, struct proof *ret,
                                struct cuzk_error *err)
{
    struct trapdoor_prover *p;
    enum cuzk_status st;

    TRY(trapdoor_prover_new(&p, qap, trapdoor, domain_generator, witness, options, err));
    st = trapdoor_prover_prove(p, witness, blinding, ret, err);
    trapdoor_prover_free(p);
    return st;
}
