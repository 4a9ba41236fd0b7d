/* Words and carries: the vocabulary of the field templates. Everything is inlined. Portable C; on
 * x86-64 the carries stay in the flag, which gcc 12 does not find by itself (half the time of an
 * addition, a tenth of a portable product). */
#ifndef FIELD_LIMBS_H
#define FIELD_LIMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* a + b + *carry, *carry 0 or 1; *carry becomes the bit that fell out. */
static inline uint64_t limb_add(uint64_t a, uint64_t b, uint64_t *carry)
{
#if defined(__x86_64__)
    unsigned long long sum;

    *carry = _addcarry_u64((unsigned char)*carry, a, b, &sum);
    return sum;
#else
    u128 t = (u128)a + b + *carry;

    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
#endif
}

/* a - b - *borrow, *borrow 0 or 1; *borrow becomes 1 if the difference was negative. */
static inline uint64_t limb_sub(uint64_t a, uint64_t b, uint64_t *borrow)
{
#if defined(__x86_64__)
    unsigned long long d;

    *borrow = _subborrow_u64((unsigned char)*borrow, a, b, &d);
    return d;
#else
    u128 t = (u128)a - b - *borrow;

    *borrow = (uint64_t)(t >> 64) & 1;
    return (uint64_t)t;
#endif
}

/* a + b * c + *carry, low word returned, high word to *carry. Cannot overflow. */
static inline uint64_t limb_mul_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
    u128 t = (u128)b * c + a + *carry;

    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

/* Comparison and tests on n words, variable time. */
static inline bool limbs_less(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = n; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}
static inline bool limbs_are_zero(const uint64_t *a, size_t n)
{
    uint64_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= a[i];
    return any == 0;
}

/* Digit i of k in Booth's signed form of four bits: in [-8, 8], and sum digit_i 16^i = k. k: n
 * words; i goes from 0 to 16 n, where the last carry lands. */
static inline int limbs_booth_digit(const uint64_t *k, size_t n, size_t i)
{
    unsigned bits = 0; /* 4i - 1 ... 4i + 3 of k */

    for (size_t j = i == 0 ? 1 : 0; j < 5; j++) {
        const size_t at = 4 * i + j - 1;

        if (at < 64 * n)
            bits |= (unsigned)(k[at / 64] >> (at % 64) & 1) << j;
    }
    return (int)((bits + 1) / 2) - (bits & 16 ? 16 : 0);
}

#endif
