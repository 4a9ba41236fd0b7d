/* Field elements, each kept once and named by its index.
 *
 * A circuit of a hundred million terms uses a few hundred different coefficients; a term keeps two
 * bytes instead of thirty-two. Open addressing with linear probing, at most half full.
 *
 * A dictionary may continue a finished one: indices below n_base name values of `base`, which is
 * only read (and not searched: a value of the base that is added gets a second name). */
#ifndef R1CS_DICTIONARY_H
#define R1CS_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "curve/curve.h"

struct dictionary {
    size_t words;         /* of one value: fr_bytes / 8 */
    const uint64_t *base; /* n_base * words, borrowed; NULL when n_base is 0 */
    size_t n_base;
    size_t n;            /* own values */
    struct grow values;  /* n * words: plain, packed with the curve's fr_bytes */
    struct region slots; /* index + 1 of a value, 0 where free */
    size_t mask;         /* number of slots - 1 */
};

/* Charges MEM_SHAPE; nothing is mapped before the first value. */
void dictionary_init(struct dictionary *d, const struct curve *curve, struct budget *budget,
                     const uint64_t *base, size_t n_base);
void dictionary_done(struct dictionary *d); /* accepts a zeroed one */

/* Index of a value, added if new. Plain and reduced: equal elements are equal words. */
MUST_CHECK enum cuzk_status dictionary_add(struct dictionary *d, const struct scalar *value,
                                           uint32_t *ret, struct cuzk_error *err);

/* The value of an index: `words` words, valid until the next addition. */
static inline const uint64_t *dictionary_words(const struct dictionary *d, uint32_t index)
{
    if (index < d->n_base)
        return d->base + index * d->words;
    return (const uint64_t *)(const void *)d->values.region.base + (index - d->n_base) * d->words;
}
struct scalar dictionary_value(const struct dictionary *d, uint32_t index);

#endif
