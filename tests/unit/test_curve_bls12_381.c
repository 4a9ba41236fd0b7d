/* The curve's unit, seen from inside; and the points that others have published. */
#include "curves/bls12_381.c"

#include "unit/tower_laws.inc.h"
#include "unit/curve_laws.inc.h"
#include "unit/pairing_laws.inc.h"

/* 0, 1, ... 999 times the generator, uncompressed: zkcrypto's vectors. */
static void expect_published_multiples(const char *name, bool second)
{
    const char *path = test_data_path(name);
    uint8_t bytes[192], again[192];
    const size_t n = second ? 192 : 96;
    struct g1_point p = {{0}}, p_read;
    struct g2_point q = {{0}}, q_read;
    FILE *file;

    if (!path)
        skip();
    file = fopen(path, "rb");
    assert_non_null(file);
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(fread(bytes, 1, n, file), n);
        if (second) {
            g2_face_encode(again, &q, false);
            assert_int_equal(g2_face_decode(&q_read, bytes, false, true), POINT_OK);
            assert_memory_equal(&q_read, &q, sizeof q);
            g2_face_add(&q, &q, &curve_bls12_381.g2_generator);
        } else {
            g1_face_encode(again, &p, false);
            assert_int_equal(g1_face_decode(&p_read, bytes, false, true), POINT_OK);
            assert_memory_equal(&p_read, &p, sizeof p);
            g1_face_add(&p, &p, &curve_bls12_381.g1_generator);
        }
        assert_memory_equal(again, bytes, n);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static void test_g1_multiples_are_the_published_ones(void **state)
{
    (void)state;
    expect_published_multiples("cases/bls12_381/g1_uncompressed_multiples.dat", false);
}

static void test_g2_multiples_are_the_published_ones(void **state)
{
    (void)state;
    expect_published_multiples("cases/bls12_381/g2_uncompressed_multiples.dat", true);
}

/* x = 0 gives the points of order 3 on E; phi fixes them. */
static void test_g1_points_of_order_three_are_refused(void **state)
{
    g1_affine_t a = {fp_zero, fp_zero};
    struct g1_point p;

    (void)state;
    fp_from_u64(&a.y, 2);
    g1_face_out(&p, &a);
    assert_true(g1_on_curve(&a));
    assert_int_equal(g1_face_check(&p), POINT_NOT_IN_SUBGROUP);
    a = g1_textbook_sum(&a, &g1_affine_generator);
    g1_face_out(&p, &a);
    assert_int_equal(g1_face_check(&p), POINT_NOT_IN_SUBGROUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOWER_LAWS,
        CURVE_LAWS,
        PAIRING_LAWS,
        cmocka_unit_test(test_g1_multiples_are_the_published_ones),
        cmocka_unit_test(test_g2_multiples_are_the_published_ones),
        cmocka_unit_test(test_g1_points_of_order_three_are_refused),
    };

    return cmocka_run_group_tests_name("curve bls12_381", tests, curve_random_set_up, NULL);
}
