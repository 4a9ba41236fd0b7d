/* Montgomery products in assembly, chosen at run time (field/mont_x86_64.S).
 *
 *   out, a, b   n words each, below p (b of mul: any words); out may be a or b
 *   p           n words and then -1/p mod 2^64. p is odd and below 2^(64 n - 1).
 *   result      a b / 2^(64 n) mod p, below p; the same for every body
 *
 * mul_sum: (a b + c d) / 2^(64 n) mod p for one reduction; all below p, and p below
 * 2^(64 n - 2).
 *
 * Time does not depend on the values. */
#ifndef FIELD_MONT_H
#define FIELD_MONT_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__ELF__)
#include "base/cpu.h"
#define MONT_HAS_ADX 1
#define mont_use_adx cpu_mulx_adx /* may they be called? */

void mont_mul_4_adx(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *p);
void mont_mul_sum_4_adx(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                        const uint64_t *d, const uint64_t *p);
void mont_sqr_4_adx(uint64_t *out, const uint64_t *a, const uint64_t *p);
void mont_mul_6_adx(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *p);
void mont_mul_sum_6_adx(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                        const uint64_t *d, const uint64_t *p);
void mont_sqr_6_adx(uint64_t *out, const uint64_t *a, const uint64_t *p);
#else
#define MONT_HAS_ADX 0
#endif

#endif
