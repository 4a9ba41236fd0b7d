/* The tower over Fp2: Fp6 = Fp2[v] / (v^3 - xi), Fp12 = Fp6[w] / (w^2 - v): what pairings live in.
 *
 * Parameters: fp, fp2 (field/fp2.inc.h), FP12_FROBENIUS (params/<curve>.h).
 *
 * Names defined, beside those of field/tower_products.inc.h; an fp12_t seen as a polynomial in w
 * over Fp2 has the coefficients c0.c0 c1.c0 c0.c1 c1.c1 c0.c2 c1.c2:
 *   fp6_neg fp6_inv
 *   fp12_one fp12_is_one fp12_eq
 *   fp12_conj fp12_inv                    conj: c0 - c1 w = a^(p^6)
 *   fp12_frobenius                        a^p
 *   fp12_sqr_cyclotomic                   where a^(p^4 - p^2 + 1) = 1; there conj is the inverse
 *
 * out may be any operand. Variable time. */
#include "field/template.h"

#define TOWER_NAME(field, name) TEMPLATE_JOIN(field, name)
#include "field/tower_products.inc.h"
#undef TOWER_NAME

static const fp12_t fp12_one = {{{{FP_ONE}, {{0}}}, {{{0}}, {{0}}}, {{{0}}, {{0}}}},
                                {{{{0}}, {{0}}}, {{{0}}, {{0}}}, {{{0}}, {{0}}}}};

/* ---- Fp6 ------------------------------------------------------------------------------------- */

static inline void fp6_neg(fp6_t *out, const fp6_t *a)
{
    fp2_neg(&out->c0, &a->c0);
    fp2_neg(&out->c1, &a->c1);
    fp2_neg(&out->c2, &a->c2);
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
