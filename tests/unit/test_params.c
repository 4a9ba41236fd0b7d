/* src/params: what tools/params.py makes is what is committed. That the constants follow from the
 * moduli is checked where they are used: "test_params_..." in unit/tower_laws.inc.h, for every
 * curve. */
#include "support/testing.h"

#include "curve/curve.h"

static void test_params_are_what_the_tool_makes(void **state)
{
    (void)state;
    if (system("command -v python3 > /dev/null") != 0) {
        printf("python3 is not installed: src/params was not remade\n");
        skip();
    }
    assert_int_equal(system("python3 " CUZK_SOURCE_DIR "/tools/params.py --check"), 0);
}

static void test_params_generators_are_in_their_subgroups(void **state)
{
    static const struct curve *const all[] = {&curve_bls12_381, &curve_bn254, &curve_toy_bn,
                                              &curve_toy_bls12};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct curve *curve = all[i];
        struct scalar minus_one = curve->fr_modulus;
        struct g1_point p;
        struct g2_point q;

        assert_ptr_equal(curve_find(curve->name), curve);
        assert_int_equal(curve->g1_check(&curve->g1_generator), POINT_OK);
        assert_int_equal(curve->g2_check(&curve->g2_generator), POINT_OK);
        minus_one.w[0]--;
        curve->g1_mul(&p, &curve->g1_generator, &minus_one);
        curve->g1_neg(&p, &p);
        assert_memory_equal(&p, &curve->g1_generator, sizeof p);
        curve->g2_mul(&q, &curve->g2_generator, &minus_one);
        curve->g2_neg(&q, &q);
        assert_memory_equal(&q, &curve->g2_generator, sizeof q);
        assert_int_equal(curve->fp_bytes, (curve->fp_bits + 63) / 64 * 8);
        assert_int_equal(curve->g1_bytes, 2 * curve->fp_bytes);
        assert_int_equal(curve->g2_bytes, 4 * curve->fp_bytes);
    }
    assert_null(curve_find("bls12_377"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_params_are_what_the_tool_makes),
        cmocka_unit_test(test_params_generators_are_in_their_subgroups),
    };

    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
