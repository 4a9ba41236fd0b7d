/* The tests of both fields of one curve in lanes, and of Fp2, and main. Parameters: the constants of
 * params/<curve>.h, and CURVE_NAME, a string. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "support/testing.h"

#include "base/cpu.h"

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"
#include "field/fp2.inc.h"
#include "curve/coordinate.inc.h"
#define FIELD fp
#define PARAM FP
#include "backend/ifma/field_lanes.inc.h"
#define FIELD fr
#define PARAM FR
#include "backend/ifma/field_lanes.inc.h"
#include "backend/ifma/fp2_lanes.inc.h"
#include "backend/ifma/root_lanes.inc.h"
#define FIELD fp
#define PARAM FP
#include "backend/ifma/constant_lanes.inc.h"
#define FIELD fr
#define PARAM FR
#include "backend/ifma/constant_lanes.inc.h"

#define LAW fp
#define PARAM FP
#include "unit/lane_laws.inc.h"
#define LAW fr
#define PARAM FR
#include "unit/lane_laws.inc.h"
#include "unit/lane_fp2_laws.inc.h"
#include "unit/lane_root_laws.inc.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANE_TESTS(fp),
        LANE_TESTS(fr),
        cmocka_unit_test(test_fp2_lanes_multiply_at_every_bound),
        cmocka_unit_test(test_fp2_lanes_square_and_invert),
        cmocka_unit_test(test_fp_lanes_have_roots),
        cmocka_unit_test(test_fp2_lanes_have_roots),
        cmocka_unit_test(test_lanes_know_equal_numbers_and_multiples)};

    if (!cpu_features()->avx512_ifma) {
        printf("SKIP: this processor has no AVX-512 IFMA\n");
        return 0;
    }
    return cmocka_run_group_tests_name("lanes " CURVE_NAME, tests, NULL, NULL);
}
