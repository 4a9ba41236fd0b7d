/* Square roots in lanes (backend/ifma/root_lanes.inc.h) and what they are told by, beside the scalar
 * ones: the template of the tests, for the base field and Fp2. */

/* Numbers at `bound`, every second of them a square. */
static void fp_lanes_random_squares(fp_lanes_t *lanes, fp_t value[LANES], unsigned bound,
                                    struct rng *rng)
{
    fp_lanes_t square;

    fp_lanes_random(lanes, value, bound, rng);
    if (rng_below(rng, 2)) {
        fp_lanes_sqr(&square, lanes);
        for (int lane = 0; lane < LANES; lane++)
            fp_sqr(&value[lane], &value[lane]);
        *lanes = square;
    }
}

static void test_fp_lanes_have_roots(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 20);
    for (int i = 0; i < 60; i++) {
        fp_t x[LANES], root[LANES], found[LANES], plain;
        fp_lanes_t a, out;
        __mmask8 has, larger;

        fp_lanes_random_squares(&a, x, 3, &rng);
        has = fp_lanes_sqrt(&out, &a);
        larger = fp_lanes_is_larger_root(&out);
        assert_true(fp_lanes_are_below(&out, 2));
        fp_lanes_to_native(found, &out);
        for (int lane = 0; lane < LANES; lane++) {
            assert_int_equal(has >> lane & 1, fp_sqrt(&root[lane], &x[lane]));
            if ((has >> lane & 1) == 0)
                continue;
            assert_true(fp_eq(&found[lane], &root[lane]));
            fp_to_plain(&plain, &found[lane]);
            assert_int_equal(larger >> lane & 1, fp_is_larger_root(&plain));
        }
    }
}

/* Components of zero among them. */
static void test_fp2_lanes_have_roots(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 21);
    for (int i = 0; i < 60; i++) {
        fp_t part[2][LANES];
        fp2_lanes_t a, out;
        __mmask8 has, larger;

        fp_lanes_random(&a.c0, part[0], 2, &rng);
        fp_lanes_random(&a.c1, part[1], 2, &rng);
        if (i % 2) {
            fp2_lanes_sqr(&out, &a);
            a = out;
            fp_lanes_to_native(part[0], &a.c0);
            fp_lanes_to_native(part[1], &a.c1);
        }
        has = fp2_lanes_sqrt(&out, &a);
        larger = fp2_lanes_is_larger_root(&out);
        assert_true(fp_lanes_are_below(&out.c0, 2) && fp_lanes_are_below(&out.c1, 2));
        for (int lane = 0; lane < LANES; lane++) {
            const fp2_t x = {part[0][lane], part[1][lane]};
            fp_t found[2][LANES];
            fp2_t root, plain;

            fp_lanes_to_native(found[0], &out.c0);
            fp_lanes_to_native(found[1], &out.c1);
            assert_int_equal(has >> lane & 1, fp2_sqrt(&root, &x));
            if ((has >> lane & 1) == 0)
                continue;
            assert_true(fp_eq(&found[0][lane], &root.c0) && fp_eq(&found[1][lane], &root.c1));
            fp2_to_plain(&plain, &root);
            assert_int_equal(larger >> lane & 1, fp2_is_larger_root(&plain));
        }
    }
}

static void test_lanes_know_equal_numbers_and_multiples(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 22);
    for (int i = 0; i < 500; i++) {
        fp_t x[LANES], y[LANES], z[LANES];
        unsigned equal = 0;
        fp_lanes_t a, b, out;

        fp_lanes_random(&a, x, 3, &rng);
        fp_lanes_random(&b, y, 4, &rng);
        for (int lane = 0; lane < LANES; lane++)
            equal |= (unsigned)fp_eq(&x[lane], &y[lane]) << lane;
        assert_int_equal(fp_lanes_equal(&a, &b), equal);
        fp_lanes_random(&a, x, 1, &rng);
        fp_lanes_multiple(&out, &a, 3, 1);
        for (int lane = 0; lane < LANES; lane++)
            fp_mul_small(&z[lane], &x[lane], 3);
        fp_expect_lanes(&out, z, "3 a");
        fp_lanes_multiple(&out, &a, 4, 2);
        for (int lane = 0; lane < LANES; lane++)
            fp_mul_small(&z[lane], &x[lane], 4);
        fp_expect_lanes(&out, z, "4 a");
    }
}
