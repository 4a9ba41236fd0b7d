/* Random witnesses and recorded matrices, with every feature the waist has to handle. */
#ifndef SUPPORT_RANDOM_MATRIX_H
#define SUPPORT_RANDOM_MATRIX_H

#include "backend/matrix.h"
#include "backend/witness.h"
#include "base/rng.h"
#include "curve/curve.h"

struct scalar random_scalar(const struct curve *curve, struct rng *rng);
/* Scalar i of a packed array, and back. */
struct scalar scalar_load(const struct curve *curve, const uint64_t *packed, size_t i);
void scalar_store(const struct curve *curve, uint64_t *packed, size_t i, const struct scalar *x);

/* About a fifth of the aux are full values, some of them 0 or 1; input 0 is one. */
struct witness *random_witness_new(const struct curve *curve, size_t n_inputs, size_t n_aux,
                                   struct rng *rng);
void random_witness_free(struct witness *witness);

/* A map of n bits: `kind` 0 all, 1 none, 2 long runs, 3 anything. */
uint64_t *random_map_new(size_t n, unsigned kind, struct rng *rng);

/* Five segments: plain rows; a repeat of `count` copies with ports, relative aux and relative
 * inputs; rows without terms; plain rows with 32-bit coefficient indices; the input rows. */
struct random_matrix {
    struct matrix matrix;
    struct matrix_segment segments[5];
};
struct random_matrix *random_matrix_new(const struct curve *curve, uint32_t count, struct rng *rng);
void random_matrix_free(struct random_matrix *m);

/* Calls f(ctx, row, variable, coefficient) for every term, expanded by the rules of matrix.h. */
typedef void random_term_fn(void *ctx, uint64_t row, var_t var, const struct scalar *coef);
void matrix_terms(const struct curve *curve, const struct matrix *m, random_term_fn *f, void *ctx);

#endif
