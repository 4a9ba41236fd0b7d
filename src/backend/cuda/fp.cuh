/* The base field of the unit's curve on the device: FP_LIMBS 64-bit limbs (params/<curve>.h,
 * included before) as 32-bit words, Montgomery form with the same R as on the host, so that native
 * points need no conversion.
 *
 * Ranges. A *stored* value is below 2p; so are the results of mul, sqr, add, sub. `raw` and `lazy`
 * results are below 4p and may only be factors, or operands that the contract names. With
 * R = 9.84 p (BLS12-381) the product of ka p and kb p is below (0.1016 ka kb + 1) p, so lazy times
 * stored is stored; with R = 5.29 p (BN254) it is not, and FP_LAZY_FACTORS is 0.
 *
 * Products run as two carry chains, one over even and one over odd words of the result, so that
 * each 32 x 32 + 64 step is one IMAD.WIDE: 276 of them, 12 IMAD.HI and 12 IMAD for the Montgomery
 * product on 12 words (row-wise, Koc, Acar and Kaliski 1996). */
#pragma once
#include "backend/cuda/ptx.cuh"

enum { FP_WORDS = 2 * FP_LIMBS };
#define FP_LAZY_FACTORS (FP_BITS <= 64 * FP_LIMBS - 3) /* 4p * 2p / R + p <= 2p */

struct fp {
    u32 v[FP_WORDS];
};

/* Constants as functions of the word's index: immediates once loops are unrolled. */
#define FP_CONSTANT(name, words)                                                                   \
    __host__ __device__ constexpr u32 name(int i)                                                  \
    {                                                                                              \
        constexpr u64 t[FP_LIMBS] = words;                                                         \
        return (u32)(t[i / 2] >> (32 * (i % 2)));                                                  \
    }
FP_CONSTANT(fp_p, FP_MODULUS)
FP_CONSTANT(fp_r1, FP_ONE)
FP_CONSTANT(fp_r2, FP_R2)
FP_CONSTANT(fp_r3, FP_R3)
__host__ __device__ constexpr u32 fp_2p(int i)
{
    return (fp_p(i) << 1) | (i ? fp_p(i - 1) >> 31 : 0);
}
struct fp_wide_words {
    u32 w[2 * FP_WORDS];
};
__host__ __device__ constexpr fp_wide_words fp_make_4pp()
{
    fp_wide_words t = {};

    for (int i = 0; i < FP_WORDS; i++) {
        u64 carry = 0;

        for (int j = 0; j < FP_WORDS; j++) {
            carry += (u64)fp_2p(i) * fp_2p(j) + t.w[i + j];
            t.w[i + j] = (u32)carry;
            carry >>= 32;
        }
        t.w[i + FP_WORDS] = (u32)carry;
    }
    return t;
}
__host__ __device__ constexpr u32 fp_4pp(int i) /* 4 p^2 */
{
    constexpr fp_wide_words t = fp_make_4pp();
    return t.w[i];
}
constexpr u32 FP_M0 = (u32)FP_N0; /* -1/p mod 2^32 */

#define FP_EACH(i) for (int i = 0; i < FP_WORDS; i++)

/* ---- linear operations ---------------------------------------------------------------------- */

DEVICE fp fp_zero()
{
    fp r;
#pragma unroll
    FP_EACH(i) r.v[i] = 0;
    return r;
}
DEVICE fp fp_one()
{
    fp r;
#pragma unroll
    FP_EACH(i) r.v[i] = fp_r1(i);
    return r;
}
/* a + b */
DEVICE fp add_raw(const fp &a, const fp &b)
{
    fp r;

    r.v[0] = add_cc(a.v[0], b.v[0]);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = addc_cc(a.v[i], b.v[i]);
    r.v[FP_WORDS - 1] = addc(a.v[FP_WORDS - 1], b.v[FP_WORDS - 1]);
    return r;
}
/* a - b + 2p; b at most 2p */
DEVICE fp sub_lazy(const fp &a, const fp &b)
{
    fp r;

    r.v[0] = sub_cc(a.v[0], b.v[0]);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = subc_cc(a.v[i], b.v[i]);
    r.v[FP_WORDS - 1] = subc(a.v[FP_WORDS - 1], b.v[FP_WORDS - 1]);
    r.v[0] = add_cc(r.v[0], fp_2p(0));
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = addc_cc(r.v[i], fp_2p(i));
    r.v[FP_WORDS - 1] = addc(r.v[FP_WORDS - 1], fp_2p(FP_WORDS - 1));
    return r;
}
/* a - b, stored operands and result */
DEVICE fp sub(const fp &a, const fp &b)
{
    fp r;
    u32 mask;

    r.v[0] = sub_cc(a.v[0], b.v[0]);
#pragma unroll
    for (int i = 1; i < FP_WORDS; i++)
        r.v[i] = subc_cc(a.v[i], b.v[i]);
    mask = subc(0, 0);
    r.v[0] = add_cc(r.v[0], fp_2p(0) & mask);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = addc_cc(r.v[i], fp_2p(i) & mask);
    r.v[FP_WORDS - 1] = addc(r.v[FP_WORDS - 1], fp_2p(FP_WORDS - 1) & mask);
    return r;
}
/* a - b as a factor of a product with a stored value */
DEVICE fp sub_factor(const fp &a, const fp &b)
{
    return FP_LAZY_FACTORS ? sub_lazy(a, b) : sub(a, b);
}
/* below 4p -> below 2p */
DEVICE fp reduce(const fp &a)
{
    fp r;
    u32 less;

    r.v[0] = sub_cc(a.v[0], fp_2p(0));
#pragma unroll
    for (int i = 1; i < FP_WORDS; i++)
        r.v[i] = subc_cc(a.v[i], fp_2p(i));
    less = subc(0, 0);
#pragma unroll
    FP_EACH(i) r.v[i] = less ? a.v[i] : r.v[i];
    return r;
}
DEVICE fp add(const fp &a, const fp &b)
{
    return reduce(add_raw(a, b));
}
/* 2p - a, a at most 2p; at most 2p */
DEVICE fp neg_lazy(const fp &a)
{
    fp r;

    r.v[0] = sub_cc(fp_2p(0), a.v[0]);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = subc_cc(fp_2p(i), a.v[i]);
    r.v[FP_WORDS - 1] = subc(fp_2p(FP_WORDS - 1), a.v[FP_WORDS - 1]);
    return r;
}
/* condition ? -a : a, at most 2p */
DEVICE fp neg_if(const fp &a, bool condition)
{
    fp r = neg_lazy(a);

#pragma unroll
    FP_EACH(i) r.v[i] = condition ? r.v[i] : a.v[i];
    return r;
}
/* the residue below p of a value below 4p */
DEVICE fp canon(const fp &a)
{
    fp t = reduce(a), r;
    u32 less;

    r.v[0] = sub_cc(t.v[0], fp_p(0));
#pragma unroll
    for (int i = 1; i < FP_WORDS; i++)
        r.v[i] = subc_cc(t.v[i], fp_p(i));
    less = subc(0, 0);
#pragma unroll
    FP_EACH(i) r.v[i] = less ? t.v[i] : r.v[i];
    return r;
}
DEVICE bool all_words_zero(const fp &a)
{
    u32 any = 0;

#pragma unroll
    FP_EACH(i) any |= a.v[i];
    return any == 0;
}
/* Is a value below 4p zero mod p? The lowest word decides but for one case in 2^30. */
DEVICE bool is_zero(const fp &a)
{
    const u32 low = a.v[0];

    if (low == 0 || low == fp_p(0) || low == fp_2p(0) || low == (u32)(fp_p(0) + fp_2p(0)))
        return all_words_zero(canon(a));
    return false;
}

/* ---- products ------------------------------------------------------------------------------- */

/* x = (x >> 64) + (a[0], a[2], ..) b + carry, over FP_WORDS words */
DEVICE void row_shift(u32 *x, const u32 *a, u32 b)
{
#pragma unroll
    for (int j = 0; j < FP_WORDS - 2; j += 2) {
        x[j] = madc_lo_cc(a[j], b, x[j + 2]);
        x[j + 1] = madc_hi_cc(a[j], b, x[j + 3]);
    }
    x[FP_WORDS - 2] = madc_lo_cc(a[FP_WORDS - 2], b, 0);
    x[FP_WORDS - 1] = madc_hi(a[FP_WORDS - 2], b, 0);
}
/* e += (p[odd], p[odd + 2], ..) q; carry in the flag */
DEVICE void row_p(u32 *e, int odd, u32 q)
{
    e[0] = mad_lo_cc(fp_p(odd), q, e[0]);
    e[1] = madc_hi_cc(fp_p(odd), q, e[1]);
#pragma unroll
    for (int j = 2; j < FP_WORDS; j += 2) {
        e[j] = madc_lo_cc(fp_p(odd + j), q, e[j]);
        e[j + 1] = madc_hi_cc(fp_p(odd + j), q, e[j + 1]);
    }
}
DEVICE void row_p_shift(u32 *x, u32 q)
{
#pragma unroll
    for (int j = 0; j < FP_WORDS - 2; j += 2) {
        x[j] = madc_lo_cc(fp_p(j + 1), q, x[j + 2]);
        x[j + 1] = madc_hi_cc(fp_p(j + 1), q, x[j + 3]);
    }
    x[FP_WORDS - 2] = madc_lo_cc(fp_p(FP_WORDS - 1), q, 0);
    x[FP_WORDS - 1] = madc_hi(fp_p(FP_WORDS - 1), q, 0);
}
/* One word of b and one of reduction. In: even part x, odd part y (both of T, x[0] = 0); out: the
 * roles changed, T = (T + a b 2^32 + q p 2^32) >> 32. */
DEVICE void mul_step(u32 *x, u32 *y, const u32 *a, u32 b)
{
    u32 q;

    y[0] = add_cc(y[0], x[1]);
    row_shift(x, a + 1, b);
    row_add<FP_WORDS / 2>(y, a, b);
    x[FP_WORDS - 1] = addc(x[FP_WORDS - 1], 0);
    q = y[0] * FP_M0;
    row_p(x, 1, q);
    row_p(y, 0, q);
    x[FP_WORDS - 1] = addc(x[FP_WORDS - 1], 0);
}
/* (odd >> 32) + even */
DEVICE fp join(const u32 *even, const u32 *odd)
{
    fp r;

    r.v[0] = add_cc(even[1], odd[0]);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i++)
        r.v[i] = addc_cc(even[i + 1], odd[i]);
    r.v[FP_WORDS - 1] = addc(odd[FP_WORDS - 1], 0);
    return r;
}
/* a b / R; a below 8p; stored when the bounds' product is below 9.8 p^2 (BLS12-381), 5.2 p^2
 * (BN254) */
DEVICE fp mul(const fp &a, const fp &b)
{
    u32 E[FP_WORDS], O[FP_WORDS], q;

    row_set<FP_WORDS / 2>(O, a.v + 1, b.v[0]);
    row_set<FP_WORDS / 2>(E, a.v, b.v[0]);
    q = E[0] * FP_M0;
    row_p(O, 1, q);
    row_p(E, 0, q);
    O[FP_WORDS - 1] = addc(O[FP_WORDS - 1], 0);
#pragma unroll
    for (int i = 1; i < FP_WORDS - 1; i += 2) {
        mul_step(E, O, a.v, b.v[i]);
        mul_step(O, E, a.v, b.v[i + 1]);
    }
    mul_step(E, O, a.v, b.v[FP_WORDS - 1]);
    return join(O, E);
}
/* (a b + c d) / R with one reduction; a + c below 8p; stored when the sum of the bounds' products
 * is */
DEVICE fp mul_add_mul(const fp &a, const fp &b, const fp &c, const fp &d)
{
    u32 E[FP_WORDS], O[FP_WORDS], q;

    row_set<FP_WORDS / 2>(O, a.v + 1, b.v[0]);
    row_set<FP_WORDS / 2>(E, a.v, b.v[0]);
    row_add<FP_WORDS / 2>(O, c.v + 1, d.v[0]);
    row_add<FP_WORDS / 2>(E, c.v, d.v[0]);
    O[FP_WORDS - 1] = addc(O[FP_WORDS - 1], 0);
    q = E[0] * FP_M0;
    row_p(O, 1, q);
    row_p(E, 0, q);
    O[FP_WORDS - 1] = addc(O[FP_WORDS - 1], 0);
#pragma unroll
    for (int i = 1; i < FP_WORDS; i++) {
        u32 *x = (i & 1) ? E : O, *y = (i & 1) ? O : E;

        y[0] = add_cc(y[0], x[1]);
        row_shift(x, a.v + 1, b.v[i]);
        row_add<FP_WORDS / 2>(y, a.v, b.v[i]);
        x[FP_WORDS - 1] = addc(x[FP_WORDS - 1], 0);
        row_add<FP_WORDS / 2>(x, c.v + 1, d.v[i]);
        row_add<FP_WORDS / 2>(y, c.v, d.v[i]);
        x[FP_WORDS - 1] = addc(x[FP_WORDS - 1], 0);
        q = y[0] * FP_M0;
        row_p(x, 1, q);
        row_p(y, 0, q);
        x[FP_WORDS - 1] = addc(x[FP_WORDS - 1], 0);
    }
    return join(O, E);
}
/* T / R mod p for T of 2 FP_WORDS words: below T / R + p */
DEVICE fp reduce_wide(const u32 *T)
{
    constexpr int N = FP_WORDS;
    u32 X[N], Y[N], q;
    fp r;

#pragma unroll
    FP_EACH(i) X[i] = T[i], Y[i] = 0;
    q = X[0] * FP_M0;
#pragma unroll
    for (int j = 0; j < N; j += 2)
        wide_mul(Y[j], Y[j + 1], fp_p(j + 1), q);
    row_p(X, 0, q);
    Y[N - 1] = addc(Y[N - 1], 0);
#pragma unroll
    for (int i = 1; i < N; i++) {
        u32 *x = (i & 1) ? X : Y, *y = (i & 1) ? Y : X;

        y[0] = add_cc(y[0], x[1]);
        q = mul_lo(y[0], FP_M0);
        row_p_shift(x, q);
        row_p(y, 0, q);
        x[N - 1] = addc(x[N - 1], 0);
    }
    r = join(Y, X);
    r.v[0] = add_cc(r.v[0], T[N]);
#pragma unroll
    for (int i = 1; i < N - 1; i++)
        r.v[i] = addc_cc(r.v[i], T[N + i]);
    r.v[N - 1] = addc(r.v[N - 1], T[2 * N - 1]);
    return r;
}

/* T = a b, 2 FP_WORDS words */
DEVICE void mul_wide(u32 *T, const fp &a, const fp &b)
{
    constexpr int N = FP_WORDS;
    u32 O[2 * N]; /* weight 2^32; T gathers the even part */

    row_set<N / 2>(T, a.v, b.v[0]);
    row_set<N / 2>(O, a.v + 1, b.v[0]);
#pragma unroll
    for (int i = N; i < 2 * N; i++)
        T[i] = O[i] = 0;
#pragma unroll
    for (int i = 1; i < N; i++) {
        if (i & 1) {
            row_add<N / 2>(O + i - 1, a.v, b.v[i]);
            O[i + N - 1] = addc(O[i + N - 1], 0);
            row_add<N / 2>(T + i + 1, a.v + 1, b.v[i]);
            if (i + 1 + N < 2 * N)
                T[i + 1 + N] = addc(T[i + 1 + N], 0);
        } else {
            row_add<N / 2>(T + i, a.v, b.v[i]);
            T[i + N] = addc(T[i + N], 0);
            row_add<N / 2>(O + i, a.v + 1, b.v[i]);
            O[i + N] = addc(O[i + N], 0);
        }
    }
    T[1] = add_cc(T[1], O[0]);
#pragma unroll
    for (int i = 2; i < 2 * N - 1; i++)
        T[i] = addc_cc(T[i], O[i - 1]);
    T[2 * N - 1] = addc(T[2 * N - 1], O[2 * N - 2]);
}
/* a^2 / R: the cross products once, doubled, then the squares, then the reduction of the low half
 */
DEVICE fp sqr(const fp &a)
{
    constexpr int N = FP_WORDS;
    u32 E[2 * N], O[2 * N]; /* O has weight 2^32 */

#pragma unroll
    for (int i = 0; i < 2 * N; i++)
        E[i] = O[i] = 0;
#pragma unroll
    for (int i = 0; i < N - 1; i++) {
        int top = 0;

#pragma unroll
        for (int j = i + 2; j < N; j += 2) { /* even positions i + j */
            E[i + j] = j == i + 2 ? mad_lo_cc(a.v[i], a.v[j], E[i + j])
                                  : madc_lo_cc(a.v[i], a.v[j], E[i + j]);
            E[i + j + 1] = madc_hi_cc(a.v[i], a.v[j], E[i + j + 1]);
            top = i + j + 2;
        }
        if (top && !(i & 1))
            E[top] = addc(E[top], 0);
        top = 0;
#pragma unroll
        for (int j = i + 1; j < N; j += 2) { /* odd positions i + j, stored one lower */
            O[i + j - 1] = j == i + 1 ? mad_lo_cc(a.v[i], a.v[j], O[i + j - 1])
                                      : madc_lo_cc(a.v[i], a.v[j], O[i + j - 1]);
            O[i + j] = madc_hi_cc(a.v[i], a.v[j], O[i + j]);
            top = i + j + 1;
        }
        if (top && (i & 1))
            O[top] = addc(O[top], 0);
    }
    /* E = 2 (E + O 2^32) + the squares */
    E[1] = O[0];
    E[2] = add_cc(E[2], O[1]);
#pragma unroll
    for (int i = 3; i < 2 * N - 1; i++)
        E[i] = addc_cc(E[i], O[i - 1]);
    E[2 * N - 1] = addc(E[2 * N - 1], O[2 * N - 2]);
#pragma unroll
    for (int i = 2 * N - 1; i > 1; i--)
        E[i] = __funnelshift_l(E[i - 1], E[i], 1);
    E[1] = E[1] << 1;
    E[0] = 0;
    E[0] = mad_lo_cc(a.v[0], a.v[0], E[0]);
    E[1] = madc_hi_cc(a.v[0], a.v[0], E[1]);
#pragma unroll
    for (int i = 1; i < N; i++) {
        E[2 * i] = madc_lo_cc(a.v[i], a.v[i], E[2 * i]);
        E[2 * i + 1] = i < N - 1 ? madc_hi_cc(a.v[i], a.v[i], E[2 * i + 1])
                                 : madc_hi(a.v[i], a.v[i], E[2 * i + 1]);
    }
    return reduce_wide(E);
}

/* ---- inversion ------------------------------------------------------------------------------ */

/* 1/a in Montgomery form for a below 4p; 0 -> 0. Divsteps (Bernstein, Yang 2019), 30 at a time on
 * signed 30-bit limbs, leaving early; the number of rounds is bounded as in their theorem 11.2 for
 * the half-integer variant. */
static __device__ __noinline__ fp inv(fp a)
{
    constexpr int L = (FP_BITS + 9) / 30 + ((FP_BITS + 9) % 30 ? 1 : 0);
    constexpr int ROUNDS = ((45907 * FP_BITS + 26313) / 19929 + 29) / 30 + 1;
    const int32_t MASK = 0x3fffffff;
    const u32 p_inverse = (u32)(0u - FP_M0) & MASK; /* 1/p mod 2^30 */
    int32_t f[L], g[L], d[L], e[L], pl[L];
    int32_t eta = -1; /* -(delta + 1/2), delta = 1/2 */
    int32_t sign, carry = 0, mask;
    fp t, k;

    a = canon(a);
#pragma unroll
    for (int i = 0; i < L; i++) {
        const int bit = 30 * i, w = bit >> 5, s = bit & 31;
        u32 lo = w < FP_WORDS ? fp_p(w < FP_WORDS ? w : 0) : 0;
        u32 hi = w + 1 < FP_WORDS ? fp_p(w + 1 < FP_WORDS ? w + 1 : 0) : 0;

        pl[i] = (int32_t)((s ? (lo >> s) | (hi << (32 - s)) : lo) & MASK);
        lo = w < FP_WORDS ? a.v[w < FP_WORDS ? w : 0] : 0;
        hi = w + 1 < FP_WORDS ? a.v[w + 1 < FP_WORDS ? w + 1 : 0] : 0;
        g[i] = (int32_t)((s ? (lo >> s) | (hi << (32 - s)) : lo) & MASK);
        f[i] = pl[i];
        d[i] = 0;
        e[i] = i == 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        int32_t u = 1, v = 0, q = 0, r = 1, any = 0;
        u32 F = (u32)f[0] | ((u32)f[1] << 30), G = (u32)g[0] | ((u32)g[1] << 30);

#pragma unroll 6
        for (int step = 0; step < 30; step++) {
            int32_t odd = -(int32_t)(G & 1);
            int32_t negative = eta >> 31; /* delta > 0: subtract, and swap when g is odd */
            int32_t swap = negative & odd;
            u32 F2 = (F ^ negative) - negative;
            int32_t u2 = (u ^ negative) - negative, v2 = (v ^ negative) - negative;
            u32 G2 = G + (F2 & odd);
            int32_t q2 = q + (u2 & odd), r2 = r + (v2 & odd);

            F = swap ? G : F;
            u = (swap ? q : u) << 1;
            v = (swap ? r : v) << 1;
            eta = (eta ^ swap) - 1;
            G = G2 >> 1;
            q = q2;
            r = r2;
        }
        { /* (d, e) = (u d + v e, q d + r e) / 2^30 mod p */
            int32_t sd = d[L - 1] >> 31, se = e[L - 1] >> 31;
            int32_t md = (u & sd) + (v & se), me = (q & sd) + (r & se);
            int64_t cd = (int64_t)u * d[0] + (int64_t)v * e[0];
            int64_t ce = (int64_t)q * d[0] + (int64_t)r * e[0];

            md -= (int32_t)((p_inverse * (u32)cd + (u32)md) & MASK);
            me -= (int32_t)((p_inverse * (u32)ce + (u32)me) & MASK);
            cd = (cd + (int64_t)pl[0] * md) >> 30;
            ce = (ce + (int64_t)pl[0] * me) >> 30;
#pragma unroll
            for (int i = 1; i < L; i++) {
                cd += (int64_t)u * d[i] + (int64_t)v * e[i] + (int64_t)pl[i] * md;
                ce += (int64_t)q * d[i] + (int64_t)r * e[i] + (int64_t)pl[i] * me;
                d[i - 1] = (int32_t)cd & MASK;
                e[i - 1] = (int32_t)ce & MASK;
                cd >>= 30;
                ce >>= 30;
            }
            d[L - 1] = (int32_t)cd;
            e[L - 1] = (int32_t)ce;
        }
        { /* (f, g) = (u f + v g, q f + r g) / 2^30 */
            int64_t cf = ((int64_t)u * f[0] + (int64_t)v * g[0]) >> 30;
            int64_t cg = ((int64_t)q * f[0] + (int64_t)r * g[0]) >> 30;

#pragma unroll
            for (int i = 1; i < L; i++) {
                cf += (int64_t)u * f[i] + (int64_t)v * g[i];
                cg += (int64_t)q * f[i] + (int64_t)r * g[i];
                f[i - 1] = (int32_t)cf & MASK;
                g[i - 1] = (int32_t)cg & MASK;
                any |= g[i - 1];
                cf >>= 30;
                cg >>= 30;
            }
            f[L - 1] = (int32_t)cf;
            g[L - 1] = (int32_t)cg;
            any |= g[L - 1];
        }
        if (any == 0)
            break;
    }
    /* f = +-1 and d = +-1/a in (-2p, p): add p if negative, apply the sign, add p again */
    sign = f[L - 1] >> 31;
    mask = d[L - 1] >> 31;
#pragma unroll
    for (int i = 0; i < L; i++)
        d[i] = ((d[i] + (pl[i] & mask)) ^ sign) - sign;
#pragma unroll
    for (int i = 0; i < L - 1; i++) {
        d[i] += carry;
        carry = d[i] >> 30;
        d[i] &= MASK;
    }
    d[L - 1] += carry;
    mask = d[L - 1] >> 31;
    carry = 0;
#pragma unroll
    for (int i = 0; i < L; i++)
        d[i] += pl[i] & mask;
#pragma unroll
    for (int i = 0; i < L - 1; i++) {
        d[i] += carry;
        carry = d[i] >> 30;
        d[i] &= MASK;
    }
    d[L - 1] += carry;
#pragma unroll
    FP_EACH(i) /* 30-bit limbs back to words */
    {
        const int bit = 32 * i, w = bit / 30, s = bit % 30;
        u64 x = (u64)(u32)d[w] >> s;

        if (w + 1 < L)
            x |= (u64)(u32)d[w + 1] << (30 - s);
        if (w + 2 < L)
            x |= (u64)(u32)d[w + 2] << (60 - s);
        t.v[i] = (u32)x;
        k.v[i] = fp_r3(i);
    }
    return mul(t, k); /* 1/(a R) R^3 / R */
}

/* ---- forms ---------------------------------------------------------------------------------- */

/* plain, any value below R -> Montgomery, stored */
DEVICE fp to_mont(const fp &a)
{
    fp r2;
#pragma unroll
    FP_EACH(i) r2.v[i] = fp_r2(i);
    return mul(r2, a);
}
/* Montgomery -> plain, below p */
DEVICE fp from_mont(const fp &a)
{
    fp one = fp_zero();

    one.v[0] = 1;
    return canon(mul(a, one));
}
