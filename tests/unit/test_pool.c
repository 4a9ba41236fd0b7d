/* The thread pool. */
#include "support/testing.h"

#include <pthread.h>

#include "base/pool.h"

struct loop {
    struct pool *pool;
    _Atomic uint64_t sum, n;
    _Atomic int inside[16];
    atomic_bool overlap;
};

static void add_index(void *ctx, size_t i, unsigned worker)
{
    struct loop *loop = ctx;

    if (atomic_fetch_add(&loop->inside[worker], 1) != 0)
        loop->overlap = true;
    atomic_fetch_add(&loop->sum, i);
    atomic_fetch_add(&loop->n, 1);
    atomic_fetch_sub(&loop->inside[worker], 1);
}

static void run_inner_loop(void *ctx, size_t i, unsigned worker)
{
    struct loop *loop = ctx;

    (void)i;
    (void)worker;
    pool_run(loop->pool, 10, add_index, loop);
}

static void test_pool_calls_each_index_once_and_workers_do_not_overlap(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct loop loop = {0};

        assert_int_equal(pool_new(&loop.pool, threads, NULL), CUZK_OK);
        assert_int_equal(pool_size(loop.pool), threads);
        for (size_t n = 0; n < 200; n++) {
            loop.sum = loop.n = 0;
            pool_run(loop.pool, n, add_index, &loop);
            assert_int_equal(loop.n, n);
            assert_int_equal(loop.sum, n ? n * (n - 1) / 2 : 0);
        }
        loop.sum = loop.n = 0;
        pool_run(loop.pool, 100, run_inner_loop, &loop);
        assert_int_equal(loop.n, 1000);
        assert_false(loop.overlap);
        pool_free(loop.pool);
    }
}

static void *run_many_loops(void *ctx)
{
    struct loop *loop = ctx;

    for (size_t n = 2; n < 200; n++)
        pool_run(loop->pool, n, add_index, loop);
    return NULL;
}

static void test_pool_serves_two_threads_in_turns(void **state)
{
    struct loop loop = {0};
    pthread_t thread;

    (void)state;
    assert_int_equal(pool_new(&loop.pool, 3, NULL), CUZK_OK);
    assert_int_equal(pthread_create(&thread, NULL, run_many_loops, &loop), 0);
    run_many_loops(&loop);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(loop.n, 2 * (199 * 200 / 2 - 1));
    assert_false(loop.overlap);
    pool_free(loop.pool);
}

static void mark_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    uint8_t *seen = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        seen[i]++;
}

static void test_pool_for_covers_a_range_exactly(void **state)
{
    struct pool *pool;
    uint8_t seen[1000];

    (void)state;
    assert_int_equal(pool_new(&pool, 3, NULL), CUZK_OK);
    for (size_t grain = 1; grain < 300; grain += 7)
        for (size_t n = 0; n <= 1000; n += 125) {
            memset(seen, 0, sizeof seen);
            pool_for(pool, n, grain, mark_range, seen);
            for (size_t i = 0; i < 1000; i++)
                assert_int_equal(seen[i], i < n);
        }
    pool_free(pool);
}

static void expect_worker_0(void *ctx, size_t i, unsigned worker)
{
    (void)i;
    atomic_fetch_or((_Atomic unsigned *)ctx, worker);
}

static void loop_without_pool(void *ctx, size_t i, unsigned worker)
{
    (void)i;
    (void)worker;
    pool_run(NULL, 3, expect_worker_0, ctx);
}

static void test_a_loop_without_a_pool_inside_a_loop_has_worker_0(void **state)
{
    _Atomic unsigned workers = 0;
    struct pool *pool;

    (void)state;
    assert_int_equal(pool_new(&pool, 4, NULL), CUZK_OK);
    pool_run(pool, 10000, loop_without_pool, &workers);
    assert_int_equal(workers, 0);
    pool_free(pool);
}

static void test_pool_skips_the_rest_once_cancelled(void **state)
{
    struct loop loop = {0};
    atomic_bool cancel = true;

    (void)state;
    assert_int_equal(pool_new(&loop.pool, 2, NULL), CUZK_OK);
    pool_set_cancel(loop.pool, &cancel);
    pool_run(loop.pool, 1000, add_index, &loop);
    assert_int_equal(loop.n, 0);
    assert_true(pool_cancelled(loop.pool));
    cancel = false;
    pool_run(loop.pool, 1000, add_index, &loop);
    assert_int_equal(loop.n, 1000);
    pool_free(loop.pool);
    pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_calls_each_index_once_and_workers_do_not_overlap),
        cmocka_unit_test(test_pool_serves_two_threads_in_turns),
        cmocka_unit_test(test_pool_for_covers_a_range_exactly),
        cmocka_unit_test(test_a_loop_without_a_pool_inside_a_loop_has_worker_0),
        cmocka_unit_test(test_pool_skips_the_rest_once_cancelled),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
