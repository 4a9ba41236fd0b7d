/* The scalar field of the unit's curve on the device: 8 words of 32 bits, plain form.
 *
 * Ranges. A *stored* value is below 2r. `canon` brings it below r; what leaves the back end, and
 * what another operation reads from a buffer, is canonical.
 *
 * Constants. Nearly every factor in a transform is known beforehand, so data stay plain and a
 * constant w comes with its quotient v = floor(w 2^256 / r): of the product x v only the upper
 * columns are made, of x w and q r the lower half. The Montgomery product is used where both
 * factors are data. fr_<curve>.cuh has the modulus, what depends on its shape, and the counts.
 *
 * Sources: the quotient method is Barrett's with a precomputed reciprocal (Shoup's for one word).
 */
#pragma once
#include "backend/cuda/curve_unit.cuh"
#include "backend/cuda/ptx.cuh"
#include "curve/curve.h"

struct alignas(16) fr_t {
    u32 l[8];
};
/* A constant factor: w < r plain, v = floor(w 2^256 / r). */
struct alignas(16) fr_const {
    u32 w[8], v[8];
};

DEVICE void fr_add_if(u32 *a, u32 condition, const u32 (&m)[8]);
DEVICE void fr_quotient(u32 *q, const u32 *x, const u32 *v);
template <bool FIRST> DEVICE void fr_low_half(u32 *even, u32 *odd, const u32 *x, const u32 *w);

#if CUDA_IS_BN254
#include "backend/cuda/fr_bn254.cuh"
#else
#include "backend/cuda/fr_bls12_381.cuh"
#endif

/* on the host: a kernel parameter from a plain scalar */
static inline fr_t fr_of(const struct scalar *host)
{
    fr_t r;

    for (int i = 0; i < 8; i++)
        r.l[i] = (u32)(host->w[i / 2] >> (32 * (i % 2)));
    return r;
}

/* ---- memory --------------------------------------------------------------------------------- */

DEVICE fr_t fr_load(const fr_t *p)
{
    const uint4 *q = (const uint4 *)p;
    uint4 a = q[0], b = q[1];

    return fr_t{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}
DEVICE void fr_store(fr_t *p, const fr_t &a)
{
    uint4 *q = (uint4 *)p;

    q[0] = make_uint4(a.l[0], a.l[1], a.l[2], a.l[3]);
    q[1] = make_uint4(a.l[4], a.l[5], a.l[6], a.l[7]);
}
DEVICE void fr_const_load(fr_const &c, const fr_const *p)
{
    const uint4 *q = (const uint4 *)p;

#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint4 w = __ldg(q + i), v = __ldg(q + 2 + i);

        c.w[4 * i] = w.x, c.w[4 * i + 1] = w.y, c.w[4 * i + 2] = w.z, c.w[4 * i + 3] = w.w;
        c.v[4 * i] = v.x, c.v[4 * i + 1] = v.y, c.v[4 * i + 2] = v.z, c.v[4 * i + 3] = v.w;
    }
}
DEVICE void fr_const_store(fr_const *p, const fr_const &c)
{
    uint4 *q = (uint4 *)p;

#pragma unroll
    for (int i = 0; i < 2; i++) {
        q[i] = make_uint4(c.w[4 * i], c.w[4 * i + 1], c.w[4 * i + 2], c.w[4 * i + 3]);
        q[2 + i] = make_uint4(c.v[4 * i], c.v[4 * i + 1], c.v[4 * i + 2], c.v[4 * i + 3]);
    }
}

/* ---- addition ------------------------------------------------------------------------------- */

DEVICE fr_t fr_zero()
{
    return fr_t{{0, 0, 0, 0, 0, 0, 0, 0}};
}
/* a += m if condition is not 0: one predicated chain */
DEVICE void fr_add_if(u32 *a, u32 condition, const u32 (&m)[8])
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p,%8,0;\n\t"
                 "@p add.cc.u32 %0,%0,%9; @p addc.cc.u32 %1,%1,%10;\n\t"
                 "@p addc.cc.u32 %2,%2,%11; @p addc.cc.u32 %3,%3,%12;\n\t"
                 "@p addc.cc.u32 %4,%4,%13; @p addc.cc.u32 %5,%5,%14;\n\t"
                 "@p addc.cc.u32 %6,%6,%15; @p addc.u32 %7,%7,%16; }"
                 : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]), "+r"(a[4]), "+r"(a[5]),
                   "+r"(a[6]), "+r"(a[7])
                 : "r"(condition), "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "r"(m[4]), "r"(m[5]),
                   "r"(m[6]), "r"(m[7]));
}
/* a - b; both and the result below 2r */
DEVICE fr_t fr_sub(const fr_t &a, const fr_t &b)
{
    const u32 m[8] = FR_2P;
    fr_t r;

    r.l[0] = sub_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < 8; i++)
        r.l[i] = subc_cc(a.l[i], b.l[i]);
    fr_add_if(r.l, subc(0, 0), m);
    return r;
}
/* a + b; both and the result below 2r */
DEVICE fr_t fr_add(const fr_t &a, const fr_t &b)
{
    const u32 m[8] = FR_2P;
    fr_t s, t;
    u32 less;

    s.l[0] = add_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < 8; i++)
        s.l[i] = addc_cc(a.l[i], b.l[i]);
    less = addc(0, 0);
    t.l[0] = sub_cc(s.l[0], m[0]);
#pragma unroll
    for (int i = 1; i < 8; i++)
        t.l[i] = subc_cc(s.l[i], m[i]);
    less = subc(less, 0); /* all ones: the sum is below 2r */
#pragma unroll
    for (int i = 0; i < 8; i++)
        s.l[i] = less ? s.l[i] : t.l[i];
    return s;
}
/* a + b below 2r + 2^224, for eight instructions less: the result may be stored or be a factor, and
 * must never be subtracted or enter another fr_add. */
DEVICE fr_t fr_add_loose(const fr_t &a, const fr_t &b)
{
    const u32 m[8] = FR_MINUS_2P;
    fr_t s;
    u32 carry;

    s.l[0] = add_cc(a.l[0], b.l[0]);
#pragma unroll
    for (int i = 1; i < 8; i++)
        s.l[i] = addc_cc(a.l[i], b.l[i]);
    carry = addc(0, 0);
    fr_add_if(s.l, (s.l[7] > FR_2P_TOP) | carry, m);
    return s;
}
/* the residue below r of anything below 2r + 2^224 */
DEVICE fr_t fr_canon(fr_t a)
{
    const u32 m[8] = FR_P;

#pragma unroll
    for (int k = 0; k < 2; k++) {
        fr_t t;
        u32 less;

        t.l[0] = sub_cc(a.l[0], m[0]);
#pragma unroll
        for (int i = 1; i < 8; i++)
            t.l[i] = subc_cc(a.l[i], m[i]);
        less = subc(0, 0);
#pragma unroll
        for (int i = 0; i < 8; i++)
            a.l[i] = less ? a.l[i] : t.l[i];
    }
    return a;
}

/* ---- products by constants ------------------------------------------------------------------ */

/* q = the top half of x v without its columns below word 6: at most 1 too small */
DEVICE void fr_quotient(u32 *q, const u32 *x, const u32 *v)
{
    u32 e[10], o[9]; /* words 6..15 and 7..15 of x v */

    row_set<1>(e, x + 6, v[0]);
    row_set<1>(o, x + 7, v[0]);
    wide_mad_cc(e[0], e[1], x[5], v[1], e[0], e[1]);
    wide_madc_cc(e[2], e[3], x[7], v[1], 0, 0);
    row_add<1>(o, x + 6, v[1]);
    o[2] = addc(0, 0);
    row_add<2>(e, x + 4, v[2]);
    e[4] = addc(0, 0);
    wide_mad_cc(o[0], o[1], x[5], v[2], o[0], o[1]);
    wide_madc_cc(o[2], o[3], x[7], v[2], o[2], 0);
    row_add<2>(e, x + 3, v[3]);
    wide_madc_cc(e[4], e[5], x[7], v[3], e[4], 0);
    row_add<2>(o, x + 4, v[3]);
    o[4] = addc(0, 0);
    row_add<3>(e, x + 2, v[4]);
    e[6] = addc(0, 0);
    row_add<2>(o, x + 3, v[4]);
    wide_madc_cc(o[4], o[5], x[7], v[4], o[4], 0);
    row_add<3>(e, x + 1, v[5]);
    wide_madc_cc(e[6], e[7], x[7], v[5], e[6], 0);
    row_add<3>(o, x + 2, v[5]);
    o[6] = addc(0, 0);
    row_add<4>(e, x + 0, v[6]);
    e[8] = addc(0, 0);
    row_add<3>(o, x + 1, v[6]);
    wide_madc_cc(o[6], o[7], x[7], v[6], o[6], 0);
    row_add<3>(e + 2, x + 1, v[7]);
    wide_madc_cc(e[8], e[9], x[7], v[7], e[8], 0);
    row_add<4>(o, x + 0, v[7]);
    o[8] = addc(0, 0);
    add_cc(e[1], o[0]);
#pragma unroll
    for (int i = 0; i < 7; i++)
        q[i] = addc_cc(e[i + 2], o[i + 1]);
    q[7] = addc(e[9], o[8]);
}
/* (even, odd) += the low half of x w; FIRST: even is not looked at. even: words 0..7, odd: 1..7. */
template <bool FIRST> DEVICE void fr_low_half(u32 *even, u32 *odd, const u32 *x, const u32 *w)
{
    if (FIRST)
        row_set<4>(even, x + 0, w[0]);
    else
        row_add<4>(even, x + 0, w[0]);
    row_add<3>(odd, x + 1, w[0]);
    odd[6] = madc_lo(x[7], w[0], odd[6]);
    row_add<3>(even + 2, x + 1, w[1]);
    row_add<3>(odd, x + 0, w[1]);
    odd[6] = madc_lo(x[6], w[1], odd[6]);
    row_add<3>(even + 2, x + 0, w[2]);
    row_add<2>(odd + 2, x + 1, w[2]);
    odd[6] = madc_lo(x[5], w[2], odd[6]);
    row_add<2>(even + 4, x + 1, w[3]);
    row_add<2>(odd + 2, x + 0, w[3]);
    odd[6] = madc_lo(x[4], w[3], odd[6]);
    row_add<2>(even + 4, x + 0, w[4]);
    row_add<1>(odd + 4, x + 1, w[4]);
    odd[6] = madc_lo(x[3], w[4], odd[6]);
    row_add<1>(even + 6, x + 1, w[5]);
    row_add<1>(odd + 4, x + 0, w[5]);
    odd[6] = madc_lo(x[2], w[5], odd[6]);
    row_add<1>(even + 6, x + 0, w[6]);
    odd[6] += x[1] * w[6];
    odd[6] += x[0] * w[7];
}

DEVICE fr_t fr_mul_table(const fr_t &x, const fr_const *entry)
{
    fr_const c;

    fr_const_load(c, entry);
    return fr_mul_const(x, c.w, c.v);
}

/* ---- the Montgomery form -------------------------------------------------------------------- */

/* 2^512 mod r: the product with it puts a plain value into Montgomery form */
DEVICE fr_t fr_to_mont(const fr_t &a)
{
    const fr_t r2 = {FR_MONT_R2};

    return fr_mul_mont(r2, a);
}
DEVICE fr_t fr_from_mont(const fr_t &a)
{
    const fr_t one = {{1, 0, 0, 0, 0, 0, 0, 0}};

    return fr_canon(fr_mul_mont(a, one));
}
/* The constant whose canonical Montgomery form is m = w 2^256 mod r: v = (w 2^256 - m) / r, and
 * because the division is exact v = -m / r mod 2^256. */
DEVICE fr_const fr_const_make(const fr_t &m)
{
    const u32 inverse[8] = FR_MINUS_INVERSE;
    fr_t w = fr_from_mont(m);
    fr_const c;

#pragma unroll
    for (int i = 0; i < 8; i++)
        c.w[i] = w.l[i], c.v[i] = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        u64 carry = 0;

#pragma unroll
        for (int j = 0; i + j < 8; j++) {
            carry += (u64)m.l[i] * inverse[j] + c.v[i + j];
            c.v[i + j] = (u32)carry;
            carry >>= 32;
        }
    }
    return c;
}
/* base^e, Montgomery form, below 2r */
DEVICE fr_t fr_pow_mont(const fr_t &base, u64 e)
{
    const fr_t one = {{1, 0, 0, 0, 0, 0, 0, 0}};
    fr_t r = fr_to_mont(one);

    for (int k = 63 - __clzll((long long)e); k >= 0; k--) {
        r = fr_mul_mont(r, r);
        if (e >> k & 1)
            r = fr_mul_mont(r, base);
    }
    return r;
}
