/* Carry chains of 32-bit words: the vocabulary of fp.cuh and fr.cuh.
 *
 * On sm_80 and later the multiplier's widest useful instruction is IMAD.WIDE: 32 x 32 + 64 -> 64
 * bits with a carry through a predicate, four cycles a warp. A pair mad.lo.cc / madc.hi.cc on an
 * aligned pair of accumulator words becomes exactly one of them. Products are therefore summed in
 * two accumulators, one whose pairs start at even words and one whose pairs start at odd words, and
 * joined at the end.
 *
 * Every function is one instruction (or one such pair) and volatile, because the carry flag ties it
 * to its neighbours: a chain is written without anything in between that could touch the flag.
 * Names: _cc leaves the carry in the flag, addc / madc also takes it from there. */
#pragma once
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

#define DEVICE static __device__ __forceinline__

#define PTX_2(name, instruction)                                                                   \
    DEVICE u32 name(u32 a, u32 b)                                                                  \
    {                                                                                              \
        u32 r;                                                                                     \
        asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                       \
        return r;                                                                                  \
    }
#define PTX_3(name, instruction)                                                                   \
    DEVICE u32 name(u32 a, u32 b, u32 c)                                                           \
    {                                                                                              \
        u32 r;                                                                                     \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));           \
        return r;                                                                                  \
    }
PTX_2(add_cc, "add.cc.u32")
PTX_2(addc_cc, "addc.cc.u32")
PTX_2(addc, "addc.u32")
PTX_2(sub_cc, "sub.cc.u32")
PTX_2(subc_cc, "subc.cc.u32")
PTX_2(subc, "subc.u32")
PTX_2(mul_lo, "mul.lo.u32")
PTX_2(mul_hi, "mul.hi.u32")
PTX_3(mad_lo_cc, "mad.lo.cc.u32")
PTX_3(madc_lo_cc, "madc.lo.cc.u32")
PTX_3(madc_lo, "madc.lo.u32")
PTX_3(madc_hi_cc, "madc.hi.cc.u32")
PTX_3(madc_hi, "madc.hi.u32")

/* (lo, hi) = a b */
DEVICE void wide_mul(u32 &lo, u32 &hi, u32 a, u32 b)
{
    lo = mul_lo(a, b);
    hi = mul_hi(a, b);
}
/* (lo, hi) = a b + (c0, c1), carry out in the flag; the second form also takes the flag in */
DEVICE void wide_mad_cc(u32 &lo, u32 &hi, u32 a, u32 b, u32 c0, u32 c1)
{
    asm volatile("mad.lo.cc.u32 %0,%2,%3,%4; madc.hi.cc.u32 %1,%2,%3,%5;"
                 : "=&r"(lo), "=r"(hi)
                 : "r"(a), "r"(b), "r"(c0), "r"(c1));
}
DEVICE void wide_madc_cc(u32 &lo, u32 &hi, u32 a, u32 b, u32 c0, u32 c1)
{
    asm volatile("madc.lo.cc.u32 %0,%2,%3,%4; madc.hi.cc.u32 %1,%2,%3,%5;"
                 : "=&r"(lo), "=r"(hi)
                 : "r"(a), "r"(b), "r"(c0), "r"(c1));
}
/* acc[0 .. 2n) += sum over k in [0, n) of a[2k] b 2^(64k); carry out in the flag */
template <int n> DEVICE void row_add(u32 *acc, const u32 *a, u32 b)
{
    wide_mad_cc(acc[0], acc[1], a[0], b, acc[0], acc[1]);
#pragma unroll
    for (int k = 1; k < n; k++)
        wide_madc_cc(acc[2 * k], acc[2 * k + 1], a[2 * k], b, acc[2 * k], acc[2 * k + 1]);
}
/* the same with = for += */
template <int n> DEVICE void row_set(u32 *acc, const u32 *a, u32 b)
{
#pragma unroll
    for (int k = 0; k < n; k++)
        wide_mul(acc[2 * k], acc[2 * k + 1], a[2 * k], b);
}
