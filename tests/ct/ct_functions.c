/* Run under valgrind: secrets are marked as undefined, so that memcheck reports every branch and
 * every address that depends on one. What comes out is declared defined again; only the functions
 * themselves are judged.
 *
 *   ct_functions           the functions whose names end in _ct
 *   ct_functions --leak    a function that does branch on its secret: memcheck must report it, or
 *                          this test tests nothing */
#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "base/rng.h"
#include "curve/curve.h"

#include "params/bls12_381.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"

static void sample_is_constant_time(const struct curve *curve)
{
    uint8_t wide[64];
    struct scalar out;

    rng_secret(wide, sizeof wide);
    VALGRIND_MAKE_MEM_UNDEFINED(wide, sizeof wide);
    curve->fr_sample_ct(&out, wide);
    VALGRIND_MAKE_MEM_DEFINED(&out, sizeof out);
    if (!curve->fr_is_reduced(&out))
        puts("not reduced");
}

static void select_is_constant_time(void)
{
    fr_t a = fr_one, b = fr_zero, out;
    uint64_t condition = 1;

    VALGRIND_MAKE_MEM_UNDEFINED(&condition, sizeof condition);
    VALGRIND_MAKE_MEM_UNDEFINED(&a, sizeof a);
    fr_select_ct(&out, &a, &b, condition);
    VALGRIND_MAKE_MEM_DEFINED(&out, sizeof out);
    if (!fr_is_one(&out))
        puts("wrong selection");
}

static void inverse_is_not(void)
{
    fr_t a = fr_one;

    fr_dbl(&a, &a);
    VALGRIND_MAKE_MEM_UNDEFINED(&a, sizeof a);
    fr_inv(&a, &a);
    VALGRIND_MAKE_MEM_DEFINED(&a, sizeof a);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--leak") == 0) {
        inverse_is_not();
        return 0;
    }
    sample_is_constant_time(&curve_bls12_381);
    sample_is_constant_time(&curve_bn254);
    select_is_constant_time();
    return 0;
}
