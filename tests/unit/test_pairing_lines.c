/* Pairings with prepared parts are the pairings without; portable and in lanes. */
#include "support/testing.h"

#include "backend/host.h"

static const struct curve *curves[] = {&curve_bls12_381, &curve_bn254,     &curve_toy_bn,
                                       &curve_toy_bls12, &curve_bls12_381, &curve_bn254,
                                       &curve_toy_bn,    &curve_toy_bls12};

enum { N_CURVES = sizeof curves / sizeof *curves };

/* The second half with the operations of the host. */
static int set_up(void **state)
{
    (void)state;
    for (size_t c = N_CURVES / 2; c < N_CURVES; c++)
        curves[c] = host_curve(curves[c]);
    return 0;
}

enum { N_PAIRS = 19 }; /* more than one loop takes */

struct pairs {
    struct g1_point p[N_PAIRS], minus_p[N_PAIRS];
    struct g2_point q[N_PAIRS];
    void *lines[N_PAIRS];
};

static void draw(struct pairs *pairs, const struct curve *curve, struct rng *rng)
{
    for (size_t i = 0; i < N_PAIRS; i++) {
        struct scalar k;
        uint8_t wide[64];

        rng_bytes(rng, wide, sizeof wide);
        curve->fr_sample_ct(&k, wide);
        curve->g1_mul(&pairs->p[i], &curve->g1_generator, &k); /* sometimes infinity on the toys */
        curve->g1_neg(&pairs->minus_p[i], &pairs->p[i]);
        do {
            rng_bytes(rng, wide, sizeof wide);
            curve->fr_sample_ct(&k, wide);
        } while ((k.w[0] | k.w[1] | k.w[2] | k.w[3]) == 0);
        curve->g2_mul(&pairs->q[i], &curve->g2_generator, &k);
        pairs->lines[i] = malloc(curve->pairing_lines_bytes());
        curve->pairing_lines(pairs->lines[i], &pairs->q[i]);
    }
}

static void release(struct pairs *pairs)
{
    for (size_t i = 0; i < N_PAIRS; i++)
        free(pairs->lines[i]);
}

/* prod e(p, q) over [0, a), e(p, lines) over [a, N), times a value with the inverses of them all.
 */
static bool cancels(const struct curve *curve, const struct pairs *pairs, size_t a, bool prepared)
{
    void *value = malloc(curve->pairing_value_bytes());
    struct pairing_product inverse = {.n = N_PAIRS, .p = pairs->minus_p, .q = pairs->q};
    struct pairing_product product = {.n = a,
                                      .p = pairs->p,
                                      .q = pairs->q,
                                      .n_fixed = N_PAIRS - a,
                                      .fixed_p = pairs->p + a,
                                      .lines = (const void *const *)pairs->lines + a,
                                      .value = value};
    bool one;

    if (prepared)
        inverse = (struct pairing_product){.n_fixed = N_PAIRS,
                                           .fixed_p = pairs->minus_p,
                                           .lines = (const void *const *)pairs->lines};
    curve->pairing_value(value, &inverse);
    one = curve->pairing_product_is_one(&product);
    free(value);
    return one;
}

static void test_prepared_pairings_are_the_plain_ones(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_CURVES; c++) {
        struct pairs pairs;

        draw(&pairs, curves[c], &rng);
        for (size_t a = 0; a <= N_PAIRS; a += a > 1 ? 9 : 1) {
            assert_true(cancels(curves[c], &pairs, a, false));
            assert_true(cancels(curves[c], &pairs, a, true));
        }
        release(&pairs);
    }
}

static void test_a_prepared_pairing_is_not_degenerate(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CURVES; c++) {
        const struct curve *curve = curves[c];
        void *lines = malloc(curve->pairing_lines_bytes());
        const void *const list[] = {lines};
        struct pairing_product product = {
            .n_fixed = 1, .fixed_p = &curve->g1_generator, .lines = list};

        curve->pairing_lines(lines, &curve->g2_generator);
        assert_false(curve->pairing_product_is_one(&product));
        free(lines);
    }
}

static void test_an_empty_product_is_one(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CURVES; c++)
        assert_true(curves[c]->pairing_product_is_one(&(struct pairing_product){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepared_pairings_are_the_plain_ones),
        cmocka_unit_test(test_a_prepared_pairing_is_not_degenerate),
        cmocka_unit_test(test_an_empty_product_is_one),
    };

    return cmocka_run_group_tests_name("pairing lines", tests, set_up, NULL);
}
