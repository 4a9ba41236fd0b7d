/* The device of the cpu back end: its arena, buffers, streams, and every way to fail. */
#include "support/random_matrix.h"
#include "support/waist.h"

static void test_registry_finds_the_back_ends_by_name(void **state)
{
    (void)state;
    assert_string_equal(backend_find("cpu")->name, "cpu");
    assert_null(backend_find("cpu")->unavailable());
    assert_non_null(backend_find("auto"));
    assert_null(backend_find("abacus"));
    assert_null(backend_find(""));
    for (const struct backend *const *b = backend_list(); *b; b++)
        assert_ptr_equal(backend_find((*b)->name), *b);
}

static void test_info_names_the_device(void **state)
{
    struct waist w;
    struct device_info info;

    (void)state;
    waist_open(&w, &curve_bn254, 3);
    w.be->info(w.device, &info);
    assert_non_null(strstr(info.name, "3 threads"));
    assert_true(info.memory_total >= info.memory_free && info.memory_free > 0);
    waist_close(&w);
}

/* ---- arena ----------------------------------------------------------------------------------- */

static void test_open_takes_the_arena_from_the_budget_and_close_gives_it_back(void **state)
{
    const struct backend *be = backend_find("cpu");
    struct budget budget;
    struct device *device = NULL;
    struct cuzk_error err;
    struct device_options options = {.curve = &curve_toy_bn, .arena_bytes = 3 << 20};

    (void)state;
    budget_init(&budget, 4 << 20);
    options.budget = &budget;
    assert_int_equal(be->open(&device, &options, &err), CUZK_OK);
    assert_int_equal(budget.now, 3 << 20);
    be->close(device);
    assert_int_equal(budget.now, 0);
    device = NULL;
    options.arena_bytes = 5 << 20;
    assert_int_equal(be->open(&device, &options, &err), CUZK_NO_MEMORY);
    assert_null(device);
    assert_int_equal(budget.now, 0);
    be->close(NULL);
}

static void test_buffers_take_what_buf_bytes_says(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element e = ELEMENT_SCALAR; e <= ELEMENT_G2; e++)
            for (size_t n = 0; n < 70; n += 1 + n / 4) {
                struct waist w;
                struct buf *buf;

                waist_open(&w, waist_curves[c], 1);
                assert_int_equal(w.be->buf_new(w.device, e, n, &buf, NULL), CUZK_OK);
                assert_int_equal(w.device->arena.used, w.be->buf_bytes(w.curve, e, n));
                w.be->buf_free(buf);
                waist_close(&w);
            }
}

static void test_pieces_can_be_freed_in_any_order(void **state)
{
    enum { N = 6 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int round = 0; round < 200; round++) {
        struct waist w;
        struct buf *buf[N];
        bool live[N];
        size_t base[N];

        waist_open(&w, &curve_toy_bn, 1);
        for (int i = 0; i < N; i++) {
            base[i] = w.device->arena.used;
            buf[i] = waist_buf(&w, ELEMENT_SCALAR, 10 + (size_t)i, NULL);
            live[i] = true;
        }
        for (int left = N; left > 0; left--) {
            int i = (int)rng_below(&rng, N), youngest = -1;

            while (!live[i])
                i = (i + 1) % N;
            live[i] = false;
            w.be->buf_free(buf[i]);
            for (int k = 0; k < N; k++)
                if (live[k])
                    youngest = k;
            assert_int_equal(w.device->arena.used, youngest < 0 ? 0
                                                   : youngest + 1 == N
                                                       ? base[N - 1] + (base[N - 1] - base[N - 2])
                                                       : base[youngest + 1]);
        }
        waist_close(&w);
    }
}

static void test_what_does_not_fit_is_refused_and_leaves_nothing(void **state)
{
    const struct backend *be = backend_find("cpu");
    const struct device_options options = {.curve = &curve_bls12_381, .arena_bytes = 1 << 16};
    struct device *device;
    struct stream *stream;
    struct cuzk_error err;
    struct buf *buf = NULL, *a, *b;
    struct domain *domain = NULL;

    (void)state;
    assert_int_equal(be->open(&device, &options, &err), CUZK_OK);
    assert_int_equal(be->stream_new(device, &stream, &err), CUZK_OK);
    assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 2048, &buf, &err), CUZK_NO_MEMORY);
    assert_int_equal(be->buf_new(device, ELEMENT_G2, SIZE_MAX / 191, &buf, &err), CUZK_NO_MEMORY);
    assert_null(buf);
    assert_int_equal(be->domain_new(device, 12, 7, TABLES_FAST, &domain, &err), CUZK_NO_MEMORY);
    assert_null(domain);
    assert_int_equal(device->arena.used, 0);

    /* the scratch of an operation: a sticky error with its name */
    assert_int_equal(be->domain_new(device, 8, 7, TABLES_FAST, &domain, &err), CUZK_OK);
    assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 256, &a, &err), CUZK_OK);
    assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 1400, &b, &err), CUZK_OK);
    be->buf_zero(stream, a, 0, 256);
    be->buf_zero(stream, b, 0, 1400);
    be->quotient(stream, domain, a, b, H_POWERS);
    assert_int_equal(be->wait(stream, &err), CUZK_NO_MEMORY);
    assert_non_null(strstr(err.message, "quotient: "));
    be->buf_free(b);
    be->buf_free(a);
    be->domain_free(domain);
    assert_int_equal(device->arena.used, 0);
    be->stream_free(stream);
    be->close(device);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static void test_get_returns_what_was_put(void **state)
{
    const size_t n = 9000;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
            const struct curve *curve = waist_curves[c];
            const size_t words = curve->fr_bytes / 8;
            uint64_t *values = mem_new(n * curve->fr_bytes), *got;
            struct waist w;

            for (size_t i = 0; i < n; i++) {
                const struct scalar x = random_scalar(curve, &rng);

                scalar_store(curve, values, i, &x);
            }
            waist_open(&w, curve, n_threads);
            struct buf *buf = waist_buf(&w, ELEMENT_SCALAR, n, values);

            got = waist_get(&w, buf, n);
            assert_memory_equal(got, values, n * curve->fr_bytes);
            mem_free(got);
            /* a part, in the plain form as well */
            for (int plain = 0; plain < 2; plain++) {
                if (plain)
                    buf_make_plain(buf);
                w.be->buf_put(w.stream, buf, 100, values, 5000);
                w.be->buf_zero(w.stream, buf, 7, 3);
                memset(values + 7 * words, 0, 3 * curve->fr_bytes);
                uint64_t *part = mem_new(5000 * curve->fr_bytes);

                w.be->buf_get(w.stream, buf, 100, part, 5000);
                waist_wait(&w);
                for (size_t i = 8; i < 5000; i += 13) /* 7 .. 9 were zeroed after the put */
                    if (i > 9)
                        assert_memory_equal(part + i * words, values + i * words, curve->fr_bytes);
                mem_free(part);
            }
            w.be->buf_free(buf);
            waist_close(&w);
            mem_free(values);
        }
}

static void test_select_takes_what_the_map_says(void **state)
{
    enum { N = 1000, FIRST = 128 };
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        const size_t words = curve->fr_bytes / 8;
        uint64_t map[(N + FIRST) / 64 + 1], values[N * 4], expected[N * 4], *got;
        size_t taken = 0;
        struct waist w;

        waist_open(&w, curve, 2);
        for (size_t i = 0; i < sizeof map / sizeof *map; i++)
            map[i] = rng_u64(&rng);
        for (size_t i = 0; i < N; i++) {
            const struct scalar x = random_scalar(curve, &rng);

            scalar_store(curve, values, i, &x);
            if (witness_bit(map, FIRST + i))
                scalar_store(curve, expected, taken++, &x);
        }
        struct buf *a = waist_buf(&w, ELEMENT_SCALAR, N, values);
        struct buf *out = waist_buf(&w, ELEMENT_SCALAR, N, NULL);

        waist_measure_begin(&w);
        w.be->select(w.stream, out, a, map, FIRST, N);
        waist_measure_end(&w, w.be->select_bytes(curve, N));
        got = waist_get(&w, out, N);
        assert_memory_equal(got, expected, taken * curve->fr_bytes);
        for (size_t i = taken * words; i < N * words; i++)
            assert_int_equal(got[i], 0);
        mem_free(got);
        w.be->buf_free(out);
        w.be->buf_free(a);
        waist_close(&w);
    }
}

static void test_find_zero_finds_the_first(void **state)
{
    enum { N = 300 };

    (void)state;
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        const size_t places[] = {0, 1, 63, 299, N}; /* N: none */
        struct waist w;

        waist_open(&w, curve, 2);
        for (size_t k = 0; k < 5; k++) {
            const struct scalar one = {{1}}, zero = {{0}};
            uint64_t values[N * 4];
            size_t found = 12345;

            for (size_t i = 0; i < N; i++)
                scalar_store(curve, values, i, i == places[k] || i == 299 ? &zero : &one);
            struct buf *a = waist_buf(&w, ELEMENT_SCALAR, N, values);

            w.be->find_zero(w.stream, a, 299, &found);
            waist_wait(&w);
            assert_int_equal(found, places[k] < 299 ? places[k] : 299);
            w.be->buf_free(a);
        }
        waist_close(&w);
    }
}

static void test_points_survive_a_buffer(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_WAIST_CURVES; c++) {
        const struct curve *curve = waist_curves[c];
        uint8_t points[3 * sizeof(struct g2_point)] = {0}; /* the second is infinity */
        struct waist w;

        waist_open(&w, curve, 2);
        for (enum element e = ELEMENT_G1; e <= ELEMENT_G2; e++) {
            size_t bytes = element_bytes(curve, e);
            const void *g = e == ELEMENT_G1 ? (const void *)&curve->g1_generator
                                            : (const void *)&curve->g2_generator;

            memset(points, 0, sizeof points);
            memcpy(points, g, bytes);
            memcpy(points + 2 * bytes, g, bytes);
            struct buf *buf = waist_buf(&w, e, 3, points);
            uint64_t *got = waist_get(&w, buf, 3);

            assert_memory_equal(got, points, 3 * bytes);
            mem_free(got);
            w.be->buf_free(buf);
        }
        waist_close(&w);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_the_first_error_of_a_stream_is_kept_until_wait(void **state)
{
    struct waist w;
    struct stream *other;
    struct cuzk_error err = {CUZK_OK, ""};
    uint64_t word = 5, back = 0;

    (void)state;
    waist_open(&w, &curve_toy_bn, 1);
    assert_int_equal(w.be->stream_new(w.device, &other, NULL), CUZK_OK);
    struct buf *buf = waist_buf(&w, ELEMENT_SCALAR, 1, &word);

    stream_begin(w.stream, "first");
    stream_fail(w.stream, CUZK_DEVICE, "it broke at %d", 42);
    stream_begin(w.stream, "second");
    stream_fail(w.stream, CUZK_IO, "and again");
    w.be->buf_get(w.stream, buf, 0, &back, 1); /* does nothing */
    assert_int_equal(back, 0);

    /* who waits on a failed stream has failed */
    w.be->wait_on(other, w.stream, w.be->mark(w.stream));
    w.be->buf_get(other, buf, 0, &back, 1);
    assert_int_equal(back, 0);
    assert_int_equal(w.be->wait(other, &err), CUZK_DEVICE);

    assert_int_equal(w.be->wait(w.stream, &err), CUZK_DEVICE);
    assert_int_equal(err.status, CUZK_DEVICE);
    assert_string_equal(err.message, "first: it broke at 42");
    assert_int_equal(w.be->wait(w.stream, NULL), CUZK_OK);
    w.be->buf_get(w.stream, buf, 0, &back, 1);
    waist_wait(&w);
    assert_int_equal(back, 5);
    w.be->stream_free(other);
    w.be->buf_free(buf);
    waist_close(&w);
}

static void test_cancelling_stops_operations_until_the_flag_is_cleared(void **state)
{
    const struct backend *be = backend_find("cpu");

    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        atomic_bool cancel = false;
        struct pool *pool = NULL;
        struct device *device;
        struct stream *stream;
        struct cuzk_error err;
        struct domain *domain;
        struct buf *a, *b;
        struct device_options options = {
            .curve = &curve_bls12_381, .arena_bytes = 1 << 22, .cancel = &cancel};

        if (n_threads > 1)
            assert_int_equal(pool_new(&pool, n_threads, NULL), CUZK_OK);
        options.pool = pool;
        assert_int_equal(be->open(&device, &options, &err), CUZK_OK);
        assert_int_equal(be->stream_new(device, &stream, &err), CUZK_OK);
        assert_int_equal(be->domain_new(device, 10, 7, TABLES_FAST, &domain, &err), CUZK_OK);
        assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 1024, &a, &err), CUZK_OK);
        assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 1024, &b, &err), CUZK_OK);
        be->buf_zero(stream, a, 0, 1024);
        be->buf_zero(stream, b, 0, 1024);
        atomic_store(&cancel, true);
        be->quotient(stream, domain, a, b, H_COSET);
        assert_int_equal(be->wait(stream, &err), CUZK_CANCELLED);
        assert_string_equal(err.message, "quotient: cancelled");
        atomic_store(&cancel, false);
        be->quotient(stream, domain, a, b, H_COSET);
        assert_int_equal(be->wait(stream, &err), CUZK_OK);
        assert_false(pool_cancelled(pool));
        be->buf_free(b);
        be->buf_free(a);
        be->domain_free(domain);
        be->stream_free(stream);
        be->close(device);
        pool_free(pool);
    }
}

static void test_the_pools_own_cancel_flag_is_seen_and_kept(void **state)
{
    const struct backend *be = backend_find("cpu");
    atomic_bool of_pool = false, of_device = false;

    (void)state;
    for (int with_flag = 0; with_flag < 2; with_flag++) {
        struct pool *pool;
        struct device *device;
        struct stream *stream;
        struct buf *a;
        struct device_options options = {.curve = &curve_toy_bn, .arena_bytes = 1 << 16};

        assert_int_equal(pool_new(&pool, 2, NULL), CUZK_OK);
        pool_set_cancel(pool, &of_pool);
        options.pool = pool;
        options.cancel = with_flag ? &of_device : NULL;
        assert_int_equal(be->open(&device, &options, NULL), CUZK_OK);
        assert_int_equal(be->stream_new(device, &stream, NULL), CUZK_OK);
        assert_int_equal(be->buf_new(device, ELEMENT_SCALAR, 8, &a, NULL), CUZK_OK);
        be->buf_zero(stream, a, 0, 8);
        assert_int_equal(be->wait(stream, NULL), CUZK_OK);
        atomic_store(&of_pool, true);
        assert_true(pool_cancelled(pool));
        be->buf_zero(stream, a, 0, 8);
        assert_int_equal(be->wait(stream, NULL), CUZK_CANCELLED);
        atomic_store(&of_pool, false);
        be->buf_free(a);
        be->stream_free(stream);
        be->close(device);
        pool_free(pool);
    }
}

/* Everything between open and close, stopping at the first failure; returns it. */
static enum cuzk_status small_job(struct budget *budget)
{
    const struct backend *be = backend_find("cpu");
    const struct device_options options = {
        .curve = &curve_toy_bls12, .budget = budget, .arena_bytes = 1 << 16};
    struct device *device = NULL;
    struct stream *stream = NULL;
    struct domain *domain = NULL;
    struct buf *a = NULL, *b = NULL;
    enum cuzk_status st;

    TRY_GOTO(st, out, be->open(&device, &options, NULL));
    TRY_GOTO(st, out, be->stream_new(device, &stream, NULL));
    TRY_GOTO(st, out, be->domain_new(device, 4, 7, TABLES_FAST, &domain, NULL));
    TRY_GOTO(st, out, be->buf_new(device, ELEMENT_SCALAR, 16, &a, NULL));
    TRY_GOTO(st, out, be->buf_new(device, ELEMENT_SCALAR, 16, &b, NULL));
    be->buf_zero(stream, a, 0, 16);
    be->buf_zero(stream, b, 0, 16);
    be->quotient(stream, domain, a, b, H_ODD_COSET);
    st = be->wait(stream, NULL);
out:
    be->buf_free(b);
    be->buf_free(a);
    be->domain_free(domain);
    be->stream_free(stream);
    be->close(device);
    return st;
}

static void test_the_nth_failing_allocation_leaks_nothing(void **state)
{
    struct budget budget;
    enum cuzk_status st = CUZK_INTERNAL;

    (void)state;
    budget_init(&budget, 0);
    for (size_t n = 1; st != CUZK_OK; n++) {
        assert_true(n < 100);
        mem_fail_at(n);
        st = small_job(&budget);
        mem_fail_at(0);
        assert_true(st == CUZK_OK || st == CUZK_NO_MEMORY);
        assert_int_equal(budget.now, 0);
        if (n <= 3) /* device, arena, stream: each was made to fail */
            assert_int_equal(st, CUZK_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry_finds_the_back_ends_by_name),
        cmocka_unit_test(test_info_names_the_device),
        cmocka_unit_test(test_open_takes_the_arena_from_the_budget_and_close_gives_it_back),
        cmocka_unit_test(test_buffers_take_what_buf_bytes_says),
        cmocka_unit_test(test_pieces_can_be_freed_in_any_order),
        cmocka_unit_test(test_what_does_not_fit_is_refused_and_leaves_nothing),
        cmocka_unit_test(test_get_returns_what_was_put),
        cmocka_unit_test(test_points_survive_a_buffer),
        cmocka_unit_test(test_select_takes_what_the_map_says),
        cmocka_unit_test(test_find_zero_finds_the_first),
        cmocka_unit_test(test_the_first_error_of_a_stream_is_kept_until_wait),
        cmocka_unit_test(test_cancelling_stops_operations_until_the_flag_is_cleared),
        cmocka_unit_test(test_the_pools_own_cancel_flag_is_seen_and_kept),
        cmocka_unit_test(test_the_nth_failing_allocation_leaks_nothing),
    };

    return cmocka_run_group_tests_name("backend cpu", tests, NULL, NULL);
}
