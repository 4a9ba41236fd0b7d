/* A prime field in Montgomery form: the template.
 *
 * Parameters, defined before the include and undefined by it:
 *   FIELD        the prefix of everything defined here: fp or fr
 *   PARAM        the prefix of its constants in params/<curve>.h: FP or FR
 *
 * Names defined, for FIELD = fp:
 *   fp_t                                  FP_LIMBS words, Montgomery form, always reduced: [0, p)
 *   fp_zero fp_one                        constants
 *   fp_is_zero fp_is_one fp_eq            questions
 *   fp_add fp_sub fp_neg fp_dbl           out may be any operand
 *   fp_mul fp_sqr                         out may be any operand
 *   fp_mul_sum                            a b + c d; for moduli that leave two bits free
 *   fp_from_plain fp_to_plain             Montgomery <-> plain, same words
 *   fp_from_u64
 *   fp_plain_is_reduced                   is a plain number below p?
 *   fp_inv                                0 -> 0
 *   fp_inv_batch                          n inverses for one; zeros stay zero
 *   fp_pow                                exponent: n plain words, variable time
 *   fp_select_ct                          constant time
 *
 * Variable time unless the name ends in _ct. */
#include "field/limbs.h"
#include "field/mont.h"
#include "field/template.h"
#include "field/words_x86_64.h"

#define F(name) TEMPLATE_JOIN(FIELD, name)
#define P(name) TEMPLATE_JOIN(PARAM, name)
#define F_LIMBS P(LIMBS)
#define F_T F(t)
#define F_WORDS (WORDS_IN_REGISTERS && (P(LIMBS) == 4 || P(LIMBS) == 6))
#define F_SUMS (64 * P(LIMBS) - P(BITS) >= 2)
#define F_ADX (MONT_HAS_ADX && (P(LIMBS) == 4 || P(LIMBS) == 6))

typedef struct {
    uint64_t l[F_LIMBS];
} F_T;

static const F_T F(modulus_words) = {P(MODULUS)};
static const F_T F(zero) = {{0}};
static const F_T F(one) = {P(ONE)};

/* ---- questions ------------------------------------------------------------------------------- */

static inline bool F(is_zero)(const F_T *a)
{
    return limbs_are_zero(a->l, F_LIMBS);
}

static inline bool F(eq)(const F_T *a, const F_T *b)
{
    uint64_t any = 0;

    for (int i = 0; i < F_LIMBS; i++)
        any |= a->l[i] ^ b->l[i];
    return any == 0;
}

static inline bool F(is_one)(const F_T *a)
{
    return F(eq)(a, &F(one));
}

static inline bool F(plain_is_reduced)(const F_T *a)
{
    return limbs_less(a->l, F(modulus_words).l, F_LIMBS);
}

/* ---- addition -------------------------------------------------------------------------------- */

/* out = condition ? a : b, without a branch; condition is 0 or 1. */
static inline void F(select_ct)(F_T *out, const F_T *a, const F_T *b, uint64_t condition)
{
    uint64_t mask = 0 - condition;

    for (int i = 0; i < F_LIMBS; i++)
        out->l[i] = b->l[i] ^ (mask & (a->l[i] ^ b->l[i]));
}

/* out = t - p if that is not negative, else t; t has one more word, `top`, and is below 2p. */
static inline void F(reduce_once)(F_T *out, const F_T *t, uint64_t top)
{
    F_T less;
    uint64_t borrow = 0;

    for (int i = 0; i < F_LIMBS; i++)
        less.l[i] = limb_sub(t->l[i], F(modulus_words).l[i], &borrow);
    F(select_ct)(out, t, &less, borrow & ~top & 1);
}

#if F_WORDS
#define WORDS_(operation, limbs) words_##operation##_##limbs
#define WORDS(operation, limbs) WORDS_(operation, limbs)

static inline __attribute__((always_inline)) void F(add)(F_T *out, const F_T *a, const F_T *b)
{
    F_T sum = *a;

    WORDS(add, F_LIMBS)(sum.l, b->l);
    WORDS(reduce, F_LIMBS)(sum.l, F(modulus_words).l);
    *out = sum;
}

static inline __attribute__((always_inline)) void F(sub)(F_T *out, const F_T *a, const F_T *b)
{
    F_T d = *a, p;
    const uint64_t mask = WORDS(sub, F_LIMBS)(d.l, b->l);

    for (int i = 0; i < F_LIMBS; i++)
        p.l[i] = F(modulus_words).l[i] & mask;
    WORDS(add, F_LIMBS)(d.l, p.l);
    *out = d;
}

#undef WORDS
#undef WORDS_
#else
static inline __attribute__((always_inline)) void F(add)(F_T *out, const F_T *a, const F_T *b)
{
    F_T sum;
    uint64_t carry = 0;

    for (int i = 0; i < F_LIMBS; i++)
        sum.l[i] = limb_add(a->l[i], b->l[i], &carry);
    F(reduce_once)(out, &sum, carry);
}

static inline __attribute__((always_inline)) void F(sub)(F_T *out, const F_T *a, const F_T *b)
{
    F_T d;
    uint64_t borrow = 0, carry = 0, mask;

    for (int i = 0; i < F_LIMBS; i++)
        d.l[i] = limb_sub(a->l[i], b->l[i], &borrow);
    mask = 0 - borrow;
    for (int i = 0; i < F_LIMBS; i++)
        out->l[i] = limb_add(d.l[i], F(modulus_words).l[i] & mask, &carry);
}
#endif

static inline void F(dbl)(F_T *out, const F_T *a)
{
    F(add)(out, a, a);
}

static inline void F(neg)(F_T *out, const F_T *a)
{
    F(sub)(out, &F(zero), a);
}

/* ---- multiplication -------------------------------------------------------------------------- */

/* Montgomery product a b / R, row by row (CIOS; Koc, Acar, Kaliski 1996). The modulus leaves its
 * top bit free, so the running sum never needs a second extra word. */
#if F_ADX
__attribute__((noinline)) /* half a kilobyte, beside the call that is normally taken */
#endif
static void
F(mul_portable)(F_T *out, const F_T *a, const F_T *b)
{
    uint64_t t[F_LIMBS + 1] = {0};

    for (int i = 0; i < F_LIMBS; i++) {
        uint64_t carry = 0, reduce = 0, q;

        for (int j = 0; j < F_LIMBS; j++)
            t[j] = limb_mul_add(t[j], a->l[j], b->l[i], &carry);
        t[F_LIMBS] = carry;
        q = t[0] * P(N0);
        limb_mul_add(t[0], q, F(modulus_words).l[0], &reduce);
        for (int j = 1; j < F_LIMBS; j++)
            t[j - 1] = limb_mul_add(t[j], q, F(modulus_words).l[j], &reduce);
        t[F_LIMBS - 1] = t[F_LIMBS] + reduce;
    }
    {
        F_T r;

        for (int i = 0; i < F_LIMBS; i++)
            r.l[i] = t[i];
        F(reduce_once)(out, &r, 0);
    }
}

#if F_SUMS
/* (a b + c d) / R with one reduction. Before it a row holds less than 2p 2^64 + 3p, after it less
 * than 3p, for which the modulus leaves two bits free; the last is below p (1 + 2p/R) < 2p. */
static inline void F(mul_sum_portable)(F_T *out, const F_T *a, const F_T *b, const F_T *c,
                                       const F_T *d)
{
    uint64_t t[F_LIMBS + 1] = {0};
    F_T r;

    for (int i = 0; i < F_LIMBS; i++) {
        uint64_t carry = 0, reduce = 0, q;

        for (int j = 0; j < F_LIMBS; j++)
            t[j] = limb_mul_add(t[j], a->l[j], b->l[i], &carry);
        t[F_LIMBS] = carry;
        carry = 0;
        for (int j = 0; j < F_LIMBS; j++)
            t[j] = limb_mul_add(t[j], c->l[j], d->l[i], &carry);
        t[F_LIMBS] += carry;
        q = t[0] * P(N0);
        limb_mul_add(t[0], q, F(modulus_words).l[0], &reduce);
        for (int j = 1; j < F_LIMBS; j++)
            t[j - 1] = limb_mul_add(t[j], q, F(modulus_words).l[j], &reduce);
        t[F_LIMBS - 1] = t[F_LIMBS] + reduce;
    }
    for (int i = 0; i < F_LIMBS; i++)
        r.l[i] = t[i];
    F(reduce_once)(out, &r, 0);
}
#endif

#if F_ADX
/* p and -1/p, as the assembly wants them. */
static const struct {
    F_T p;
    uint64_t n0;
} F(mont) = {{P(MODULUS)}, P(N0)};

#define ADX_(operation, limbs) mont_##operation##_##limbs##_adx
#define ADX(operation, limbs) ADX_(operation, limbs)

static inline void F(mul)(F_T *out, const F_T *a, const F_T *b)
{
    if (mont_use_adx)
        ADX(mul, F_LIMBS)(out->l, a->l, b->l, F(mont).p.l);
    else
        F(mul_portable)(out, a, b);
}

static inline void F(sqr)(F_T *out, const F_T *a)
{
    if (mont_use_adx)
        ADX(sqr, F_LIMBS)(out->l, a->l, F(mont).p.l);
    else
        F(mul_portable)(out, a, a);
}

#if F_SUMS
static inline void F(mul_sum)(F_T *out, const F_T *a, const F_T *b, const F_T *c, const F_T *d)
{
    if (mont_use_adx)
        ADX(mul_sum, F_LIMBS)(out->l, a->l, b->l, c->l, d->l, F(mont).p.l);
    else
        F(mul_sum_portable)(out, a, b, c, d);
}
#endif

#undef ADX
#undef ADX_
#else
#if F_SUMS
static inline void F(mul_sum)(F_T *out, const F_T *a, const F_T *b, const F_T *c, const F_T *d)
{
    F(mul_sum_portable)(out, a, b, c, d);
}
#endif

static inline void F(mul)(F_T *out, const F_T *a, const F_T *b)
{
    F(mul_portable)(out, a, b);
}

static inline void F(sqr)(F_T *out, const F_T *a)
{
    F(mul)(out, a, a);
}
#endif

/* ---- forms ----------------------------------------------------------------------------------- */

/* in: any plain number below 2^(64 limbs); it need not be below p. That asks for it to be the
 * second factor: rows of R^2 leave sums below R^2 + p < 2p, rows of `in` would not fit. */
static inline void F(from_plain)(F_T *out, const F_T *in)
{
    static const F_T r2 = {P(R2)};

    F(mul)(out, &r2, in);
}

static inline void F(to_plain)(F_T *out, const F_T *in)
{
    static const F_T plain_one = {{1}};

    F(mul)(out, in, &plain_one);
}

static inline void F(from_u64)(F_T *out, uint64_t x)
{
    F_T plain = {{x}};

    F(from_plain)(out, &plain);
}

static inline void F(set_one)(F_T *out)
{
    *out = F(one);
}

/* ---- powers and inverses --------------------------------------------------------------------- */

#include "field/inverse.inc.h"

#undef F
#undef P
#undef F_LIMBS
#undef F_T
#undef F_ADX
#undef F_WORDS
#undef F_SUMS

#include "field/pow.inc.h"
#include "field/inv_batch.inc.h"
#undef FIELD
#undef PARAM
