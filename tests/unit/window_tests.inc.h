/* The tests of window_laws.inc.h. Parameters: TESTED, the struct curve; CUZK_LANE_CHECKS where its
 * kernels are lanes, which not every processor has. */
#include "base/cpu.h"
#include "support/group_case.h"
#include "support/testing.h"

enum { N_TERMS = 230 };

static struct pool *three_threads;

static void expect_bytes(const struct known_points *points, const uint64_t *scalars, size_t n,
                         const struct any_point *expected)
{
    const struct group_kernels *k = points->group->kernels;
    const struct points_view view = {POINTS_PLAIN, points->plain, points->n};

    for (int threads = 1; threads <= 3; threads += 2) {
        struct pool *pool = threads == 1 ? NULL : three_threads;
        const size_t bytes = k->msm_bytes(n, pool_size(pool));
        uint8_t *scratch = aligned_alloc(64, (bytes + 128) & ~(size_t)63);
        struct any_point got = {.u = {.w = {0}}};

        assert_non_null(scratch);
        memset(scratch, 0x5a, bytes + 1);
        assert_int_equal(k->msm(&got, &view, NULL, scalars, n, scratch, pool, NULL), CUZK_OK);
        assert_int_equal(scratch[bytes], 0x5a);
        free(scratch);
        if (memcmp(&got, expected, k->point_bytes) != 0)
            fail_msg("%s: window %u, tile %zu, %u and %u slices, %d threads, n = %zu: other bytes",
                     points->group->name, forced.window, forced.tile, forced.slices,
                     forced.sort_slices, threads, n);
    }
}

static void test_msm_gives_the_same_bytes_for_every_window_tile_and_slice(void **state)
{
    static const size_t tiles[] = {1, 7, 64, 0};
    static const unsigned slices[] = {1, 2, 8, 0};
    struct group_case group = {.curve = &TESTED};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int second = 0; second < 2; second++) {
        struct known_points points;
        struct scalar scalars[N_TERMS];
        struct any_point expected;
        uint64_t *packed;
        const unsigned widest = TESTED.fr_bits < 17 ? TESTED.fr_bits + 1 : 17;

        group.name = second ? "g2" : "g1";
        group.second = second;
        group.kernels = second ? TESTED.g2 : TESTED.g1;
        known_points_new(&points, &group, N_TERMS, &rng);
        for (size_t i = 0; i < N_TERMS; i++)
            scalar_random(&TESTED, &scalars[i], &rng);
        for (size_t i = 0; i < 40; i++) { /* digits that carry, and points that meet again */
            const unsigned bit = (unsigned)rng_below(&rng, TESTED.fr_bits - 1);

            scalars[i] = (struct scalar){{0}};
            scalars[i].w[bit / 64] = (UINT64_C(1) << bit % 64) - (i % 2);
            if (i % 4 == 3)
                known_points_set(&points, i, &points.log[i - 1]);
        }
        for (size_t n = 1; n <= N_TERMS; n += N_TERMS - 1) {
            packed = scalars_pack(&TESTED, scalars, n);
            known_points_sum(&points, NULL, scalars, n, &expected);
            for (forced.window = 2; forced.window <= widest; forced.window++)
                for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
                    for (size_t s = 0; s < sizeof slices / sizeof *slices; s++) {
                        forced.tile = tiles[t];
                        forced.slices = slices[s];
                        forced.sort_slices = slices[(s + t) % (sizeof slices / sizeof *slices)];
                        if ((forced.slices | forced.sort_slices) > 1u << (forced.window - 1))
                            continue;
                        if ((forced.window > 4 && forced.tile == 1) ||
                            (forced.window > 9 && (forced.tile != 7 || s > 1)))
                            continue; /* many buckets, many tiles: once is enough */
                        expect_bytes(&points, packed, n, &expected);
                    }
            free(packed);
        }
        forced.window = 0;
        forced.tile = 0;
        forced.slices = forced.sort_slices = 0;
        known_points_free(&points);
    }
}

static void test_digits_make_the_scalar_again(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    for (unsigned window = 2; window <= 20; window++) {
        struct digits digits;

        digits_init(&digits, TESTED.fr_modulus.w, FR_LIMBS, FR_BITS, window);
        for (int i = 0; i < 500; i++) {
            const struct scalar zero = {{0}};
            struct scalar scalar, sum = {{0}};
            uint64_t recoded[FR_LIMBS];
            bool negative;

            scalar_random(&TESTED, &scalar, &rng);
            if (i < 2) /* 0 and r - 1 */
                scalar = scalar_from(&TESTED, -i);
            negative = digits_recode(&digits, recoded, scalar.w);
            for (unsigned w = digits.n_windows; w-- > 0;) {
                const int32_t digit = digits_get(&digits, recoded, w);
                struct scalar d = scalar_from(&TESTED, digit);

                assert_in_range(digit + (1 << (window - 1)), 0, 1 << window);
                for (unsigned b = 0; b < window; b++)
                    TESTED.fr_add(&sum, &sum, &sum);
                TESTED.fr_add(&sum, &sum, &d);
            }
            if (negative)
                TESTED.fr_sub(&sum, &zero, &sum);
            assert_memory_equal(&sum, &scalar, sizeof sum);
        }
    }
}

/* For the bounds inside; test_decompress.c has the claims. */
static void test_points_are_decompressed(void **state)
{
    enum { N = 40 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 2);
    for (int second = 0; second < 2; second++) {
        const struct group_case group = {
            .curve = &TESTED, .kernels = second ? TESTED.g2 : TESTED.g1, .second = second};
        const size_t bytes = group.kernels->point_bytes;
        uint8_t encoded[N][sizeof(struct g2_point) / 2], *native = malloc(N * bytes);
        const uint8_t *at[N];
        struct known_points points;
        struct points_fault fault;

        assert_non_null(native);
        known_points_new(&points, &group, N, &rng);
        for (size_t i = 0; i < N; i++) {
            struct any_point p = {.u = {.w = {0}}};

            memcpy(&p, points.plain + i * bytes, bytes);
            if (second)
                TESTED.g2_encode(encoded[i], &p.u.g2, true);
            else
                TESTED.g1_encode(encoded[i], &p.u.g1, true);
            at[i] = encoded[i];
        }
        assert_true(group.kernels->decompress(native, at, N, &fault));
        group.kernels->to_plain(native, native, N);
        assert_memory_equal(native, points.plain, N * bytes);
        known_points_free(&points);
        free(native);
    }
}

static int set_up(void **state)
{
    (void)state;
    return pool_new(&three_threads, 3, NULL) == CUZK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(three_threads);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msm_gives_the_same_bytes_for_every_window_tile_and_slice),
        cmocka_unit_test(test_digits_make_the_scalar_again),
        cmocka_unit_test(test_points_are_decompressed),
    };

#ifdef CUZK_LANE_CHECKS
    if (!cpu_features()->avx512_ifma) {
        printf("SKIP: this processor has no AVX-512 IFMA\n");
        return 0;
    }
#endif
    return cmocka_run_group_tests_name("msm windows", tests, set_up, tear_down);
}
