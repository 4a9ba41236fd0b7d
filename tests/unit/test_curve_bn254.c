/* The curve's unit, seen from inside. */
#include "curves/bn254.c"

#include "unit/tower_laws.inc.h"
#include "unit/curve_laws.inc.h"
#include "unit/pairing_laws.inc.h"

int main(void)
{
    const struct CMUnitTest tests[] = {TOWER_LAWS, CURVE_LAWS, PAIRING_LAWS};

    return cmocka_run_group_tests_name("curve bn254", tests, curve_random_set_up, NULL);
}
