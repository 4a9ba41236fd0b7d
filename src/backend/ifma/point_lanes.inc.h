/* Eight points in Jacobian coordinates, (X / Z^2, Y / Z^3): the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; the lanes of BASE come before.
 *
 * Additions here are *incomplete*: of two points with the same x, infinity among them, the sum has
 * Z = 0, whatever it should be. Once zero, Z stays zero in every sum and double. So a chain of them
 * is right in the lanes where its end has Z != 0, and in the others it is infinity or has met such
 * a case; which of the two is for the portable operations to find out.
 *
 * Bounds. Coordinates are below 2p. S > 84p on base fields, so products of what is below 2p are
 * below 1.2p, and none here reaches 1.3p: that makes room for the differences that are folded.
 *
 * Names defined, for GROUP = g1:
 *   g1_lanes_t {x, y, z}
 *   g1_lanes_from_affine
 *   g1_lanes_dbl g1_lanes_add g1_lanes_neg      out may be any operand
 *   g1_lanes_are                                the lanes where a is the affine point (x, y)
 *   g1_lanes_mul_u                              by |u| (curve/multiple_by_u.inc.h) */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define B_LANES_T B(lanes_t)
#define G_LANES_T G(lanes_t)

typedef struct {
    B_LANES_T x, y, z;
} G_LANES_T;

static inline void G(lanes_from_affine)(G_LANES_T *out, const B_LANES_T *x, const B_LANES_T *y)
{
    out->x = *x;
    out->y = *y;
    B(lanes_set_one)(&out->z);
}

/* With E = 3 X^2 and D = 4 X Y^2: X' = E^2 - 2 D, Y' = E (D - X') - 8 Y^4, Z' = 2 Y Z. */
static __attribute__((noinline)) void G(lanes_dbl)(G_LANES_T *out, const G_LANES_T *a)
{
    B_LANES_T slope, square, d, t;

    B(lanes_sqr)(&slope, &a->x);
    B(lanes_multiple)(&slope, &slope, 3, 1);
    B(lanes_sqr)(&square, &a->y);
    B(lanes_mul)(&d, &a->x, &square);
    B(lanes_multiple)(&d, &d, 4, 2);
    B(lanes_add)(&t, &a->z, &a->z);
    B(lanes_mul)(&out->z, &t, &a->y);

    B(lanes_sqr)(&t, &slope);
    B(lanes_raw_sub)(&t, &t, &d);
    B(lanes_raw_sub)(&t, &t, &d);
    B(lanes_fold)(&out->x, &t);

    B(lanes_sqr)(&square, &square);
    B(lanes_multiple)(&square, &square, 4, 2);
    B(lanes_sub)(&t, &d, &out->x, 2);
    B(lanes_mul)(&t, &slope, &t);
    B(lanes_raw_sub)(&t, &t, &square);
    B(lanes_raw_sub)(&t, &t, &square);
    B(lanes_fold)(&out->y, &t);
}

/* With U, S the coordinates over the common Z, H = U_b - U_a, R = S_b - S_a and V = U_a H^2:
 * X' = R^2 - H^3 - 2 V, Y' = R (V - X') - S_a H^3, Z' = Z_a Z_b H. */
static __attribute__((noinline)) void G(lanes_add)(G_LANES_T *out, const G_LANES_T *a,
                                                   const G_LANES_T *b)
{
    B_LANES_T za, zb, u, h, s, r, cube, t;

    B(lanes_sqr)(&za, &a->z);
    B(lanes_sqr)(&zb, &b->z);
    B(lanes_mul)(&u, &a->x, &zb);
    B(lanes_mul)(&h, &b->x, &za);
    B(lanes_raw_sub)(&h, &h, &u);
    B(lanes_fold)(&h, &h);
    B(lanes_mul)(&zb, &zb, &b->z);
    B(lanes_mul)(&za, &za, &a->z);
    B(lanes_mul)(&s, &a->y, &zb);
    B(lanes_mul)(&r, &b->y, &za);
    B(lanes_raw_sub)(&r, &r, &s);
    B(lanes_fold)(&r, &r);
    B(lanes_mul)(&t, &a->z, &b->z);
    B(lanes_mul)(&out->z, &t, &h);

    B(lanes_sqr)(&t, &h);
    B(lanes_mul)(&cube, &t, &h);
    B(lanes_mul)(&u, &u, &t);
    B(lanes_sqr)(&t, &r);
    B(lanes_raw_sub)(&t, &t, &cube);
    B(lanes_raw_sub)(&t, &t, &u);
    B(lanes_raw_sub)(&t, &t, &u);
    B(lanes_fold)(&out->x, &t);

    B(lanes_sub)(&u, &u, &out->x, 2);
    B(lanes_mul)(&u, &r, &u);
    B(lanes_mul)(&s, &s, &cube);
    B(lanes_raw_sub)(&u, &u, &s);
    B(lanes_fold)(&out->y, &u);
}

static inline void G(lanes_neg)(G_LANES_T *out, const G_LANES_T *a)
{
    *out = *a;
    B(lanes_neg_where)(&out->y, 0xff);
    B(lanes_fold)(&out->y, &out->y);
}

/* x, y < 2p */
static inline __mmask8 G(lanes_are)(const G_LANES_T *a, const B_LANES_T *x, const B_LANES_T *y)
{
    B_LANES_T power, t;
    __mmask8 same;

    B(lanes_sqr)(&power, &a->z);
    B(lanes_mul)(&t, x, &power);
    same = B(lanes_equal)(&t, &a->x);
    B(lanes_mul)(&power, &power, &a->z);
    B(lanes_mul)(&t, y, &power);
    same &= B(lanes_equal)(&t, &a->y);
    return same & (__mmask8)~B(lanes_zeros)(&a->z, 1);
}

#define POINT TEMPLATE_JOIN(GROUP, lanes)
#include "curve/multiple_by_u.inc.h"
#undef POINT

#undef G
#undef B
#undef B_LANES_T
#undef G_LANES_T
