/* A toy curve, exhaustively. The test includes the curve's unit and unit/pairing_laws.inc.h first.
 */

enum {
    TOY_R = FAMILY_IS_BN ? 97 : 241,
    TOY_P = FAMILY_IS_BN ? 103 : 727,
    TOY_E = FAMILY_IS_BN ? 97 : 723,
    TOY_TWIST = FAMILY_IS_BN ? 10573 : 529477,
};

/* k times the generators, k in [0, r), by adding them up. */
static g1_affine_t g1_multiple[TOY_R];
static g2_affine_t g2_multiple[TOY_R];

/* All points of E, infinity first. */
static g1_affine_t e_points[TOY_E];

static int toy_set_up(void **state)
{
    size_t n = 1;

    curve_random_set_up(state);
    for (int k = 1; k < TOY_R; k++) {
        g1_multiple[k] = g1_textbook_sum(&g1_multiple[k - 1], &g1_affine_generator);
        g2_multiple[k] = g2_textbook_sum(&g2_multiple[k - 1], &g2_affine_generator);
    }
    for (uint64_t x = 0; x < TOY_P; x++)
        for (int larger = 0; larger < 2; larger++) {
            fp_t form;

            fp_from_u64(&form, x);
            if (n < TOY_E && g1_lift_x(&e_points[n], &form, larger))
                n++;
        }
    return n == TOY_E ? 0 : -1;
}

/* The next point of E' in some order, infinity first; false after the last. */
static bool next_twist_point(g2_affine_t *point, uint64_t *cursor)
{
    fp2_t x;

    if ((*cursor)++ == 0) {
        *point = g2_affine_infinity;
        return true;
    }
    for (; *cursor - 2 < 2 * TOY_P * TOY_P; (*cursor)++) {
        const uint64_t at = *cursor - 2;

        fp_from_u64(&x.c0, at / 2 % TOY_P);
        fp_from_u64(&x.c1, at / 2 / TOY_P);
        if (g2_lift_x(point, &x, at % 2 != 0))
            return true;
    }
    return false;
}

static void test_toy_square_roots_are_exactly_those_of_squares(void **state)
{
    static bool square[TOY_P], square2[TOY_P][TOY_P];
    fp2_t a, root, plain;
    fp_t x;

    (void)state;
    for (uint64_t c1 = 0; c1 < TOY_P; c1++)
        for (uint64_t c0 = 0; c0 < TOY_P; c0++) {
            fp_from_u64(&a.c0, c0);
            fp_from_u64(&a.c1, c1);
            fp2_sqr(&a, &a);
            fp2_to_plain(&plain, &a);
            square2[plain.c0.l[0]][plain.c1.l[0]] = true;
            square[c0 * c0 % TOY_P] = true;
        }
    for (uint64_t c0 = 0; c0 < TOY_P; c0++) {
        fp_from_u64(&a.c0, c0);
        assert_true(fp_sqrt(&x, &a.c0) == square[c0]);
        for (uint64_t c1 = 0; c1 < TOY_P; c1++) {
            fp_from_u64(&a.c1, c1);
            assert_true(fp2_sqrt(&root, &a) == square2[c0][c1]);
            if (square2[c0][c1]) {
                fp2_sqr(&root, &root);
                assert_true(fp2_eq(&root, &a));
            }
        }
    }
}

static void test_toy_g1_adds_every_pair_of_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOY_E; i++)
        for (size_t j = 0; j < TOY_E; j++)
            g1_expect_sums(&e_points[i], &e_points[j]);
}

static void test_toy_g2_adds_every_pair_of_the_subgroup(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOY_R; i++)
        for (size_t j = 0; j < TOY_R; j++) {
            const g2_affine_t sum = g2_textbook_sum(&g2_multiple[i], &g2_multiple[j]);

            assert_true(g2_affine_eq(&sum, &g2_multiple[(i + j) % TOY_R]));
            g2_expect_sums(&g2_multiple[i], &g2_multiple[j]);
        }
}

static void test_toy_multiples_by_every_scalar(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < TOY_R; i++)
        for (uint64_t k = 0; k < TOY_R; k++) {
            const fr_t scalar = {{k}};
            const g1_t p = g1_rescaled(&g1_multiple[i]);
            const g2_t q = g2_rescaled(&g2_multiple[i]);
            g1_t out1;
            g2_t out2;

            g1_mul(&out1, &p, &scalar);
            g1_expect_jacobian(&out1, &g1_multiple[i * k % TOY_R]);
            g1_mul_plain(&out1, &p, scalar.l, 1);
            g1_expect_jacobian(&out1, &g1_multiple[i * k % TOY_R]);
            g2_mul(&out2, &q, &scalar);
            g2_expect_jacobian(&out2, &g2_multiple[i * k % TOY_R]);
            g2_mul_plain(&out2, &q, scalar.l, 1);
            g2_expect_jacobian(&out2, &g2_multiple[i * k % TOY_R]);
        }
}

static void test_toy_g1_points_encode_and_are_sorted_into_the_subgroup(void **state)
{
    size_t members = 0;

    (void)state;
    for (size_t i = 0; i < TOY_E; i++) {
        const g1_affine_t rest = g1_without_subgroup(&e_points[i]);

        g1_expect_round_trip(&e_points[i], true);
        g1_expect_round_trip(&e_points[i], false);
        assert_true(g1_in_subgroup(&e_points[i]) == g1_affine_is_infinity(&rest));
        members += g1_in_subgroup(&e_points[i]);
    }
    assert_int_equal(members, TOY_R);
}

static void test_toy_g2_points_encode_and_are_sorted_into_the_subgroup(void **state)
{
    size_t points = 0, members = 0;
    uint64_t cursor = 0;
    g2_affine_t a;

    (void)state;
    for (; next_twist_point(&a, &cursor); points++) {
        const g2_affine_t rest = g2_without_subgroup(&a);

        assert_true(g2_on_curve(&a));
        g2_expect_round_trip(&a, true);
        g2_expect_round_trip(&a, false);
        assert_true(g2_in_subgroup(&a) == g2_affine_is_infinity(&rest));
        members += g2_in_subgroup(&a);
    }
    assert_int_equal(points, TOY_TWIST);
    assert_int_equal(members, TOY_R);
}

/* Every first byte with every value of the last twelve bits: as many are accepted as there are
 * points. */
static void test_toy_g1_encodings_are_as_many_as_points(void **state)
{
    uint8_t bytes[8] = {0};
    size_t accepted = 0;

    (void)state;
    for (int first = 0; first < 256; first++)
        for (int last = 0; last < 4096; last++) {
            bytes[0] = (uint8_t)first;
            bytes[6] = (uint8_t)(last >> 8);
            bytes[7] = (uint8_t)last;
            accepted += g1_expect_canonical(bytes, true);
        }
    assert_int_equal(accepted, TOY_E);
}

static void test_toy_pairing_of_every_pair(void **state)
{
    static fp12_t power[TOY_R];

    (void)state;
    power[0] = fp12_one;
    power[1] = pairing_value(&g1_affine_generator, &g2_affine_generator);
    for (int k = 2; k < TOY_R; k++)
        fp12_mul(&power[k], &power[k - 1], &power[1]);
    assert_false(fp12_is_one(&power[1]));
    for (int a = 0; a < TOY_R; a++)
        for (int b = 0; b < TOY_R; b++) {
            struct g1_point p;
            struct g2_point q;

            g1_face_out(&p, &g1_multiple[a]);
            g2_face_out(&q, &g2_multiple[b]);
            assert_true(pairing_is_one(&p, &q, 1) == (a * b % TOY_R == 0));
            if (a != 0 && b != 0) {
                const fp12_t e = pairing_value(&g1_multiple[a], &g2_multiple[b]);

                assert_true(fp12_eq(&e, &power[a * b % TOY_R]));
            }
        }
}

/* e(a G1, b G2) e(c G1, G2) = 1: for each of many a and b, exactly one c. */
static void test_toy_pairing_products_have_one_solution(void **state)
{
    (void)state;
    for (int a = 0; a < TOY_R; a += 16)
        for (int b = 0; b < TOY_R; b += 15)
            for (int c = 0; c < TOY_R; c++) {
                struct g1_point p[2];
                struct g2_point q[2];

                g1_face_out(&p[0], &g1_multiple[a]);
                g2_face_out(&q[0], &g2_multiple[b]);
                g1_face_out(&p[1], &g1_multiple[c]);
                g2_face_out(&q[1], &g2_affine_generator);
                assert_true(pairing_is_one(p, q, 2) == ((a * b + c) % TOY_R == 0));
            }
}

static void test_toy_glv_halves_of_every_scalar(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < TOY_R; k++)
        expect_split(&(fr_t){{k}});
}

#define TOY_LAWS                                                                                   \
    cmocka_unit_test(test_toy_square_roots_are_exactly_those_of_squares),                          \
        cmocka_unit_test(test_toy_g1_adds_every_pair_of_points),                                   \
        cmocka_unit_test(test_toy_g2_adds_every_pair_of_the_subgroup),                             \
        cmocka_unit_test(test_toy_multiples_by_every_scalar),                                      \
        cmocka_unit_test(test_toy_g1_points_encode_and_are_sorted_into_the_subgroup),              \
        cmocka_unit_test(test_toy_g2_points_encode_and_are_sorted_into_the_subgroup),              \
        cmocka_unit_test(test_toy_g1_encodings_are_as_many_as_points),                             \
        cmocka_unit_test(test_toy_pairing_of_every_pair),                                          \
        cmocka_unit_test(test_toy_pairing_products_have_one_solution),                             \
        cmocka_unit_test(test_toy_glv_halves_of_every_scalar)
