/* Discrete Fourier transforms of 2, 4 and 8 scalars in registers, natural order, with the roots of
 * unity w8 = g^((r - 1) / 8) and w8^2, g the field's smallest generator (fr_<curve>.cuh).
 *
 * A transform whose 8th root is w8^e (e odd: another direction or domain generator) finds output m
 * of its own at index e m mod 8, or mod 4, of these. */
#pragma once
#include "backend/cuda/fr.cuh"

/* 8 points, 4 products (2 of them short) and 26 additions: with u = w8 b1 + w8^3 b3 and
 * v = w8^3 b1 + w8 b3, u +- v = (w8 +- w8^3)(b1 +- b3), the halves in the constants. Inputs below
 * 2r. Outputs 1 .. 7 may be loose; output 0 is exact, for it goes on without a product. Of the sums
 * inside, those that are subtracted or enter an exact sum must be exact. */
DEVICE void dft8(fr_t *x)
{
    const u32 plus[8] = FR_HALF_PLUS, plus_v[8] = FR_HALF_PLUS_V;
    const u32 minus[8] = FR_HALF_MINUS, minus_v[8] = FR_HALF_MINUS_V;
    fr_t a0 = fr_add(x[0], x[4]), b0 = fr_sub(x[0], x[4]);
    fr_t a1 = fr_add(x[1], x[5]), b1 = fr_sub(x[1], x[5]);
    fr_t a2 = fr_add(x[2], x[6]), b2 = fr_sub(x[2], x[6]);
    fr_t a3 = fr_add(x[3], x[7]), b3 = fr_sub(x[3], x[7]);
    fr_t c0 = fr_add(a0, a2), d0 = fr_sub(a0, a2), c1 = fr_add(a1, a3);
    fr_t d1 = fr_mul_i(fr_sub(a1, a3));

    x[0] = fr_add(c0, c1);
    x[4] = fr_sub(c0, c1);
    x[2] = fr_add_loose(d0, d1);
    x[6] = fr_sub(d0, d1);
    fr_t e = fr_mul_i(b2);
    fr_t f = fr_mul_const(fr_add_loose(b1, b3), plus, plus_v);
    fr_t g = fr_mul_const(fr_sub(b1, b3), minus, minus_v);
    fr_t u = fr_add(f, g), v = fr_sub(f, g);
    fr_t h0 = fr_add_loose(b0, e), h1 = fr_sub(b0, e);
    x[1] = fr_add_loose(h0, u);
    x[5] = fr_sub(h0, u);
    x[3] = fr_add_loose(h1, v);
    x[7] = fr_sub(h1, v);
}
DEVICE void dft4(fr_t &x0, fr_t &x1, fr_t &x2, fr_t &x3)
{
    fr_t a = fr_add_loose(x0, x2), b = fr_sub(x0, x2), c = fr_add(x1, x3);
    fr_t d = fr_mul_i(fr_sub(x1, x3));

    x0 = fr_add_loose(a, c);
    x2 = fr_sub(a, c);
    x1 = fr_add_loose(b, d);
    x3 = fr_sub(b, d);
}
DEVICE void dft2(fr_t &x0, fr_t &x1)
{
    fr_t a = fr_add_loose(x0, x1);

    x1 = fr_sub(x0, x1);
    x0 = a;
}
