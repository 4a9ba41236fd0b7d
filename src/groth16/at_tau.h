/* The polynomials of a constraint system at tau, computed through the waist.
 *
 *     L_j(tau)   of the domain: the inverse transform of 1, tau, tau^2, ...
 *     u_v(tau) = sum over rows of A[row][v] L_row(tau)      a transposed product; v, w likewise
 *
 * Variables are taken in windows, so the memory is that of the Lagrange values (one scalar a row)
 * and three windows, whatever the number of variables. */
#ifndef GROTH16_AT_TAU_H
#define GROTH16_AT_TAU_H

#include "backend/backend.h"
#include "groth16/qap.h"
#include "groth16/trapdoor.h"

struct at_tau {
    const struct backend *backend;
    struct device *device;
    struct stream *stream;
    const struct qap *qap;
    const struct trapdoor *trapdoor;
    uint64_t g;           /* the domain generator */
    struct buf *lagrange; /* n_domain scalars */
    struct buf *u, *v, *w;
    struct matrix_handle *a, *b, *c;
};

/* Arena bytes: what stays, and the most that is needed for a moment on top of it. */
size_t at_tau_held_bytes(const struct backend *backend, const struct qap *qap, size_t window);
size_t at_tau_scratch_bytes(const struct backend *backend, const struct qap *qap, size_t window,
                            unsigned n_threads);

/* window: the most variables asked for at once. g: the domain generator. */
MUST_CHECK enum cuzk_status at_tau_init(struct at_tau *t, const struct backend *backend,
                                        struct device *device, struct stream *stream,
                                        const struct qap *qap, const struct trapdoor *trapdoor,
                                        uint64_t g, size_t window, struct cuzk_error *err);
void at_tau_done(struct at_tau *t); /* accepts a zeroed and a half-built one */

/* t->lagrange[j] = factor * L_j(x). at_tau_init leaves factor = 1, x = tau, which what follows
 * needs. */
MUST_CHECK enum cuzk_status at_tau_lagrange(struct at_tau *t, const struct scalar *factor,
                                            const struct scalar *x, struct cuzk_error *err);
/* For variables [first, first + n) of the inputs or of the aux:
 * t->u[i] = u(tau) from A, v(tau) from B, w(tau) from C. */
void at_tau_polynomial(struct at_tau *t, const struct matrix_handle *matrix, bool inputs,
                       uint64_t first, size_t n);
/* t->w[i] = factor * (beta u + alpha v + w)(tau). */
void at_tau_combined(struct at_tau *t, bool inputs, uint64_t first, size_t n,
                     const struct scalar *factor);

#endif
