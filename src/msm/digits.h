/* Scalars as signed digits: s = sum over windows w of digit_w 2^(c w), |digit_w| <= 2^(c-1).
 *
 * Two steps make digits independent of each other and one bit shorter than the modulus:
 *  - a scalar above r/2 is replaced by r - s, and its point by the negative, so s < 2^(bits-1);
 *  - to s is added the constant that has the bit 2^(c w + c - 1) set for every window but the last.
 *    A window of that sum, less 2^(c-1), is the digit: the carries have been made by the addition.
 * The last window needs no sign: it holds at most 2^(c-1), its carry included. */
#ifndef MSM_DIGITS_H
#define MSM_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field/limbs.h"

#define DIGITS_MAX_LIMBS 4

struct digits {
    unsigned n_limbs;
    unsigned window;    /* c */
    unsigned n_windows; /* ceil(bits / c) */
    uint64_t modulus[DIGITS_MAX_LIMBS];
    uint64_t half[DIGITS_MAX_LIMBS];   /* (r - 1) / 2 */
    uint64_t offset[DIGITS_MAX_LIMBS]; /* the constant */
};

/* modulus: n_limbs words, of `bits` bits, odd; 2 <= window < 32. */
static inline void digits_init(struct digits *digits, const uint64_t *modulus, unsigned n_limbs,
                               unsigned bits, unsigned window)
{
    *digits = (struct digits){
        .n_limbs = n_limbs, .window = window, .n_windows = (bits + window - 1) / window};
    for (unsigned i = 0; i < n_limbs; i++) {
        digits->modulus[i] = modulus[i];
        digits->half[i] = modulus[i] >> 1 | (i + 1 < n_limbs ? modulus[i + 1] << 63 : 0);
    }
    for (unsigned w = 0; w + 1 < digits->n_windows; w++) {
        const unsigned bit = w * window + window - 1;

        digits->offset[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
}

/* Writes the n_limbs words that digits_get reads. True: the digits are those of -scalar. */
static inline bool digits_recode(const struct digits *digits, uint64_t *out, const uint64_t *scalar)
{
    const unsigned n = digits->n_limbs;
    const bool negative = limbs_less(digits->half, scalar, n);
    uint64_t borrow = 0, carry = 0;

    for (unsigned i = 0; i < n; i++) {
        const uint64_t less = limb_sub(digits->modulus[i], scalar[i], &borrow);

        out[i] = limb_add(negative ? less : scalar[i], digits->offset[i], &carry);
    }
    return negative;
}

static inline int32_t digits_get(const struct digits *digits, const uint64_t *recoded, unsigned w)
{
    const unsigned c = digits->window, bit = w * c, word = bit / 64, shift = bit % 64;
    uint64_t v = recoded[word] >> shift;

    if (shift + c > 64 && word + 1 < digits->n_limbs)
        v |= recoded[word + 1] << (64 - shift);
    v &= (UINT64_C(1) << c) - 1;
    return (int32_t)v - (w + 1 < digits->n_windows ? (int32_t)1 << (c - 1) : 0);
}

#endif
