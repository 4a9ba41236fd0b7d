/* What fr.cuh takes from the modulus of BLS12-381:
 *
 *     r = 1 - 2^32 + S 2^64,  S = (r >> 64) + 1 (192 bits),  2^256 = 2.2087 r
 *
 * A product by a constant takes 86 wide and 14 low products, 372 cycles of the multiplier pipe,
 * against 448 for the Montgomery product (112 wide); that by the fourth root of unity |z|^3 (z the
 * curve's parameter, 192 bits) 270. The digit 1/r = 1 + 2^32 mod 2^64 makes the Montgomery quotient
 * two additions. */
#pragma once

/* r, 2r, 2^256 - 2r */
#define FR_P                                                                                       \
    {                                                                                              \
        0x00000001u, 0xffffffffu, 0xfffe5bfeu, 0x53bda402u, 0x09a1d805u, 0x3339d808u, 0x299d7d48u, \
            0x73eda753u                                                                            \
    }
#define FR_2P                                                                                      \
    {                                                                                              \
        0x00000002u, 0xfffffffeu, 0xfffcb7fdu, 0xa77b4805u, 0x1343b00au, 0x6673b010u, 0x533afa90u, \
            0xe7db4ea6u                                                                            \
    }
#define FR_MINUS_2P                                                                                \
    {                                                                                              \
        0xfffffffeu, 0x00000001u, 0x00034802u, 0x5884b7fau, 0xecbc4ff5u, 0x998c4fefu, 0xacc5056fu, \
            0x1824b159u                                                                            \
    }
#define FR_2P_TOP 0xe7db4ea6u
/* 2^256 and 2^512 mod r, -1/r mod 2^256 */
#define FR_MONT_ONE                                                                                \
    {                                                                                              \
        0xfffffffeu, 0x00000001u, 0x00034802u, 0x5884b7fau, 0xecbc4ff5u, 0x998c4fefu, 0xacc5056fu, \
            0x1824b159u                                                                            \
    }
#define FR_MONT_R2                                                                                 \
    {                                                                                              \
        0xf3f29c6du, 0xc999e990u, 0x87925c23u, 0x2b6cedcbu, 0x7254398fu, 0x05d31496u, 0x9f59ff11u, \
            0x0748d9d9u                                                                            \
    }
#define FR_MINUS_INVERSE                                                                           \
    {                                                                                              \
        0xffffffffu, 0xfffffffeu, 0xfffe5bfdu, 0x53ba5bffu, 0x0004ec06u, 0x181b2c17u, 0xd7bf2839u, \
            0x3d443ab0u                                                                            \
    }
/* (w8 +- w8^3) / 2 for w8 = 7^((r - 1) / 8), and their quotients */
#define FR_HALF_PLUS                                                                               \
    {                                                                                              \
        0xa306c7d4u, 0x69307ddau, 0x8de2036cu, 0x20ffd8fcu, 0x9daf1e24u, 0x23614066u, 0x306dbb96u, \
            0x23c58c92u                                                                            \
    }
#define FR_HALF_PLUS_V                                                                             \
    {                                                                                              \
        0xca853396u, 0x8a8dc2a9u, 0x7f68e2f3u, 0x93bdc41bu, 0xf62d255cu, 0x00ad26bbu, 0x0956072du, \
            0x4efe41cau                                                                            \
    }
#define FR_HALF_MINUS                                                                              \
    {                                                                                              \
        0xf46d77a6u, 0x08f87f58u, 0xf931b394u, 0x928b48c5u, 0xd3285ebeu, 0x68a4e566u, 0xd38cab51u, \
            0x1091da63u                                                                            \
    }
#define FR_HALF_MINUS_V                                                                            \
    {                                                                                              \
        0x0937dc72u, 0xda6003c9u, 0x9a31192fu, 0x8e381741u, 0x4c1e8070u, 0x305e3aa4u, 0x4adf8f8au, \
            0x24971e36u                                                                            \
    }

/* ---- products by constants ------------------------------------------------------------------ */

/* (even, odd) -= q r mod 2^256 but for its parts - q + (q << 32), that the callers take in for
 * nothing: what is left is + q (2^192 - S) 2^64. even: words 0..7, odd: words 1..7. */
DEVICE void fr_sub_qr(u32 *even, u32 *odd, const u32 *q)
{
    const u32 s[6] = {0x0001a401u, 0xac425bfdu, 0xf65e27fau, 0xccc627f7u, 0xd66282b7u, 0x8c1258acu};

    row_add<3>(even + 2, q + 0, s[0]);
    row_add<2>(odd + 2, q + 1, s[0]);
    odd[6] = madc_lo(q[5], s[0], odd[6]);
    row_add<2>(even + 4, q + 1, s[1]);
    row_add<2>(odd + 2, q + 0, s[1]);
    odd[6] = madc_lo(q[4], s[1], odd[6]);
    row_add<2>(even + 4, q + 0, s[2]);
    row_add<1>(odd + 4, q + 1, s[2]);
    odd[6] = madc_lo(q[3], s[2], odd[6]);
    row_add<1>(even + 6, q + 1, s[3]);
    row_add<1>(odd + 4, q + 0, s[3]);
    odd[6] = madc_lo(q[2], s[3], odd[6]);
    row_add<1>(even + 6, q + 0, s[4]);
    odd[6] += q[1] * s[4];
    odd[6] += q[0] * s[5];
}

/* x w mod r for a constant; any x < 2^256, result below r (1 + x / 2^256 + 2^-29), so below 1.906 r
 * for a stored x. */
DEVICE fr_t fr_mul_const(const fr_t &value, const u32 *w, const u32 *v)
{
    u32 q[8], even[8], odd[7];
    fr_t r;

    fr_quotient(q, value.l, v);
    /* on top of q << 32 in the odd accumulator */
#pragma unroll
    for (int i = 0; i < 7; i++)
        odd[i] = q[i];
    fr_low_half<true>(even, odd, value.l, w);
    fr_sub_qr(even, odd, q);
    r.l[0] = sub_cc(even[0], q[0]);
#pragma unroll
    for (int i = 1; i < 7; i++)
        r.l[i] = subc_cc(even[i], q[i]);
    r.l[7] = subc(even[7], q[7]);
    r.l[1] = add_cc(r.l[1], odd[0]);
#pragma unroll
    for (int i = 2; i < 7; i++)
        r.l[i] = addc_cc(r.l[i], odd[i - 1]);
    r.l[7] = addc(r.l[7], odd[6]);
    return r;
}
/* x |z|^3, |z|^3 = 2^48 0xd20100000001^3 a primitive fourth root of unity (z^4 - z^2 + 1 = r). As
 * fr_mul_const with w words 0, 6, 7 zero, v[6] = 1 and v[7] = 0: the product by v[6] is an
 * addition. */
DEVICE fr_t fr_mul_i(const fr_t &value)
{
    const u32 *x = value.l;
    const u32 w[6] = {0u, 0x00010000u, 0x76030000u, 0xec030002u, 0x760304d0u, 0x8d51ccceu};
    const u32 v[6] = {0x5576304fu, 0x61c5d9dau, 0x3e76ec2au, 0x33cfcc0du, 0x56cd56b5u, 0x381204cau};
    u32 e[8], o[7], q[7], t;
    u32 even[8], odd[7];
    fr_t r;

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
    t = add_cc(e[1], o[0]);
#pragma unroll
    for (int k = 0; k < 6; k++)
        q[k] = addc_cc(e[k + 2], o[k + 1]);
    q[6] = addc(0, 0);
    add_cc(t, x[1]); /* x 2^192 without its lowest word */
#pragma unroll
    for (int k = 0; k < 6; k++)
        q[k] = addc_cc(q[k], x[k + 2]);
    q[6] = addc(q[6], 0);

#pragma unroll
    for (int k = 0; k < 7; k++)
        odd[k] = q[k];
    row_set<3>(even + 2, x + 1, w[1]);
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
    fr_sub_qr(even, odd, q);
    r.l[0] = sub_cc(0, q[0]);
    r.l[1] = subc_cc(0, q[1]);
#pragma unroll
    for (int k = 2; k < 7; k++)
        r.l[k] = subc_cc(even[k], q[k]);
    r.l[7] = subc(even[7], 0);
    r.l[1] = add_cc(r.l[1], odd[0]);
#pragma unroll
    for (int k = 2; k < 7; k++)
        r.l[k] = addc_cc(r.l[k], odd[k - 1]);
    r.l[7] = addc(r.l[7], odd[6]);
    return r;
}

/* ---- the Montgomery product ----------------------------------------------------------------- */

/* One 64-bit digit of reduction: with T the running sum, q = T (1 + 2^32) mod 2^64, and
 * (T - q r) / 2^64 = T / 2^64 + q1 + carry + q (2^192 - S) - q 2^192. E: words 0..10, o:
 * words 1..9; words 0 and 1 become 0, E[10] holds the sign. */
DEVICE void fr_fold(u32 *E, u32 *o)
{
    const u32 s[6] = {0x0001a401u, 0xac425bfdu, 0xf65e27fau, 0xccc627f7u, 0xd66282b7u, 0x8c1258acu};
    u32 q0 = E[0], t1 = add_cc(E[1], o[0]), c1 = addc(0, 0);
    u32 q1 = add_cc(q0, t1), u = addc(q1, 0);

    o[1] = add_cc(o[1], u);
    wide_madc_cc(o[2], o[3], s[1], q0, o[2], o[3]);
    wide_madc_cc(o[4], o[5], s[3], q0, o[4], o[5]);
    wide_madc_cc(o[6], o[7], s[5], q0, o[6], o[7]);
    o[8] = addc(o[8], 0);
    add_cc(c1, 0xffffffffu);
    wide_madc_cc(E[2], E[3], s[0], q0, E[2], E[3]);
    wide_madc_cc(E[4], E[5], s[2], q0, E[4], E[5]);
    wide_madc_cc(E[6], E[7], s[4], q0, E[6], E[7]);
    wide_madc_cc(E[8], E[9], s[5], q1, E[8], E[9]);
    E[10] = addc(E[10], 0);
    wide_mad_cc(E[4], E[5], s[1], q1, E[4], E[5]);
    wide_madc_cc(E[6], E[7], s[3], q1, E[6], E[7]);
    E[8] = addc_cc(E[8], 0);
    E[9] = addc_cc(E[9], 0);
    E[10] = addc(E[10], 0);
    wide_mad_cc(o[2], o[3], s[0], q1, o[2], o[3]);
    wide_madc_cc(o[4], o[5], s[2], q1, o[4], o[5]);
    wide_madc_cc(o[6], o[7], s[4], q1, o[6], o[7]);
    o[8] = addc(o[8], 0);
    E[8] = sub_cc(E[8], q0);
    E[9] = subc_cc(E[9], q1);
    E[10] = subc(E[10], 0);
}
/* a b / 2^256; both and the result below 2r (before the last step it lies in (-r, 1.82 r)) */
DEVICE fr_t fr_mul_mont(const fr_t &left, const fr_t &right)
{
    const u32 *a = left.l, *b = right.l;
    const u32 m[8] = FR_P;
    u32 E[17], o[15];
    fr_t r;

    row_set<4>(E, a, b[0]);
    row_add<3>(E + 2, a + 1, b[1]);
    wide_madc_cc(E[8], E[9], a[7], b[1], 0, 0);
    E[10] = 0;
    row_set<4>(o, a + 1, b[0]);
    row_add<4>(o, a, b[1]);
    o[8] = addc(0, 0);
    fr_fold(E, o);
#pragma unroll
    for (int s = 1; s < 4; s++) {
        u32 *F = E + 2 * s, *p = o + 2 * s, x = b[2 * s], y = b[2 * s + 1], sign;

        F[0] = add_cc(F[0], p[-1]);
        wide_madc_cc(p[0], p[1], a[1], x, p[0], p[1]);
        wide_madc_cc(p[2], p[3], a[3], x, p[2], p[3]);
        wide_madc_cc(p[4], p[5], a[5], x, p[4], p[5]);
        wide_madc_cc(p[6], p[7], a[7], x, p[6], 0);
        row_add<4>(p, a, y);
        p[8] = addc(0, 0);
        row_add<4>(F, a, x);
        F[8] = addc(F[8], 0);
        sign = (u32)((int)F[8] >> 31);
        row_add<3>(F + 2, a + 1, y);
        wide_madc_cc(F[8], F[9], a[7], y, F[8], sign);
        F[10] = addc(sign, 0);
        fr_fold(F, p);
    }
    r.l[0] = add_cc(E[8], o[7]);
#pragma unroll
    for (int k = 1; k < 8; k++)
        r.l[k] = addc_cc(E[k + 8], o[k + 7]);
    fr_add_if(r.l, addc(E[16], 0), m);
    return r;
}
