/* The event loop: times in order, descriptors that go while their events wait, notes and calls of
 * other threads, signals, ends of children. */
#include "support/testing.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/loop.h"

static struct loop *loop;

static int set_up(void **state)
{
    struct cuzk_error err;

    (void)state;
    return loop_new(&loop, &err) == CUZK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    loop_free(loop);
    loop = NULL;
    return 0;
}

static void stop(void *ctx)
{
    (void)ctx;
    loop_stop(loop);
}

/* ---- times ----------------------------------------------------------------------------------- */

enum { N_TIMERS = 500 };

struct tick {
    struct loop_timer timer;
    bool ran, cancelled;
};
static struct tick ticks[N_TIMERS];
static uint64_t last_due;
static unsigned n_ran;

static void tick_runs(void *ctx)
{
    struct tick *t = ctx;

    assert_false(t->ran || t->cancelled);
    assert_true(t->timer.due >= last_due);
    assert_true(loop_now() >= t->timer.due);
    last_due = t->timer.due;
    t->ran = true;
    n_ran++;
}

static void test_timers_run_in_order_once_and_not_when_cancelled(void **state)
{
    struct loop_timer end = {.f = stop};
    struct rng rng = {0};
    uint64_t now = loop_now();
    unsigned n_cancelled = 0;

    (void)state;
    rng_seed(&rng, test_seed());
    memset(ticks, 0, sizeof ticks);
    last_due = n_ran = 0;
    for (unsigned i = 0; i < N_TIMERS; i++) {
        ticks[i].timer.f = tick_runs;
        ticks[i].timer.ctx = &ticks[i];
        loop_timer_set(loop, &ticks[i].timer, now + rng_u64(&rng) % (20 * LOOP_MILLISECOND));
    }
    for (unsigned i = 0; i < N_TIMERS; i++) {
        uint64_t dice = rng_u64(&rng);

        if (dice % 3 == 0) { /* moved */
            loop_timer_set(loop, &ticks[i].timer, now + dice % (20 * LOOP_MILLISECOND));
        } else if (dice % 3 == 1) {
            loop_timer_cancel(&ticks[i].timer);
            ticks[i].cancelled = true;
            n_cancelled++;
        }
    }
    loop_timer_set(loop, &end, now + 30 * LOOP_MILLISECOND);
    loop_run(loop);
    assert_int_equal(n_ran, N_TIMERS - n_cancelled);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

struct pipe_end {
    struct loop_fd watch, *other;
    int fds[2];
};
static unsigned n_read;

static void read_one_remove_the_other(void *ctx, uint32_t events)
{
    struct pipe_end *end = ctx;

    assert_true(events & EPOLLIN);
    n_read++;
    loop_fd_remove(end->other);
    memset(end->other, 0xa5, sizeof *end->other); /* as if it were freed */
    loop_fd_remove(&end->watch);
    loop_stop(loop);
}

static void test_a_descriptor_removed_by_a_handler_gets_no_event_that_waits(void **state)
{
    static struct pipe_end ends[2];
    struct cuzk_error err;

    (void)state;
    n_read = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pipe(ends[i].fds), 0);
        ends[i].watch = (struct loop_fd){.f = read_one_remove_the_other, .ctx = &ends[i]};
        ends[i].other = &ends[1 - i].watch;
        assert_int_equal(write(ends[i].fds[1], "x", 1), 1);
        assert_int_equal(loop_fd_add(loop, &ends[i].watch, ends[i].fds[0], EPOLLIN, &err), CUZK_OK);
    }
    loop_run(loop);
    assert_int_equal(n_read, 1);
    for (unsigned i = 0; i < 4; i++)
        close(ends[i / 2].fds[i % 2]);
}

static void test_a_descriptor_that_is_not_open_is_refused(void **state)
{
    struct loop_fd watch = {0};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(loop_fd_add(loop, &watch, 1000000, EPOLLIN, &err), CUZK_IO);
    loop_fd_remove(&watch);
}

/* ---- other threads --------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_CALLS = 200 };

struct sender {
    pthread_t thread;
    struct loop_note notes[N_CALLS];
    unsigned seen, calls;
    bool refused;
};
static unsigned n_senders_left;

static void count_call(void *ctx)
{
    struct sender *s = ctx;

    assert_true(loop_is_here(loop));
    s->calls++;
}

static struct sender senders[N_THREADS];

static void note_comes(void *ctx)
{
    struct loop_note *note = ctx;

    for (unsigned i = 0; i < N_THREADS; i++)
        if (note >= senders[i].notes && note < senders[i].notes + N_CALLS) {
            assert_int_equal(note - senders[i].notes, senders[i].seen);
            senders[i].seen++;
        }
}

static void sender_leaves(void *ctx)
{
    (void)ctx;
    if (--n_senders_left == 0)
        loop_stop(loop);
}

static void *send_many(void *arg)
{
    struct sender *s = arg;

    for (unsigned i = 0; i < N_CALLS; i++) {
        s->notes[i] = (struct loop_note){.f = note_comes, .ctx = &s->notes[i]};
        if (!loop_post(loop, &s->notes[i]) || !loop_call(loop, count_call, s))
            s->refused = true;
    }
    if (!loop_call(loop, sender_leaves, NULL))
        s->refused = true;
    return NULL;
}

static void test_notes_keep_their_order_and_calls_return(void **state)
{
    (void)state;
    memset(senders, 0, sizeof senders);
    n_senders_left = N_THREADS;
    for (unsigned i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_many, &senders[i]), 0);
    loop_run(loop);
    for (unsigned i = 0; i < N_THREADS; i++) {
        pthread_join(senders[i].thread, NULL);
        assert_int_equal(senders[i].seen, N_CALLS);
        assert_int_equal(senders[i].calls, N_CALLS);
        assert_false(senders[i].refused);
    }
}

static void *run_it(void *arg)
{
    (void)arg;
    loop_run(loop);
    return NULL;
}

static void ask_where(void *ctx)
{
    *(bool *)ctx = loop_is_here(loop);
}

/* Also while it begins and ends. */
static void test_only_the_loops_thread_is_the_loops(void **state)
{
    pthread_t thread;
    bool inside = false;

    (void)state;
    assert_false(loop_is_here(loop));
    assert_int_equal(pthread_create(&thread, NULL, run_it, NULL), 0);
    for (unsigned i = 0; i < 1000; i++)
        assert_false(loop_is_here(loop));
    assert_true(loop_call(loop, ask_where, &inside));
    assert_true(inside);
    loop_stop(loop);
    for (unsigned i = 0; i < 1000; i++)
        assert_false(loop_is_here(loop));
    pthread_join(thread, NULL);
    assert_false(loop_is_here(loop));
}

static void test_a_loop_that_has_ended_refuses_calls(void **state)
{
    struct loop_note note = {.f = stop};

    (void)state;
    loop_stop(loop);
    loop_run(loop);
    assert_false(loop_call(loop, stop, NULL));
    assert_false(loop_post(loop, &note));
}

static void sleep_a_little(void *ctx)
{
    (void)ctx;
    usleep(5000);
    loop_stop(loop);
}

static void test_the_longest_handler_is_known(void **state)
{
    struct loop_note note = {.f = sleep_a_little};

    (void)state;
    assert_true(loop_post(loop, &note));
    loop_run(loop);
    assert_true(loop_longest(loop) >= 5 * LOOP_MILLISECOND);
    assert_int_equal(loop_longest(loop), 0);
}

/* ---- signals and children -------------------------------------------------------------------- */

static int seen_signal;

static void signal_comes(void *ctx, int signal)
{
    (void)ctx;
    seen_signal = signal;
    loop_stop(loop);
}

static void test_a_signal_becomes_a_call(void **state)
{
    struct loop_signal hup = {.f = signal_comes}, usr1 = {.f = signal_comes};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(loop_signal_add(loop, &hup, SIGHUP, &err), CUZK_OK);
    assert_int_equal(loop_signal_add(loop, &usr1, SIGUSR1, &err), CUZK_OK);
    assert_int_equal(raise(SIGUSR1), 0);
    loop_run(loop);
    assert_int_equal(seen_signal, SIGUSR1);
}

static int child_code, child_status;

static void child_ends(void *ctx, int code, int status)
{
    (void)ctx;
    child_code = code;
    child_status = status;
    loop_stop(loop);
}

static pid_t child_that_exits(int code)
{
    pid_t pid = fork();

    if (pid == 0) {
        if (code >= 0)
            _exit(code);
        for (;;)
            pause();
    }
    return pid;
}

static void test_the_end_of_a_child_is_told_with_its_reason(void **state)
{
    struct loop_child child = {.f = child_ends};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(loop_child_add(loop, &child, child_that_exits(7), &err), CUZK_OK);
    loop_run(loop);
    assert_int_equal(child_code, CLD_EXITED);
    assert_int_equal(child_status, 7);
    assert_null(child.fd.loop);
}

static void test_a_child_that_is_killed_names_the_signal(void **state)
{
    struct loop_child child = {.f = child_ends};
    struct cuzk_error err;

    (void)state;
    assert_int_equal(loop_child_add(loop, &child, child_that_exits(-1), &err), CUZK_OK);
    loop_child_kill(&child, SIGKILL);
    loop_run(loop);
    assert_int_equal(child_code, CLD_KILLED);
    assert_int_equal(child_status, SIGKILL);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
    loop_child_kill(&child, SIGKILL);                 /* nobody is hit */
    loop_child_remove(&child);
}

#define LOOP_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_timers_run_in_order_once_and_not_when_cancelled),
        LOOP_TEST(test_a_descriptor_removed_by_a_handler_gets_no_event_that_waits),
        LOOP_TEST(test_a_descriptor_that_is_not_open_is_refused),
        LOOP_TEST(test_notes_keep_their_order_and_calls_return),
        LOOP_TEST(test_only_the_loops_thread_is_the_loops),
        LOOP_TEST(test_a_loop_that_has_ended_refuses_calls),
        LOOP_TEST(test_the_longest_handler_is_known),
        LOOP_TEST(test_a_signal_becomes_a_call),
        LOOP_TEST(test_the_end_of_a_child_is_told_with_its_reason),
        LOOP_TEST(test_a_child_that_is_killed_names_the_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
