/* msm/ on BLS12-381 against blst (tests/oracle/blst.sh), an implementation by other hands. */
#include "support/testing.h"

#include "support/group_case.h"

#ifdef CUZK_HAVE_BLST
#include "blst.h"

static size_t longest(void)
{
    return test_long() ? 1u << 17 : 1u << 12;
}

/* blst's affine points are our native ones: Montgomery form of the same radix. */
static void expect_blst(const struct group_case *group, const uint8_t *native,
                        const uint64_t *scalars, size_t n)
{
    const struct group_kernels *k = group->kernels;
    const struct points_view view = {POINTS_NATIVE, native, n};
    const byte *theirs[2] = {(const byte *)scalars, NULL};
    void *scratch = aligned_alloc(64, (k->msm_bytes(n, 1) + 63) & ~(size_t)63);
    struct any_point ours = {.u = {.w = {0}}}, peer = {.u = {.w = {0}}};

    assert_int_equal(k->msm(&ours, &view, NULL, scalars, n, scratch, NULL, NULL), CUZK_OK);
    free(scratch);
    if (group->second) {
        const blst_p2_affine *points[2] = {(const blst_p2_affine *)(const void *)native, NULL};
        blst_p2_affine affine;
        blst_p2 sum;

        scratch = malloc(blst_p2s_mult_pippenger_scratch_sizeof(n));
        blst_p2s_mult_pippenger(&sum, points, n, theirs, 255, scratch);
        blst_p2_to_affine(&affine, &sum);
        k->to_plain(&peer, &affine, 1);
    } else {
        const blst_p1_affine *points[2] = {(const blst_p1_affine *)(const void *)native, NULL};
        blst_p1_affine affine;
        blst_p1 sum;

        scratch = malloc(blst_p1s_mult_pippenger_scratch_sizeof(n));
        blst_p1s_mult_pippenger(&sum, points, n, theirs, 255, scratch);
        blst_p1_to_affine(&affine, &sum);
        k->to_plain(&peer, &affine, 1);
    }
    free(scratch);
    assert_memory_equal(&ours, &peer, k->point_bytes);
}

static void test_msm_equals_blst(void **state)
{
    struct group_case cases[GROUP_CASES];
    size_t n_large, n;
    struct rng rng;

    (void)state;
    n = group_cases(cases, &n_large);
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < n; c++) {
        struct known_points points;
        struct scalar *scalars;
        uint64_t *packed;

        if (strcmp(cases[c].curve->name, curve_bls12_381.name) != 0)
            continue;
        scalars = malloc(longest() * sizeof *scalars);
        for (size_t i = 0; i < longest(); i++)
            scalar_random(cases[c].curve, &scalars[i], &rng);
        packed = scalars_pack(cases[c].curve, scalars, longest());
        known_points_new(&points, &cases[c], longest(), &rng);
        cases[c].kernels->from_plain(points.plain, points.plain, longest());
        for (size_t m = 1; m <= longest(); m *= 2) {
            expect_blst(&cases[c], points.plain, packed, m);
            if (m > 2)
                expect_blst(&cases[c], points.plain, packed, m - 1);
        }
        known_points_free(&points);
        free(scalars);
        free(packed);
    }
}
#else
static void test_msm_equals_blst(void **state)
{
    (void)state;
    printf("SKIP: blst is not built; tests/oracle/blst.sh build/oracle does it\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msm_equals_blst),
    };

    return cmocka_run_group_tests_name("msm_blst", tests, NULL, NULL);
}
