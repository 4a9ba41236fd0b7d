/* The quadratic extension Fp2 = Fp[i] / (i^2 + 1) in eight lanes.
 *
 * Parameters: fp (field/field.inc.h, fp2.inc.h, field_lanes.inc.h). Names as there, for fp2. A
 * bound k holds for both components. */

typedef struct {
    fp_lanes_t c0, c1;
} fp2_lanes_t;

/* (a0 b0 - a1 b1) + (a0 b1 + a1 b0) i: four products and two reductions are as many instructions as
 * Karatsuba's three products and two reductions with their sums in double length. a < 6p and b <
 * 4p, so that the sums are below 48 p^2; base fields of ours have S > 84 p. */
static inline void fp2_lanes_mul(fp2_lanes_t *out, const fp2_lanes_t *a, const fp2_lanes_t *b)
{
    const fp2_lanes_t x = *a, y = *b;
    fp_lanes_t zero, minus;

    for (int j = 0; j < FP_LANE_LIMBS; j++)
        zero.l[j] = _mm512_setzero_si512();
    fp_lanes_sub(&minus, &zero, &y.c1, 4);
    fp_lanes_mul_sum(&out->c0, &x.c0, &y.c0, &x.c1, &minus);
    fp_lanes_mul_sum(&out->c1, &x.c0, &y.c1, &x.c1, &y.c0);
}

/* (a0 + a1)(a0 - a1) + 2 a0 a1 i; a < 2p */
static inline void fp2_lanes_sqr(fp2_lanes_t *out, const fp2_lanes_t *a)
{
    fp_lanes_t sum, difference, twice, a1 = a->c1;

    fp_lanes_add(&sum, &a->c0, &a->c1);
    fp_lanes_sub(&difference, &a->c0, &a->c1, 2);
    fp_lanes_add(&twice, &a->c0, &a->c0);
    fp_lanes_mul(&out->c0, &sum, &difference);
    fp_lanes_mul(&out->c1, &twice, &a1);
}

LANE_INLINE void fp2_lanes_set_one(fp2_lanes_t *out)
{
    fp_lanes_set_one(&out->c0);
    for (int j = 0; j < FP_LANE_LIMBS; j++)
        out->c1.l[j] = _mm512_setzero_si512();
}

LANE_INLINE void fp2_lanes_add(fp2_lanes_t *out, const fp2_lanes_t *a, const fp2_lanes_t *b)
{
    fp_lanes_add(&out->c0, &a->c0, &b->c0);
    fp_lanes_add(&out->c1, &a->c1, &b->c1);
}

LANE_INLINE void fp2_lanes_sub(fp2_lanes_t *out, const fp2_lanes_t *a, const fp2_lanes_t *b,
                               unsigned k)
{
    fp_lanes_sub(&out->c0, &a->c0, &b->c0, k);
    fp_lanes_sub(&out->c1, &a->c1, &b->c1, k);
}

LANE_INLINE void fp2_lanes_raw_sub(fp2_lanes_t *out, const fp2_lanes_t *a, const fp2_lanes_t *b)
{
    fp_lanes_raw_sub(&out->c0, &a->c0, &b->c0);
    fp_lanes_raw_sub(&out->c1, &a->c1, &b->c1);
}

LANE_INLINE void fp2_lanes_neg_where(fp2_lanes_t *a, __mmask8 where)
{
    fp_lanes_neg_where(&a->c0, where);
    fp_lanes_neg_where(&a->c1, where);
}

LANE_INLINE void fp2_lanes_fold(fp2_lanes_t *out, const fp2_lanes_t *a)
{
    fp_lanes_fold(&out->c0, &a->c0);
    fp_lanes_fold(&out->c1, &a->c1);
}

LANE_INLINE void fp2_lanes_multiple(fp2_lanes_t *out, const fp2_lanes_t *a, unsigned k,
                                    unsigned less)
{
    fp_lanes_multiple(&out->c0, &a->c0, k, less);
    fp_lanes_multiple(&out->c1, &a->c1, k, less);
}

LANE_INLINE void fp2_lanes_select(fp2_lanes_t *out, __mmask8 where, const fp2_lanes_t *a,
                                  const fp2_lanes_t *b)
{
    fp_lanes_select(&out->c0, where, &a->c0, &b->c0);
    fp_lanes_select(&out->c1, where, &a->c1, &b->c1);
}

static inline __mmask8 fp2_lanes_zeros(const fp2_lanes_t *a, unsigned k)
{
    return fp_lanes_zeros(&a->c0, k) & fp_lanes_zeros(&a->c1, k);
}

static inline __mmask8 fp2_lanes_equal(const fp2_lanes_t *a, const fp2_lanes_t *b)
{
    return fp_lanes_equal(&a->c0, &b->c0) & fp_lanes_equal(&a->c1, &b->c1);
}

LANE_INLINE void fp2_lanes_exchange(fp2_lanes_t *out, const fp2_lanes_t *a, unsigned distance)
{
    fp_lanes_exchange(&out->c0, &a->c0, distance);
    fp_lanes_exchange(&out->c1, &a->c1, distance);
}

static inline void fp2_lanes_first(fp2_t *out, const fp2_lanes_t *a)
{
    fp_lanes_first(&out->c0, &a->c0);
    fp_lanes_first(&out->c1, &a->c1);
}

static inline void fp2_lanes_all(fp2_lanes_t *out, const fp2_t *in)
{
    fp_lanes_all(&out->c0, &in->c0);
    fp_lanes_all(&out->c1, &in->c1);
}

static inline __mmask8 fp2_lanes_inv_each(fp2_lanes_t *out, const fp2_lanes_t *a)
{
    fp_t part[2][LANES];
    fp2_t x[LANES], scratch[LANES];
    unsigned zeros = 0;

    fp_lanes_to_native(part[0], &a->c0);
    fp_lanes_to_native(part[1], &a->c1);
    for (int lane = 0; lane < LANES; lane++) {
        x[lane] = (fp2_t){part[0][lane], part[1][lane]};
        zeros |= (unsigned)fp2_is_zero(&x[lane]) << lane;
    }
    fp2_inv_batch(x, LANES, scratch);
    for (int lane = 0; lane < LANES; lane++) {
        part[0][lane] = x[lane].c0;
        part[1][lane] = x[lane].c1;
    }
    fp_lanes_of_native(&out->c0, part[0]);
    fp_lanes_of_native(&out->c1, part[1]);
    return (__mmask8)zeros;
}

#define FIELD fp2
#include "backend/ifma/lanes_inv.inc.h"
#undef FIELD
