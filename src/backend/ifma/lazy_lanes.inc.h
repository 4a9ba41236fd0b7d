/* Fp and Fp2 in eight lanes with sums that wait: numbers as the tower's templates want them
 * (field/tower_products.inc.h, curve/ate_steps.inc.h), under the names fp_lazy_add, fp2_lazy_mul ..
 *
 * Parameters: fp, fp2 in lanes (field_lanes.inc.h, fp2_lanes.inc.h, whose normal and raw are meant
 * here).
 *
 * A lazy number is raw: a sum of normal ones, limb by limb; no carry is run when it grows. Only
 * a product *settles* its factors: a multiple of p makes them positive, and they are normal. What
 * that costs depends on the room, how many p there are below S:
 *
 *     roomy (BLS12-381: 2^35)    the multiple LAZY_BOUND p is added, carries are run: the factor is
 *                                below 2 LAZY_BOUND p, which S holds, also squared and twice
 *     narrow (BN254: 84)         and a quotient brings it below 2p
 *
 * Bounds. Products are below 2p; what is added up from them before the next must stay within
 * (-LAZY_BOUND p, LAZY_BOUND p). The largest factors, in p:
 *
 *                    square in Fp12    times a line    a point doubled
 *     BLS12-381            30               64         220 (Y^2 + 9 b' Z^2, its parts added)
 *     BN254                92              148         40
 *
 * so limbs, which are as many normal ones at most and the multiple's, stay below 2^63. Nothing is
 * carried from step to step but linear combinations of products.
 *
 * Names defined: fp_lazy_t, fp_lazy_add fp_lazy_sub fp_lazy_mul_small; fp2_lazy_t {c0, c1},
 * fp2_lazy_add fp2_lazy_sub fp2_lazy_dbl fp2_lazy_mul fp2_lazy_sqr fp2_lazy_mul_fp; fp_lazy_settle.
 * out may be any operand. */
typedef fp_lanes_t fp_lazy_t;
typedef fp2_lanes_t fp2_lazy_t;

#define LAZY_ROOMY (FP_LANE_RECIPROCAL >> 24 != 0)
enum { LAZY_BOUND = FP_LANE_LIMBS == 1 ? 1 << 14 : 1 << 10 }; /* the toys' xi is 1 + 13 i */

/* ---- Fp -------------------------------------------------------------------------------------- */

LANE_INLINE void fp_lazy_add(fp_lazy_t *out, const fp_lazy_t *a, const fp_lazy_t *b)
{
    LANE_UNROLL
    for (int j = 0; j < FP_LANE_LIMBS; j++)
        out->l[j] = _mm512_add_epi64(a->l[j], b->l[j]);
}

LANE_INLINE void fp_lazy_sub(fp_lazy_t *out, const fp_lazy_t *a, const fp_lazy_t *b)
{
    fp_lanes_raw_sub(out, a, b);
}

#if LAZY_ROOMY
/* a - b as a factor of products. */
LANE_INLINE void fp_lazy_settle_sub(fp_lanes_t *out, const fp_lazy_t *a, const fp_lazy_t *b)
{
    fp_lanes_sub(out, a, b, LAZY_BOUND);
    LANE_ASSERT(fp_lanes_are_below(out, 2 * LAZY_BOUND - 1));
}
#else
/* How many of the top limb's low bits the quotient does without, so that 52 are left. */
#define LAZY_SHIFT 8
#define LAZY_TOP(limb) ((uint64_t)(((u128)1 << (LANE_BITS + LAZY_SHIFT)) / ((limb) + 1)))

/* a - b as a factor of products, below 2p. With W = 2^(52 (N - 1)), P the top limb of p and u = a -
 * b + (LAZY_BOUND + 1) p in (p, 2^11 p), u / W is above the top limb less 2^10, by less than 2^12,
 * for that is what the limbs below may carry. The former, which is not negative, times 1 / (P + 1)
 * is q <= u / p, and above u / p - 1 - (2^12 + 2^LAZY_SHIFT + 2^11) / P, as P > 2^40: what is
 * left is below 2p. */
LANE_INLINE void fp_lazy_settle_sub(fp_lanes_t *out, const fp_lazy_t *a, const fp_lazy_t *b)
{
    const int top = FP_LANE_LIMBS - 1;
    __m512i t[FP_LANE_LIMBS], q;

    LANE_UNROLL
    for (int j = 0; j < FP_LANE_LIMBS; j++)
        t[j] = _mm512_add_epi64(_mm512_sub_epi64(a->l[j], b->l[j]),
                                lanes_set((LAZY_BOUND + 1) * fp_lane_modulus[j]));
    q = _mm512_sub_epi64(t[top], lanes_set(1 << 10));
    q = _mm512_srli_epi64(q, LAZY_SHIFT);
    q = lanes_high(_mm512_setzero_si512(), q, lanes_set(LAZY_TOP(fp_lane_modulus[top])));
    LANE_UNROLL
    for (int j = 0; j < FP_LANE_LIMBS; j++) {
        const __m512i minus_p = lanes_set((j == 0) + LANE_MASK - fp_lane_modulus[j]); /* S - p */

        t[j] = lanes_low(t[j], q, minus_p);
        if (j < top)
            t[j + 1] = lanes_high(t[j + 1], q, minus_p);
    }
    fp_lanes_normalize(out, t);
    LANE_ASSERT(fp_lanes_are_below(out, 2));
}
#endif

LANE_INLINE void fp_lazy_clear(fp_lazy_t *a)
{
    LANE_UNROLL
    for (int j = 0; j < FP_LANE_LIMBS; j++)
        a->l[j] = _mm512_setzero_si512();
}

LANE_INLINE void fp_lazy_settle(fp_lanes_t *out, const fp_lazy_t *a)
{
    fp_lazy_t zero;

    fp_lazy_clear(&zero);
    fp_lazy_settle_sub(out, a, &zero);
}

/* k a */
LANE_INLINE void fp_lazy_mul_small(fp_lazy_t *out, const fp_lazy_t *a, unsigned k)
{
    fp_lazy_t x = *a;

    if (!LAZY_ROOMY && k > 1)
        fp_lazy_settle(&x, a);
    LANE_UNROLL
    for (int j = 0; j < FP_LANE_LIMBS; j++)
        out->l[j] = _mm512_mullo_epi64(x.l[j], lanes_set(k));
}

/* ---- Fp2 ------------------------------------------------------------------------------------- */

LANE_INLINE void fp2_lazy_add(fp2_lazy_t *out, const fp2_lazy_t *a, const fp2_lazy_t *b)
{
    fp_lazy_add(&out->c0, &a->c0, &b->c0);
    fp_lazy_add(&out->c1, &a->c1, &b->c1);
}

LANE_INLINE void fp2_lazy_sub(fp2_lazy_t *out, const fp2_lazy_t *a, const fp2_lazy_t *b)
{
    fp2_lanes_raw_sub(out, a, b);
}

LANE_INLINE void fp2_lazy_dbl(fp2_lazy_t *out, const fp2_lazy_t *a)
{
    fp2_lazy_add(out, a, a);
}

/* As fp2_lanes_mul. */
static __attribute__((noinline)) void fp2_lazy_mul(fp2_lazy_t *out, const fp2_lazy_t *a,
                                                   const fp2_lazy_t *b)
{
    fp2_lanes_t x, y;
    fp_lanes_t zero, minus;

    fp_lazy_clear(&zero);
    fp_lazy_settle(&x.c0, &a->c0);
    fp_lazy_settle(&x.c1, &a->c1);
    fp_lazy_settle(&y.c0, &b->c0);
    fp_lazy_settle(&y.c1, &b->c1);
#if LAZY_ROOMY
    fp_lazy_settle_sub(&minus, &zero, &b->c1);
#else
    fp_lanes_sub(&minus, &zero, &y.c1, 2);
#endif
    fp_lanes_mul_sum(&out->c0, &x.c0, &y.c0, &x.c1, &minus);
    fp_lanes_mul_sum(&out->c1, &x.c0, &y.c1, &x.c1, &y.c0);
}

/* As fp2_lanes_sqr; the sum and the difference are within the bound, too. */
static __attribute__((noinline)) void fp2_lazy_sqr(fp2_lazy_t *out, const fp2_lazy_t *a)
{
    fp_lanes_t sum, difference, twice, a1;

    fp_lazy_add(&sum, &a->c0, &a->c1);
    fp_lazy_settle(&sum, &sum);
    fp_lazy_settle_sub(&difference, &a->c0, &a->c1);
    fp_lazy_add(&twice, &a->c0, &a->c0);
    fp_lazy_settle(&twice, &twice);
    fp_lazy_settle(&a1, &a->c1);
    fp_lanes_mul(&out->c0, &sum, &difference);
    fp_lanes_mul(&out->c1, &twice, &a1);
}

/* b: normal, below 2p */
static inline void fp2_lazy_mul_fp(fp2_lazy_t *out, const fp2_lazy_t *a, const fp_lanes_t *b)
{
    fp2_lanes_t x;

    fp_lazy_settle(&x.c0, &a->c0);
    fp_lazy_settle(&x.c1, &a->c1);
    fp_lanes_mul(&out->c0, &x.c0, b);
    fp_lanes_mul(&out->c1, &x.c1, b);
}
