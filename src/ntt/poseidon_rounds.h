/* The rounds of a Poseidon hash over a scalar field, as its bulk kernels take them
 * (scalar_kernels.h).
 *
 * The state has t = width elements; its first is a tag, the others are what is hashed, element 1 of
 * the end is the result. An s-box is x^5. h full rounds, `partial` rounds with one s-box, and h
 * full ones again, in the optimised form of neptune: constants are added after s-boxes, partial
 * rounds have sparse matrices. `elements` are all constants, native, in the order in which
 * they are met:
 *
 *     1, t                       the tag; what is added before everything
 *     h times        t, t t      added after the s-boxes; the matrix
 *     partial times  1, t, t - 1 added after the s-box of element 0; column and row
 *     h times        t, t t
 *
 *     matrix         new[j] = sum over i of state[i] m[i][j]; m[0][j] ... m[t - 1][j] for each j
 *     column, row    new[0] = sum of state[i] column[i]; new[j] = state[j] + state[0] row[j]
 *
 * The *trace* of a hash is what a circuit allocates for it, plain: in the first round x^2, x^4 and
 * x^5 + constant of the elements but the tag's, afterwards x itself and these three for every
 * s-box, then the result. */
#ifndef NTT_POSEIDON_ROUNDS_H
#define NTT_POSEIDON_ROUNDS_H

#include <stddef.h>

enum {
    POSEIDON_WIDTH_MAX = 12,
    POSEIDON_HALF_MAX = 4,
    POSEIDON_PARTIAL_MAX = 57,
    POSEIDON_ELEMENTS_MAX = 1 + POSEIDON_WIDTH_MAX +
                            2 * POSEIDON_HALF_MAX * POSEIDON_WIDTH_MAX * (1 + POSEIDON_WIDTH_MAX) +
                            POSEIDON_PARTIAL_MAX * 2 * POSEIDON_WIDTH_MAX,
};

struct poseidon_rounds {
    unsigned width, half, partial; /* the maxima above hold */
    const void *elements;
};

static inline size_t poseidon_rounds_elements(const struct poseidon_rounds *r)
{
    const size_t t = r->width;

    return 1 + t + 2 * r->half * t * (1 + t) + r->partial * 2 * t;
}

static inline size_t poseidon_rounds_trace(const struct poseidon_rounds *r)
{
    const size_t t = r->width;

    return 3 * (t - 1) + 4 * (2 * r->half - 1) * t + 4 * r->partial + 1;
}

#endif
