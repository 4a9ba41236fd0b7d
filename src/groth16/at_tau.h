/* The polynomials of a constraint system at tau, computed through the waist.
 *
 *     u_v(tau) = sum over rows of A[row][v] L_row(tau)      a transposed product; v, w likewise
 *
 * Nothing here is as long as the rows or the variables. The Lagrange values are made in parts of
 * the rows, each when it is needed (backend.h, lagrange), and only one part is there at a time; the
 * variables are asked for in windows, which add up the parts that name one of them (row_parts.h).
 * The part that is there goes first, so from window to window it is mostly the next one that is
 * made. Inputs are few and ONE is everywhere: they go through all rows. */
#ifndef GROTH16_AT_TAU_H
#define GROTH16_AT_TAU_H

#include "backend/backend.h"
#include "groth16/qap.h"
#include "groth16/row_parts.h"
#include "groth16/trapdoor.h"

enum at_tau_matrix { AT_TAU_A, AT_TAU_B, AT_TAU_C, AT_TAU_N_MATRICES };

struct at_tau_options {
    const struct backend *backend;
    const struct qap *qap;
    uint64_t domain_generator;
    size_t part;   /* rows whose values are there at once; SIZE_MAX: all */
    size_t window; /* the most aux asked for at once; a multiple of 64, or all */
    struct pool *pool;
    struct budget *budget; /* for the table of row_parts.h */
    const atomic_bool *cancel;
};

struct at_tau {
    struct at_tau_options options;
    struct device *device;
    struct stream *stream;
    const struct trapdoor *trapdoor;
    struct row_parts parts;
    struct scalar factor, x; /* values are factor L_j(x) */
    size_t loaded;           /* the part that is there; SIZE_MAX: none */
    struct buf *values;      /* of its rows */
    struct buf *u, *v, *w;
    struct matrix_handle *matrix[AT_TAU_N_MATRICES];
};

/* The most variables asked for at once: of the aux the window, of the inputs fewer, because every
 * thread has sums of its own of them. */
size_t at_tau_window(const struct at_tau_options *options, bool inputs);

/* Arena bytes: what stays, and the most that is needed for a moment on top of it. MEM_SCRATCH
 * beside the arena: row_parts_bytes. */
size_t at_tau_held_bytes(const struct at_tau_options *options);
size_t at_tau_scratch_bytes(const struct at_tau_options *options);

MUST_CHECK enum cuzk_status at_tau_init(struct at_tau *t, const struct at_tau_options *options,
                                        struct device *device, struct stream *stream,
                                        const struct trapdoor *trapdoor, struct cuzk_error *err);
void at_tau_done(struct at_tau *t); /* accepts a zeroed and a half-built one */

/* The values are those of another point from now on, all times a factor; x outside the domain.
 * at_tau_init leaves factor = 1, x = tau, which the sums need. */
void at_tau_point(struct at_tau *t, const struct scalar *factor, const struct scalar *x);
/* Part i of the values, of the domain's n rows in all (the system's rows come first). Returns how
 * many there are in t->values, 0 after the last part. */
size_t at_tau_load(struct at_tau *t, size_t i);

/* For variables [first, first + n) of the inputs or of the aux, n at most the window and first a
 * multiple of it:
 * t->u[i] = u(tau) from A, v(tau) from B, w(tau) from C. */
void at_tau_polynomial(struct at_tau *t, enum at_tau_matrix matrix, bool inputs, uint64_t first,
                       size_t n);
/* t->w[i] = factor * (beta u + alpha v + w)(tau). */
void at_tau_combined(struct at_tau *t, bool inputs, uint64_t first, size_t n,
                     const struct scalar *factor);

#endif
