/* Square roots in eight lanes, and which of two is the larger: what compressed points ask for.
 *
 * Parameters: fp and fp2 in lanes (field_lanes.inc.h, fp2_lanes.inc.h) and FP_SQRT_EXPONENT_PLAIN,
 * FP_HALF of params/<curve>.h. The formulas, and why they hold, are in field/fp2.inc.h; what is a
 * branch there is a choice of lanes here.
 *
 * A root is a power with a fixed exponent (about 456 products in Fp381, one behind the other), of
 * eight lanes together.
 *
 * Names defined:
 *   fp_lanes_pow                                    exponent: n plain words
 *   fp_lanes_sqrt fp2_lanes_sqrt                    the lanes that have a root; others hold anything
 *   fp_lanes_is_larger_root fp2_lanes_is_larger_root    the lanes above their negative */
#define FIELD fp_lanes
#include "field/pow.inc.h"
#undef FIELD

/* As fp_sqrt_or_of_minus; a < 3p. */
static inline __mmask8 fp_lanes_sqrt_or_of_minus(fp_lanes_t *root, fp_lanes_t *inverse,
                                                 const fp_lanes_t *a)
{
    static const fp_t exponent = {FP_SQRT_EXPONENT_PLAIN};
    const fp_lanes_t copy = *a;
    fp_lanes_t square;

    fp_lanes_pow(inverse, &copy, exponent.l, FP_LIMBS);
    fp_lanes_mul(root, &copy, inverse);
    fp_lanes_sqr(&square, root);
    return fp_lanes_equal(&square, &copy);
}

/* a < 3p */
static inline __mmask8 fp_lanes_sqrt(fp_lanes_t *out, const fp_lanes_t *a)
{
    fp_lanes_t inverse;

    return fp_lanes_sqrt_or_of_minus(out, &inverse, a);
}

/* a < 3p */
static inline __mmask8 fp2_lanes_sqrt(fp2_lanes_t *out, const fp2_lanes_t *a)
{
    static const fp_t half_native = {FP_HALF};
    const fp2_lanes_t copy = *a;
    const __mmask8 real = fp_lanes_zeros(&copy.c1, 2);
    fp_lanes_t half, n, t, root, inverse, minus;
    __mmask8 has_root, is_square;

    fp_lanes_all(&half, &half_native);
    fp_lanes_mul_sum(&t, &copy.c0, &copy.c0, &copy.c1, &copy.c1);
    has_root = fp_lanes_sqrt(&n, &t);
    fp_lanes_add(&t, &copy.c0, &n);
    fp_lanes_mul(&t, &t, &half);
    fp_lanes_select(&t, real, &t, &copy.c0);
    is_square = fp_lanes_sqrt_or_of_minus(&root, &inverse, &t);
    fp_lanes_mul(&t, &copy.c1, &half);
    fp_lanes_mul(&t, &t, &inverse);
    minus = t;
    fp_lanes_neg_where(&minus, 0xff);
    fp_lanes_fold(&minus, &minus);
    fp_lanes_select(&out->c0, is_square, &minus, &root);
    fp_lanes_select(&out->c1, is_square, &root, &t);
    return has_root;
}

/* ---- which root ------------------------------------------------------------------------------ */

/* Below p; a < 2p. */
static inline void fp_lanes_to_plain(fp_lanes_t *out, const fp_lanes_t *a)
{
    static const uint64_t one[FP_LANE_LIMBS] = {1};
    fp_lanes_t factor;

    fp_lanes_set(&factor, one);
    fp_lanes_mul(out, a, &factor);
    fp_lanes_reduce_once(out, out);
}

/* The lanes where p - 2 a is negative; a plain. */
static inline __mmask8 fp_lanes_above_half(const fp_lanes_t *a)
{
    __m512i carry = _mm512_setzero_si512();

    for (int j = 0; j < FP_LANE_LIMBS; j++) {
        const __m512i twice = _mm512_add_epi64(a->l[j], a->l[j]);

        carry = _mm512_add_epi64(carry, lanes_set(fp_lane_modulus[j]));
        carry = _mm512_srai_epi64(_mm512_sub_epi64(carry, twice), LANE_BITS);
    }
    return _mm512_movepi64_mask(carry);
}

/* a < 2p */
static inline __mmask8 fp_lanes_is_larger_root(const fp_lanes_t *a)
{
    fp_lanes_t plain;

    fp_lanes_to_plain(&plain, a);
    return fp_lanes_above_half(&plain);
}

static inline __mmask8 fp2_lanes_is_larger_root(const fp2_lanes_t *a)
{
    const __mmask8 real = fp_lanes_zeros(&a->c1, 1);

    return (fp_lanes_is_larger_root(&a->c0) & real) |
           (fp_lanes_is_larger_root(&a->c1) & (__mmask8)~real);
}
