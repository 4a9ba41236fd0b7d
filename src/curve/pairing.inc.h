/* The optimal ate pairing e: G1 x G2 -> the elements of order r of Fp12 (Vercauteren 2010).
 *
 * Parameters: g1, g2 (curve/group.inc.h), fp12 (field/tower.inc.h), and of params/<curve>.h
 * FAMILY_IS_BN, TWIST_IS_M, U_IS_NEGATIVE, U_DIGITS, U_DIGIT_MAX, MILLER_DIGITS.
 *
 *   BLS12   f_{u,Q}(P) ^ ((p^12 - 1) / r)
 *   BN      (f_{6u+2,Q}(P) l_{T,pi(Q)}(P) l_{T+pi(Q),-pi^2(Q)}(P)) ^ ((p^12 - 1) / r)
 *
 * A running point T of E' walks along the digits; every step multiplies f by the line through the
 * points that it joins, at P (curve/ate_steps.inc.h).
 *
 * Names defined:
 *   pairing_miller             product of f over n pairs and n_fixed with known lines; all share
 *                              their squarings
 *   pairing_lines              the lines of a Q, pairing_n_lines() of them
 *   pairing_final_exp          the power, times a factor prime to r that is the same for all
 *                              (tools/params_math.py, check_hard_part)
 *   pairing_is_one pairing_product_is_one pairing_value
 *                              what struct curve shows */
#include "field/template.h"

#define TOWER_NAME(field, name) TEMPLATE_JOIN(field, name)
#include "curve/ate_steps.inc.h"
#undef TOWER_NAME

/* ---- Miller's loop --------------------------------------------------------------------------- */

struct ate_pair {
    fp_t minus_x, y; /* of P */
    g2_affine_t q, minus_q;
    ate_point_t t;
};

static inline void ate_pair_init(struct ate_pair *pair, const g1_affine_t *p, const g2_affine_t *q)
{
    fp_neg(&pair->minus_x, &p->x);
    pair->y = p->y;
    pair->q = *q;
    g2_affine_neg(&pair->minus_q, q);
    pair->t = (ate_point_t){q->x, q->y, fp2_one};
}

static inline void ate_step_add(fp12_t *f, struct ate_pair *pair, const g2_affine_t *q)
{
    ate_line_t line;

    ate_add(&pair->t, &line, &q->x, &q->y);
    ate_mul_line(f, &line, &pair->minus_x, &pair->y);
}

/* A pair whose Q was seen before: the lines of its loop, in order, at another P. */
struct ate_fixed {
    fp_t minus_x, y; /* of P */
    const ate_line_t *next;
};

static inline void ate_step_fixed(fp12_t *f, struct ate_fixed *fixed, size_t n)
{
    for (size_t k = 0; k < n; k++)
        ate_mul_line(f, fixed[k].next++, &fixed[k].minus_x, &fixed[k].y);
}

/* *f = product over n pairs and n_fixed with known lines, none infinite, points in their subgroups.
 */
static inline void pairing_miller(fp12_t *f, struct ate_pair *pairs, size_t n,
                                  struct ate_fixed *fixed, size_t n_fixed)
{
    static const signed char digits[] = MILLER_DIGITS;

    *f = fp12_one;
    for (size_t i = 1; i < sizeof digits; i++) {
        if (i > 1)
            fp12_sqr(f, f);
        for (size_t k = 0; k < n; k++) {
            ate_line_t line;

            ate_double(&pairs[k].t, &line, &g2_b);
            ate_mul_line(f, &line, &pairs[k].minus_x, &pairs[k].y);
            if (digits[i] != 0)
                ate_step_add(f, &pairs[k], digits[i] > 0 ? &pairs[k].q : &pairs[k].minus_q);
        }
        ate_step_fixed(f, fixed, n_fixed);
        if (digits[i] != 0)
            ate_step_fixed(f, fixed, n_fixed);
    }
#if FAMILY_IS_BN
    for (size_t k = 0; k < n; k++) {
        g2_affine_t image;

        g2_psi(&image, &pairs[k].q);
        ate_step_add(f, &pairs[k], &image);
        g2_psi(&image, &image);
        g2_affine_neg(&image, &image);
        ate_step_add(f, &pairs[k], &image);
    }
    ate_step_fixed(f, fixed, n_fixed);
    ate_step_fixed(f, fixed, n_fixed);
#elif U_IS_NEGATIVE
    fp12_conj(f, f); /* f_{-u} = 1 / f_u up to what the exponent kills */
#endif
}

/* Number of lines of one loop. */
static inline size_t pairing_n_lines(void)
{
    static const signed char digits[] = MILLER_DIGITS;
    size_t n = FAMILY_IS_BN ? 2 : 0;

    for (size_t i = 1; i < sizeof digits; i++)
        n += digits[i] != 0 ? 2 : 1;
    return n;
}

/* The lines that pairing_miller meets for q, not infinity: pairing_n_lines() of them. */
static inline void pairing_lines(ate_line_t *line, const g2_affine_t *q)
{
    static const signed char digits[] = MILLER_DIGITS;
    ate_point_t t = {q->x, q->y, fp2_one};
    g2_affine_t minus_q;

    g2_affine_neg(&minus_q, q);
    for (size_t i = 1; i < sizeof digits; i++) {
        ate_double(&t, line++, &g2_b);
        if (digits[i] != 0)
            ate_add(&t, line++, &q->x, digits[i] > 0 ? &q->y : &minus_q.y);
    }
#if FAMILY_IS_BN
    g2_affine_t image;

    g2_psi(&image, q);
    ate_add(&t, line++, &image.x, &image.y);
    g2_psi(&image, &image);
    g2_affine_neg(&image, &image);
    ate_add(&t, line++, &image.x, &image.y);
#endif
}

/* ---- the final exponentiation ---------------------------------------------------------------- */

/* out = a^u, a cyclotomic; out is not a */
static inline void fp12_pow_u(fp12_t *out, const fp12_t *a)
{
    static const signed char digits[] = U_DIGITS;
    fp12_t odd[(U_DIGIT_MAX + 1) / 2], inverse;

    odd[0] = *a;
    if (U_DIGIT_MAX > 1) {
        fp12_sqr_cyclotomic(&inverse, a);
        for (size_t i = 1; i < sizeof odd / sizeof odd[0]; i++)
            fp12_mul(&odd[i], &odd[i - 1], &inverse);
    }
    *out = odd[digits[0] / 2];
    for (size_t i = 1; i < sizeof digits; i++) {
        fp12_sqr_cyclotomic(out, out);
        if (digits[i] > 0) {
            fp12_mul(out, out, &odd[digits[i] / 2]);
        } else if (digits[i] < 0) {
            fp12_conj(&inverse, &odd[-digits[i] / 2]);
            fp12_mul(out, out, &inverse);
        }
    }
    if (U_IS_NEGATIVE)
        fp12_conj(out, out);
}

#if FAMILY_IS_BN
/* a^(l0 + l1 p + l2 p^2 + l3 p^3), Fuentes-Castaneda, Knapp, Rodriguez-Henriquez 2011:
 * l2 = 6u + 6u^2 + 12u^3, l1 = l2 - 2u, l0 = l2 + 6u^2 + 1, l3 = l1 - 1. */
static inline void pairing_hard_part(fp12_t *out, const fp12_t *a)
{
    fp12_t a2u, a6u, a6uu, l1, l2, t;

    fp12_pow_u(&t, a);
    fp12_sqr_cyclotomic(&a2u, &t);
    fp12_sqr_cyclotomic(&t, &a2u);
    fp12_mul(&a6u, &t, &a2u);
    fp12_pow_u(&a6uu, &a6u);
    fp12_sqr_cyclotomic(&t, &a6uu);
    fp12_pow_u(&l2, &t);
    fp12_mul(&l2, &l2, &a6uu);
    fp12_mul(&l2, &l2, &a6u);
    fp12_conj(&t, &a2u);
    fp12_mul(&l1, &l2, &t);

    fp12_conj(&t, a); /* ((l3)^p l2)^p l1)^p l0 */
    fp12_mul(&t, &t, &l1);
    fp12_frobenius(&t, &t);
    fp12_mul(&t, &t, &l2);
    fp12_frobenius(&t, &t);
    fp12_mul(&t, &t, &l1);
    fp12_frobenius(&t, &t);
    fp12_mul(&l2, &l2, &a6uu);
    fp12_mul(&l2, &l2, a);
    fp12_mul(out, &t, &l2);
}
#else
/* a^((u - 1)^2 (u + p) (u^2 + p^2 - 1) + 3), Hayashida, Hayasaka, Teruya 2020. */
static inline void pairing_hard_part(fp12_t *out, const fp12_t *a)
{
    fp12_t s = *a, t, inverse;

    for (int i = 0; i < 2; i++) { /* s = s^(u - 1) */
        fp12_pow_u(&t, &s);
        fp12_conj(&inverse, &s);
        fp12_mul(&s, &t, &inverse);
    }
    fp12_pow_u(&t, &s);
    fp12_frobenius(&s, &s);
    fp12_mul(&s, &s, &t); /* ^(u + p) */
    fp12_pow_u(&inverse, &s);
    fp12_pow_u(&t, &inverse);
    fp12_conj(&inverse, &s);
    fp12_mul(&t, &t, &inverse);
    fp12_frobenius(&s, &s);
    fp12_frobenius(&s, &s);
    fp12_mul(&t, &t, &s); /* ^(u^2 + p^2 - 1) */
    fp12_sqr_cyclotomic(&s, a);
    fp12_mul(&s, &s, a);
    fp12_mul(out, &t, &s);
}
#endif

/* out = a^(k (p^12 - 1)/r), a fixed k prime to r; 0 -> 0 */
static inline void pairing_final_exp(fp12_t *out, const fp12_t *a)
{
    fp12_t s, t;

    fp12_inv(&s, a);
    fp12_conj(&t, a);
    fp12_mul(&s, &s, &t); /* ^(p^6 - 1) */
    fp12_frobenius(&t, &s);
    fp12_frobenius(&t, &t);
    fp12_mul(&s, &s, &t); /* ^(p^2 + 1) */
    pairing_hard_part(out, &s);
}

/* ---- what the world sees --------------------------------------------------------------------- */

/* Loops over more pairs than this do not share their squarings. */
#define PAIRING_CHUNK 16

static size_t pairing_face_lines_bytes(void)
{
    return pairing_n_lines() * sizeof(ate_line_t);
}

static void pairing_face_lines(void *lines, const struct g2_point *q)
{
    g2_affine_t b;

    g2_face_in(&b, q);
    pairing_lines(lines, &b);
}

/* The next fixed pairs that are not infinite, at most PAIRING_CHUNK; *at moves past them. */
static size_t pairing_take_fixed(struct ate_fixed *fixed, const struct pairing_product *product,
                                 size_t *at)
{
    size_t taken = 0;

    for (; *at < product->n_fixed && taken < PAIRING_CHUNK; ++*at) {
        g1_affine_t a;

        g1_face_in(&a, &product->fixed_p[*at]);
        if (g1_affine_is_infinity(&a))
            continue;
        fp_neg(&fixed[taken].minus_x, &a.x);
        fixed[taken].y = a.y;
        fixed[taken++].next = product->lines[*at];
    }
    return taken;
}

static size_t pairing_take(struct ate_pair *pairs, const struct pairing_product *product,
                           size_t *at)
{
    size_t taken = 0;

    for (; *at < product->n && taken < PAIRING_CHUNK; ++*at) {
        g1_affine_t a;
        g2_affine_t b;

        g1_face_in(&a, &product->p[*at]);
        g2_face_in(&b, &product->q[*at]);
        if (!g1_affine_is_infinity(&a) && !g2_affine_is_infinity(&b))
            ate_pair_init(&pairs[taken++], &a, &b);
    }
    return taken;
}

static void pairing_product_value(fp12_t *value, const struct pairing_product *product)
{
    struct ate_pair pairs[PAIRING_CHUNK];
    struct ate_fixed fixed[PAIRING_CHUNK];
    size_t at = 0, at_fixed = 0;

    *value = fp12_one;
    if (product->value)
        memcpy(value, product->value, sizeof *value);
    while (at < product->n || at_fixed < product->n_fixed) {
        size_t n = pairing_take(pairs, product, &at);
        size_t n_fixed = pairing_take_fixed(fixed, product, &at_fixed);
        fp12_t f;

        pairing_miller(&f, pairs, n, fixed, n_fixed);
        fp12_mul(value, value, &f);
    }
}

static size_t pairing_face_value_bytes(void)
{
    return sizeof(fp12_t);
}

static void pairing_face_value(void *value, const struct pairing_product *product)
{
    fp12_t f;

    pairing_product_value(&f, product);
    memcpy(value, &f, sizeof f);
}

static bool pairing_product_is_one(const struct pairing_product *product)
{
    fp12_t f;

    pairing_product_value(&f, product);
    pairing_final_exp(&f, &f);
    return fp12_is_one(&f);
}

static bool pairing_is_one(const struct g1_point *p, const struct g2_point *q, size_t n)
{
    return pairing_product_is_one(&(struct pairing_product){.p = p, .q = q, .n = n});
}
