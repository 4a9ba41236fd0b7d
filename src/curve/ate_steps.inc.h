/* The steps of Miller's loop (curve/pairing.inc.h): points of E' joined, the lines through them:
 * the template, for whatever stands for a number.
 *
 * Parameters: TOWER_NAME, kept, with what field/tower_products.inc.h asks for and defines; more of
 * the same kind: fp2 with dbl, sqr, mul_fp (by a factor in Fp). CURVE_B_SMALL, TWIST_IS_M of
 * params/<curve>.h.
 *
 * A line through points of E' is taken to E and evaluated at P. It is needed up to factors from
 * proper subfields only, which the final exponent kills. With lambda = slope_num / slope_den, the
 * slope on E', times slope_den, (and w^3 for an M-twist, which lies in Fp4) it is
 *
 *   D-twist, E' -> E: (x w^2, y w^3)      by_y yP - by_x xP w  + constant w^3
 *   M-twist, E' -> E: (x / w^2, y / w^3)  by_y yP w^3 - by_x xP w^2 + constant
 *
 * with by_y = slope_den, by_x = slope_num, constant = slope_num xT - slope_den yT.
 *
 * Names defined, ate for TOWER_NAME(ate, ..):
 *   ate_point_t ate_line_t
 *   ate_double ate_add                    T = 2T and T = T + Q, with the line
 *   ate_mul_line                          f times the line's value at P */
#define E1(name) TOWER_NAME(fp, name)
#define E2(name) TOWER_NAME(fp2, name)
#define E12(name) TOWER_NAME(fp12, name)
#define ATE(name) TOWER_NAME(ate, name)
#define E1_T E1(t)
#define E2_T E2(t)
#define E12_T E12(t)
#define ATE_POINT_T ATE(point_t)
#define ATE_LINE_T ATE(line_t)

/* A point of E', homogeneous: (x/z, y/z). */
typedef struct {
    E2_T x, y, z;
} ATE_POINT_T;

typedef struct {
    E2_T constant, by_x, by_y;
} ATE_LINE_T;

/* 3 b' a */
static inline void ATE(mul_3b)(E2_T *out, const E2_T *a, const E2_T *b)
{
#if TWIST_IS_M
    (void)b;
    E1(mul_small)(&out->c0, &a->c0, 3 * CURVE_B_SMALL);
    E1(mul_small)(&out->c1, &a->c1, 3 * CURVE_B_SMALL);
    E2(mul_xi)(out, out);
#else
    E2_T t;

    E2(mul)(&t, a, b);
    E2(dbl)(out, &t);
    E2(add)(out, out, &t);
#endif
}

/* T = 2T and the tangent; after Costello, Lange, Naehrig 2010, scaled by 4 to avoid halving:
 * by_y = 2 Y Z, by_x = 3 X^2, constant = Y^2 - 3 b' Z^2. b: b', asked for by a D-twist only. */
static inline void ATE(double)(ATE_POINT_T *t, ATE_LINE_T *line, const E2_T *b)
{
    E2_T xx, yy, e, two_xy, f, s;

    E2(sqr)(&xx, &t->x);
    E2(sqr)(&yy, &t->y);
    E2(sqr)(&s, &t->z);
    ATE(mul_3b)(&e, &s, b);
    E2(add)(&f, &t->y, &t->z);
    E2(sqr)(&f, &f);
    E2(sub)(&f, &f, &yy);
    E2(sub)(&line->by_y, &f, &s);
    E2(add)(&f, &t->x, &t->y);
    E2(sqr)(&f, &f);
    E2(sub)(&f, &f, &xx);
    E2(sub)(&two_xy, &f, &yy);
    E2(dbl)(&s, &xx);
    E2(add)(&line->by_x, &s, &xx);
    E2(sub)(&line->constant, &yy, &e);

    E2(dbl)(&f, &e); /* f = 9 b' Z^2 */
    E2(add)(&f, &f, &e);
    E2(sub)(&s, &yy, &f);
    E2(mul)(&t->x, &two_xy, &s); /* X = 2 X Y (Y^2 - f) */
    E2(add)(&s, &yy, &f);
    E2(sqr)(&s, &s);
    E2(sqr)(&e, &e);
    E2(dbl)(&f, &e);
    E2(add)(&f, &f, &e);
    E2(dbl)(&f, &f);
    E2(dbl)(&f, &f);
    E2(sub)(&t->y, &s, &f); /* Y = (Y^2 + f)^2 - 12 e^2 */
    E2(mul)(&s, &yy, &line->by_y);
    E2(dbl)(&s, &s);
    E2(dbl)(&t->z, &s); /* Z = 8 Y^3 Z */
}

/* T = T + Q and the chord, Q affine, not +-T: by_y = X - xQ Z, by_x = Y - yQ Z. */
static inline void ATE(add)(ATE_POINT_T *t, ATE_LINE_T *line, const E2_T *qx, const E2_T *qy)
{
    E2_T theta, lambda, c, d, e, f, g, h;

    E2(mul)(&theta, qy, &t->z);
    E2(sub)(&theta, &t->y, &theta);
    E2(mul)(&lambda, qx, &t->z);
    E2(sub)(&lambda, &t->x, &lambda);
    line->by_y = lambda;
    line->by_x = theta;
    E2(mul)(&c, &theta, qx);
    E2(mul)(&d, &lambda, qy);
    E2(sub)(&line->constant, &c, &d);

    E2(sqr)(&c, &theta);
    E2(sqr)(&d, &lambda);
    E2(mul)(&e, &lambda, &d);
    E2(mul)(&f, &t->z, &c);
    E2(mul)(&g, &t->x, &d);
    E2(add)(&h, &e, &f);
    E2(sub)(&h, &h, &g);
    E2(sub)(&h, &h, &g);
    E2(mul)(&t->x, &lambda, &h);
    E2(sub)(&g, &g, &h);
    E2(mul)(&g, &g, &theta);
    E2(mul)(&c, &e, &t->y);
    E2(sub)(&t->y, &g, &c);
    E2(mul)(&t->z, &t->z, &e);
}

/* f = f * line at P = (-minus_x, y) */
static inline void ATE(mul_line)(E12_T *f, const ATE_LINE_T *line, const E1_T *minus_x,
                                 const E1_T *y)
{
    E2_T x_part, y_part;

    E2(mul_fp)(&x_part, &line->by_x, minus_x);
    E2(mul_fp)(&y_part, &line->by_y, y);
#if TWIST_IS_M
    E12(mul_014)(f, f, &line->constant, &x_part, &y_part);
#else
    E12(mul_034)(f, f, &y_part, &x_part, &line->constant);
#endif
}

#undef E1
#undef E2
#undef E12
#undef ATE
#undef E1_T
#undef E2_T
#undef E12_T
#undef ATE_POINT_T
#undef ATE_LINE_T
