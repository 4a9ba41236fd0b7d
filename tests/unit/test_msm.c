/* msm/: sums of products, class sums, fixed-base and element-wise multiples, in both groups of all
 * curves, against known logarithms and against the single-value operations of struct curve. The
 * edges are those at which other provers' implementations are known to have failed. */
#include "support/testing.h"

#include "base/mem.h"
#include "msm/window.h"
#include "support/group_case.h"

static struct group_case cases[GROUP_CASES];
static size_t n_cases, n_large;
static struct pool *three_threads;

static void *scratch_new(size_t bytes)
{
    return aligned_alloc(64, (bytes + 64) & ~(size_t)63);
}

/* ---- the sum under test ---------------------------------------------------------------------- */

static enum cuzk_status msm(const struct group_case *group, struct any_point *out,
                            const struct points_view *view, const uint32_t *index,
                            const uint64_t *scalars, size_t n, struct pool *pool,
                            struct cuzk_error *err)
{
    const size_t bytes = group->kernels->msm_bytes(n, pool_size(pool));
    uint8_t *scratch = aligned_alloc(64, (bytes + 128) & ~(size_t)63);
    enum cuzk_status st;

    assert_non_null(scratch);
    memset(scratch, 0xa5, bytes + 1);
    memset(out, 0, sizeof *out);
    st = group->kernels->msm(out, view, index, scalars, n, scratch, pool, err);
    assert_int_equal(scratch[bytes], 0xa5);
    free(scratch);
    return st;
}

static void expect_point(const struct group_case *group, const struct any_point *got,
                         const struct any_point *expected, const char *what, size_t n)
{
    if (memcmp(got, expected, group->kernels->point_bytes) != 0)
        fail_msg("%s: %s, n = %zu: wrong point", group->name, what, n);
}

/* One and three threads, plain form, against the logarithms. */
static void expect_sum(const struct known_points *points, const uint32_t *index,
                       const struct scalar *scalars, size_t n, const char *what)
{
    const struct group_case *group = points->group;
    const struct points_view view = {POINTS_PLAIN, points->plain, points->n};
    uint64_t *packed = scalars_pack(group->curve, scalars, n);
    struct any_point got, expected;
    struct cuzk_error err;

    known_points_sum(points, index, scalars, n, &expected);
    assert_int_equal(msm(group, &got, &view, index, packed, n, NULL, &err), CUZK_OK);
    expect_point(group, &got, &expected, what, n);
    assert_int_equal(msm(group, &got, &view, index, packed, n, three_threads, &err), CUZK_OK);
    expect_point(group, &got, &expected, what, n);
    free(packed);
}

static struct scalar *scalars_new(const struct group_case *group, size_t n, struct rng *rng)
{
    struct scalar *scalars = malloc((n + 1) * sizeof *scalars);

    assert_non_null(scalars);
    for (size_t i = 0; i < n; i++)
        scalar_random(group->curve, &scalars[i], rng);
    return scalars;
}

/* ---- sums of products ------------------------------------------------------------------------ */

static void test_msm_of_every_awkward_length(void **state)
{
    static const size_t lengths[] = {0,   1,   2,   3,    7,    8,    9,    15,   16,  17,  31,
                                     32,  33,  63,  64,   65,   127,  128,  129,  255, 256, 257,
                                     511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < n_cases; c++) {
        struct known_points points;
        struct scalar *scalars = scalars_new(&cases[c], 4097, &rng);

        known_points_new(&points, &cases[c], 4097, &rng);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            expect_sum(&points, NULL, scalars, lengths[i], "random");
        known_points_free(&points);
        free(scalars);
    }
}

static void test_msm_of_22529_points(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 1);
    for (size_t c = 0; c < n_large; c++) {
        struct known_points points;
        struct scalar *scalars = scalars_new(&cases[c], 22529, &rng);

        known_points_new(&points, &cases[c], 22529, &rng);
        expect_sum(&points, NULL, scalars, 22529, "random");
        known_points_free(&points);
        free(scalars);
    }
}

static void test_msm_equals_double_and_add(void **state)
{
    enum { N = 40 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 2);
    for (size_t c = 0; c < n_cases; c++) {
        const struct group_case *group = &cases[c];
        struct known_points points;
        struct scalar *scalars = scalars_new(group, N, &rng);
        uint64_t *packed = scalars_pack(group->curve, scalars, N);
        struct points_view view;
        struct any_point expected = {.u = {.w = {0}}}, got;

        known_points_new(&points, group, N, &rng);
        view = (struct points_view){POINTS_PLAIN, points.plain, N};
        for (size_t i = 0; i < N; i++) {
            struct any_point term = {.u = {.w = {0}}};

            memcpy(&term, points.plain + i * group->kernels->point_bytes,
                   group->kernels->point_bytes);
            group_mul(group, &term, &term, &scalars[i]);
            group_add(group, &expected, &expected, &term);
        }
        assert_int_equal(msm(group, &got, &view, NULL, packed, N, NULL, NULL), CUZK_OK);
        expect_point(group, &got, &expected, "double and add", N);
        known_points_free(&points);
        free(scalars);
        free(packed);
    }
}

/* Scalars where digits carry, change sign, or vanish. */
static size_t edge_scalars(const struct curve *curve, struct scalar *out)
{
    const struct scalar one = scalar_from(curve, 1), two = scalar_from(curve, 2);
    struct scalar half, x;
    size_t n = 0;

    for (int64_t k = -3; k <= 3; k++)
        out[n++] = scalar_from(curve, k);
    curve->fr_inv(&half, &two); /* (r + 1) / 2 */
    out[n++] = half;
    curve->fr_sub(&out[n++], &half, &one);
    for (unsigned bit = 1; bit < curve->fr_bits - 1; bit++) {
        x = (struct scalar){{0}};
        x.w[bit / 64] = UINT64_C(1) << (bit % 64);
        out[n++] = x;
        curve->fr_sub(&out[n++], &x, &one);
    }
    x = (struct scalar){{0}}; /* all ones below the top bit */
    for (unsigned bit = 0; bit + 1 < curve->fr_bits; bit++)
        x.w[bit / 64] |= UINT64_C(1) << (bit % 64);
    out[n++] = x;
    return n;
}

static void test_msm_of_edge_scalars(void **state)
{
    enum { N = 700 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 3);
    for (size_t c = 0; c < n_cases; c++) {
        struct known_points points;
        struct scalar *scalars = malloc(N * sizeof *scalars);
        const size_t n = edge_scalars(cases[c].curve, scalars);

        assert_true(n <= N);
        known_points_new(&points, &cases[c], N, &rng);
        expect_sum(&points, NULL, scalars, n, "edge scalars together");
        for (size_t i = 0; i<n; i += cases[c].curve->fr_bits> 64 ? 7 : 1) {
            expect_sum(&points, NULL, &scalars[i], 1, "one edge scalar");
            for (size_t j = 0; j < 37; j++)
                scalars[N - 37 + j] = scalars[i];
            expect_sum(&points, NULL, scalars + N - 37, 37, "one edge scalar for all");
        }
        known_points_free(&points);
        free(scalars);
    }
}

static void fill(struct known_points *points, size_t first, size_t step, const struct scalar *log)
{
    struct known_points one = *points;

    known_points_set(&one, first, log);
    for (size_t i = first + step; i < points->n; i += step) {
        const size_t bytes = points->group->kernels->point_bytes;

        memcpy(points->plain + i * bytes, points->plain + first * bytes, bytes);
        points->log[i] = *log;
    }
}

static void fill_scalars(struct scalar *scalars, size_t n, struct scalar value)
{
    for (size_t i = 0; i < n; i++)
        scalars[i] = value;
}

/* Equal, opposite, doubled and infinite points meet in the same bucket. */
static void test_msm_of_colliding_points(void **state)
{
    enum { N = 600 };
    static const size_t lengths[] = {2, 3, 8, 31, 33, 600};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 4);
    for (size_t c = 0; c < n_cases; c++) {
        const struct curve *curve = cases[c].curve;
        const struct scalar zero = {{0}}, one = scalar_from(curve, 1);
        struct scalar *random = scalars_new(&cases[c], N, &rng), *same = malloc(N * sizeof *same);
        struct known_points points;
        struct scalar log, other;

        known_points_new(&points, &cases[c], N, &rng);
        fill_scalars(same, N, random[0]);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            expect_sum(&points, NULL, same, lengths[l], "all scalars equal: one bucket a window");

        scalar_random(curve, &log, &rng);
        fill(&points, 0, 1, &log);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            expect_sum(&points, NULL, random, lengths[l], "all points equal");
            expect_sum(&points, NULL, same, lengths[l], "all terms equal");
            fill_scalars(same, N, one);
            expect_sum(&points, NULL, same, lengths[l], "all terms equal, scalar one");
            fill_scalars(same, N, random[0]);
        }
        curve->fr_sub(&other, &zero, &log);
        fill(&points, 1, 2, &other);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            expect_sum(&points, NULL, random, lengths[l], "P and -P in turn");
            expect_sum(&points, NULL, same, lengths[l], "P and -P in turn, one scalar");
        }
        curve->fr_add(&other, &log, &log);
        fill(&points, 1, 2, &other);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            expect_sum(&points, NULL, random, lengths[l], "P and 2P in turn");
            expect_sum(&points, NULL, same, lengths[l], "P and 2P in turn, one scalar");
        }
        known_points_set(&points, 0, &zero);
        known_points_set(&points, N - 1, &zero);
        expect_sum(&points, NULL, random, N, "infinity first and last");
        expect_sum(&points, NULL, random, 1, "infinity only");
        fill(&points, 0, 3, &zero);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            expect_sum(&points, NULL, random, lengths[l], "infinity sprinkled");
            expect_sum(&points, NULL, same, lengths[l], "infinity sprinkled, one scalar");
        }
        fill(&points, 0, 1, &zero);
        expect_sum(&points, NULL, random, N, "all infinity");
        fill_scalars(same, N, zero);
        fill(&points, 0, 1, &log);
        expect_sum(&points, NULL, same, N, "all scalars zero");
        known_points_free(&points);
        free(random);
        free(same);
    }
}

static void test_msm_of_toys_with_one_and_two_terms_exhaustively(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 5);
    for (size_t c = n_large; c < n_cases; c++) {
        const struct group_case *group = &cases[c];
        const uint64_t r = group->curve->fr_modulus.w[0];
        const size_t bytes = group->kernels->point_bytes;
        void *scratch = scratch_new(group->kernels->msm_bytes(2, 1));
        struct known_points all;

        known_points_new(&all, group, r, &rng);
        for (uint64_t i = 0; i < r; i++)
            known_points_set(&all, i, &(struct scalar){{i}});
        for (uint64_t i = 0; i < r; i++)
            for (uint64_t j = 0; j < r; j++) {
                const uint64_t s[2] = {rng_below(&rng, r), rng_below(&rng, r)};
                const uint32_t pair[2] = {(uint32_t)i, (uint32_t)j};
                const struct points_view view = {POINTS_PLAIN, all.plain, r};
                struct any_point got;

                assert_int_equal(group->kernels->msm(&got, &view, pair, &j, 1, scratch, NULL, NULL),
                                 CUZK_OK);
                assert_memory_equal(&got, all.plain + i * j % r * bytes, bytes);
                assert_int_equal(group->kernels->msm(&got, &view, pair, s, 2, scratch, NULL, NULL),
                                 CUZK_OK);
                assert_memory_equal(&got, all.plain + (i * s[0] + j * s[1]) % r * bytes, bytes);
            }
        known_points_free(&all);
        free(scratch);
    }
}

static void test_msm_takes_points_by_index(void **state)
{
    enum { N = 300 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 6);
    for (size_t c = 0; c < n_cases; c++) {
        struct known_points points;
        struct scalar *scalars = scalars_new(&cases[c], N, &rng);
        uint32_t index[N];

        known_points_new(&points, &cases[c], N, &rng);
        for (size_t i = 0; i < N; i++)
            index[i] = (uint32_t)rng_below(&rng, N);
        expect_sum(&points, index, scalars, N, "by index, with repeats");
        known_points_free(&points);
        free(scalars);
    }
}

/* Everything beyond 2^32 bytes: points at infinity and zero scalars, which cost no memory, and a
 * few terms around the places where an index or an offset could wrap. */
static void test_msm_and_class_sum_of_more_than_2_to_the_26_terms(void **state)
{
    const size_t n = ((size_t)1 << 26) + 3;
    const size_t places[] = {0, (n - 3) / 2, n - 4, n - 3, n - 2, n - 1};
    enum { N = sizeof places / sizeof *places };
    const struct group_case *group = &cases[0];
    const struct group_kernels *k = group->kernels;
    struct region points, scalars, select, scratch;
    struct any_point expected, got = {.u = {.w = {0}}};
    struct known_points few;
    struct scalar *factors, ones[N];
    struct points_view view;
    struct rng rng;

    (void)state;
    if (!test_long()) {
        printf("SKIP: half a minute, with CUZK_LONG=1 only\n");
        skip();
    }
    rng_seed(&rng, test_seed() + 14);
    factors = scalars_new(group, N, &rng);
    known_points_new(&few, group, N, &rng);
    assert_int_equal(region_map(&points, NULL, MEM_SCRATCH, n * k->point_bytes, NULL), CUZK_OK);
    assert_int_equal(region_map(&scalars, NULL, MEM_SCRATCH, n * 32, NULL), CUZK_OK);
    assert_int_equal(region_map(&select, NULL, MEM_SCRATCH, n / 8 + 8, NULL), CUZK_OK);
    assert_int_equal(
        region_map(&scratch, NULL, MEM_SCRATCH, k->msm_bytes(n, 3) + k->sum_bytes(n, 3), NULL),
        CUZK_OK);
    for (size_t i = 0; i < N; i++) {
        memcpy(points.base + places[i] * k->point_bytes, few.plain + i * k->point_bytes,
               k->point_bytes);
        memcpy(scalars.base + places[i] * 32, &factors[i], 32);
        ones[i] = scalar_from(group->curve, 1);
    }
    view = (struct points_view){POINTS_PLAIN, points.base, n};
    known_points_sum(&few, NULL, factors, N, &expected);
    assert_int_equal(k->msm(&got, &view, NULL, (const uint64_t *)(const void *)scalars.base, n,
                            scratch.base, three_threads, NULL),
                     CUZK_OK);
    expect_point(group, &got, &expected, "nearly all zero", n);
    memset(select.base, 0xff, n / 8 + 1);
    known_points_sum(&few, NULL, ones, N, &expected);
    assert_int_equal(k->sum(&got, &view, (const uint64_t *)(const void *)select.base, n,
                            scratch.base, three_threads, NULL),
                     CUZK_OK);
    expect_point(group, &got, &expected, "class sum, nearly all infinity", n);
    region_unmap(&points);
    region_unmap(&scalars);
    region_unmap(&select);
    region_unmap(&scratch);
    known_points_free(&few);
    free(factors);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* A pool can be asked to make way after a task: those of large sums take about a millisecond, and a
 * window is looked through once unless threads outnumber windows. */
static void test_msm_is_cut_into_short_tasks_and_sorted_in_few(void **state)
{
    (void)state;
    for (unsigned window = 2; window <= 20; window++) {
        const unsigned n_windows = (255 + window - 1) / window, most = 1u << (window - 1);

        for (unsigned threads = 1; threads <= 256; threads++)
            for (size_t n = 0; n <= (size_t)1 << 22; n = 8 * n + 1) {
                const size_t tile = msm_tile(n, window);
                const unsigned slices = msm_slices(n_windows, window, tile, threads);
                const unsigned sort = msm_sort_slices(n_windows, window, threads);

                assert_true(tile <= n && (tile == n || tile >= 4 * (size_t)most));
                assert_int_equal(slices & (slices - 1), 0);
                assert_int_equal(sort & (sort - 1), 0);
                assert_in_range(slices, 1, most);
                assert_in_range(sort, 1, most);
                if (slices < most) {
                    assert_true(tile / slices <= 1 << 14);
                    assert_true(threads == 1 || n_windows * slices >= 8 * threads);
                }
                if (threads <= 2 * n_windows)
                    assert_int_equal(sort, 1);
                else if (sort < most)
                    assert_true(2 * n_windows * sort >= threads);
            }
    }
}

static void test_msm_gives_the_same_bytes_for_every_form_of_the_points(void **state)
{
    enum { N = 257 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 7);
    for (size_t c = 0; c < n_cases; c++) {
        const struct group_case *group = &cases[c];
        const struct group_kernels *k = group->kernels;
        struct known_points points;
        struct scalar *scalars = scalars_new(group, N, &rng);
        uint64_t *packed = scalars_pack(group->curve, scalars, N);
        uint8_t *native = malloc(N * k->point_bytes), *back = malloc(N * k->point_bytes);
        uint8_t *encoded = malloc(N * k->encoded_bytes + 1);
        struct points_fault fault;
        struct any_point expected, got;

        known_points_new(&points, group, N, &rng);
        for (size_t i = 0; i < N; i++)
            if ((points.log[i].w[0] | points.log[i].w[1]) == 0) /* the toys meet infinity */
                known_points_set(&points, i, &(struct scalar){{1}});
        known_points_sum(&points, NULL, scalars, N, &expected);
        k->from_plain(native, points.plain, N);
        k->encode(encoded + 1, native, N);
        for (int form = 0; form < 3; form++) {
            const void *data[] = {native, points.plain, encoded + 1};
            const enum points_form forms[] = {POINTS_NATIVE, POINTS_PLAIN, POINTS_ZCASH};
            const struct points_view view = {forms[form], data[form], N};

            assert_int_equal(msm(group, &got, &view, NULL, packed, N, NULL, NULL), CUZK_OK);
            expect_point(group, &got, &expected, "a form", N);
            memset(back, 0, N * k->point_bytes);
            assert_true(k->decode(back, &view, 3, N, &fault));
            assert_memory_equal(back, native + 3 * k->point_bytes, (N - 3) * k->point_bytes);
        }
        memcpy(back, native, N * k->point_bytes);
        k->to_plain(back, back, N);
        assert_memory_equal(back, points.plain, N * k->point_bytes);
        known_points_free(&points);
        free(scalars);
        free(packed);
        free(native);
        free(back);
        free(encoded);
    }
}

static void test_a_bad_encoded_point_is_named(void **state)
{
    enum { N = 3000 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 8);
    for (size_t c = 0; c < n_large; c++) {
        const struct group_case *group = &cases[c];
        const struct group_kernels *k = group->kernels;
        struct known_points points;
        struct scalar *scalars = scalars_new(group, N, &rng);
        uint64_t *packed = scalars_pack(group->curve, scalars, N), select[(N + 63) / 64];
        uint8_t *encoded = malloc(N * k->encoded_bytes), *native = malloc(N * k->point_bytes);
        const struct points_view view = {POINTS_ZCASH, encoded, N};
        static const struct {
            size_t index;
            const char *why;
        } bad[] = {
            {0, "curve"}, {1234, "curve"}, {N - 1, "curve"}, {77, "infinity"}, {2999, "modulus"}};

        known_points_new(&points, group, N, &rng);
        k->from_plain(native, points.plain, N);
        memset(select, 0xff, sizeof select);
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            uint8_t *at = encoded + bad[b].index * k->encoded_bytes;
            struct cuzk_error err = {.message = ""};
            struct points_fault fault = {.index = 0};
            char expected[64];
            struct any_point got;
            void *scratch = scratch_new(k->sum_bytes(N, 3));

            k->encode(encoded, native, N);
            if (strcmp(bad[b].why, "curve") == 0) {
                at[k->encoded_bytes - 1] ^= 1;
            } else if (strcmp(bad[b].why, "infinity") == 0) {
                memset(at, 0, k->encoded_bytes);
                at[0] = group->curve == &curve_bn254 ? 0 : 0x40;
            } else {
                memset(at, 0xff, k->encoded_bytes / 2);
                at[0] = group->curve == &curve_bn254 ? 0x3f : 0x1f;
            }
            snprintf(expected, sizeof expected, "point %zu: ", bad[b].index);
            assert_int_equal(msm(group, &got, &view, NULL, packed, N, three_threads, &err),
                             CUZK_BAD_INPUT);
            assert_non_null(strstr(err.message, expected));
            err.message[0] = 0;
            assert_int_equal(k->sum(&got, &view, select, N, scratch, three_threads, &err),
                             CUZK_BAD_INPUT);
            assert_non_null(strstr(err.message, expected));
            assert_false(k->decode(native, &view, bad[b].index, bad[b].index + 1, &fault));
            assert_int_equal(fault.index, bad[b].index);
            k->from_plain(native, points.plain, N);
            free(scratch);
        }
        known_points_free(&points);
        free(scalars);
        free(packed);
        free(encoded);
        free(native);
    }
}

/* ---- class sums ------------------------------------------------------------------------------ */

static void expect_class_sum(const struct known_points *points, const uint64_t *select, size_t n)
{
    const struct group_kernels *k = points->group->kernels;
    const struct points_view view = {POINTS_PLAIN, points->plain, points->n};
    struct scalar *bits = calloc(n + 1, sizeof *bits);
    struct any_point expected, got = {.u = {.w = {0}}};

    for (size_t i = 0; i < n; i++)
        bits[i].w[0] = select[i / 64] >> (i % 64) & 1;
    known_points_sum(points, NULL, bits, n, &expected);
    for (int threads = 1; threads <= 3; threads += 2) {
        struct pool *pool = threads == 1 ? NULL : three_threads;
        void *scratch = scratch_new(k->sum_bytes(n, pool_size(pool)));

        assert_int_equal(k->sum(&got, &view, select, n, scratch, pool, NULL), CUZK_OK);
        expect_point(points->group, &got, &expected, "class sum", n);
        free(scratch);
    }
    free(bits);
}

static void test_class_sum_adds_the_selected_points(void **state)
{
    enum { N = 9000 };
    static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 4095, 4096, 4097, N};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 9);
    for (size_t c = 0; c < n_cases; c++) {
        struct known_points points;
        uint64_t select[(N + 63) / 64];
        struct scalar log;

        known_points_new(&points, &cases[c], N, &rng);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            rng_bytes(&rng, select, sizeof select);
            expect_class_sum(&points, select, lengths[l]);
            memset(select, 0xff, sizeof select);
            expect_class_sum(&points, select, lengths[l]);
        }
        memset(select, 0, sizeof select);
        expect_class_sum(&points, select, N);
        memset(select, 0xff, sizeof select);
        scalar_random(cases[c].curve, &log, &rng);
        fill(&points, 0, 1, &log);
        expect_class_sum(&points, select, N);
        fill(&points, 1, 3, &(struct scalar){{0}});
        expect_class_sum(&points, select, N);
        known_points_free(&points);
    }
}

/* ---- multiples, element by element ----------------------------------------------------------- */

static void test_fixed_base_multiples(void **state)
{
    enum { N = 1200 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 10);
    for (size_t c = 0; c < n_cases; c++) {
        const struct group_case *group = &cases[c];
        const struct group_kernels *k = group->kernels;
        struct scalar *scalars = scalars_new(group, N, &rng), log, product;
        struct any_point base, expected;
        void *table = scratch_new(k->fixed_table_bytes());
        void *scratch = scratch_new(k->fixed_mul_bytes(N, 3));
        uint8_t *out = malloc(N * k->point_bytes);
        const size_t n_edges = edge_scalars(group->curve, scalars);
        uint64_t *packed = scalars_pack(group->curve, scalars, N);

        scalar_random(group->curve, &log, &rng);
        group_power(group, &base, &log);
        k->fixed_table_init(table, &base, three_threads);
        for (int threads = 1; threads <= 3; threads += 2) {
            memset(out, 0xff, N * k->point_bytes);
            k->fixed_mul(out, table, packed, N, scratch, threads == 1 ? NULL : three_threads);
            k->to_plain(out, out, N);
            for (size_t i = 0; i < N; i += i < n_edges || cases[c].curve->fr_bits < 64 ? 1 : 11) {
                group->curve->fr_mul(&product, &scalars[i], &log);
                group_power(group, &expected, &product);
                assert_memory_equal(out + i * k->point_bytes, &expected, k->point_bytes);
            }
        }
        free(scalars);
        free(packed);
        free(table);
        free(scratch);
        free(out);
    }
}

static void test_element_wise_sums_multiples_and_negatives(void **state)
{
    enum { N = 1100 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 11);
    for (size_t c = 0; c < n_cases; c++) {
        const struct group_case *group = &cases[c];
        const struct group_kernels *k = group->kernels;
        const size_t bytes = k->point_bytes;
        struct known_points a, b;
        struct scalar *scalars = scalars_new(group, N, &rng);
        uint64_t *packed = scalars_pack(group->curve, scalars, N);
        uint8_t *x = malloc(N * bytes), *y = malloc(N * bytes), *out = malloc(N * bytes);
        void *scratch = scratch_new(k->add_batch_bytes(N, 3));
        struct any_point expected, p, q;

        known_points_new(&a, group, N, &rng);
        known_points_new(&b, group, N, &rng);
        for (size_t i = 0; i < N; i += 5) { /* infinity, equal, opposite */
            const struct scalar zero = {{0}};
            struct scalar opposite;

            group->curve->fr_sub(&opposite, &zero, &a.log[i]);
            known_points_set(&b, i, i % 3 == 0 ? &zero : i % 3 == 1 ? &a.log[i] : &opposite);
            if (i % 2 == 0)
                known_points_set(&a, i, &zero);
        }
        k->from_plain(x, a.plain, N);
        k->from_plain(y, b.plain, N);
        for (int way = 0; way < 3; way++) { /* apart, over a, over b */
            uint8_t *to = way == 0 ? out : way == 1 ? x : y;

            k->add_batch(to, x, y, N, scratch, way == 0 ? three_threads : NULL);
            k->to_plain(to, to, N);
            for (size_t i = 0; i < N; i++) {
                memset(&p, 0, sizeof p);
                memset(&q, 0, sizeof q);
                memcpy(&p, a.plain + i * bytes, bytes);
                memcpy(&q, b.plain + i * bytes, bytes);
                group_add(group, &expected, &p, &q);
                assert_memory_equal(to + i * bytes, &expected, bytes);
            }
            k->from_plain(x, a.plain, N);
            k->from_plain(y, b.plain, N);
        }
        k->mul_each(out, x, packed, 200, three_threads);
        k->to_plain(out, out, 200);
        for (size_t i = 0; i < 200; i++) {
            struct scalar log;

            group->curve->fr_mul(&log, &scalars[i], &a.log[i]);
            group_power(group, &expected, &log);
            assert_memory_equal(out + i * bytes, &expected, bytes);
        }
        k->neg_batch(x, N);
        k->to_plain(x, x, N);
        for (size_t i = 0; i < N; i++) {
            memset(&p, 0, sizeof p);
            memcpy(&p, a.plain + i * bytes, bytes);
            group_neg(group, &expected, &p);
            assert_memory_equal(x + i * bytes, &expected, bytes);
        }
        known_points_free(&a);
        known_points_free(&b);
        free(scalars);
        free(packed);
        free(x);
        free(y);
        free(out);
        free(scratch);
    }
}

/* ---- the subgroup ----------------------------------------------------------------------------- */

/* With one and three threads, in memory of exactly the size asked for. */
static size_t first_outside(const struct group_kernels *k, const void *native, size_t n)
{
    size_t found[2];

    for (int i = 0; i < 2; i++) {
        struct pool *pool = i ? three_threads : NULL;
        const size_t bytes = k->subgroup_bytes(n, pool_size(pool));
        uint8_t *scratch = scratch_new(bytes + 1);

        assert_non_null(scratch);
        scratch[bytes] = 0xa5;
        found[i] = k->subgroup_check(native, n, scratch, pool);
        assert_int_equal(scratch[bytes], 0xa5);
        free(scratch);
    }
    assert_int_equal(found[0], found[1]);
    return found[0];
}

static void test_subgroup_check_accepts_multiples_of_the_generator(void **state)
{
    static const size_t lengths[] = {0, 1, 100, 255, 256, 300, 20000};
    enum { N = 20000 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 12);
    for (size_t c = 0; c < n_cases; c++) {
        const struct group_kernels *k = cases[c].kernels;
        struct known_points points;
        struct points_fault fault;

        known_points_new(&points, &cases[c], N, &rng);
        k->from_plain(points.plain, points.plain, N);
        if (c < n_large) /* the toys' progressions come round to infinity */
            assert_true(k->check(points.plain, N, &fault));
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            assert_int_equal(first_outside(k, points.plain, lengths[i]), lengths[i]);
        known_points_free(&points);
    }
}

/* A point of the curve outside the subgroup, plain; false where the whole curve is the subgroup. */
static bool outside_new(const struct group_case *group, struct any_point *out, struct rng *rng)
{
    const struct curve *curve = group->curve;
    uint8_t bytes[sizeof *out];

    for (int tries = 0; tries < 1000; tries++) {
        enum point_fault fault;

        rng_bytes(rng, bytes, sizeof bytes);
        bytes[0] = (uint8_t)(0x80 | (bytes[0] & 0x1f));
        if (curve->fp_bits % 64 == 62) /* gnark-crypto's flags */
            bytes[0] &= 0x9f;
        if (curve->fp_bytes == 8) {
            memset(bytes, 0, sizeof bytes);
            bytes[0] = 0x80;
            bytes[7] = (uint8_t)rng_below(rng, 97);
            bytes[15] = (uint8_t)rng_below(rng, 97);
        }
        memset(out, 0, sizeof *out);
        fault = group->second ? curve->g2_decode(&out->u.g2, bytes, true, false)
                              : curve->g1_decode(&out->u.g1, bytes, true, false);
        if (fault != POINT_OK)
            continue;
        fault = group->second ? curve->g2_check(&out->u.g2) : curve->g1_check(&out->u.g1);
        if (fault == POINT_NOT_IN_SUBGROUP)
            return true;
    }
    return false;
}

/* Adds `what` to point i of plain points. */
static void spoil(struct known_points *points, size_t i, const struct any_point *what)
{
    const size_t bytes = points->group->kernels->point_bytes;
    struct any_point p;

    memset(&p, 0, sizeof p);
    memcpy(&p, points->plain + i * bytes, bytes);
    group_add(points->group, &p, &p, what);
    memcpy(points->plain + i * bytes, &p, bytes);
}

static void expect_first_outside(const struct known_points *points, size_t n, size_t expected)
{
    const struct group_kernels *k = points->group->kernels;
    uint8_t *native = malloc(n * k->point_bytes);
    size_t found;

    assert_non_null(native);
    k->from_plain(native, points->plain, n);
    found = first_outside(k, native, n);
    free(native);
    if (found != expected)
        fail_msg("%s: first point outside the subgroup: %zu, expected %zu of %zu",
                 points->group->name, found, expected, n);
}

static void test_subgroup_check_finds_the_first_point_outside(void **state)
{
    enum { N = 17000 }; /* a batch and a part of one */
    static const size_t places[] = {0, 1, 299, 16383, 16384, N - 1};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 13);
    for (size_t c = 0; c < GROUP_CASES; c++) {
        struct known_points points;
        struct any_point bad, minus;

        if (!outside_new(&cases[c], &bad, &rng)) {
            /* All points of these are in the group. */
            assert_true(strncmp(cases[c].name, "bn254 g1", 8) == 0 ||
                        strncmp(cases[c].name, "toy_bn g1", 9) == 0);
            continue;
        }
        group_neg(&cases[c], &minus, &bad);
        known_points_new(&points, &cases[c], N, &rng);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            spoil(&points, places[i], &bad);
            expect_first_outside(&points, N, places[i]);
            spoil(&points, places[i], &minus);
        }
        spoil(&points, 100, &bad); /* two that cancel in any sum with both */
        spoil(&points, 101, &minus);
        expect_first_outside(&points, 300, 100);
        expect_first_outside(&points, 150, 100);
        known_points_free(&points);
    }
}

/* (0, 2) is on G1 of BLS12-381 and has order 3, the smallest that a component outside can have. */
static void test_subgroup_check_finds_components_of_order_three(void **state)
{
    enum { N = 600, ROUNDS = 40 };
    struct any_point order3 = {{{{0}}}}, twice;
    const struct group_case *group = &cases[0];
    struct known_points points;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 14);
    assert_string_equal(group->name, "bls12_381 g1");
    order3.u.w[6] = 2;
    group_add(group, &twice, &order3, &order3);
    known_points_new(&points, group, N, &rng);
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t n_bad = 1 + round % 4;

        for (size_t i = 0; i < n_bad; i++)
            spoil(&points, 10 * round + i, i % 2 ? &twice : &order3);
        expect_first_outside(&points, N, 10 * round);
        for (size_t i = 0; i < n_bad; i++)
            spoil(&points, 10 * round + i, i % 2 ? &order3 : &twice);
    }
    expect_first_outside(&points, N, N);
    known_points_free(&points);
}

static void test_check_names_what_is_wrong_with_native_words(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed() + 15);
    for (size_t c = 0; c < n_large; c++) {
        const struct group_kernels *k = cases[c].kernels;
        struct known_points points;
        struct points_fault fault;
        uint8_t *third;

        known_points_new(&points, &cases[c], 4, &rng);
        k->from_plain(points.plain, points.plain, 4);
        third = points.plain + 3 * k->point_bytes;
        third[0] ^= 1;
        assert_false(k->check(points.plain, 4, &fault));
        assert_int_equal(fault.index, 3);
        assert_int_equal(fault.fault, POINT_NOT_ON_CURVE);
        memset(third + k->point_bytes - 8, 0xff, 8);
        assert_false(k->check(points.plain, 4, &fault));
        assert_int_equal(fault.fault, POINT_NOT_CANONICAL);
        memset(third, 0, k->point_bytes);
        assert_false(k->check(points.plain, 4, &fault));
        assert_int_equal(fault.fault, POINT_INFINITY);
        assert_true(k->check(points.plain, 3, &fault));
        known_points_free(&points);
    }
}

static void test_a_cancelled_msm_says_so(void **state)
{
    enum { N = 100 };
    const atomic_bool cancel = true;
    struct known_points points;
    struct rng rng;
    struct any_point got;
    uint64_t *packed;
    struct scalar *scalars;

    (void)state;
    rng_seed(&rng, test_seed() + 13);
    scalars = scalars_new(&cases[0], N, &rng);
    packed = scalars_pack(cases[0].curve, scalars, N);
    known_points_new(&points, &cases[0], N, &rng);
    pool_set_cancel(three_threads, &cancel);
    assert_int_equal(msm(&cases[0], &got, &(struct points_view){POINTS_PLAIN, points.plain, N},
                         NULL, packed, N, three_threads, NULL),
                     CUZK_CANCELLED);
    pool_set_cancel(three_threads, NULL);
    known_points_free(&points);
    free(scalars);
    free(packed);
}

static int set_up(void **state)
{
    (void)state;
    n_cases = group_cases(cases, &n_large);
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
        cmocka_unit_test(test_msm_of_every_awkward_length),
        cmocka_unit_test(test_msm_of_22529_points),
        cmocka_unit_test(test_msm_equals_double_and_add),
        cmocka_unit_test(test_msm_of_edge_scalars),
        cmocka_unit_test(test_msm_of_colliding_points),
        cmocka_unit_test(test_msm_of_toys_with_one_and_two_terms_exhaustively),
        cmocka_unit_test(test_msm_takes_points_by_index),
        cmocka_unit_test(test_msm_and_class_sum_of_more_than_2_to_the_26_terms),
        cmocka_unit_test(test_msm_is_cut_into_short_tasks_and_sorted_in_few),
        cmocka_unit_test(test_msm_gives_the_same_bytes_for_every_form_of_the_points),
        cmocka_unit_test(test_a_bad_encoded_point_is_named),
        cmocka_unit_test(test_class_sum_adds_the_selected_points),
        cmocka_unit_test(test_fixed_base_multiples),
        cmocka_unit_test(test_element_wise_sums_multiples_and_negatives),
        cmocka_unit_test(test_subgroup_check_accepts_multiples_of_the_generator),
        cmocka_unit_test(test_subgroup_check_finds_the_first_point_outside),
        cmocka_unit_test(test_subgroup_check_finds_components_of_order_three),
        cmocka_unit_test(test_check_names_what_is_wrong_with_native_words),
        cmocka_unit_test(test_a_cancelled_msm_says_so),
    };

    return cmocka_run_group_tests_name("msm", tests, set_up, tear_down);
}
