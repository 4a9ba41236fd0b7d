/* The tower over Fp2: Fp6 = Fp2[v] / (v^3 - xi), Fp12 = Fp6[w] / (w^2 - v): what pairings live in.
 *
 * Parameters: fp, fp2 (field/fp2.inc.h), FP12_FROBENIUS (params/<curve>.h).
 *
 * Names defined:
 *   fp6_t {c0, c1, c2}                    c0 + c1 v + c2 v^2
 *   fp6_add fp6_sub fp6_neg fp6_mul fp6_mul_v fp6_inv
 *   fp6_mul_01 fp6_mul_1                  by b0 + b1 v and by b1 v
 *   fp12_t {c0, c1}                       c0 + c1 w; seen as polynomials in w over Fp2, the
 *                                         coefficients are c0.c0 c1.c0 c0.c1 c1.c1 c0.c2 c1.c2
 *   fp12_one fp12_is_one fp12_eq
 *   fp12_mul fp12_sqr fp12_conj fp12_inv  conj: c0 - c1 w = a^(p^6)
 *   fp12_frobenius                        a^p
 *   fp12_mul_034 fp12_mul_014             by b0 + b3 w + b4 v w and by b0 + b1 v + b4 v w: lines
 *   fp12_sqr_cyclotomic                   where a^(p^4 - p^2 + 1) = 1; there conj is the inverse
 *
 * out may be any operand. Variable time. */
#include "field/template.h"

typedef struct {
    fp2_t c0, c1, c2;
} fp6_t;

typedef struct {
    fp6_t c0, c1;
} fp12_t;

static const fp12_t fp12_one = {{{{FP_ONE}, {{0}}}, {{{0}}, {{0}}}, {{{0}}, {{0}}}},
                                {{{{0}}, {{0}}}, {{{0}}, {{0}}}, {{{0}}, {{0}}}}};

/* ---- Fp6 ------------------------------------------------------------------------------------- */

static inline void fp6_add(fp6_t *out, const fp6_t *a, const fp6_t *b)
{
    fp2_add(&out->c0, &a->c0, &b->c0);
    fp2_add(&out->c1, &a->c1, &b->c1);
    fp2_add(&out->c2, &a->c2, &b->c2);
}

static inline void fp6_sub(fp6_t *out, const fp6_t *a, const fp6_t *b)
{
    fp2_sub(&out->c0, &a->c0, &b->c0);
    fp2_sub(&out->c1, &a->c1, &b->c1);
    fp2_sub(&out->c2, &a->c2, &b->c2);
}

static inline void fp6_neg(fp6_t *out, const fp6_t *a)
{
    fp2_neg(&out->c0, &a->c0);
    fp2_neg(&out->c1, &a->c1);
    fp2_neg(&out->c2, &a->c2);
}

static inline void fp6_mul_v(fp6_t *out, const fp6_t *a)
{
    fp2_t top;

    fp2_mul_xi(&top, &a->c2);
    out->c2 = a->c1;
    out->c1 = a->c0;
    out->c0 = top;
}

/* (a_i + a_j)(b_i + b_j) - a_i b_i - a_j b_j = a_i b_j + a_j b_i */
static inline void fp6_cross(fp2_t *out, const fp2_t *ai, const fp2_t *aj, const fp2_t *bi,
                             const fp2_t *bj, const fp2_t *ii, const fp2_t *jj)
{
    fp2_t s, t;

    fp2_add(&s, ai, aj);
    fp2_add(&t, bi, bj);
    fp2_mul(&s, &s, &t);
    fp2_sub(&s, &s, ii);
    fp2_sub(out, &s, jj);
}

/* Karatsuba, six products (Devegili, O hEigeartaigh, Scott, Dahab 2006). */
static inline void fp6_mul(fp6_t *out, const fp6_t *a, const fp6_t *b)
{
    fp2_t p0, p1, p2, cross01, cross02, cross12;

    fp2_mul(&p0, &a->c0, &b->c0);
    fp2_mul(&p1, &a->c1, &b->c1);
    fp2_mul(&p2, &a->c2, &b->c2);
    fp6_cross(&cross12, &a->c1, &a->c2, &b->c1, &b->c2, &p1, &p2);
    fp6_cross(&cross01, &a->c0, &a->c1, &b->c0, &b->c1, &p0, &p1);
    fp6_cross(&cross02, &a->c0, &a->c2, &b->c0, &b->c2, &p0, &p2);
    fp2_mul_xi(&cross12, &cross12);
    fp2_add(&out->c0, &p0, &cross12);
    fp2_mul_xi(&p2, &p2);
    fp2_add(&out->c1, &cross01, &p2);
    fp2_add(&out->c2, &cross02, &p1);
}

static inline void fp6_mul_01(fp6_t *out, const fp6_t *a, const fp2_t *b0, const fp2_t *b1)
{
    fp2_t p0, p1, cross, high, top;

    fp2_mul(&p0, &a->c0, b0);
    fp2_mul(&p1, &a->c1, b1);
    fp6_cross(&cross, &a->c0, &a->c1, b0, b1, &p0, &p1);
    fp2_mul(&high, &a->c2, b1);
    fp2_mul(&top, &a->c2, b0);
    fp2_mul_xi(&high, &high);
    fp2_add(&out->c0, &p0, &high);
    out->c1 = cross;
    fp2_add(&out->c2, &top, &p1);
}

static inline void fp6_mul_1(fp6_t *out, const fp6_t *a, const fp2_t *b1)
{
    fp2_t top;

    fp2_mul(&top, &a->c2, b1);
    fp2_mul(&out->c2, &a->c1, b1);
    fp2_mul(&out->c1, &a->c0, b1);
    fp2_mul_xi(&out->c0, &top);
}

static inline void fp6_mul_fp2(fp6_t *out, const fp6_t *a, const fp2_t *b)
{
    fp2_mul(&out->c0, &a->c0, b);
    fp2_mul(&out->c1, &a->c1, b);
    fp2_mul(&out->c2, &a->c2, b);
}

/* The adjoint over the norm: adjoint = (c0^2 - xi c1 c2, xi c2^2 - c0 c1, c1^2 - c0 c2). */
static inline void fp6_inv(fp6_t *out, const fp6_t *a)
{
    fp6_t adjoint;
    fp2_t s, t, norm;

    fp2_mul(&t, &a->c1, &a->c2);
    fp2_mul_xi(&t, &t);
    fp2_sqr(&s, &a->c0);
    fp2_sub(&adjoint.c0, &s, &t);
    fp2_sqr(&s, &a->c2);
    fp2_mul_xi(&s, &s);
    fp2_mul(&t, &a->c0, &a->c1);
    fp2_sub(&adjoint.c1, &s, &t);
    fp2_sqr(&s, &a->c1);
    fp2_mul(&t, &a->c0, &a->c2);
    fp2_sub(&adjoint.c2, &s, &t);

    fp2_mul(&s, &a->c1, &adjoint.c2);
    fp2_mul(&t, &a->c2, &adjoint.c1);
    fp2_add(&s, &s, &t);
    fp2_mul_xi(&s, &s);
    fp2_mul(&t, &a->c0, &adjoint.c0);
    fp2_add(&norm, &s, &t);
    fp2_inv(&norm, &norm);
    fp6_mul_fp2(out, &adjoint, &norm);
}

/* ---- Fp12 ------------------------------------------------------------------------------------ */

static inline bool fp12_eq(const fp12_t *a, const fp12_t *b)
{
    return fp2_eq(&a->c0.c0, &b->c0.c0) && fp2_eq(&a->c0.c1, &b->c0.c1) &&
           fp2_eq(&a->c0.c2, &b->c0.c2) && fp2_eq(&a->c1.c0, &b->c1.c0) &&
           fp2_eq(&a->c1.c1, &b->c1.c1) && fp2_eq(&a->c1.c2, &b->c1.c2);
}

static inline bool fp12_is_one(const fp12_t *a)
{
    return fp12_eq(a, &fp12_one);
}

static inline void fp12_conj(fp12_t *out, const fp12_t *a)
{
    out->c0 = a->c0;
    fp6_neg(&out->c1, &a->c1);
}

/* From p0 = a0 b0, p1 = a1 b1 and mixed = (a0 + a1)(b0 + b1). */
static inline void fp12_combine(fp12_t *out, const fp6_t *p0, fp6_t *p1, const fp6_t *mixed)
{
    fp6_t t;

    fp6_sub(&t, mixed, p0);
    fp6_sub(&out->c1, &t, p1);
    fp6_mul_v(p1, p1);
    fp6_add(&out->c0, p0, p1);
}

static inline void fp12_mul(fp12_t *out, const fp12_t *a, const fp12_t *b)
{
    fp6_t p0, p1, mixed, t;

    fp6_add(&mixed, &a->c0, &a->c1);
    fp6_add(&t, &b->c0, &b->c1);
    fp6_mul(&mixed, &mixed, &t);
    fp6_mul(&p0, &a->c0, &b->c0);
    fp6_mul(&p1, &a->c1, &b->c1);
    fp12_combine(out, &p0, &p1, &mixed);
}

/* (c0 + c1)(c0 + v c1) = c0^2 + v c1^2 + (1 + v) c0 c1 */
static inline void fp12_sqr(fp12_t *out, const fp12_t *a)
{
    fp6_t s, t, product;

    fp6_mul(&product, &a->c0, &a->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_mul_v(&t, &a->c1);
    fp6_add(&t, &t, &a->c0);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &product);
    fp6_mul_v(&t, &product);
    fp6_sub(&out->c0, &s, &t);
    fp6_add(&out->c1, &product, &product);
}

static inline void fp12_mul_034(fp12_t *out, const fp12_t *a, const fp2_t *b0, const fp2_t *b3,
                                const fp2_t *b4)
{
    fp6_t p0, p1, mixed;
    fp2_t sum;

    fp2_add(&sum, b0, b3);
    fp6_add(&mixed, &a->c0, &a->c1);
    fp6_mul_01(&mixed, &mixed, &sum, b4);
    fp6_mul_fp2(&p0, &a->c0, b0);
    fp6_mul_01(&p1, &a->c1, b3, b4);
    fp12_combine(out, &p0, &p1, &mixed);
}

static inline void fp12_mul_014(fp12_t *out, const fp12_t *a, const fp2_t *b0, const fp2_t *b1,
                                const fp2_t *b4)
{
    fp6_t p0, p1, mixed;
    fp2_t sum;

    fp2_add(&sum, b1, b4);
    fp6_add(&mixed, &a->c0, &a->c1);
    fp6_mul_01(&mixed, &mixed, b0, &sum);
    fp6_mul_01(&p0, &a->c0, b0, b1);
    fp6_mul_1(&p1, &a->c1, b4);
    fp12_combine(out, &p0, &p1, &mixed);
}

/* 1/a = conj(a) / (c0^2 - v c1^2); 0 -> 0 */
static inline void fp12_inv(fp12_t *out, const fp12_t *a)
{
    fp6_t norm, t;

    fp6_mul(&norm, &a->c0, &a->c0);
    fp6_mul(&t, &a->c1, &a->c1);
    fp6_mul_v(&t, &t);
    fp6_sub(&norm, &norm, &t);
    fp6_inv(&norm, &norm);
    fp6_mul(&out->c0, &a->c0, &norm);
    fp6_neg(&norm, &norm);
    fp6_mul(&out->c1, &a->c1, &norm);
}

/* Each coefficient of w^k: conjugated, times xi^(k (p - 1)/6). */
static inline void fp12_frobenius(fp12_t *out, const fp12_t *a)
{
    static const fp2_t factor[6] = {FP12_FROBENIUS};
    const fp2_t *const in[6] = {&a->c0.c0, &a->c1.c0, &a->c0.c1, &a->c1.c1, &a->c0.c2, &a->c1.c2};
    fp2_t *const to[6] = {&out->c0.c0, &out->c1.c0, &out->c0.c1,
                          &out->c1.c1, &out->c0.c2, &out->c1.c2};

    fp2_conj(to[0], in[0]);
    for (int k = 1; k < 6; k++) {
        fp2_conj(to[k], in[k]);
        fp2_mul(to[k], to[k], &factor[k]);
    }
}

/* (a + b s)^2 over Fp2, s^2 = xi: out0 = a^2 + xi b^2, out1 = 2 a b */
static inline void fp4_sqr(fp2_t *out0, fp2_t *out1, const fp2_t *a, const fp2_t *b)
{
    fp2_t aa, bb, t;

    fp2_sqr(&aa, a);
    fp2_sqr(&bb, b);
    fp2_add(&t, a, b);
    fp2_sqr(&t, &t);
    fp2_sub(&t, &t, &aa);
    fp2_sub(out1, &t, &bb);
    fp2_mul_xi(&bb, &bb);
    fp2_add(out0, &aa, &bb);
}

/* 3 square - 2 a and 3 square + 2 a */
static inline void fp2_triple_minus(fp2_t *out, const fp2_t *square, const fp2_t *a)
{
    fp2_t t;

    fp2_sub(&t, square, a);
    fp2_dbl(&t, &t);
    fp2_add(out, &t, square);
}

static inline void fp2_triple_plus(fp2_t *out, const fp2_t *square, const fp2_t *a)
{
    fp2_t t;

    fp2_add(&t, square, a);
    fp2_dbl(&t, &t);
    fp2_add(out, &t, square);
}

/* Granger, Scott 2010. Over Fp4 = Fp2[s], s = w^3, an element is A + B w + C w^2, and its square is
 * (3 A^2 - 2 A') + (3 s C^2 + 2 B') w + (3 B^2 - 2 C') w^2, ' taking s to -s. */
static inline void fp12_sqr_cyclotomic(fp12_t *out, const fp12_t *a)
{
    fp2_t a0, a1, b0, b1, c0, c1;

    fp4_sqr(&a0, &a1, &a->c0.c0, &a->c1.c1);
    fp4_sqr(&b0, &b1, &a->c1.c0, &a->c0.c2);
    fp4_sqr(&c0, &c1, &a->c0.c1, &a->c1.c2);
    fp2_mul_xi(&c1, &c1); /* s C^2 = xi c1 + c0 s */
    fp2_triple_minus(&out->c0.c0, &a0, &a->c0.c0);
    fp2_triple_plus(&out->c1.c1, &a1, &a->c1.c1);
    fp2_triple_plus(&out->c1.c0, &c1, &a->c1.c0);
    fp2_triple_minus(&out->c0.c2, &c0, &a->c0.c2);
    fp2_triple_minus(&out->c0.c1, &b0, &a->c0.c1);
    fp2_triple_plus(&out->c1.c2, &b1, &a->c1.c2);
}
