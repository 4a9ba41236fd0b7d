/* The curve's unit, seen from inside: the laws on random elements, then everything there is. */
#include "curves/toy_bn.c"

#include "unit/tower_laws.inc.h"
#include "unit/curve_laws.inc.h"
#include "unit/pairing_laws.inc.h"
#include "unit/toy_laws.inc.h"

int main(void)
{
    const struct CMUnitTest tests[] = {TOWER_LAWS, CURVE_LAWS, PAIRING_LAWS, TOY_LAWS};

    return cmocka_run_group_tests_name("curve toy_bn", tests, toy_set_up, NULL);
}
