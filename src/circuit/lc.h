/* Linear combinations under construction, for rows that are longer than a few terms.
 *
 * Only a shape sink has rows; all functions here want one. The constants that Bools bring along are
 * summed up as they come, and interned once when the row is written. */
#ifndef CIRCUIT_LC_H
#define CIRCUIT_LC_H

#include "circuit/boolean.h"

struct lc {
    struct term *terms; /* the caller's: n_max of them, one more than the variables to come */
    uint32_t n, n_max;
    fr_t constant; /* the coefficient of ONE, besides the terms */
};

static inline void lc_init(struct lc *lc, struct term *terms, uint32_t n_max)
{
    *lc = (struct lc){.terms = terms, .n_max = n_max};
}

/* Adds coefficient * var; the coefficient is an index of the recorder's dictionary. */
void lc_add_term(struct lc *lc, var_t var, uint32_t coefficient);
/* Adds 2^exponent times the Bool; exponent < 255. Needs room for one term. */
void lc_add_bool(const struct sink *sink, struct lc *lc, bool_t a, unsigned exponent);
/* Adds 2^exponent * value. */
void lc_add_constant(const struct sink *sink, struct lc *lc, uint64_t value, unsigned exponent);

/* Dictionary indices: of 2^exponent, of -2^exponent, of any value. */
uint32_t coef_pow2(const struct sink *sink, unsigned exponent);
uint32_t coef_minus_pow2(const struct sink *sink, unsigned exponent);
uint32_t coef_of(const struct sink *sink, const fr_t *value);

/* Makes the constant a term of ONE; nothing can be added afterwards. */
void lc_close(const struct sink *sink, struct lc *lc);

/* The row a * b = c; closes all three. NULL is the empty combination. */
void row_of_lcs(struct sink *sink, struct lc *a, struct lc *b, struct lc *c);
/* The row a * 1 = x. */
void row_lc_is(struct sink *sink, struct lc *a, var_t x);

#endif
