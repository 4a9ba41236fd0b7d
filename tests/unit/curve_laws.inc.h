/* What must hold on every curve: its groups, scalars and the split of scalars. The test includes
 * the curve's unit first. */
#include "unit/curve_random.inc.h"

#define GROUP g1
#define BASE fp
#define GROUP_PARAM G1
#include "unit/group_laws.inc.h"
#define GROUP g2
#define BASE fp2
#define GROUP_PARAM G2
#include "unit/group_laws.inc.h"

/* ---- scalars --------------------------------------------------------------------------------- */

/* A half as an element. */
static fr_t half_of(const struct glv_half *half)
{
    fr_t out = fr_zero, shift, piece;

    fr_from_u64(&shift, UINT64_C(1) << 32);
    for (size_t i = 2 * GLV_WORDS; i-- > 0;) {
        fr_mul(&out, &out, &shift);
        fr_from_u64(&piece, half->l[i / 2] >> (32 * (i % 2)) & UINT32_MAX);
        fr_add(&out, &out, &piece);
    }
    if (half->negative)
        fr_neg(&out, &out);
    return out;
}

static void expect_split(const fr_t *k)
{
    static const fr_t lambda_plain = {GLV_LAMBDA_PLAIN};
    struct glv_half half[2];
    fr_t lambda, sum, k2, expected;

    glv_split(half, k);
    for (int i = 0; i < 2; i++)
        for (size_t bit = GLV_BITS; bit < 64 * GLV_WORDS; bit++)
            assert_int_equal(half[i].l[bit / 64] >> (bit % 64) & 1, 0);
    fr_from_plain(&lambda, &lambda_plain);
    sum = half_of(&half[0]);
    k2 = half_of(&half[1]);
    fr_mul(&k2, &k2, &lambda);
    fr_add(&sum, &sum, &k2);
    fr_from_plain(&expected, k);
    assert_true(fr_eq(&sum, &expected));
}

static void test_glv_halves_are_short_and_make_the_scalar(void **state)
{
    static const fr_t lambda = {GLV_LAMBDA_PLAIN};
    fr_t k = fr_modulus_words;

    (void)state;
    expect_split(&lambda);
    for (int i = 0; i < 50; i++) {
        k.l[0]--; /* r - 1, r - 2, ... */
        expect_split(&k);
        expect_split(&(fr_t){{(uint64_t)i}});
    }
    for (int i = 0; i < 2000; i++) {
        k = fr_random_plain();
        expect_split(&k);
    }
}

static void test_fr_face_is_a_field(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        const fr_t x = fr_random_plain(), y = fr_random_plain(), z = fr_random_plain();
        const struct scalar a = scalar_of(&x), b = scalar_of(&y), c = scalar_of(&z);
        const struct scalar one = {{1}}, zero = {{0}};
        struct scalar s, t, u;

        fr_face_add(&s, &a, &b); /* (a + b) c = a c + b c */
        fr_face_mul(&s, &s, &c);
        fr_face_mul(&t, &a, &c);
        fr_face_mul(&u, &b, &c);
        fr_face_add(&t, &t, &u);
        assert_memory_equal(&s, &t, sizeof s);
        fr_face_sub(&s, &a, &b);
        fr_face_add(&s, &s, &b);
        assert_memory_equal(&s, &a, sizeof s);
        fr_face_inv(&s, &a);
        fr_face_mul(&s, &s, &a);
        assert_memory_equal(&s, memcmp(&a, &zero, sizeof a) ? &one : &zero, sizeof s);
        fr_face_pow(&s, &a, 5);
        t = one;
        for (int i = 0; i < 5; i++)
            fr_face_mul(&t, &t, &a);
        assert_memory_equal(&s, &t, sizeof s);
        assert_true(fr_face_is_reduced(&s));
    }
}

static void test_fr_face_refuses_what_is_not_reduced(void **state)
{
    struct scalar s = scalar_of(&fr_modulus_words);

    (void)state;
    assert_false(fr_face_is_reduced(&s));
    s.w[0]--;
    assert_true(fr_face_is_reduced(&s));
    for (size_t i = FR_LIMBS; i < 4; i++) {
        struct scalar high = {{0}};

        high.w[i] = 1;
        assert_false(fr_face_is_reduced(&high));
    }
}

/* Against Horner's rule over bytes. */
static void test_fr_sample_is_the_wide_number_modulo_r(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        const struct scalar base = {{256 % (FR_BITS < 10 ? fr_modulus_words.l[0] : UINT64_MAX)}};
        struct scalar got, expected = {{0}};
        uint8_t wide[64];

        rng_bytes(&rng, wide, sizeof wide);
        if (round < 2)
            memset(wide, round == 0 ? 0 : 0xff, sizeof wide);
        for (size_t i = sizeof wide; i-- > 0;) {
            struct scalar byte = {{wide[i]}};

            if (FR_BITS < 10)
                byte.w[0] %= fr_modulus_words.l[0];
            fr_face_mul(&expected, &expected, &base);
            fr_face_add(&expected, &expected, &byte);
        }
        fr_face_sample_ct(&got, wide);
        assert_memory_equal(&got, &expected, sizeof got);
    }
}

#define GROUP_LAWS(group)                                                                          \
    cmocka_unit_test(group##_test_every_formula_adds),                                             \
        cmocka_unit_test(group##_test_batch_conversion_equals_single),                             \
        cmocka_unit_test(group##_test_multiples_follow_double_and_add),                            \
        cmocka_unit_test(group##_test_multiples_of_all_ones_carry_to_the_top),                     \
        cmocka_unit_test(group##_test_phi_is_multiplication_by_lambda),                            \
        cmocka_unit_test(group##_test_subgroup_check_is_exact),                                    \
        cmocka_unit_test(group##_test_encodings_round_trip),                                       \
        cmocka_unit_test(group##_test_encodings_near_a_point_are_refused_or_canonical),            \
        cmocka_unit_test(group##_test_encodings_name_what_is_wrong),                               \
        cmocka_unit_test(group##_test_face_agrees_with_the_formulas),                              \
        cmocka_unit_test(group##_test_face_check_names_what_is_wrong)

#define CURVE_LAWS                                                                                 \
    GROUP_LAWS(g1), GROUP_LAWS(g2),                                                                \
        cmocka_unit_test(test_glv_halves_are_short_and_make_the_scalar),                           \
        cmocka_unit_test(test_fr_face_is_a_field),                                                 \
        cmocka_unit_test(test_fr_face_refuses_what_is_not_reduced),                                \
        cmocka_unit_test(test_fr_sample_is_the_wide_number_modulo_r)
