/* The tests of both fields of one curve, and main. Parameters: the constants of params/<curve>.h,
 * and CURVE_NAME, a string. */
#include "support/testing.h"

#ifdef CUZK_HAVE_GMP
#include <gmp.h>
#endif

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"

#define LAW fp
#define PARAM FP
#include "unit/field_laws.inc.h"
#undef FIELD_TESTS
#define LAW fr
#define PARAM FR
#include "unit/field_laws.inc.h"

int main(void)
{
    const struct CMUnitTest tests[] = {FIELD_TESTS(fp), FIELD_TESTS(fr)};

    return cmocka_run_group_tests_name("field " CURVE_NAME, tests, NULL, NULL);
}
