/* Fp[u] / (u^2 + 1) on the device: the same names as fp.cuh, so that what is written for a field F
 * serves both groups.
 *
 * Both parts of a stored value are below 2p. Here a factor must be stored too (a product is a sum
 * of two), so sub_factor is exact. */
#pragma once
#include "backend/cuda/fp.cuh"

struct fp2 {
    fp c0, c1;
};

DEVICE fp2 add(const fp2 &a, const fp2 &b)
{
    return fp2{add(a.c0, b.c0), add(a.c1, b.c1)};
}
DEVICE fp2 sub(const fp2 &a, const fp2 &b)
{
    return fp2{sub(a.c0, b.c0), sub(a.c1, b.c1)};
}
DEVICE fp2 sub_factor(const fp2 &a, const fp2 &b)
{
    return sub(a, b);
}
DEVICE fp2 reduce(const fp2 &a)
{
    return fp2{reduce(a.c0), reduce(a.c1)};
}
DEVICE fp2 neg_if(const fp2 &a, bool condition)
{
    return fp2{neg_if(a.c0, condition), neg_if(a.c1, condition)};
}
DEVICE fp2 canon(const fp2 &a)
{
    return fp2{canon(a.c0), canon(a.c1)};
}
DEVICE bool is_zero(const fp2 &a)
{
    return is_zero(a.c0) && is_zero(a.c1);
}
DEVICE bool all_words_zero(const fp2 &a)
{
    return all_words_zero(a.c0) && all_words_zero(a.c1);
}

/* What is below 8 p^2 / R + p: stored where that is below 2p (fp.cuh), else below 2.52 p. */
DEVICE fp from_eight(const fp &a)
{
    return FP_LAZY_FACTORS ? a : reduce(a);
}

/* Karatsuba: a0 b0 - a1 b1 and (a0 + a1)(b0 + b1) - a0 b0 - a1 b1, three products and two
 * reductions: on 12 words 720 wide products instead of the 864 of four. Both sums are below 8 p^2.
 */
DEVICE fp2 mul(const fp2 &a, const fp2 &b)
{
    constexpr int N = 2 * FP_WORDS;
    u32 t0[N], t1[N], t2[N];

    mul_wide(t0, a.c0, b.c0);
    mul_wide(t1, a.c1, b.c1);
    mul_wide(t2, add_raw(a.c0, a.c1), add_raw(b.c0, b.c1));
    t2[0] = sub_cc(t2[0], t0[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++)
        t2[i] = subc_cc(t2[i], t0[i]);
    t2[N - 1] = subc(t2[N - 1], t0[N - 1]);
    t2[0] = sub_cc(t2[0], t1[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++)
        t2[i] = subc_cc(t2[i], t1[i]);
    t2[N - 1] = subc(t2[N - 1], t1[N - 1]);
    t0[0] = sub_cc(t0[0], t1[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++)
        t0[i] = subc_cc(t0[i], t1[i]);
    t0[N - 1] = subc(t0[N - 1], t1[N - 1]);
    t0[0] = add_cc(t0[0], fp_4pp(0)); /* 4 p^2: a1 b1 is at most that */
#pragma unroll
    for (int i = 1; i < N - 1; i++)
        t0[i] = addc_cc(t0[i], fp_4pp(i));
    t0[N - 1] = addc(t0[N - 1], fp_4pp(N - 1));
    return fp2{from_eight(reduce_wide(t0)), from_eight(reduce_wide(t2))};
}
/* (a0 + a1)(a0 - a1) + 2 a0 a1 u */
DEVICE fp2 sqr(const fp2 &a)
{
    return fp2{from_eight(mul(add_raw(a.c0, a.c1), sub(a.c0, a.c1))),
               from_eight(mul(add_raw(a.c0, a.c0), a.c1))};
}
/* (a0 - a1 u) / (a0^2 + a1^2); 0 -> 0 */
static __device__ __noinline__ fp2 inv(fp2 a)
{
    fp norm = inv(add(sqr(reduce(a.c0)), sqr(reduce(a.c1))));

    return fp2{mul(norm, reduce(a.c0)), mul(norm, neg_lazy(reduce(a.c1)))};
}
