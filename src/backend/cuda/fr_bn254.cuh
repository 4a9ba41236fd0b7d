/* What fr.cuh takes from the modulus of BN254, which has no shape of its own: 2^256 = 5.2906 r.
 *
 * A product by a constant takes 43 wide products for the quotient and 28 wide and 8 low ones for
 * each of the lower halves of x w and q r: 99 and 16, 428 cycles of the multiplier pipe, against
 * 528 for the Montgomery product (128 and 8). */
#pragma once

/* r, 2r, 2^256 - 2r, and 2^256 - r */
#define FR_P                                                                                       \
    {                                                                                              \
        0xf0000001u, 0x43e1f593u, 0x79b97091u, 0x2833e848u, 0x8181585du, 0xb85045b6u, 0xe131a029u, \
            0x30644e72u                                                                            \
    }
#define FR_2P                                                                                      \
    {                                                                                              \
        0xe0000002u, 0x87c3eb27u, 0xf372e122u, 0x5067d090u, 0x0302b0bau, 0x70a08b6du, 0xc2634053u, \
            0x60c89ce5u                                                                            \
    }
#define FR_MINUS_2P                                                                                \
    {                                                                                              \
        0x1ffffffeu, 0x783c14d8u, 0x0c8d1eddu, 0xaf982f6fu, 0xfcfd4f45u, 0x8f5f7492u, 0x3d9cbfacu, \
            0x9f37631au                                                                            \
    }
#define FR_MINUS_P                                                                                 \
    {                                                                                              \
        0x0fffffffu, 0xbc1e0a6cu, 0x86468f6eu, 0xd7cc17b7u, 0x7e7ea7a2u, 0x47afba49u, 0x1ece5fd6u, \
            0xcf9bb18du                                                                            \
    }
#define FR_2P_TOP 0x60c89ce5u
/* 2^256 and 2^512 mod r, -1/r mod 2^256 */
#define FR_MONT_ONE                                                                                \
    {                                                                                              \
        0x4ffffffbu, 0xac96341cu, 0x9f60cd29u, 0x36fc7695u, 0x7879462eu, 0x666ea36fu, 0x9a07df2fu, \
            0x0e0a77c1u                                                                            \
    }
#define FR_MONT_R2                                                                                 \
    {                                                                                              \
        0xae216da7u, 0x1bb8e645u, 0xe35c59e3u, 0x53fe3ab1u, 0x53bb8085u, 0x8c49833du, 0x7f4e44a5u, \
            0x0216d0b1u                                                                            \
    }
#define FR_MINUS_INVERSE                                                                           \
    {                                                                                              \
        0xefffffffu, 0xc2e1f593u, 0x4c6911b3u, 0x6586864bu, 0x99062391u, 0xe39a9828u, 0x0d8341b2u, \
            0x73f82f1du                                                                            \
    }
/* (w8 +- w8^3) / 2 for w8 = 5^((r - 1) / 8), and their quotients */
#define FR_HALF_PLUS                                                                               \
    {                                                                                              \
        0xd50201f3u, 0xa6aee499u, 0x1834ada2u, 0xad12a681u, 0xf39c94d2u, 0xd4d88c7bu, 0x893d5477u, \
            0x24465aa1u                                                                            \
    }
#define FR_HALF_PLUS_V                                                                             \
    {                                                                                              \
        0x73fa912eu, 0xa6b1f4f8u, 0xafe2f705u, 0x29716258u, 0x310a62bau, 0xd0a49e40u, 0x26f1652fu, \
            0xbfe634ceu                                                                            \
    }
#define FR_HALF_MINUS                                                                              \
    {                                                                                              \
        0xecbb5c8du, 0xeddec8b0u, 0xdfe25c67u, 0xa54fcce5u, 0xa3135a63u, 0x17c311b3u, 0x3f83faabu, \
            0x06ed2340u                                                                            \
    }
#define FR_HALF_MINUS_V                                                                            \
    {                                                                                              \
        0xe657f293u, 0x36d907ccu, 0x4ff5262cu, 0x43cce7d5u, 0xfdc5d455u, 0xa4139d85u, 0x768f385au, \
            0x24a42a1cu                                                                            \
    }
/* w8^2, and its quotient */
#define FR_FOURTH_ROOT                                                                             \
    {                                                                                              \
        0x8f703636u, 0x23120470u, 0xfd736becu, 0x5cea24f6u, 0x3fd84104u, 0x048b6e19u, 0xe131a029u, \
            0x30644e72u                                                                            \
    }
#define FR_FOURTH_ROOT_V                                                                           \
    {                                                                                              \
        0xb1231075u, 0x2ec276cbu, 0x7787989eu, 0x97612143u, 0xdae8fa84u, 0x48fed6bfu, 0xfffffffcu, \
            0xffffffffu                                                                            \
    }

/* ---- products by constants ------------------------------------------------------------------ */

/* x w mod r for a constant; any x < 2^256, result below r (1 + x / 2^256 + 2^-29), so below 1.379 r
 * for a stored x. */
DEVICE fr_t fr_mul_const(const fr_t &value, const u32 *w, const u32 *v)
{
    const u32 minus_r[8] = FR_MINUS_P;
    u32 q[8], even[8], odd[7] = {0};
    fr_t r;

    fr_quotient(q, value.l, v);
    fr_low_half<true>(even, odd, value.l, w);
    fr_low_half<false>(even, odd, q, minus_r);
    r.l[0] = even[0];
    r.l[1] = add_cc(even[1], odd[0]);
#pragma unroll
    for (int i = 2; i < 7; i++)
        r.l[i] = addc_cc(even[i], odd[i - 1]);
    r.l[7] = addc(even[7], odd[6]);
    return r;
}
DEVICE fr_t fr_mul_i(const fr_t &value)
{
    const u32 w[8] = FR_FOURTH_ROOT, v[8] = FR_FOURTH_ROOT_V;

    return fr_mul_const(value, w, v);
}

/* ---- the Montgomery product ----------------------------------------------------------------- */

/* e += (r[odd], r[odd + 2], ..) q; carry in the flag */
DEVICE void fr_row_r(u32 *e, int odd, u32 q)
{
    const u32 r[8] = FR_P;

    e[0] = mad_lo_cc(r[odd], q, e[0]);
    e[1] = madc_hi_cc(r[odd], q, e[1]);
#pragma unroll
    for (int j = 2; j < 8; j += 2) {
        e[j] = madc_lo_cc(r[odd + j], q, e[j]);
        e[j + 1] = madc_hi_cc(r[odd + j], q, e[j + 1]);
    }
}
/* One word of b and one of reduction. In: even part x, odd part y (both of T, x[0] = 0); out: the
 * roles changed, T = (T + a b 2^32 + q r 2^32) >> 32. */
DEVICE void fr_mul_step(u32 *x, u32 *y, const u32 *a, u32 b)
{
    u32 q;

    y[0] = add_cc(y[0], x[1]);
#pragma unroll
    for (int j = 0; j < 6; j += 2) {
        x[j] = madc_lo_cc(a[j + 1], b, x[j + 2]);
        x[j + 1] = madc_hi_cc(a[j + 1], b, x[j + 3]);
    }
    x[6] = madc_lo_cc(a[7], b, 0);
    x[7] = madc_hi(a[7], b, 0);
    row_add<4>(y, a, b);
    x[7] = addc(x[7], 0);
    q = y[0] * (u32)FR_N0;
    fr_row_r(x, 1, q);
    fr_row_r(y, 0, q);
    x[7] = addc(x[7], 0);
}
/* a b / 2^256; the left factor below 4r, result below a b / 2^256 + r: 1.76 r for stored factors */
DEVICE fr_t fr_mul_mont(const fr_t &left, const fr_t &right)
{
    const u32 *a = left.l, *b = right.l;
    u32 E[8], O[8], q;
    fr_t r;

    row_set<4>(O, a + 1, b[0]);
    row_set<4>(E, a, b[0]);
    q = E[0] * (u32)FR_N0;
    fr_row_r(O, 1, q);
    fr_row_r(E, 0, q);
    O[7] = addc(O[7], 0);
#pragma unroll
    for (int i = 1; i < 7; i += 2) {
        fr_mul_step(E, O, a, b[i]);
        fr_mul_step(O, E, a, b[i + 1]);
    }
    fr_mul_step(E, O, a, b[7]);
    r.l[0] = add_cc(O[1], E[0]);
#pragma unroll
    for (int i = 1; i < 7; i++)
        r.l[i] = addc_cc(O[i + 1], E[i]);
    r.l[7] = addc(E[7], 0);
    return r;
}
