/* A daemon of jobs for tests: worker processes that prove fast (tests/daemon/fast_cuzk.c), a loop
 * that has a thread of its own; the test asks it and waits for what comes. What is asked for are
 * proofs winning-2KiB. begin_case and end_case go around each test, make_keys and drop_keys around
 * all. */
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

enum { WAIT_SECONDS = 300 }; /* also where the machine has other work */

static char keys[512], folder[512], wrongs[512];

/* ---- a daemon of jobs ------------------------------------------------------------------------ */

static const char fast_worker[] = CUZK_BINARY_DIR "/tests/fast_cuzk";
static const char *program = fast_worker;
static struct config config;
static struct loop *loop;
static struct jobs *jobs;
static pthread_t thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static inline void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s", err->message);
}

static inline void *run_loop(void *arg)
{
    (void)arg;
    loop_run(loop);
    return NULL;
}

static inline void open_jobs(void)
{
    struct cuzk_error err;

    must(loop_new(&loop, &err), &err);
    must(jobs_open(&jobs, loop, &config, program, &err), &err);
}

static inline void run_jobs(void)
{
    assert_int_equal(pthread_create(&thread, NULL, run_loop, NULL), 0);
}

static inline void start(void)
{
    open_jobs();
    run_jobs();
}

static inline void stop(void)
{
    loop_stop(loop);
    pthread_join(thread, NULL);
    jobs_close(jobs);
    loop_free(loop);
    jobs = NULL;
}

static inline void remove_tree(const char *path)
{
    char command[1400];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static inline int begin_case(void **state)
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

static inline int end_case(void **state)
{
    (void)state;
    if (jobs)
        stop();
    remove_tree(folder);
    remove_tree(wrongs);
    return 0;
}

static inline void do_wrong(const char *what)
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
    struct job_timing timing;
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

static inline void answered(struct asked *a)
{
    pthread_mutex_lock(&lock);
    a->answered = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static inline bool wait_answer(struct asked *a, unsigned seconds)
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

static inline void must_answer(struct asked *a)
{
    if (!wait_answer(a, WAIT_SECONDS))
        fail_msg("no answer within %d s", (int)WAIT_SECONDS);
}

static inline void ask(void (*f)(void *), struct asked *a)
{
    a->answered = false;
    assert_true(loop_call(loop, f, a));
}

static inline void came_submit(void *ctx, const struct submit_answer *answer)
{
    struct asked *a = ctx;

    a->refusal = answer->refusal;
    a->attached = answer->attached;
    a->position = answer->queue_position;
    snprintf(a->sentence, sizeof a->sentence, "%s", answer->sentence ? answer->sentence : "");
    snprintf(a->id, sizeof a->id, "%s", answer->job_id ? answer->job_id : "");
    answered(a);
}

static inline void do_submit(void *ctx)
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

static inline void came_await(void *ctx, enum await_end end, const struct job_view *job)
{
    struct asked *a = ctx;

    a->await = end;
    if (job) {
        a->state = job->state;
        a->status = job->status;
        a->attempts = job->attempts;
        a->timing = job->timing;
        snprintf(a->sentence, sizeof a->sentence, "%s", job->error);
        a->proof_bytes = job->proof_bytes;
        if (job->proof)
            memcpy(a->proof, job->proof, job->proof_bytes);
    }
    answered(a);
}

static inline void do_await(void *ctx)
{
    struct asked *a = ctx;

    a->call = jobs_await(jobs, a->id, a->timeout_ms, came_await, a);
    if (!a->call) {
        a->await = AWAIT_UNKNOWN;
        answered(a);
    }
}

static inline void came_cancel(void *ctx, enum cancel_end end)
{
    struct asked *a = ctx;

    a->cancel = end;
    answered(a);
}

static inline void do_cancel(void *ctx)
{
    struct asked *a = ctx;

    jobs_cancel(jobs, a->id, came_cancel, a);
}

static inline void do_clear(void *ctx)
{
    struct asked *a = ctx;

    jobs_clear(jobs, a->id, came_cancel, a);
}

static inline void came_evict(void *ctx, const struct evict_answer *answer)
{
    struct asked *a = ctx;

    a->status = answer->status;
    a->was_loaded = answer->was_loaded;
    a->number = answer->freed_bytes;
    answered(a);
}

static inline void do_evict(void *ctx)
{
    struct asked *a = ctx;

    jobs_evict(jobs, a->id, came_evict, a);
}

static inline void came_preload(void *ctx, const struct preload_answer *answer)
{
    struct asked *a = ctx;

    a->status = answer->status;
    a->was_loaded = answer->already_loaded;
    snprintf(a->sentence, sizeof a->sentence, "%s", answer->sentence ? answer->sentence : "");
    answered(a);
}

static inline void do_preload(void *ctx)
{
    struct asked *a = ctx;

    jobs_preload(jobs, a->id, came_preload, a);
}

/* ---- winning-2KiB
 * ----------------------------------------------------------------------------------- */

static char body[512];

static inline struct job_request winning(const char *id)
{
    struct job_request r = {.kind = JOB_WINNING, .n_randomness = 32};
    struct json *meta = json_read(vector_path("filecoin/post/winning-2k/meta.json"));

    snprintf(r.request_id, sizeof r.request_id, "%s", id);
    json_get_hex(meta, "randomness", r.randomness, 32);
    json_free(meta);
    return r;
}

/* LOW makes it an ordinary job: for the worker "cpu". */
static inline struct asked submit(const char *id, enum job_priority priority)
{
    struct asked a = {.request = winning(id), .body = body};

    a.request.priority = priority;
    ask(do_submit, &a);
    must_answer(&a);
    return a;
}

static inline struct asked await_end_of(const char *id)
{
    struct asked a = {0};

    snprintf(a.id, sizeof a.id, "%s", id);
    ask(do_await, &a);
    must_answer(&a);
    return a;
}

static inline void get_status(void *ctx)
{
    jobs_status(jobs, ctx);
}

static inline struct jobs_status status_now(void)
{
    struct jobs_status s;

    assert_true(loop_call(loop, get_status, &s));
    return s;
}

static inline void must_be_done(const struct asked *a)
{
    if (a->state != JOB_DONE)
        fail_msg("%s: %s", job_state_name(a->state), a->sentence);
    assert_int_equal(a->proof_bytes, PARTITION_PROOF_BYTES);
}

/* Beside the daemon's own verification. */
static inline void must_verify(const struct asked *a)
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

/* Over, in spite of what goes wrong meanwhile. */
static inline void must_end_done(const char *id)
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

static inline void must_be_served(const char *id)
{
    struct asked a = submit(id, PRIORITY_LOW);

    if (a.refusal != REFUSED_NOT)
        fail_msg("refused: %s", a.sentence);
    must_end_done(a.id);
}

/* ---- once
 * ------------------------------------------------------------------------------------------- */

static inline int make_keys(void **state)
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

static inline int drop_keys(void **state)
{
    (void)state;
    remove_tree(keys);
    return 0;
}
