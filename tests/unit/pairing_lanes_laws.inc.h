/* What products of pairings in lanes (backend/ifma/pairing_lanes.inc.h) must do: give the bytes of
 * the portable ones, before the final exponentiation already. The test includes the curve's unit of
 * src/backend/ifma before this file, with CUZK_LANE_CHECKS, so that every bound is looked at. */
#include "support/testing.h"

#include "base/cpu.h"

enum { MAX_PAIRS = 8 * PAIRING_LANES_VECTORS + 9, MAX_KNOWN = 11 };

struct pairs {
    struct g1_point p[MAX_PAIRS], known_p[MAX_KNOWN];
    struct g2_point q[MAX_PAIRS];
    void *lines[MAX_KNOWN];
};

static struct scalar random_scalar(struct rng *rng)
{
    struct scalar k;
    uint8_t wide[64];

    rng_bytes(rng, wide, sizeof wide);
    LANE_CURVE.fr_sample_ct(&k, wide);
    return k;
}

static bool is_zero(const struct scalar *k)
{
    return (k->w[0] | k->w[1] | k->w[2] | k->w[3]) == 0;
}

static void random_p(struct g1_point *p, struct rng *rng)
{
    const struct scalar k = random_scalar(rng);

    LANE_CURVE.g1_mul(p, &LANE_CURVE.g1_generator, &k);
}

/* Not infinity. */
static void random_q(struct g2_point *q, struct rng *rng)
{
    struct scalar k;

    do
        k = random_scalar(rng);
    while (is_zero(&k));
    LANE_CURVE.g2_mul(q, &LANE_CURVE.g2_generator, &k);
}

static void draw(struct pairs *pairs, struct rng *rng)
{
    for (size_t i = 0; i < MAX_PAIRS; i++) {
        random_p(&pairs->p[i], rng);
        random_q(&pairs->q[i], rng);
    }
    for (size_t i = 0; i < MAX_KNOWN; i++) {
        struct g2_point q;

        random_p(&pairs->known_p[i], rng);
        random_q(&q, rng);
        pairs->lines[i] = malloc(LANE_CURVE.pairing_lines_bytes());
        assert_non_null(pairs->lines[i]);
        LANE_CURVE.pairing_lines(pairs->lines[i], &q);
    }
}

static void release(struct pairs *pairs)
{
    for (size_t i = 0; i < MAX_KNOWN; i++)
        free(pairs->lines[i]);
}

/* Makes some points infinity. */
static void spoil(struct pairs *pairs, struct rng *rng)
{
    for (size_t i = 0; i < MAX_PAIRS; i++) {
        if (rng_below(rng, 4) == 0)
            memset(&pairs->p[i], 0, sizeof pairs->p[i]);
        if (rng_below(rng, 4) == 0)
            memset(&pairs->q[i], 0, sizeof pairs->q[i]);
    }
    for (size_t i = 0; i < MAX_KNOWN; i++)
        if (rng_below(rng, 3) == 0)
            memset(&pairs->known_p[i], 0, sizeof pairs->known_p[i]);
}

static void expect_portable_bytes(const struct pairing_product *product)
{
    fp12_t expected, found;

    LANE_CURVE.pairing_value(&expected, product);
    memset(&found, 0x5a, sizeof found);
    pairing_lanes_product(&found, product);
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("%zu pairs and %zu with known lines: other bytes", product->n, product->n_fixed);
}

static void expect_all_counts(const struct pairs *pairs, const void *value)
{
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 17, MAX_PAIRS - 9, MAX_PAIRS - 8, MAX_PAIRS};
    static const size_t known[] = {0, 1, 3, 8, MAX_KNOWN};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            expect_portable_bytes(
                &(struct pairing_product){.p = pairs->p,
                                          .q = pairs->q,
                                          .n = counts[i],
                                          .fixed_p = pairs->known_p,
                                          .lines = (const void *const *)pairs->lines,
                                          .n_fixed = known[k],
                                          .value = value});
}

static void test_products_are_the_portable_bytes_for_every_count(void **state)
{
    struct pairs pairs;
    struct rng rng;
    fp12_t value;

    (void)state;
    rng_seed(&rng, test_seed());
    draw(&pairs, &rng);
    expect_all_counts(&pairs, NULL);
    LANE_CURVE.pairing_value(&value, &(struct pairing_product){.p = pairs.p, .q = pairs.q, .n = 3});
    expect_all_counts(&pairs, &value);
    release(&pairs);
}

static void test_infinity_on_either_side_counts_as_one(void **state)
{
    struct pairs pairs;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    draw(&pairs, &rng);
    spoil(&pairs, &rng);
    expect_all_counts(&pairs, NULL);
    memset(pairs.p, 0, sizeof pairs.p);
    expect_all_counts(&pairs, NULL);
    memset(pairs.known_p, 0, sizeof pairs.known_p);
    expect_all_counts(&pairs, NULL);
    release(&pairs);
}

/* Equal and opposite pairs side by side, the generators and the points with the smallest multiples,
 * among which the toys' loops meet T = +-Q. */
static void test_pairs_of_small_multiples_are_the_portable_bytes(void **state)
{
    const unsigned n = MAX_PAIRS;
    struct g1_point p[MAX_PAIRS] = {LANE_CURVE.g1_generator};
    struct g2_point q[MAX_PAIRS] = {LANE_CURVE.g2_generator};

    (void)state;
    for (unsigned i = 1; i < n; i++) {
        LANE_CURVE.g1_add(&p[i], &p[i - 1], &LANE_CURVE.g1_generator);
        LANE_CURVE.g2_add(&q[i], &q[i - 1], &LANE_CURVE.g2_generator);
        if (i % 3 == 0)
            LANE_CURVE.g2_neg(&q[i], &q[i - 1]);
        if (i % 5 == 0)
            p[i] = p[i - 1];
    }
    for (unsigned first = 0; first < n; first += 7)
        for (unsigned shift = 0; first + shift < n; shift += 5)
            expect_portable_bytes(
                &(struct pairing_product){.p = p + first, .q = q + shift, .n = n - first - shift});
}

/* Through the face: sum of a_i b_i = 0 makes the product one, and nothing else does. */
static void test_products_are_one_exactly_when_the_logarithms_cancel(void **state)
{
    struct curve curve = LANE_CURVE;
    struct g1_point p[20];
    struct g2_point q[20];
    const struct scalar one = {{1}}, zero = {{0}};
    struct rng rng;

    (void)state;
    TEMPLATE_JOIN(ifma_pairing, CURVE)(&curve);
    rng_seed(&rng, test_seed() + 2);
    assert_true(curve.pairing_is_one(NULL, NULL, 0));
    for (size_t n = 1; n <= 20; n++) {
        struct scalar sum = zero;

        for (size_t i = 0; i + 1 < n; i++) {
            const struct scalar a = random_scalar(&rng), b = random_scalar(&rng);
            struct scalar ab;

            LANE_CURVE.g1_mul(&p[i], &LANE_CURVE.g1_generator, &a);
            LANE_CURVE.g2_mul(&q[i], &LANE_CURVE.g2_generator, &b);
            LANE_CURVE.fr_mul(&ab, &a, &b);
            LANE_CURVE.fr_sub(&sum, &sum, &ab);
        }
        LANE_CURVE.g1_mul(&p[n - 1], &LANE_CURVE.g1_generator, &sum);
        q[n - 1] = LANE_CURVE.g2_generator;
        assert_true(curve.pairing_is_one(p, q, n));
        LANE_CURVE.fr_add(&sum, &sum, &one);
        LANE_CURVE.g1_mul(&p[n - 1], &LANE_CURVE.g1_generator, &sum);
        assert_false(curve.pairing_is_one(p, q, n));
    }
}

/* ---- lazy numbers ---------------------------------------------------------------------------- */

/* lanes += a - b, times `terms`: raw, and the same in scalars. */
static void grow(fp_lazy_t *lanes, fp_t value[LANES], unsigned terms, struct rng *rng)
{
    fp_lazy_clear(lanes);
    memset(value, 0, LANES * sizeof *value);
    for (unsigned i = 0; i < terms; i++) {
        const bool minus = rng_below(rng, 8) == 0;
        fp_t x[LANES];
        fp_lanes_t a;

        for (int lane = 0; lane < LANES; lane++) {
            do {
                rng_bytes(rng, &x[lane], sizeof x[lane]);
                x[lane].l[FP_LIMBS - 1] &= UINT64_MAX >> (64 * FP_LIMBS - FP_BITS);
            } while (!fp_plain_is_reduced(&x[lane]));
            if (rng_below(rng, 8) == 0)
                x[lane] = rng_below(rng, 2) ? fp_zero : fp_one;
        }
        fp_lanes_of_native(&a, x);
        for (int lane = 0; lane < LANES; lane++) {
            if (minus)
                fp_sub(&value[lane], &value[lane], &x[lane]);
            else
                fp_add(&value[lane], &value[lane], &x[lane]);
        }
        if (minus)
            fp_lazy_sub(lanes, lanes, &a);
        else
            fp_lazy_add(lanes, lanes, &a);
    }
}

static void expect_fp(const fp_lanes_t *lanes, const fp_t expected[LANES], const char *what)
{
    fp_t found[LANES];

    assert_true(fp_lanes_are_below(lanes, 2));
    fp_lanes_to_native(found, lanes);
    for (int lane = 0; lane < LANES; lane++)
        if (!fp_eq(&found[lane], &expected[lane]))
            fail_msg("%s: lane %d is wrong", what, lane);
}

static void expect_fp2(const fp2_lanes_t *lanes, const fp2_t expected[LANES], const char *what)
{
    fp_t c0[LANES], c1[LANES];

    for (int lane = 0; lane < LANES; lane++) {
        c0[lane] = expected[lane].c0;
        c1[lane] = expected[lane].c1;
    }
    expect_fp(&lanes->c0, c0, what);
    expect_fp(&lanes->c1, c1, what);
}

static void grow_fp2(fp2_lazy_t *lanes, fp2_t value[LANES], unsigned terms, struct rng *rng)
{
    fp_t c0[LANES], c1[LANES];

    grow(&lanes->c0, c0, terms, rng);
    grow(&lanes->c1, c1, terms, rng);
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = (fp2_t){c0[lane], c1[lane]};
}

/* Numbers as large as the header of lazy_lanes.inc.h says, of either sign. */
static void test_lazy_numbers_multiply_within_their_bound(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 3);
    for (int i = 0; i < 200; i++) {
        fp2_t x[LANES], y[LANES], expected[LANES];
        fp2_lazy_t a, b, out;
        fp_t z[LANES];
        fp_lanes_t c;

        grow_fp2(&a, x, 1 + (unsigned)rng_below(&rng, 300), &rng);
        grow_fp2(&b, y, 1 + (unsigned)rng_below(&rng, 300), &rng);
        grow(&c, z, 1, &rng);
        fp_lazy_settle(&c, &c);
        if (i % 4 == 0) { /* their negatives */
            memset(&out, 0, sizeof out);
            fp2_lazy_sub(&a, &out, &a);
            for (int lane = 0; lane < LANES; lane++)
                fp2_neg(&x[lane], &x[lane]);
        }
        for (int lane = 0; lane < LANES; lane++)
            fp2_mul(&expected[lane], &x[lane], &y[lane]);
        fp2_lazy_mul(&out, &a, &b);
        expect_fp2(&out, expected, "a b");
        out = b;
        fp2_lazy_mul(&out, &a, &out);
        expect_fp2(&out, expected, "into a factor");
        for (int lane = 0; lane < LANES; lane++)
            fp2_sqr(&expected[lane], &x[lane]);
        fp2_lazy_sqr(&out, &a);
        expect_fp2(&out, expected, "a a");
        out = a;
        fp2_lazy_sqr(&out, &out);
        expect_fp2(&out, expected, "into the factor");
        for (int lane = 0; lane < LANES; lane++)
            fp2_mul_fp(&expected[lane], &x[lane], &z[lane]);
        fp2_lazy_mul_fp(&out, &a, &c);
        expect_fp2(&out, expected, "by a number");
        for (int lane = 0; lane < LANES; lane++) {
            fp2_mul_xi(&expected[lane], &expected[lane]);
            fp2_mul(&expected[lane], &expected[lane], &y[lane]);
        }
        fp2_lazy_mul_xi(&out, &out);
        fp2_lazy_mul(&out, &out, &b);
        expect_fp2(&out, expected, "by xi");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lazy_numbers_multiply_within_their_bound),
        cmocka_unit_test(test_products_are_the_portable_bytes_for_every_count),
        cmocka_unit_test(test_infinity_on_either_side_counts_as_one),
        cmocka_unit_test(test_pairs_of_small_multiples_are_the_portable_bytes),
        cmocka_unit_test(test_products_are_one_exactly_when_the_logarithms_cancel),
    };

    if (!cpu_features()->avx512_ifma) {
        printf("SKIP: this processor has no AVX-512 IFMA\n");
        return 0;
    }
    return cmocka_run_group_tests_name("pairings in lanes", tests, NULL, NULL);
}
