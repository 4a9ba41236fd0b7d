/* The jobs from body to proof, with worker processes that prove fast (tests/daemon/fast_cuzk.c).
 * The loop has a thread of its own; the test asks it and waits for what comes. */
#include "daemon/jobs.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "daemon/config.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "engine/circuit_job.h"
#include "engine/proof_check.h"
#include "support/json.h"
#include "support/testing.h"
#include "support/vectors.h"

#define LABEL "test-daemon-jobs"

enum { WAIT_SECONDS = 60 };

static char keys[512], folder[512], wrongs[512];

/* ---- a daemon of jobs --------------------------------------------------------------------------
 */

static const char fast_worker[] = CUZK_BINARY_DIR "/tests/fast_cuzk";
static const char *program = fast_worker;
static struct config config;
static struct loop *loop;
static struct jobs *jobs;
static pthread_t thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s", err->message);
}

static void *run_loop(void *arg)
{
    (void)arg;
    loop_run(loop);
    return NULL;
}

static void start(void)
{
    struct cuzk_error err;

    must(loop_new(&loop, &err), &err);
    must(jobs_open(&jobs, loop, &config, program, &err), &err);
    assert_int_equal(pthread_create(&thread, NULL, run_loop, NULL), 0);
}

static void stop(void)
{
    loop_stop(loop);
    pthread_join(thread, NULL);
    jobs_close(jobs);
    loop_free(loop);
    jobs = NULL;
}

static void remove_tree(const char *path)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static int begin_case(void **state)
{
    (void)state;
    remove_tree(folder);
    remove_tree(wrongs);
    assert_int_equal(mkdir(wrongs, 0700), 0);
    config_defaults(&config);
    snprintf(config.journal.path, sizeof config.journal.path, "%s", folder);
    snprintf(config.srs.param_cache, sizeof config.srs.param_cache, "%s", keys);
    config.srs.allow_dev_keys = true;
    config.memory.total_budget = (uint64_t)2 << 30;
    config.journal.disk_reserve = 0;
    config.gpus.gpu_threads = 1;
    start();
    return 0;
}

static int end_case(void **state)
{
    (void)state;
    if (jobs)
        stop();
    remove_tree(folder);
    remove_tree(wrongs);
    return 0;
}

static void do_wrong(const char *what)
{
    char path[600];
    int fd;

    snprintf(path, sizeof path, "%s/%s", wrongs, what);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* ---- asking
 * --------------------------------------------------------------------------------------- */

struct asked {
    bool answered;
    enum refusal refusal;
    char id[JOB_ID_MAX + 1], sentence[512];
    bool attached;
    uint32_t position;
    enum await_end await;
    enum job_state state;
    unsigned attempts;
    uint8_t proof[16 * PARTITION_PROOF_BYTES];
    size_t proof_bytes;
    enum cancel_end cancel;
    enum cuzk_status status;
    bool was_loaded;
    uint64_t number;

    /* the question */
    const char *body;
    struct job_request request;
    uint64_t timeout_ms;
    struct job_call *call;
};

static void answered(struct asked *a)
{
    pthread_mutex_lock(&lock);
    a->answered = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool wait_answer(struct asked *a, unsigned seconds)
{
    struct timespec until;
    int late = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&lock);
    while (!a->answered && !late)
        late = pthread_cond_timedwait(&changed, &lock, &until);
    pthread_mutex_unlock(&lock);
    return a->answered;
}

static void must_answer(struct asked *a)
{
    if (!wait_answer(a, WAIT_SECONDS))
        fail_msg("no answer within %d s", (int)WAIT_SECONDS);
}

static void ask(void (*f)(void *), struct asked *a)
{
    a->answered = false;
    assert_true(loop_call(loop, f, a));
}

static void came_submit(void *ctx, const struct submit_answer *answer)
{
    struct asked *a = ctx;

    a->refusal = answer->refusal;
    a->attached = answer->attached;
    a->position = answer->queue_position;
    snprintf(a->sentence, sizeof a->sentence, "%s", answer->sentence ? answer->sentence : "");
    snprintf(a->id, sizeof a->id, "%s", answer->job_id ? answer->job_id : "");
    answered(a);
}

static void do_submit(void *ctx)
{
    struct asked *a = ctx;
    struct submission s = {.request = a->request};
    static uint8_t bytes[1 << 18];
    struct cuzk_error err;
    const int fd = open(a->body, O_RDONLY);
    const ssize_t n = read(fd, bytes, sizeof bytes);

    close(fd);
    assert_true(n > 0);
    must(jobs_spool_open(jobs, &s.fd, &err), &err);
    assert_int_equal(write(s.fd, bytes, (size_t)n), n);
    s.bytes = (uint64_t)n;
    a->call = jobs_submit(jobs, &s, came_submit, a);
    if (!a->call) {
        a->refusal = REFUSED_FAULT;
        answered(a);
    }
}

static void came_await(void *ctx, enum await_end end, const struct job_view *job)
{
    struct asked *a = ctx;

    a->await = end;
    if (job) {
        a->state = job->state;
        a->status = job->status;
        a->attempts = job->attempts;
        snprintf(a->sentence, sizeof a->sentence, "%s", job->error);
        a->proof_bytes = job->proof_bytes;
        if (job->proof)
            memcpy(a->proof, job->proof, job->proof_bytes);
    }
    answered(a);
}

static void do_await(void *ctx)
{
    struct asked *a = ctx;

    a->call = jobs_await(jobs, a->id, a->timeout_ms, came_await, a);
    if (!a->call) {
        a->await = AWAIT_UNKNOWN;
        answered(a);
    }
}

static void came_cancel(void *ctx, enum cancel_end end)
{
    struct asked *a = ctx;

    a->cancel = end;
    answered(a);
}

static void do_cancel(void *ctx)
{
    struct asked *a = ctx;

    jobs_cancel(jobs, a->id, came_cancel, a);
}

static void do_clear(void *ctx)
{
    struct asked *a = ctx;

    jobs_clear(jobs, a->id, came_cancel, a);
}

/* ---- winning-2KiB
 * ----------------------------------------------------------------------------------- */

static char body[512];

static struct job_request winning(const char *id)
{
    struct job_request r = {.kind = JOB_WINNING, .n_randomness = 32};
    struct json *meta = json_read(vector_path("filecoin/post/winning-2k/meta.json"));

    snprintf(r.request_id, sizeof r.request_id, "%s", id);
    json_get_hex(meta, "randomness", r.randomness, 32);
    json_free(meta);
    return r;
}

/* LOW makes it an ordinary job: for the worker "cpu". */
static struct asked submit(const char *id, enum job_priority priority)
{
    struct asked a = {.request = winning(id), .body = body};

    a.request.priority = priority;
    ask(do_submit, &a);
    must_answer(&a);
    return a;
}

static struct asked await_end_of(const char *id)
{
    struct asked a = {0};

    snprintf(a.id, sizeof a.id, "%s", id);
    ask(do_await, &a);
    must_answer(&a);
    return a;
}

static void get_status(void *ctx)
{
    jobs_status(jobs, ctx);
}

static struct jobs_status status_now(void)
{
    struct jobs_status s;

    assert_true(loop_call(loop, get_status, &s));
    return s;
}

static void must_be_done(const struct asked *a)
{
    if (a->state != JOB_DONE)
        fail_msg("%s: %s", job_state_name(a->state), a->sentence);
    assert_int_equal(a->proof_bytes, PARTITION_PROOF_BYTES);
}

/* Beside the daemon's own verification. */
static void must_verify(const struct asked *a)
{
    const struct job_key key = {.folder = keys, .choice = KEY_ONLY_DEV};
    struct engine *engine = mem_new(sizeof *engine);
    struct job_request request = winning("");
    struct request_input input = {.kind = CIRCUIT_WINNING, .partition = ALL_PARTITIONS};
    struct file_part part = file_whole(body);
    const char *path = test_scratch_path("proof");
    struct out_file out;
    struct cuzk_error err;

    must_be_done(a);
    input.vanilla = &part;
    input.n_vanilla = 1;
    memcpy(input.randomness, request.randomness, 32);
    must(out_open(&out, path, &err), &err);
    must(out_write(&out, a->proof, a->proof_bytes, &err), &err);
    must(out_commit(&out, &err), &err);
    must(engine_open(engine, &(struct engine_options){.backend = "cpu", .threads = 1}, &err), &err);
    must(job_verify(engine, &input, &key, path, &err), &err);
    engine_close(engine);
    mem_free(engine);
    unlink(path);
}

/* ---- claims
 * ----------------------------------------------------------------------------------------- */

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

static void came_preload(void *ctx, const struct preload_answer *answer)
{
    struct asked *a = ctx;

    a->status = answer->status;
    a->was_loaded = answer->already_loaded;
    snprintf(a->sentence, sizeof a->sentence, "%s", answer->sentence ? answer->sentence : "");
    answered(a);
}

static void do_preload(void *ctx)
{
    struct asked *a = ctx;

    jobs_preload(jobs, a->id, came_preload, a);
}

static void came_evict(void *ctx, const struct evict_answer *answer)
{
    struct asked *a = ctx;

    a->status = answer->status;
    a->was_loaded = answer->was_loaded;
    a->number = answer->freed_bytes;
    answered(a);
}

static void do_evict(void *ctx)
{
    struct asked *a = ctx;

    jobs_evict(jobs, a->id, came_evict, a);
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

/* ---- faults ---------------------------------------------------------------------------------- */

/* Over, in spite of what goes wrong meanwhile. */
static void must_end_done(const char *id)
{
    for (unsigned i = 0; i < 100; i++) {
        struct asked a = {.timeout_ms = 20000};

        snprintf(a.id, sizeof a.id, "%s", id);
        ask(do_await, &a);
        must_answer(&a);
        if (a.await == AWAIT_OVER) {
            must_be_done(&a);
            return;
        }
    }
    fail_msg("%s does not end", id);
}

static void must_be_served(const char *id)
{
    struct asked a = submit(id, PRIORITY_LOW);

    if (a.refusal != REFUSED_NOT)
        fail_msg("refused: %s", a.sentence);
    must_end_done(a.id);
}

/* The n-th piece of memory that the daemon asks for is refused, for every n that a job needs: the
 * request is refused, or it ends done. */
static void test_any_refused_memory_fails_a_request_or_nothing(void **state)
{
    unsigned refused = 0, n = 0;
    size_t counted;

    (void)state;
    must_be_served("warm");
    do {
        struct asked a = {.request = winning(""), .body = body};

        a.request.priority = PRIORITY_LOW;
        snprintf(a.request.request_id, sizeof a.request.request_id, "n%u", ++n);
        mem_fail_at(n);
        ask(do_submit, &a);
        must_answer(&a);
        if (a.refusal == REFUSED_NOT)
            must_end_done(a.id);
        else
            refused++;
        counted = mem_fail_at(0);
    } while (counted >= n && n < 200);
    assert_true(n > 10 && n < 200 && refused > 0);
    must_be_served("n1"); /* what was refused is taken when it comes again */
    must_be_served("after");
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* No file may grow beyond so many bytes, as on a disk that is full: the request is refused, or it
 * waits until there is room, and ends done. */
static void test_a_full_disk_fails_a_request_or_delays_it(void **state)
{
    unsigned refused = 0;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    must_be_served("warm");
    for (unsigned i = 0; i < 12; i++) {
        struct asked a = {.request = winning(""), .body = body};
        bool at_once;

        a.request.priority = PRIORITY_LOW;
        snprintf(a.request.request_id, sizeof a.request.request_id, "f%u", i);
        assert_true(loop_call(loop, do_submit, &a));
        usleep(4000 * i);
        limit_files(64 + 1024 * i); /* beyond the body, at some place of the job */
        at_once = wait_answer(&a, 2);
        limit_files(RLIM_INFINITY);
        if (!at_once)
            must_answer(&a);
        if (a.refusal == REFUSED_NOT)
            must_end_done(a.id);
        else
            refused++;
    }
    assert_true(refused > 0);
    must_be_served("after");
}

static void test_a_worker_that_cannot_be_started_is_waited_for(void **state)
{
    struct asked a = {.request = winning("x"), .body = body};
    char path[600];

    (void)state;
    stop();
    snprintf(path, sizeof path, "%s/program", wrongs);
    program = path;
    start();
    ask(do_submit, &a); /* there is no planner either */
    assert_false(wait_answer(&a, 1));
    assert_int_equal(symlink(fast_worker, path), 0);
    must_answer(&a);
    assert_int_equal(a.refusal, REFUSED_NOT);
    must_end_done(a.id);
    program = fast_worker;
}

/* ---- once
 * ------------------------------------------------------------------------------------------- */

static int make_keys(void **state)
{
    struct engine *engine = mem_new(sizeof *engine);
    struct circuit_name name;
    struct report report;
    struct cuzk_error err;

    (void)state;
    snprintf(keys, sizeof keys, "%s", test_scratch_path("jobs-keys"));
    snprintf(folder, sizeof folder, "%s", test_scratch_path("jobs"));
    snprintf(wrongs, sizeof wrongs, "%s", test_scratch_path("jobs-wrongs"));
    snprintf(body, sizeof body, "%s", vector_path("filecoin/post/winning-2k/vanilla-0.bin"));
    setenv("FAST_WORKER", wrongs, 1);
    setenv("FAST_WORKER_LABEL", LABEL, 1);
    log_start(LOG_LEVEL_ERROR, LOG_FORMAT_TEXT);
    remove_tree(keys);
    assert_int_equal(mkdir(keys, 0700), 0);
    must(circuit_name_parse(&name, "winning-2KiB", &err), &err);
    must(engine_open(engine, &(struct engine_options){.backend = "cpu"}, &err), &err);
    report_init(&report);
    must(circuit_setup(engine, name, LABEL, keys, &report, &err), &err);
    report_done(&report);
    engine_close(engine);
    mem_free(engine);
    return 0;
}

static int drop_keys(void **state)
{
    (void)state;
    remove_tree(keys);
    return 0;
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
        CASE(test_drain_finishes_what_runs_and_keeps_what_waits),
        CASE(test_a_drain_without_time_stops_at_the_checkpoint),
        CASE(test_keys_are_loaded_and_evicted),
        CASE(test_a_job_has_a_timeline),
        CASE(test_any_refused_memory_fails_a_request_or_nothing),
        CASE(test_a_full_disk_fails_a_request_or_delays_it),
        CASE(test_a_worker_that_cannot_be_started_is_waited_for),
    };

    cmocka_set_test_filter(getenv("CUZK_TEST_FILTER"));
    return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
