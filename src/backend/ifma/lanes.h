/* Eight numbers side by side: the vocabulary of the lane templates.
 *
 * A vector of ours is a 512-bit register of eight 64-bit words, one a lane. vpmadd52lo and
 * vpmadd52hi multiply 52-bit numbers lane by lane and add the low or the high 52 bits of the
 * product to a 64-bit sum. Only units compiled for these instructions include this header. */
#ifndef BACKEND_IFMA_LANES_H
#define BACKEND_IFMA_LANES_H

#include <immintrin.h>
#include <stdint.h>

#define LANES 8
#define LANE_BITS 52
#define LANE_MASK ((UINT64_C(1) << LANE_BITS) - 1)
#define LANE_INLINE static inline __attribute__((always_inline))
#define LANE_UNROLL _Pragma("GCC unroll 16")

/* Bounds of lazy values are claims of the source; builds with CUZK_LANE_CHECKS look at every one.
 */
#ifdef CUZK_LANE_CHECKS
#include <assert.h>
#define LANE_ASSERT(condition) assert(condition)
#else
#define LANE_ASSERT(condition) ((void)0)
#endif

LANE_INLINE __m512i lanes_set(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* sum + low or high 52 bits of a b. As instructions, not intrinsics: clang 14 takes the addition
 * out of those and then needs twice the time. Factors in registers, for clang would put any that
 * may be in memory there. */
LANE_INLINE __m512i lanes_low(__m512i sum, __m512i a, __m512i b)
{
    __asm__("vpmadd52luq %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}

LANE_INLINE __m512i lanes_high(__m512i sum, __m512i a, __m512i b)
{
    __asm__("vpmadd52huq %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}

/* Rows to columns: word j of row i becomes word i of out[j]. out may be row. */
LANE_INLINE void lanes_transpose(__m512i out[8], const __m512i row[8])
{
    __m512i pair[8], quad[8];

    LANE_UNROLL
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm512_unpacklo_epi64(row[i], row[i + 1]);
        pair[i + 1] = _mm512_unpackhi_epi64(row[i], row[i + 1]);
    }
    LANE_UNROLL
    for (int i = 0; i < 8; i += 4)
        for (int odd = 0; odd < 2; odd++) {
            quad[i + odd] = _mm512_shuffle_i64x2(pair[i + odd], pair[i + 2 + odd], 0x88);
            quad[i + 2 + odd] = _mm512_shuffle_i64x2(pair[i + odd], pair[i + 2 + odd], 0xdd);
        }
    LANE_UNROLL
    for (int i = 0; i < 4; i++) {
        const int from = i; /* columns i and i + 4 come from quad i of both halves */

        out[i] = _mm512_shuffle_i64x2(quad[from], quad[from + 4], 0x88);
        out[i + 4] = _mm512_shuffle_i64x2(quad[from], quad[from + 4], 0xdd);
    }
}

#endif
