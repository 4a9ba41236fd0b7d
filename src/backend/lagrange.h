/* The Lagrange polynomials of a subgroup <w> of order n, at a point outside it, one by one:
 *
 *     L_i(x) = (x^n - 1) / n * w^i / (x - w^i) = (x^n - 1) / n / (x w^-i - 1)
 *
 * so that any range of them is a run of powers and one shared inversion. */
#ifndef BACKEND_LAGRANGE_H
#define BACKEND_LAGRANGE_H

#include "curve/curve.h"

/* factor * L_(first + i)(x) = scale / (y root^-i - 1) */
struct lagrange {
    struct scalar root, root_inv, y, scale;
};

/* Of the subgroup of order 2^lg_n from the domain generator g; false if the curve has none. */
static inline bool lagrange_init(struct lagrange *ret, const struct curve *curve, unsigned lg_n,
                                 uint64_t g, const struct scalar *factor, const struct scalar *x,
                                 uint64_t first)
{
    const struct scalar one = {{1}}, n = {{(uint64_t)1 << lg_n}};
    struct scalar z;

    if (!curve->fr_root(&ret->root, g, lg_n))
        return false;
    curve->fr_inv(&ret->root_inv, &ret->root);
    curve->fr_pow(&ret->y, &ret->root_inv, first);
    curve->fr_mul(&ret->y, &ret->y, x);
    curve->fr_pow(&z, x, (uint64_t)1 << lg_n);
    curve->fr_sub(&z, &z, &one);
    curve->fr_inv(&ret->scale, &n);
    curve->fr_mul(&ret->scale, &ret->scale, &z);
    curve->fr_mul(&ret->scale, &ret->scale, factor);
    return true;
}

#endif
