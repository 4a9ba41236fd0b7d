/* What must hold in Fp2 and Fp12 of every curve, and how its constants follow from the moduli. The
 * test includes the curve's unit first. */
#include "unit/curve_random.inc.h"

enum { TOWER_ROUNDS = 200 };

__extension__ typedef __int128 i128;

/* ---- constants ------------------------------------------------------------------------------- */

/* x, doubled 64 * limbs times modulo p, by additions alone. */
static fp_t times_r(fp_t x)
{
    for (int i = 0; i < 64 * FP_LIMBS; i++)
        fp_add(&x, &x, &x);
    return x;
}

static fr_t fr_times_r(fr_t x)
{
    for (int i = 0; i < 64 * FR_LIMBS; i++)
        fr_add(&x, &x, &x);
    return x;
}

static void test_params_of_the_fields_follow_from_the_moduli(void **state)
{
    static const fp_t r2 = {FP_R2}, r3 = {FP_R3}, half = {FP_HALF}, e = {FP_SQRT_EXPONENT_PLAIN};
    static const fr_t fr_r2 = {FR_R2}, fr_r3 = {FR_R3};
    fp_t x = {{1}};
    fr_t y = {{1}};

    (void)state;
    assert_true(fp_modulus_words.l[0] * FP_N0 == UINT64_MAX);
    assert_true(fr_modulus_words.l[0] * FR_N0 == UINT64_MAX);
    assert_true(fp_modulus_words.l[FP_LIMBS - 1] >> (FP_BITS - 1) % 64 == 1);
    assert_true(fr_modulus_words.l[FR_LIMBS - 1] >> (FR_BITS - 1) % 64 == 1);
    x = times_r(x);
    assert_true(fp_eq(&x, &fp_one));
    x = times_r(x);
    assert_true(fp_eq(&x, &r2));
    x = times_r(x);
    assert_true(fp_eq(&x, &r3));
    y = fr_times_r(y);
    assert_true(fr_eq(&y, &fr_one));
    y = fr_times_r(y);
    assert_true(fr_eq(&y, &fr_r2));
    y = fr_times_r(y);
    assert_true(fr_eq(&y, &fr_r3));
    fp_add(&x, &half, &half);
    assert_true(fp_eq(&x, &fp_one));

    for (int i = 0; i < FP_LIMBS; i++) { /* p = 4 e + 3 */
        const uint64_t low = i > 0 ? e.l[i - 1] >> 62 : 3;

        assert_true(fp_modulus_words.l[i] == (e.l[i] << 2 | low));
    }
}

static void test_params_roots_of_unity_have_their_order(void **state)
{
    static const fr_t root = {
#if FR_GENERATOR == 7
        FR_ROOT_7
#else
        FR_ROOT_5
#endif
    };
    fr_t x;
    struct scalar s;

    (void)state;
    assert_int_equal((fr_modulus_words.l[0] - 1) % (UINT64_C(1) << FR_TWO_ADICITY), 0);
    assert_int_equal(fr_modulus_words.l[0] >> FR_TWO_ADICITY & 1, 1);
    assert_true(fr_root(&x, FR_GENERATOR, FR_TWO_ADICITY));
    assert_true(fr_eq(&x, &root));
    for (unsigned lg_n = 0; lg_n <= FR_TWO_ADICITY; lg_n++) {
        assert_true(fr_root(&x, FR_GENERATOR, lg_n));
        for (unsigned i = 0; i < lg_n; i++) {
            assert_false(fr_is_one(&x));
            fr_sqr(&x, &x);
        }
        assert_true(fr_is_one(&x));
    }
    assert_false(fr_root(&x, FR_GENERATOR, FR_TWO_ADICITY + 1));
    assert_false(fr_root(&x, 4, 1)); /* a square */
    assert_false(fr_root(&x, 0, 1));
    assert_false(fr_face_root(&s, 4, 0));
}

/* a^e for a small e */
static fp2_t fp2_power(const fp2_t *a, unsigned e)
{
    fp2_t out = fp2_one;

    while (e-- > 0)
        fp2_mul(&out, &out, a);
    return out;
}

static void test_params_of_the_tower_follow_from_xi(void **state)
{
    static const fp2_t frobenius[6] = {FP12_FROBENIUS}, psi_x = {PSI_X}, psi_y = {PSI_Y};
    fp2_t xi, xi_p_minus_1, x, y;

    (void)state;
    fp2_mul_xi(&xi, &fp2_one);
    fp2_conj(&x, &xi);
    fp2_inv(&xi_p_minus_1, &xi);
    fp2_mul(&xi_p_minus_1, &xi_p_minus_1, &x);
    for (unsigned k = 0; k < 6; k++) {
        x = fp2_power(&frobenius[1], k);
        assert_true(fp2_eq(&x, &frobenius[k]));
    }
    x = fp2_power(&frobenius[1], 6);
    assert_true(fp2_eq(&x, &xi_p_minus_1));

    x = psi_x;
    y = psi_y;
    if (TWIST_IS_M) {
        fp2_inv(&x, &x);
        fp2_inv(&y, &y);
        fp2_mul_xi(&xi, &(fp2_t){g1_b, fp_zero});
        assert_true(fp2_eq(&xi, &g2_b));
    } else {
        fp2_mul_xi(&xi, &g2_b);
        assert_true(fp2_eq(&xi, &(fp2_t){g1_b, fp_zero}));
    }
    assert_true(fp2_eq(&x, &frobenius[2]));
    assert_true(fp2_eq(&y, &frobenius[3]));
}

static void test_params_digits_give_u_and_u_the_moduli(void **state)
{
    static const signed char digits[] = U_DIGITS, miller[] = MILLER_DIGITS;
    i128 u = 0, loop = 0;

    (void)state;
    for (size_t i = 0; i < sizeof digits; i++) {
        u = 2 * u + digits[i];
        assert_true(digits[i] <= U_DIGIT_MAX && digits[i] >= -U_DIGIT_MAX);
        assert_true(digits[i] == 0 || digits[i] & 1);
    }
    for (size_t i = 0; i < sizeof miller; i++)
        loop = 2 * loop + miller[i];
    if (U_IS_NEGATIVE)
        u = -u;
    {
        const uint64_t w = (uint64_t)u; /* everything modulo 2^64 */
        const uint64_t r = FAMILY_IS_BN
                               ? 36 * w * w * w * w + 36 * w * w * w + 18 * w * w + 6 * w + 1
                               : w * w * w * w - w * w + 1;

        assert_true(r == fr_modulus_words.l[0]);
        if (FAMILY_IS_BN)
            assert_true(r + 6 * w * w == fp_modulus_words.l[0]);
        else
            assert_true((w - 1) * (w - 1) * r == 3 * (fp_modulus_words.l[0] - w));
        assert_true(loop == (FAMILY_IS_BN ? 6 * u + 2 : U_IS_NEGATIVE ? -u : u));
    }
}

/* ---- Fp -------------------------------------------------------------------------------------- */

static void test_fp_sums_of_products_are_sums_of_products(void **state)
{
    fp_t x, y, z;

    (void)state;
    for (int round = 0; round < 20 * TOWER_ROUNDS; round++) { /* often 0, 1 and p - 1 */
        const fp_t a = fp_random(), b = fp_random(), c = fp_random(), d = fp_random();

        fp_mul(&x, &a, &b);
        fp_mul(&y, &c, &d);
        fp_add(&x, &x, &y);
        fp_mul_sum(&y, &a, &b, &c, &d);
        assert_true(fp_eq(&x, &y));
        fp_mul_sum_portable(&y, &a, &b, &c, &d);
        assert_true(fp_eq(&x, &y));
        y = z = a; /* in place, everything the same */
        fp_mul_sum(&y, &y, &y, &y, &y);
        fp_sqr(&z, &z);
        fp_dbl(&z, &z);
        assert_true(fp_eq(&y, &z));
    }
}

/* ---- Fp2 ------------------------------------------------------------------------------------- */

static void test_fp2_is_a_field_with_i_squared_minus_one(void **state)
{
    const fp2_t i = {fp_zero, fp_one};
    fp2_t minus_one, x, y;

    (void)state;
    fp2_neg(&minus_one, &fp2_one);
    fp2_mul(&x, &i, &i);
    assert_true(fp2_eq(&x, &minus_one));
    for (int round = 0; round < TOWER_ROUNDS; round++) {
        const fp2_t a = fp2_random(), b = fp2_random(), c = fp2_random();

        fp2_mul(&x, &a, &b); /* (a b) c = a (b c) */
        fp2_mul(&x, &x, &c);
        fp2_mul(&y, &b, &c);
        fp2_mul(&y, &a, &y);
        assert_true(fp2_eq(&x, &y));
        fp2_add(&x, &a, &b); /* (a + b) c = a c + b c, c in place */
        y = c;
        fp2_mul(&y, &x, &y);
        fp2_mul(&x, &a, &c);
        fp2_sub(&y, &y, &x);
        fp2_mul(&x, &b, &c);
        assert_true(fp2_eq(&x, &y));
        fp2_sqr(&x, &a);
        fp2_mul(&y, &a, &a);
        assert_true(fp2_eq(&x, &y));
        fp2_mul_fp(&x, &a, &b.c0);
        fp2_mul(&y, &a, &(fp2_t){b.c0, fp_zero});
        assert_true(fp2_eq(&x, &y));
        fp2_inv(&x, &a);
        fp2_mul(&x, &x, &a);
        assert_true(fp2_is_one(&x) || fp2_is_zero(&a));
    }
    fp2_inv(&x, &fp2_zero);
    assert_true(fp2_is_zero(&x));
}

static void test_fp2_roots_exist_for_squares_only(void **state)
{
    fp2_t xi, root, x;

    (void)state;
    fp2_mul_xi(&xi, &fp2_one); /* neither a square nor a cube: w^6 - xi is irreducible */
    for (int round = 0; round < TOWER_ROUNDS; round++) {
        const fp2_t a = fp2_random();
        const fp2_t real = {a.c0, fp_zero};

        fp2_sqr(&x, &a);
        assert_true(fp2_sqrt(&root, &x));
        fp2_sqr(&root, &root);
        assert_true(fp2_eq(&root, &x));
        fp2_mul(&x, &x, &xi);
        assert_true(fp2_is_zero(&x) || !fp2_sqrt(&root, &x));
        assert_true(fp2_sqrt(&root, &real)); /* all of Fp has roots in Fp2 */
        fp2_sqr(&root, &root);
        assert_true(fp2_eq(&root, &real));
    }
}

static void test_fp2_batch_inversion_skips_zeros(void **state)
{
    fp2_t a[17], inverse[17], scratch[17], x;

    (void)state;
    for (int i = 0; i < 17; i++)
        a[i] = inverse[i] = i % 5 == 0 ? fp2_zero : fp2_random();
    fp2_inv_batch(inverse, 17, scratch);
    for (int i = 0; i < 17; i++) {
        fp2_inv(&x, &a[i]);
        assert_true(fp2_eq(&x, &inverse[i]));
    }
}

/* ---- Fp12 ------------------------------------------------------------------------------------ */

static void fp12_add(fp12_t *out, const fp12_t *a, const fp12_t *b)
{
    fp6_add(&out->c0, &a->c0, &b->c0);
    fp6_add(&out->c1, &a->c1, &b->c1);
}

static fp12_t fp12_power(const fp12_t *a, const uint64_t *e, size_t n)
{
    fp12_t out = fp12_one;

    for (size_t i = 64 * n; i-- > 0;) {
        fp12_mul(&out, &out, &out);
        if (e[i / 64] >> (i % 64) & 1)
            fp12_mul(&out, &out, a);
    }
    return out;
}

static void test_fp12_is_a_field_with_w_to_the_sixth_xi(void **state)
{
    fp12_t w = {0}, xi = {0}, x, y;
    const uint64_t six = 6;

    (void)state;
    w.c1.c0 = fp2_one;
    fp2_mul_xi(&xi.c0.c0, &fp2_one);
    x = fp12_power(&w, &six, 1);
    assert_true(fp12_eq(&x, &xi));
    for (int round = 0; round < TOWER_ROUNDS; round++) {
        const fp12_t a = fp12_random(), b = fp12_random(), c = fp12_random();

        fp12_mul(&x, &a, &b);
        fp12_mul(&x, &x, &c);
        fp12_mul(&y, &b, &c);
        fp12_mul(&y, &a, &y);
        assert_true(fp12_eq(&x, &y));
        fp12_add(&x, &a, &b);
        fp12_mul(&x, &x, &c);
        fp12_mul(&y, &a, &c);
        {
            fp12_t bc;

            fp12_mul(&bc, &b, &c);
            fp12_add(&y, &y, &bc);
        }
        assert_true(fp12_eq(&x, &y));
        fp12_sqr(&x, &a);
        fp12_mul(&y, &a, &a);
        assert_true(fp12_eq(&x, &y));
        y = a;
        fp12_mul(&y, &y, &y);
        assert_true(fp12_eq(&x, &y));
        fp12_inv(&x, &a);
        fp12_mul(&x, &x, &a);
        assert_true(fp12_is_one(&x));
    }
    memset(&x, 0, sizeof x);
    fp12_inv(&y, &x);
    assert_true(fp12_eq(&x, &y));
}

static void test_fp12_products_by_lines_are_products(void **state)
{
    (void)state;
    for (int round = 0; round < TOWER_ROUNDS; round++) {
        const fp12_t a = fp12_random();
        const fp2_t b0 = fp2_random(), b1 = fp2_random(), b2 = fp2_random();
        fp12_t b, x, y;

        memset(&b, 0, sizeof b);
        b.c0.c0 = b0;
        b.c1.c0 = b1;
        b.c1.c1 = b2;
        fp12_mul_034(&x, &a, &b0, &b1, &b2);
        fp12_mul(&y, &a, &b);
        assert_true(fp12_eq(&x, &y));
        memset(&b, 0, sizeof b);
        b.c0.c0 = b0;
        b.c0.c1 = b1;
        b.c1.c1 = b2;
        fp12_mul_014(&x, &a, &b0, &b1, &b2);
        fp12_mul(&y, &a, &b);
        assert_true(fp12_eq(&x, &y));
    }
}

static void test_fp12_frobenius_is_the_power_p(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        const fp12_t a = fp12_random();
        fp12_t x, y;

        fp12_frobenius(&x, &a);
        y = fp12_power(&a, fp_modulus_words.l, FP_LIMBS);
        assert_true(fp12_eq(&x, &y));
        for (int i = 1; i < 6; i++)
            fp12_frobenius(&x, &x);
        fp12_conj(&y, &a);
        assert_true(fp12_eq(&x, &y)); /* the power p^6 */
    }
}

static void test_fp12_cyclotomic_squares_are_squares(void **state)
{
    (void)state;
    for (int round = 0; round < TOWER_ROUNDS; round++) {
        const fp12_t a = fp12_random();
        fp12_t s, t, x, y;

        fp12_inv(&s, &a); /* ^((p^6 - 1)(p^2 + 1)) */
        fp12_conj(&t, &a);
        fp12_mul(&s, &s, &t);
        fp12_frobenius(&t, &s);
        fp12_frobenius(&t, &t);
        fp12_mul(&s, &s, &t);
        fp12_sqr(&x, &s);
        fp12_sqr_cyclotomic(&y, &s);
        assert_true(fp12_eq(&x, &y));
        fp12_conj(&t, &s);
        fp12_mul(&t, &t, &s);
        assert_true(fp12_is_one(&t));
        {
            static const signed char digits[] = U_DIGITS;
            uint64_t u = 0;

            for (size_t i = 0; i < sizeof digits; i++)
                u = 2 * u + (uint64_t)(int64_t)digits[i];
            x = fp12_power(&s, &u, 1);
            if (U_IS_NEGATIVE)
                fp12_conj(&x, &x);
            fp12_pow_u(&y, &s);
            assert_true(fp12_eq(&x, &y));
        }
    }
}

#define TOWER_LAWS                                                                                 \
    cmocka_unit_test(test_params_of_the_fields_follow_from_the_moduli),                            \
        cmocka_unit_test(test_params_roots_of_unity_have_their_order),                             \
        cmocka_unit_test(test_params_of_the_tower_follow_from_xi),                                 \
        cmocka_unit_test(test_params_digits_give_u_and_u_the_moduli),                              \
        cmocka_unit_test(test_fp_sums_of_products_are_sums_of_products),                           \
        cmocka_unit_test(test_fp2_is_a_field_with_i_squared_minus_one),                            \
        cmocka_unit_test(test_fp2_roots_exist_for_squares_only),                                   \
        cmocka_unit_test(test_fp2_batch_inversion_skips_zeros),                                    \
        cmocka_unit_test(test_fp12_is_a_field_with_w_to_the_sixth_xi),                             \
        cmocka_unit_test(test_fp12_products_by_lines_are_products),                                \
        cmocka_unit_test(test_fp12_frobenius_is_the_power_p),                                      \
        cmocka_unit_test(test_fp12_cyclotomic_squares_are_squares)
