/* The thread pool. */
#include "support/testing.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/clock.h"
#include "base/pool.h"
#include "support/processor_mask.h"

/* ---- loops ----------------------------------------------------------------------------------- */

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

static void wait_ns(long ns)
{
    const struct timespec t = {.tv_nsec = ns};

    nanosleep(&t, NULL);
}

/* Threads that still look for work, that fall asleep and that sleep. */
static void test_pool_wakes_after_any_silence(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        struct loop loop = {0};

        assert_int_equal(pool_new(&loop.pool, threads, NULL), CUZK_OK);
        for (unsigned round = 0; round < 300; round++) {
            const size_t n = 2 + rng_below(&rng, 20);

            loop.n = 0;
            if (round % 3 != 0)
                wait_ns((long)rng_below(&rng, 250000));
            pool_run(loop.pool, n, add_index, &loop);
            assert_int_equal(loop.n, n);
        }
        assert_false(loop.overlap);
        pool_free(loop.pool);
    }
}

static void test_pool_without_work_takes_no_processor(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 8; threads += 6) {
        struct loop loop = {0};
        double before;

        assert_int_equal(pool_new(&loop.pool, threads, NULL), CUZK_OK);
        pool_run(loop.pool, 100, add_index, &loop);
        wait_ns(20 * 1000 * 1000); /* far beyond anybody's patience */
        before = clock_cpu_seconds();
        wait_ns(200 * 1000 * 1000);
        assert_true(clock_cpu_seconds() - before < 0.05);
        pool_free(loop.pool);
    }
}

/* ---- loops in loops -------------------------------------------------------------------------- */

struct nest {
    struct pool *outer, *other;
    _Atomic int inside, most;
    _Atomic size_t n;
};

static void innermost(void *ctx, size_t i, unsigned worker)
{
    struct nest *nest = ctx;
    const int now = atomic_fetch_add(&nest->inside, 1) + 1;
    int most = atomic_load(&nest->most);

    (void)i;
    (void)worker;
    while (now > most && !atomic_compare_exchange_weak(&nest->most, &most, now))
        continue;
    sched_yield();
    atomic_fetch_add(&nest->n, 1);
    atomic_fetch_sub(&nest->inside, 1);
}

static void loop_of_another_pool(void *ctx, size_t i, unsigned worker)
{
    struct nest *nest = ctx;

    (void)i;
    (void)worker;
    pool_run(nest->other, 5, innermost, nest);
}

static void loop_of_the_same_pool(void *ctx, size_t i, unsigned worker)
{
    struct nest *nest = ctx;

    (void)i;
    (void)worker;
    pool_run(nest->outer, 5, loop_of_another_pool, nest);
}

static void test_loops_in_loops_have_no_more_threads_than_the_outermost(void **state)
{
    struct nest nest = {0};

    (void)state;
    assert_int_equal(pool_new(&nest.outer, 3, NULL), CUZK_OK);
    assert_int_equal(pool_new(&nest.other, 8, NULL), CUZK_OK);
    pool_run(nest.outer, 40, loop_of_the_same_pool, &nest);
    assert_int_equal(nest.n, 1000);
    assert_in_range(nest.most, 1, 3);
    pool_free(nest.outer);
    pool_free(nest.other);
}

/* ---- urgent work ----------------------------------------------------------------------------- */

enum { ORDINARY_THREADS = 3 };

/* An ordinary loop on a thread of its own; its grains last until they are let go. */
struct ordinary {
    struct pool *pool;
    pthread_t thread;
    pool_fn *f;
    size_t n;
    atomic_bool held;
    _Atomic size_t begun, ended;
};

static void held_grain(void *ctx, size_t i, unsigned worker)
{
    struct ordinary *o = ctx;

    (void)i;
    (void)worker;
    atomic_fetch_add(&o->begun, 1);
    while (atomic_load(&o->held))
        sched_yield();
    atomic_fetch_add(&o->ended, 1);
}

static void *ordinary_main(void *arg)
{
    struct ordinary *o = arg;

    pool_run(o->pool, o->n, o->f, o);
    return NULL;
}

static void ordinary_start(struct ordinary *o, size_t n, pool_fn *f)
{
    *o = (struct ordinary){.n = n, .f = f, .held = true};
    assert_int_equal(pool_new(&o->pool, ORDINARY_THREADS, NULL), CUZK_OK);
    assert_int_equal(pthread_create(&o->thread, NULL, ordinary_main, o), 0);
    while (atomic_load(&o->begun) < ORDINARY_THREADS)
        sched_yield();
}

static void ordinary_end(struct ordinary *o)
{
    assert_int_equal(pthread_join(o->thread, NULL), 0);
    pool_free(o->pool);
}

/* All of it, on as many threads. */
static void do_urgent_work(void)
{
    struct loop urgent = {0};

    assert_int_equal(pool_new(&urgent.pool, ORDINARY_THREADS, NULL), CUZK_OK);
    for (unsigned i = 0; i < 50; i++) {
        pool_run(urgent.pool, 20, add_index, &urgent);
        sched_yield();
    }
    assert_int_equal(urgent.n, 1000);
    pool_free(urgent.pool);
}

static void test_urgent_work_waits_for_one_grain_a_thread(void **state)
{
    struct ordinary o;

    (void)state;
    ordinary_start(&o, 1000, held_grain);
    pool_pause(o.pool);
    atomic_store(&o.held, false);
    while (atomic_load(&o.ended) < ORDINARY_THREADS)
        sched_yield();
    do_urgent_work();
    assert_int_equal(o.begun, ORDINARY_THREADS);
    pool_resume(o.pool);
    ordinary_end(&o);
    assert_int_equal(o.ended, 1000);
}

/* A call that is long, in grains. */
static void call_in_grains(void *ctx, size_t i, unsigned worker)
{
    struct ordinary *o = ctx;

    (void)i;
    (void)worker;
    atomic_fetch_add(&o->begun, 1);
    while (atomic_load(&o->held) && pool_may_go_on(o->pool))
        atomic_fetch_add(&o->ended, 1);
}

static void test_urgent_work_waits_for_no_long_call(void **state)
{
    struct ordinary o;
    size_t grains;

    (void)state;
    ordinary_start(&o, ORDINARY_THREADS, call_in_grains);
    pool_pause(o.pool);
    grains = atomic_load(&o.ended);
    do_urgent_work();
    assert_in_range(atomic_load(&o.ended), grains, grains + ORDINARY_THREADS);
    assert_int_equal(o.begun, ORDINARY_THREADS);
    pool_resume(o.pool);
    grains = atomic_load(&o.ended);
    while (atomic_load(&o.ended) < grains + 100)
        sched_yield();
    atomic_store(&o.held, false);
    ordinary_end(&o);
}

static void test_a_long_call_hears_that_it_is_cancelled(void **state)
{
    atomic_bool cancel = false;
    struct ordinary o;

    (void)state;
    assert_true(pool_may_go_on(NULL));
    o = (struct ordinary){.n = 100, .f = call_in_grains, .held = true};
    assert_int_equal(pool_new(&o.pool, ORDINARY_THREADS, NULL), CUZK_OK);
    pool_set_cancel(o.pool, &cancel);
    assert_int_equal(pthread_create(&o.thread, NULL, ordinary_main, &o), 0);
    while (atomic_load(&o.begun) < ORDINARY_THREADS)
        sched_yield();
    pool_pause(o.pool);
    cancel = true;
    pool_resume(o.pool);
    assert_int_equal(pthread_join(o.thread, NULL), 0);
    assert_int_equal(o.begun, ORDINARY_THREADS);
    pool_free(o.pool);
}

static void compute(double seconds)
{
    const double end = clock_thread_seconds() + seconds;

    while (clock_thread_seconds() < end)
        continue;
}

static void compute_in_grains(void *ctx, size_t i, unsigned worker)
{
    (void)i;
    (void)worker;
    for (unsigned k = 0; k < 10; k++) {
        pool_may_go_on(ctx);
        compute(0.002);
    }
}

static void test_the_longest_grain_is_what_is_between_two_looks(void **state)
{
    struct pool *pool;
    double longest;

    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        assert_int_equal(pool_new(&pool, threads, NULL), CUZK_OK);
        assert_true(pool_longest_grain(pool) == 0);
        pool_run(pool, 2, compute_in_grains, pool);
        longest = pool_longest_grain(pool);
        assert_true(longest >= 0.002 && longest < 0.01);
        assert_true(pool_longest_grain(pool) == 0);
        pool_free(pool);
    }
}

/* ---- how many threads ------------------------------------------------------------------------ */

static void test_pool_has_as_many_threads_as_the_mask_allows(void **state)
{
    cpu_set_t before;
    struct loop loop = {0};

    (void)state;
    mask_to_one(&before);
    assert_int_equal(pool_processors(), 1);
    assert_int_equal(pool_new(&loop.pool, 0, NULL), CUZK_OK);
    assert_int_equal(pool_size(loop.pool), 1);
    pool_free(loop.pool);
    /* more threads than processors are allowed, and none of them stands in another's way */
    assert_int_equal(pool_new(&loop.pool, 4, NULL), CUZK_OK);
    for (size_t n = 0; n < 500; n++) {
        loop.n = 0;
        pool_run(loop.pool, n, add_index, &loop);
        assert_int_equal(loop.n, n);
    }
    pool_free(loop.pool);
    mask_restore(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_calls_each_index_once_and_workers_do_not_overlap),
        cmocka_unit_test(test_pool_serves_two_threads_in_turns),
        cmocka_unit_test(test_pool_for_covers_a_range_exactly),
        cmocka_unit_test(test_a_loop_without_a_pool_inside_a_loop_has_worker_0),
        cmocka_unit_test(test_pool_skips_the_rest_once_cancelled),
        cmocka_unit_test(test_pool_wakes_after_any_silence),
        cmocka_unit_test(test_pool_without_work_takes_no_processor),
        cmocka_unit_test(test_loops_in_loops_have_no_more_threads_than_the_outermost),
        cmocka_unit_test(test_urgent_work_waits_for_one_grain_a_thread),
        cmocka_unit_test(test_urgent_work_waits_for_no_long_call),
        cmocka_unit_test(test_a_long_call_hears_that_it_is_cancelled),
        cmocka_unit_test(test_the_longest_grain_is_what_is_between_two_looks),
        cmocka_unit_test(test_pool_has_as_many_threads_as_the_mask_allows),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
