/* The jobs from body to proof. */
#include "jobs_daemon.inc.h"

static void test_a_request_becomes_a_verified_proof(void **state)
{
    struct asked a = submit("winpost-1000-aa", PRIORITY_NONE), end;
    struct jobs_status s;

    (void)state;
    if (a.refusal != REFUSED_NOT)
        fail_msg("%s", a.sentence);
    assert_memory_equal(a.id, "winpost-1000-aa~", 16);
    end = await_end_of(a.id);
    must_verify(&end);
    s = status_now();
    assert_int_equal(s.kind[JOB_WINNING].done, 1);
    assert_int_equal(s.accepted, 1);
    assert_true(s.n_keys == 1 && s.keys[0].bytes > 0);

    /* the same request again: the stored proof, also by the bare request id */
    a = submit("winpost-1000-aa", PRIORITY_LOW);
    assert_true(a.attached);
    a = await_end_of("winpost-1000-aa");
    assert_memory_equal(a.proof, end.proof, end.proof_bytes);
    assert_int_equal(status_now().kind[JOB_WINNING].done, 1);
}

static void test_bad_requests_are_refused_with_a_sentence(void **state)
{
    struct asked a = {.request = winning("x"), .body = body};

    (void)state;
    a.request.n_randomness = 0;
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_BAD_REQUEST);
    assert_non_null(strstr(a.sentence, "randomness"));

    a.request = winning("x");
    a.request.sector_size = 4096;
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_BAD_REQUEST);
    assert_non_null(strstr(a.sentence, "sector size: expected 4096, found 2048"));

    a.request = winning("x");
    a.request.randomness[0] ^= 1; /* other challenges than the proof opens */
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_BAD_REQUEST);

    a.request = winning("x");
    a.request.registered_proof = 2; /* 512 MiB */
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_BAD_REQUEST);
    assert_int_equal(status_now().refused, 4);
    a = await_end_of("x");
    assert_int_equal(a.await, AWAIT_UNKNOWN);
}

static void test_a_circuit_without_key_is_refused(void **state)
{
    struct asked a = {.request = winning("x")};
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s", vector_path("filecoin/post/winning-4k/vanilla-0.bin"));
    a.body = path;
    a.request.registered_proof = 0;
    stop();
    snprintf(config.srs.param_cache, sizeof config.srs.param_cache, "%s", wrongs);
    start();
    a.body = body;
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_NO_KEY);
}

static void test_what_can_never_fit_is_refused_with_both_numbers(void **state)
{
    struct asked a = {.request = winning("x"), .body = body};

    (void)state;
    stop();
    config.memory.total_budget = (uint64_t)290 << 20;
    config.memory.urgent_reserve = 0;
    start();
    ask(do_submit, &a); /* 42 MB: fits */
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_NOT);
    stop();
    config.memory.total_budget = (uint64_t)220 << 20;
    start();
    a.request = winning("y");
    ask(do_submit, &a);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_TOO_LARGE);
    assert_non_null(strstr(a.sentence, "230686720"));
}

static void test_cancel_in_every_state(void **state)
{
    struct asked running, waiting, over, a = {0};

    (void)state;
    do_wrong("slow");
    running = submit("a", PRIORITY_LOW);
    waiting = submit("b", PRIORITY_LOW);
    for (unsigned i = 0; i < 500 && status_now().kind[JOB_WINNING].running == 0; i++)
        usleep(10000);
    assert_int_equal(status_now().kind[JOB_WINNING].running, 1);
    snprintf(a.id, sizeof a.id, "%s", waiting.id);
    ask(do_cancel, &a);
    must_answer(&a);
    assert_int_equal(a.cancel, CANCEL_WAS_WAITING);
    snprintf(a.id, sizeof a.id, "%s", running.id);
    ask(do_cancel, &a);
    must_answer(&a);
    assert_int_equal(a.cancel, CANCEL_WAS_RUNNING);
    over = await_end_of(running.id);
    assert_int_equal(over.state, JOB_CANCELLED);
    ask(do_cancel, &a);
    must_answer(&a);
    assert_int_equal(a.cancel, CANCEL_WAS_OVER);
    snprintf(a.id, sizeof a.id, "nobody");
    ask(do_cancel, &a);
    must_answer(&a);
    assert_int_equal(a.cancel, CANCEL_UNKNOWN);

    /* cancelled: the same request is a new attempt */
    running = submit("a", PRIORITY_LOW);
    assert_false(running.attached);
    over = await_end_of(running.id);
    must_be_done(&over);
}

static void test_a_worker_that_hangs_is_killed_and_the_job_is_cancelled(void **state)
{
    struct asked a, b = {0};

    (void)state;
    do_wrong("hang");
    a = submit("a", PRIORITY_LOW);
    for (unsigned i = 0; i < 500; i++) {
        char path[600];

        snprintf(path, sizeof path, "%s/hang", wrongs);
        if (access(path, F_OK) != 0)
            break;
        usleep(10000);
    }
    snprintf(b.id, sizeof b.id, "%s", a.id);
    ask(do_cancel, &b);
    must_answer(&b);
    assert_int_equal(b.cancel, CANCEL_WAS_RUNNING);
    a = submit("b", PRIORITY_LOW);
    a = await_end_of(a.id);
    must_be_done(&a);
    assert_int_equal(status_now().worker_deaths, 1);
}

static void test_a_job_survives_one_death_of_its_worker(void **state)
{
    struct asked a;

    (void)state;
    do_wrong("die");
    a = submit("a", PRIORITY_LOW);
    a = await_end_of(a.id);
    must_verify(&a);
    assert_int_equal(a.attempts, 2);
    assert_int_equal(status_now().worker_deaths, 1);
    assert_int_equal(status_now().retries, 1);
}

/* Two deaths in a row fail it and name the signal; the third is poison. */
static void test_a_payload_that_kills_is_failed_then_refused_then_cleared(void **state)
{
    struct asked a, end, clear = {0};

    (void)state;
    for (unsigned death = 0; death < 2; death++) {
        char path[600];

        do_wrong("die");
        a = death == 0 ? submit("a", PRIORITY_LOW) : a;
        snprintf(path, sizeof path, "%s/die", wrongs);
        for (unsigned i = 0; i < 3000 && access(path, F_OK) == 0; i++)
            usleep(5000);
    }
    end = await_end_of(a.id);
    assert_int_equal(end.state, JOB_FAILED);
    assert_non_null(strstr(end.sentence, "signal 9"));
    do_wrong("die");
    a = submit("a", PRIORITY_LOW);
    assert_int_equal(a.refusal, REFUSED_NOT);
    end = await_end_of(a.id);
    assert_int_equal(end.state, JOB_FAILED);
    assert_int_equal(status_now().poisoned, 1);
    a = submit("other", PRIORITY_LOW);
    assert_int_equal(a.refusal, REFUSED_POISON);
    snprintf(clear.id, sizeof clear.id, "a");
    ask(do_clear, &clear);
    must_answer(&clear);
    assert_int_equal(clear.cancel, CANCEL_WAS_OVER);
    a = submit("other", PRIORITY_LOW);
    assert_int_equal(a.refusal, REFUSED_NOT);
    a = await_end_of(a.id);
    must_be_done(&a);
}

static void test_a_bad_proof_never_leaves(void **state)
{
    struct asked a;

    (void)state;
    do_wrong("bad");
    a = submit("a", PRIORITY_LOW);
    a = await_end_of(a.id);
    must_verify(&a);
    assert_int_equal(status_now().verify_failures, 1);
    assert_int_equal(status_now().retries, 1);
}

static void test_await_ends_in_time_and_a_dropped_call_stays_silent(void **state)
{
    struct asked a, b = {.timeout_ms = 1}, c = {0};

    (void)state;
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    snprintf(b.id, sizeof b.id, "%s", a.id);
    ask(do_await, &b);
    must_answer(&b);
    assert_int_equal(b.await, AWAIT_TIMEOUT);
    assert_true(b.state == JOB_WAITING || b.state == JOB_RUNNING);
    snprintf(c.id, sizeof c.id, "%s", a.id);
    ask(do_await, &c);
    assert_true(loop_call(loop, (void (*)(void *))job_call_drop, c.call));
    a = await_end_of(a.id);
    must_be_done(&a);
    assert_false(c.answered);
}

static void test_urgent_jobs_do_not_wait_for_ordinary_ones(void **state)
{
    struct asked slow[4], urgent, also;

    (void)state;
    do_wrong("slow");
    for (unsigned i = 0; i < 4; i++) {
        char id[8];

        snprintf(id, sizeof id, "s%u", i);
        slow[i] = submit(id, PRIORITY_LOW);
    }
    urgent = submit("u", PRIORITY_NONE);
    also = submit("v", PRIORITY_NONE);
    urgent = await_end_of(urgent.id);
    must_be_done(&urgent);
    also = await_end_of(also.id); /* not on the worker that stands still for the first */
    must_be_done(&also);
    assert_true(status_now().kind[JOB_WINNING].done <= 4);
    for (unsigned i = 0; i < 4; i++) {
        slow[i] = await_end_of(slow[i].id);
        must_be_done(&slow[i]);
    }
}

static void test_a_restart_takes_up_what_was_accepted(void **state)
{
    struct asked a[3], end;

    (void)state;
    do_wrong("slow");
    for (unsigned i = 0; i < 3; i++) {
        char id[8];

        snprintf(id, sizeof id, "r%u", i);
        a[i] = submit(id, PRIORITY_LOW);
    }
    stop();
    start();
    for (unsigned i = 0; i < 3; i++) {
        end = await_end_of(a[i].id);
        must_be_done(&end);
    }
    stop();
    start(); /* and over jobs are still known */
    end = await_end_of("r1");
    must_verify(&end);
    assert_int_equal(status_now().kind[JOB_WINNING].done, 0);
}

static struct asked submit_until(const char *id, uint64_t deadline_ms)
{
    struct asked a = {.request = winning(id), .body = body};

    a.request.priority = PRIORITY_LOW;
    a.request.deadline_ms = deadline_ms;
    ask(do_submit, &a);
    must_answer(&a);
    return a;
}

static void note_request_id(void *ctx, const struct job_view *job)
{
    char *line = ctx;

    if (job->state == JOB_WAITING)
        snprintf(line + strlen(line), 16, "%.8s ", job->request_id);
}

static void test_the_earlier_deadline_stands_before(void **state)
{
    struct asked a;
    char line[64] = "";

    (void)state;
    do_wrong("slow");
    submit("first", PRIORITY_LOW);
    for (unsigned i = 0; i < 500 && status_now().kind[JOB_WINNING].running == 0; i++)
        usleep(10000);
    assert_int_equal(submit("calm", PRIORITY_LOW).position, 1);
    assert_int_equal(submit_until("day", 86400000).position, 2);
    assert_int_equal(submit_until("minute", 60000).position, 1);
    assert_int_equal(submit_until("second", 1000).position, 1);
    a = submit_until("second", 86400000); /* no other payload: another deadline is no other job */
    assert_true(a.attached && a.position == 1);
    stop();
    open_jobs(); /* the same line again */
    jobs_each(jobs, note_request_id, line);
    assert_string_equal(line, "second minute first calm day ");
    run_jobs();
    a = await_end_of("day");
    must_be_done(&a);
    assert_int_equal(status_now().kind[JOB_WINNING].done, 5);
}

static void came_drained(void *ctx)
{
    answered(ctx);
}

static void do_drain(void *ctx)
{
    struct asked *a = ctx;

    jobs_drain(jobs, (double)a->timeout_ms / 1e3, came_drained, a);
}

static void test_drain_finishes_what_runs_and_keeps_what_waits(void **state)
{
    struct asked a, b, c, drain = {.timeout_ms = 20000};

    (void)state;
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    b = submit("b", PRIORITY_LOW);
    for (unsigned i = 0; i < 500 && status_now().kind[JOB_WINNING].running == 0; i++)
        usleep(10000);
    ask(do_drain, &drain);
    c = submit("c", PRIORITY_LOW);
    assert_int_equal(c.refusal, REFUSED_DRAINING);
    must_answer(&drain);
    assert_int_equal(status_now().kind[JOB_WINNING].done, 1);
    stop();
    start();
    a = await_end_of(a.id);
    b = await_end_of(b.id);
    must_be_done(&a);
    must_be_done(&b);
}

static void test_a_drain_without_time_stops_at_the_checkpoint(void **state)
{
    struct asked a, drain = {.timeout_ms = 1};

    (void)state;
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    for (unsigned i = 0; i < 500 && status_now().kind[JOB_WINNING].running == 0; i++)
        usleep(10000);
    ask(do_drain, &drain);
    must_answer(&drain);
    assert_int_equal(status_now().kind[JOB_WINNING].done, 0);
    stop();
    start();
    a = await_end_of(a.id);
    must_be_done(&a);
}

static uint64_t spooled_soon(bool something)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < 300; i++) {
        bytes = status_now().spool_bytes;
        if ((bytes > 0) == something)
            break;
        usleep(20000);
    }
    return bytes;
}

static void test_payloads_on_disk_are_told(void **state)
{
    struct asked a;
    struct stat st;

    (void)state;
    assert_int_equal(stat(body, &st), 0);
    do_wrong("slow");
    for (unsigned i = 0; i < 4; i++) {
        char id[8];

        snprintf(id, sizeof id, "p%u", i);
        a = submit(id, PRIORITY_LOW);
    }
    assert_true(spooled_soon(true) > (uint64_t)st.st_size);
    a = await_end_of(a.id);
    must_be_done(&a);
    assert_int_equal(spooled_soon(false), 0);
}

static void test_keys_are_loaded_and_evicted(void **state)
{
    struct asked a = {.id = "winning-2k"}, b = {.id = "winning-2KiB"}, c = {.id = "winning-3KiB"};
    uint64_t before = status_now().reserved_bytes;

    (void)state;
    ask(do_preload, &a);
    must_answer(&a);
    if (a.status != CUZK_OK)
        fail_msg("%s", a.sentence);
    assert_false(a.was_loaded);
    assert_true(status_now().reserved_bytes > before);
    ask(do_preload, &b);
    must_answer(&b);
    assert_true(b.status == CUZK_OK && b.was_loaded);
    ask(do_evict, &b);
    must_answer(&b);
    assert_true(b.status == CUZK_OK && b.was_loaded && b.number > 0);
    for (unsigned i = 0; i < 200 && status_now().reserved_bytes != before; i++)
        usleep(10000); /* the planner ends */
    assert_int_equal(status_now().reserved_bytes, before);
    ask(do_evict, &b);
    must_answer(&b);
    assert_true(b.status == CUZK_OK && !b.was_loaded);
    ask(do_preload, &c);
    must_answer(&c);
    assert_int_equal(c.status, CUZK_BAD_INPUT);
    snprintf(c.id, sizeof c.id, "winning-4KiB"); /* no such key file */
    ask(do_preload, &c);
    must_answer(&c);
    assert_int_equal(c.status, CUZK_BAD_INPUT);
}

static void came_text(void *ctx, enum cuzk_status st, const char *text, size_t n)
{
    struct asked *a = ctx;

    a->status = st;
    a->number = n;
    if (st == CUZK_OK)
        a->was_loaded = text[0] == '[' && strstr(text, "partition 0: witness") != NULL;
    answered(a);
}

static void do_trace(void *ctx)
{
    struct asked *a = ctx;

    jobs_trace(jobs, a->id, came_text, a);
}

static void test_a_job_has_a_timeline(void **state)
{
    struct asked a = submit("a", PRIORITY_NONE);

    (void)state;
    a = await_end_of(a.id);
    snprintf(a.id, sizeof a.id, "a");
    ask(do_trace, &a);
    must_answer(&a);
    assert_true(a.status == CUZK_OK && a.was_loaded);
    snprintf(a.id, sizeof a.id, "nobody");
    ask(do_trace, &a);
    must_answer(&a);
    assert_int_equal(a.status, CUZK_BAD_INPUT);
}

/* The parts of a job's time, none counted twice. What is left over (workers that start, files that
 * are written) has no bound on a busy machine. */
static void must_add_up(const struct job_timing *t)
{
    const uint64_t sum = t->queue_wait + t->key_load + t->synthesis + t->compute;

    if (sum > t->total + 5)
        fail_msg("%lu + %lu + %lu + %lu of %lu ms", (unsigned long)t->queue_wait,
                 (unsigned long)t->key_load, (unsigned long)t->synthesis, (unsigned long)t->compute,
                 (unsigned long)t->total);
}

/* The witness of a slow worker takes half a second. */
static void test_the_times_of_a_job_add_up(void **state)
{
    struct asked a, b;

    (void)state;
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    b = submit("b", PRIORITY_LOW);
    a = await_end_of(a.id);
    b = await_end_of(b.id);
    must_add_up(&a.timing);
    must_add_up(&b.timing);
    assert_true(a.timing.key_load > 0 && b.timing.key_load == 0); /* it is there */
    assert_true(a.timing.synthesis >= 500 && b.timing.synthesis >= 500);
    assert_true(b.timing.queue_wait >= 500);
}

static void test_a_job_that_waits_twice_has_waited_the_sum(void **state)
{
    struct asked first, a;

    (void)state;
    do_wrong("slow");
    do_wrong("die");
    first = submit("first", PRIORITY_LOW); /* dies, and goes on before the second */
    a = submit("a", PRIORITY_LOW);
    first = await_end_of(first.id);
    assert_int_equal(first.attempts, 2);
    /* What the dead worker took is nobody's. */
    assert_true(first.timing.queue_wait + 2 * 500 <= first.timing.total);
    a = await_end_of(a.id);
    must_add_up(&a.timing);
    assert_true(a.timing.queue_wait >= 1000);
}

static void see_times(void *ctx, const struct job_view *job)
{
    struct partition_ms *ret = ctx;

    if (job->state == JOB_RUNNING)
        *ret = job->partition_ms[0];
}
static void do_see_times(void *ctx)
{
    jobs_each(jobs, see_times, ctx);
}

static void test_a_running_job_tells_the_times_of_its_partitions(void **state)
{
    struct partition_ms ms = {0, 0};

    (void)state;
    do_wrong("slow");
    do_wrong("hang"); /* after the witness */
    (void)submit("a", PRIORITY_LOW);
    for (unsigned i = 0; i < 6000 && ms.synthesis == 0; i++) {
        usleep(5000);
        assert_true(loop_call(loop, do_see_times, &ms));
    }
    assert_true(ms.synthesis >= 500 && ms.compute == 0);
}

static unsigned threads_of(const char *worker)
{
    const struct jobs_status s = status_now();
    char path[64], line[256];
    unsigned n = 0;
    FILE *f;

    for (size_t i = 0; i < s.n_workers; i++)
        if (strcmp(s.workers[i].name, worker) == 0)
            snprintf(path, sizeof path, "/proc/%d/status", s.workers[i].pid);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %u", &n) == 1)
            break;
    fclose(f);
    return n;
}

static unsigned threads_with(uint64_t witness_threads, const char *id)
{
    struct asked a;

    stop();
    config.synthesis.threads = witness_threads;
    start();
    a = submit(id, PRIORITY_LOW);
    a = await_end_of(a.id);
    must_verify(&a);
    return threads_of("cpu");
}

/* The pool of the worker is of one thread: with one for witnesses too it is the same pool. */
static void test_witnesses_have_threads_of_their_own(void **state)
{
    const unsigned one = threads_with(1, "one");

    (void)state;
    assert_int_equal(threads_with(5, "five"), one + 4);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin_case, end_case)
    const struct CMUnitTest tests[] = {
        CASE(test_a_request_becomes_a_verified_proof),
        CASE(test_bad_requests_are_refused_with_a_sentence),
        CASE(test_a_circuit_without_key_is_refused),
        CASE(test_what_can_never_fit_is_refused_with_both_numbers),
        CASE(test_cancel_in_every_state),
        CASE(test_a_worker_that_hangs_is_killed_and_the_job_is_cancelled),
        CASE(test_a_job_survives_one_death_of_its_worker),
        CASE(test_a_payload_that_kills_is_failed_then_refused_then_cleared),
        CASE(test_a_bad_proof_never_leaves),
        CASE(test_await_ends_in_time_and_a_dropped_call_stays_silent),
        CASE(test_urgent_jobs_do_not_wait_for_ordinary_ones),
        CASE(test_a_restart_takes_up_what_was_accepted),
        CASE(test_the_earlier_deadline_stands_before),
        CASE(test_drain_finishes_what_runs_and_keeps_what_waits),
        CASE(test_a_drain_without_time_stops_at_the_checkpoint),
        CASE(test_payloads_on_disk_are_told),
        CASE(test_keys_are_loaded_and_evicted),
        CASE(test_a_running_job_tells_the_times_of_its_partitions),
        CASE(test_witnesses_have_threads_of_their_own),
        CASE(test_a_job_has_a_timeline),
        CASE(test_the_times_of_a_job_add_up),
        CASE(test_a_job_that_waits_twice_has_waited_the_sum),
    };

    cmocka_set_test_filter(getenv("CUZK_TEST_FILTER"));
    return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
