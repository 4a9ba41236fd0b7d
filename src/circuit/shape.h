/* What a shape sink carries besides its recorder; for the gadgets' own use. */
#ifndef CIRCUIT_SHAPE_H
#define CIRCUIT_SHAPE_H

#include "circuit/poseidon.h"
#include "circuit/sink.h"

struct poseidon_rows; /* circuit/poseidon_gadget.c */

struct shape {
    struct recorder *rec;
    enum cuzk_status status; /* the first failure of the sink itself */
    /* 2^i and -2^i: dictionary indices, and the value in Montgomery form. */
    uint32_t pow2[FR_BITS], minus_pow2[FR_BITS];
    fr_t pow2_value[FR_BITS];
    struct poseidon_rows *poseidon[POSEIDON_N_KINDS]; /* made when first asked for */
};

static inline struct term term_of(var_t var, uint32_t coefficient)
{
    return (struct term){.var = var, .coef = coefficient};
}

/* The index of k in {-2, -1, 1, 2}. */
static inline uint32_t coef_small(const struct shape *shape, int k)
{
    return k > 0 ? shape->pow2[k - 1] : shape->minus_pow2[-k - 1];
}

/* A row whose sides are arrays of terms. */
#define ROW(sink, a, b, c)                                                                         \
    recorder_row((sink)->shape->rec, (a), sizeof(a) / sizeof *(a), (b), sizeof(b) / sizeof *(b),   \
                 (c), sizeof(c) / sizeof *(c))

#endif
