/* A key of H in powers of tau, as the official ones are, in the form that proofs are made from
 * fastest: H on the coset, C folded into L (groth16/key.h; backend.h, H_COSET_FOLDED). No trapdoor
 * is needed: what has to be known are sums of the key's own points.
 *
 * With s the coset's shift, z = s^n - 1, F the transform's matrix (root^(i j)) and H_i the points
 * of the old key, a polynomial with values v on the coset has the coefficients s^-i (F^-1 v)_i, and
 * F is symmetric. So
 *
 *     sum_j v_j K_j  is what the old key gives for the coefficients, over z, if
 *     K = F^-1 (s^-i H_i / z)                                         the new h
 *
 * and for the values c_r = C_r w of the rows, whose coefficients are F^-1 c,
 *
 *     - sum_r c_r P_r  with  P = F^-1 (H_i / z)
 *     - sum_r C[r][v] P_r                     what a variable's point in l changes by
 *
 * H_(n-1) = tau^(n-1) Z(tau) / delta is not in a key in powers. It is taken for infinity, in both:
 * a b and c have the same highest coefficient if the witness satisfies the system, so that in a
 * proof it cancels out. The points are others than those of a key that was set up in this form, the
 * proofs are the same.
 *
 * Two transforms with points for elements (J. W. Cooley, J. W. Tukey, "An algorithm for the machine
 * calculation of complex Fourier series", 1965, over the group) and a transposed product. Order:
 *
 *     folding_put_h ..    folding_make_h   folding_get_h ..
 *     folding_put_h ..    folding_make_c   folding_get_inputs   folding_add_l ..
 *
 * Points are native, as a prepared key has them. Memory: on the device the domain's points, and
 * what a transform of them takes; on the host two slices of points. */
#ifndef GROTH16_FOLDING_H
#define GROTH16_FOLDING_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "groth16/key.h"
#include "groth16/qap.h"

struct folding_options {
    const struct backend *backend;
    struct pool *pool;
    struct budget *budget; /* may be NULL */
    int ordinal;
    uint64_t domain_generator; /* of the key */
    const atomic_bool *cancel;
};

struct folding {
    const struct qap *qap;
    struct folding_options options;
    const struct group_kernels *group; /* G1's, of the host */
    struct device *device;
    struct stream *stream;
    struct buf *points; /* H, then the new h; H, then P */
    struct domain *domain;
    struct matrix_handle *c;
    struct buf *sums; /* of a window of variables: */
    bool inputs;
    size_t first, n;
    struct region room;   /* of the two: */
    uint8_t *slice, *add; /* plain points; scratch */
};

/* Bytes of MEM_SCRATCH; of the device's arena, which is among them unless it works beside the host.
 */
size_t folding_bytes(const struct qap *qap, const struct folding_options *options);
size_t folding_arena_bytes(const struct qap *qap, const struct folding_options *options);

/* CUZK_NO_MEMORY: the two do not fit the budget or the device. CUZK_USAGE: the back end only
 * proves. */
MUST_CHECK enum cuzk_status folding_open(struct folding *f, const struct qap *qap,
                                         const struct folding_options *options,
                                         struct cuzk_error *err);
void folding_close(struct folding *f); /* accepts a zeroed one */

/* Points [first, first + n) of the old h. */
MUST_CHECK enum cuzk_status folding_put_h(struct folding *f, size_t first, const void *native,
                                          size_t n, struct cuzk_error *err);
/* When all of them are there: the new h, n_domain points. CUZK_BAD_INPUT: one is infinity, which no
 * honest key makes. */
MUST_CHECK enum cuzk_status folding_make_h(struct folding *f, struct cuzk_error *err);
MUST_CHECK enum cuzk_status folding_get_h(struct folding *f, size_t first, void *native, size_t n,
                                          struct cuzk_error *err);
/* When all of the old ones are there again: what follows is known then. */
MUST_CHECK enum cuzk_status folding_make_c(struct folding *f, struct cuzk_error *err);
/* The new l of the inputs that occur in C, n_c_inputs points. */
MUST_CHECK enum cuzk_status folding_get_inputs(struct folding *f, void *native,
                                               struct cuzk_error *err);
/* native: the old l of aux [first, first + n); they become the new ones. */
MUST_CHECK enum cuzk_status folding_add_l(struct folding *f, size_t first, void *native, size_t n,
                                          struct cuzk_error *err);

#endif
