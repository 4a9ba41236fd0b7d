/* Random elements of a curve's unit, which the test includes before this file. */
#ifndef UNIT_CURVE_RANDOM_INC_H
#define UNIT_CURVE_RANDOM_INC_H
#include "support/testing.h"

static struct rng rng;

static inline int curve_random_set_up(void **state)
{
    (void)state;
    rng_seed(&rng, test_seed());
    return 0;
}

/* Any element; often one of the awkward ones. */
static inline fp_t fp_random(void)
{
    fp_t plain, out;

    switch (rng_below(&rng, 12)) {
    case 0: return fp_zero;
    case 1: return fp_one;
    case 2: fp_neg(&out, &fp_one); return out;
    default: break;
    }
    do {
        rng_bytes(&rng, &plain, sizeof plain);
        plain.l[FP_LIMBS - 1] &= UINT64_MAX >> (64 * FP_LIMBS - FP_BITS);
    } while (!fp_plain_is_reduced(&plain));
    fp_from_plain(&out, &plain);
    return out;
}

static inline fp2_t fp2_random(void)
{
    const fp_t c0 = fp_random(), c1 = fp_random();

    return (fp2_t){c0, c1};
}

static inline fp6_t fp6_random(void)
{
    const fp2_t c0 = fp2_random(), c1 = fp2_random(), c2 = fp2_random();

    return (fp6_t){c0, c1, c2};
}

static inline fp12_t fp12_random(void)
{
    const fp6_t c0 = fp6_random(), c1 = fp6_random();

    return (fp12_t){c0, c1};
}

/* A plain scalar; often one of the awkward ones. */
static inline fr_t fr_random_plain(void)
{
    fr_t plain = fr_modulus_words;

    switch (rng_below(&rng, 12)) {
    case 0: return (fr_t){{0}};
    case 1: return (fr_t){{1}};
    case 2: plain.l[0] -= 1; return plain;
    default: break;
    }
    do {
        rng_bytes(&rng, &plain, sizeof plain);
        plain.l[FR_LIMBS - 1] &= UINT64_MAX >> (64 * FR_LIMBS - FR_BITS);
    } while (!fr_plain_is_reduced(&plain));
    return plain;
}

static inline struct scalar scalar_of(const fr_t *plain)
{
    struct scalar out = {{0}};

    memcpy(&out, plain, sizeof *plain);
    return out;
}

#endif
