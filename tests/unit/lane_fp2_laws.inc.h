/* What Fp2 in lanes (backend/ifma/fp2_lanes.inc.h) must do: lane_laws.inc.h for pairs of numbers,
 * at the bounds that it declares. Scalars are the oracle. */

enum { FP2_ROUNDS = 2000 };

static void fp2_lanes_random(fp2_lanes_t *lanes, fp2_t value[LANES], unsigned bound,
                             struct rng *rng)
{
    const bool is_zero = rng_below(rng, 16) == 0;
    fp_t c0[LANES], c1[LANES];

    fp_lanes_random(&lanes->c0, c0, bound, rng);
    fp_lanes_random(&lanes->c1, c1, bound, rng);
    if (is_zero)
        lanes->c1 = lanes->c0; /* lanes where both are zero are rare by chance */
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = (fp2_t){c0[lane], is_zero ? c0[lane] : c1[lane]};
}

static void fp2_expect_lanes(const fp2_lanes_t *lanes, const fp2_t expected[LANES],
                             const char *what)
{
    fp_t c0[LANES], c1[LANES];

    for (int lane = 0; lane < LANES; lane++) {
        c0[lane] = expected[lane].c0;
        c1[lane] = expected[lane].c1;
    }
    fp_expect_lanes(&lanes->c0, c0, what);
    fp_expect_lanes(&lanes->c1, c1, what);
}

static void test_fp2_lanes_multiply_at_every_bound(void **state)
{
    static const unsigned bounds[][2] = {{1, 1}, {2, 2}, {4, 4}, {6, 4}};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int i = 0; i < FP2_ROUNDS; i++) {
        const unsigned *bound = bounds[i % (int)(sizeof bounds / sizeof *bounds)];
        fp2_t x[LANES], y[LANES], product[LANES], square[LANES];
        fp2_lanes_t a, b, out;

        fp2_lanes_random(&a, x, bound[0], &rng);
        fp2_lanes_random(&b, y, bound[1], &rng);
        for (int lane = 0; lane < LANES; lane++) {
            fp2_mul(&product[lane], &x[lane], &y[lane]);
            fp2_sqr(&square[lane], &y[lane]);
        }
        fp2_lanes_mul(&out, &a, &b);
        fp2_expect_lanes(&out, product, "a b");
        out = a;
        fp2_lanes_mul(&out, &out, &b);
        fp2_expect_lanes(&out, product, "into the first");
        out = b;
        fp2_lanes_mul(&out, &a, &out);
        fp2_expect_lanes(&out, product, "into the second");
        out = b;
        fp2_lanes_mul(&out, &out, &out);
        fp2_expect_lanes(&out, square, "into both");
    }
}

static void test_fp2_lanes_square_and_invert(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    for (int i = 0; i < FP2_ROUNDS / 10; i++) {
        fp2_t x[LANES], square[LANES], inverse[LANES];
        unsigned zeros = 0;
        fp2_lanes_t a, out;

        fp2_lanes_random(&a, x, 2, &rng);
        for (int lane = 0; lane < LANES; lane++) {
            fp2_sqr(&square[lane], &x[lane]);
            fp2_inv(&inverse[lane], &x[lane]);
            zeros |= (unsigned)fp2_is_zero(&x[lane]) << lane;
        }
        fp2_lanes_sqr(&out, &a);
        fp2_expect_lanes(&out, square, "a a");
        out = a;
        fp2_lanes_sqr(&out, &out);
        fp2_expect_lanes(&out, square, "into the factor");
        assert_int_equal(fp2_lanes_zeros(&a, 2), zeros);
        assert_int_equal(fp2_lanes_inv(&a, &a), zeros);
        fp2_expect_lanes(&a, inverse, "1 / a");
    }
}
