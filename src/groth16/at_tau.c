#include "groth16/at_tau.h"

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t at_tau_held_bytes(const struct backend *backend, const struct qap *qap, size_t window)
{
    const struct r1cs *cs = qap->cs;

    return backend->buf_bytes(cs->curve, ELEMENT_SCALAR, qap->n_domain) +
           3 * backend->buf_bytes(cs->curve, ELEMENT_SCALAR, window) +
           backend->matrix_bytes(cs->curve, &cs->a) + backend->matrix_bytes(cs->curve, &cs->b) +
           backend->matrix_bytes(cs->curve, &cs->c);
}

size_t at_tau_scratch_bytes(const struct backend *backend, const struct qap *qap, size_t window,
                            unsigned n_threads)
{
    const struct r1cs *cs = qap->cs;
    const struct matrix *const matrices[] = {&cs->a, &cs->b, &cs->c};
    size_t most = 0;

    for (size_t i = 0; i < 3; i++)
        for (int inputs = 0; inputs < 2; inputs++) /* aux, then inputs */
            most = max_size(most, backend->spmv_transposed_bytes(cs->curve, matrices[i],
                                                                 inputs != 0, window, n_threads));
    return max_size(most, backend->domain_bytes(cs->curve, qap->lg_domain) +
                              backend->ntt_bytes(cs->curve, qap->lg_domain));
}

/* L_j(x) = 1/n sum_i x^i root^(-ij) */
enum cuzk_status at_tau_lagrange(struct at_tau *t, const struct scalar *factor,
                                 const struct scalar *x, struct cuzk_error *err)
{
    const struct backend *backend = t->backend;
    struct domain *domain;
    enum cuzk_status st;

    TRY(backend->domain_new(t->device, t->qap->lg_domain, t->g, &domain, err));
    backend->powers(t->stream, t->lagrange, factor, x, t->qap->n_domain);
    backend->ntt(t->stream, domain, t->lagrange, true, false);
    st = backend->wait(t->stream, err);
    backend->domain_free(domain);
    return st;
}

enum cuzk_status at_tau_init(struct at_tau *t, const struct backend *backend, struct device *device,
                             struct stream *stream, const struct qap *qap,
                             const struct trapdoor *trapdoor, uint64_t g, size_t window,
                             struct cuzk_error *err)
{
    const struct r1cs *cs = qap->cs;
    const struct scalar one = {{1}};
    enum cuzk_status st;

    *t = (struct at_tau){.backend = backend,
                         .device = device,
                         .stream = stream,
                         .qap = qap,
                         .trapdoor = trapdoor,
                         .g = g};
    TRY_GOTO(st, fail, backend->buf_new(device, ELEMENT_SCALAR, qap->n_domain, &t->lagrange, err));
    TRY_GOTO(st, fail, at_tau_lagrange(t, &one, &trapdoor->tau, err));
    TRY_GOTO(st, fail, backend->buf_new(device, ELEMENT_SCALAR, window, &t->u, err));
    TRY_GOTO(st, fail, backend->buf_new(device, ELEMENT_SCALAR, window, &t->v, err));
    TRY_GOTO(st, fail, backend->buf_new(device, ELEMENT_SCALAR, window, &t->w, err));
    TRY_GOTO(st, fail, backend->matrix_new(device, &cs->a, &t->a, err));
    TRY_GOTO(st, fail, backend->matrix_new(device, &cs->b, &t->b, err));
    TRY_GOTO(st, fail, backend->matrix_new(device, &cs->c, &t->c, err));
    return CUZK_OK;
fail:
    at_tau_done(t);
    return st;
}

void at_tau_done(struct at_tau *t)
{
    if (!t->backend)
        return;
    t->backend->matrix_free(t->c);
    t->backend->matrix_free(t->b);
    t->backend->matrix_free(t->a);
    t->backend->buf_free(t->w);
    t->backend->buf_free(t->v);
    t->backend->buf_free(t->u);
    t->backend->buf_free(t->lagrange);
    *t = (struct at_tau){0};
}

void at_tau_polynomial(struct at_tau *t, const struct matrix_handle *matrix, bool inputs,
                       uint64_t first, size_t n)
{
    t->backend->spmv_transposed(t->stream, t->u, matrix, t->lagrange, inputs, first, n);
}

void at_tau_combined(struct at_tau *t, bool inputs, uint64_t first, size_t n,
                     const struct scalar *factor)
{
    const struct backend *backend = t->backend;

    backend->spmv_transposed(t->stream, t->u, t->a, t->lagrange, inputs, first, n);
    backend->spmv_transposed(t->stream, t->v, t->b, t->lagrange, inputs, first, n);
    backend->spmv_transposed(t->stream, t->w, t->c, t->lagrange, inputs, first, n);
    backend->pointwise(t->stream, POINTWISE_AXPY, t->w, t->u, NULL, &t->trapdoor->beta, n);
    backend->pointwise(t->stream, POINTWISE_AXPY, t->w, t->v, NULL, &t->trapdoor->alpha, n);
    backend->pointwise(t->stream, POINTWISE_SCALE, t->w, t->w, NULL, factor, n);
}
