/* The terms of one row and one matrix while it is brought into order.
 *
 * A term is one word, variable above coefficient index, so that sorting by variable is sorting. */
#ifndef R1CS_TERMS_H
#define R1CS_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/matrix.h"
#include "r1cs/dictionary.h"

static inline uint64_t term_key(var_t var, uint32_t coef)
{
    return (uint64_t)var << 32 | coef;
}
static inline var_t term_var(uint64_t key)
{
    return (var_t)(key >> 32);
}
static inline uint32_t term_coef(uint64_t key)
{
    return (uint32_t)key;
}

/* Ascending by variable, in place. scratch: n words. */
void terms_sort(uint64_t *keys, size_t n, uint64_t *scratch);

/* Adds the coefficients of equal variables of sorted terms (sums join the dictionary) and drops
 * zeros, in place. */
MUST_CHECK enum cuzk_status terms_merge(uint64_t *keys, size_t n, struct dictionary *coefs,
                                        const struct curve *curve, size_t *ret_n,
                                        struct cuzk_error *err);

#endif
