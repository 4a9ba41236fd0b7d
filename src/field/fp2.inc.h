/* The quadratic extension Fp2 = Fp[i] / (i^2 + 1), p = 3 mod 4: what G2 is made of.
 *
 * Parameters: fp (field.inc.h).
 *
 * Names defined:
 *   fp2_t {c0, c1}                        c0 + c1 i, Montgomery form, reduced
 *   fp2_zero fp2_one                      constants
 *   fp2_is_zero fp2_is_one fp2_eq         questions
 *   fp2_add fp2_sub fp2_neg fp2_dbl       out may be any operand, here and below
 *   fp2_conj                              c0 - c1 i, which is also a^p
 *   fp2_mul fp2_sqr fp2_mul_fp            by another element, by itself, by an element of Fp
 *   fp2_from_plain fp2_to_plain fp2_plain_is_reduced
 *   fp2_inv fp2_inv_batch                 0 -> 0
 *   fp_mul_small                          by a small constant
 *   fp_sqrt fp2_sqrt                      false, and out untouched, if there is none
 *
 * Variable time. */
#include "field/limbs.h"
#include "field/template.h"

typedef struct {
    fp_t c0, c1;
} fp2_t;

static const fp2_t fp2_zero = {{{0}}, {{0}}};
static const fp2_t fp2_one = {{FP_ONE}, {{0}}};

/* ---- questions ------------------------------------------------------------------------------- */

static inline bool fp2_is_zero(const fp2_t *a)
{
    return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}

static inline bool fp2_eq(const fp2_t *a, const fp2_t *b)
{
    return fp_eq(&a->c0, &b->c0) && fp_eq(&a->c1, &b->c1);
}

static inline bool fp2_is_one(const fp2_t *a)
{
    return fp2_eq(a, &fp2_one);
}

static inline bool fp2_plain_is_reduced(const fp2_t *a)
{
    return fp_plain_is_reduced(&a->c0) && fp_plain_is_reduced(&a->c1);
}

/* ---- addition -------------------------------------------------------------------------------- */

static inline void fp2_add(fp2_t *out, const fp2_t *a, const fp2_t *b)
{
    fp_add(&out->c0, &a->c0, &b->c0);
    fp_add(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_sub(fp2_t *out, const fp2_t *a, const fp2_t *b)
{
    fp_sub(&out->c0, &a->c0, &b->c0);
    fp_sub(&out->c1, &a->c1, &b->c1);
}

static inline void fp2_neg(fp2_t *out, const fp2_t *a)
{
    fp_neg(&out->c0, &a->c0);
    fp_neg(&out->c1, &a->c1);
}

static inline void fp2_dbl(fp2_t *out, const fp2_t *a)
{
    fp_dbl(&out->c0, &a->c0);
    fp_dbl(&out->c1, &a->c1);
}

static inline void fp2_conj(fp2_t *out, const fp2_t *a)
{
    out->c0 = a->c0;
    fp_neg(&out->c1, &a->c1);
}

/* ---- multiplication -------------------------------------------------------------------------- */

/* (a0 b0 - a1 b1) + (a0 b1 + a1 b0) i. Four products and two reductions are no more word products
 * than Karatsuba's three and three, and want no sums: 65 instead of 75 ns (6 words, Zen 4). */
static inline void fp2_mul(fp2_t *out, const fp2_t *a, const fp2_t *b)
{
    fp_t minus_a1, c0;

    fp_neg(&minus_a1, &a->c1);
    fp_mul_sum(&c0, &a->c0, &b->c0, &minus_a1, &b->c1);
    fp_mul_sum(&out->c1, &a->c0, &b->c1, &a->c1, &b->c0);
    out->c0 = c0;
}

/* (a0 + a1)(a0 - a1) + 2 a0 a1 i */
static inline void fp2_sqr(fp2_t *out, const fp2_t *a)
{
    fp_t sum, difference, product;

    fp_add(&sum, &a->c0, &a->c1);
    fp_sub(&difference, &a->c0, &a->c1);
    fp_mul(&product, &a->c0, &a->c1);
    fp_mul(&out->c0, &sum, &difference);
    fp_dbl(&out->c1, &product);
}

static inline void fp2_mul_fp(fp2_t *out, const fp2_t *a, const fp_t *b)
{
    fp_mul(&out->c0, &a->c0, b);
    fp_mul(&out->c1, &a->c1, b);
}

/* out = k a for a small constant k > 0, by doubling and adding; unrolls to nothing for 1. */
static inline void fp_mul_small(fp_t *out, const fp_t *a, unsigned k)
{
    const fp_t base = *a;
    unsigned top = 1;

    while (top <= k / 2)
        top *= 2;
    *out = base;
    for (top /= 2; top > 0; top /= 2) {
        fp_dbl(out, out);
        if (k & top)
            fp_add(out, out, &base);
    }
}

/* ---- forms ----------------------------------------------------------------------------------- */

static inline void fp2_from_plain(fp2_t *out, const fp2_t *in)
{
    fp_from_plain(&out->c0, &in->c0);
    fp_from_plain(&out->c1, &in->c1);
}

static inline void fp2_to_plain(fp2_t *out, const fp2_t *in)
{
    fp_to_plain(&out->c0, &in->c0);
    fp_to_plain(&out->c1, &in->c1);
}

/* ---- inverses and roots ---------------------------------------------------------------------- */

/* a0^2 + a1^2 = a conj(a) = a^(p + 1), in Fp */
static inline void fp2_norm(fp_t *out, const fp2_t *a)
{
    fp_t t;

    fp_sqr(&t, &a->c1);
    fp_sqr(out, &a->c0);
    fp_add(out, out, &t);
}

static inline void fp2_inv(fp2_t *out, const fp2_t *a)
{
    fp_t t;

    fp2_norm(&t, a);
    fp_inv(&t, &t);
    fp_mul(&out->c0, &a->c0, &t);
    fp_neg(&t, &t);
    fp_mul(&out->c1, &a->c1, &t);
}

#define FIELD fp2
#include "field/inv_batch.inc.h"
#undef FIELD

/* p = 3 mod 4: with *inverse = a^((p - 3)/4), *root = a * inverse has the square a, or -a if a has
 * no root; and root * inverse is 1 or -1 then, a != 0. True in the first case. */
static inline bool fp_sqrt_or_of_minus(fp_t *root, fp_t *inverse, const fp_t *a)
{
    static const fp_t exponent = {FP_SQRT_EXPONENT_PLAIN};
    const fp_t copy = *a;
    fp_t square;

    fp_pow(inverse, a, exponent.l, FP_LIMBS);
    fp_mul(root, &copy, inverse);
    fp_sqr(&square, root);
    return fp_eq(&square, &copy);
}

static inline bool fp_sqrt(fp_t *out, const fp_t *a)
{
    fp_t root, inverse;

    if (!fp_sqrt_or_of_minus(&root, &inverse, a))
        return false;
    *out = root;
    return true;
}

/* From x^2 - y^2 = a0, 2 x y = a1 and x^2 + y^2 = n, n^2 = norm(a): x^2 = (a0 + n)/2 or (a0 - n)/2.
 * The product of the two is -(a1/2)^2 and -1 is not a square, so exactly one is, when a1 != 0: t =
 * (a0 + n)/2, and x = sqrt(t), y = a1 / (2 x); or, as -t is a square then, y = sqrt(-t), x = a1 /
 * (2 y). */
static inline bool fp2_sqrt(fp2_t *out, const fp2_t *a)
{
    static const fp_t half = {FP_HALF};
    fp_t n, t, root, inverse;
    bool is_square;

    fp2_norm(&t, a);
    if (!fp_sqrt(&n, &t))
        return false;
    if (fp_is_zero(&a->c1)) {
        t = a->c0;
    } else {
        fp_add(&t, &a->c0, &n);
        fp_mul(&t, &t, &half);
    }
    is_square = fp_sqrt_or_of_minus(&root, &inverse, &t);
    fp_mul(&t, &a->c1, &half);
    fp_mul(&t, &t, &inverse);
    if (is_square) {
        out->c0 = root;
        out->c1 = t;
    } else {
        fp_neg(&out->c0, &t); /* 1/root = -inverse */
        out->c1 = root;
    }
    return true;
}
