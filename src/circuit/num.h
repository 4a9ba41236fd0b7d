/* Field elements in a circuit: a variable with its value. */
#ifndef CIRCUIT_NUM_H
#define CIRCUIT_NUM_H

#include "circuit/boolean.h"

typedef struct {
    var_t var;
    fr_t value; /* Montgomery; zero in a shape sink */
} num_t;

/* An aux. The value may be NULL in a shape sink. */
num_t num_alloc(struct sink *sink, const fr_t *value);
num_t num_alloc_plain(struct sink *sink, const struct scalar *value);

/* A public input i with the row i * 1 = x. */
void num_inputize(struct sink *sink, num_t x);

/* An aux that is made a public input. */
num_t num_alloc_input(struct sink *sink, const struct scalar *value);

/* Row a * 1 = b. */
void num_enforce_equal(struct sink *sink, num_t a, num_t b);

/* An aux p with the row a * b = p. */
num_t num_mul(struct sink *sink, num_t a, num_t b);

/* An aux s with the row (a + b) * 1 = s. Also the encoding of a node: data + label. */
num_t num_add(struct sink *sink, num_t a, num_t b);

/* An aux s with the row (sum of the n numbers) * 1 = s. */
enum { NUM_SUM_MAX = 8 };
num_t num_sum(struct sink *sink, const num_t *x, unsigned n);

/* c ? a : b: an aux r with the row (b - a) * c = b - r. */
num_t num_pick(struct sink *sink, bool_t c, num_t a, num_t b);

#endif
