/* A stand-in for the jobs of the daemon: the functions of daemon/jobs.h over a made-up server with
 * two cards whose jobs pass quickly. What the HTTP port and the dashboard are tested and looked at
 * with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/config.h"
#include "daemon/jobs.h"
#include "daemon/loop.h"
#include "daemon/staged_jobs.h"

enum { N_JOBS = 64, N_WORKERS = 4, N_KEYS = 5, N_SUBSCRIBERS = 4, N_SPANS = 128, STEP_MS = 100 };
#define GIB ((uint64_t)1 << 30)

static const char *const stages[] = {"witness",      "quotient", "sum H",
                                     "sum L, A, B1", "sum B2",   "verify"};
enum { N_STAGES = sizeof stages / sizeof stages[0] };

struct span {
    unsigned partition, stage;
    double begin, end;
};

struct job {
    struct job_view view;
    char id[JOB_ID_MAX + 1], request_id[JOB_REQUEST_ID_MAX + 1], stage[80], why[160];
    char error[160];
    uint8_t proof[16 * 192];
    unsigned stage_number, steps;
    int worker; /* -1: none */
    size_t n_spans;
    struct span spans[N_SPANS];
};

struct job_call {
    struct jobs *jobs;
    struct loop_timer timer;
    void (*finish)(struct job_call *call);
    char id[JOB_ID_MAX + 1];
    uint64_t deadline; /* of an await; 0: none */
    struct submission submission;
    union {
        submit_fn *submit;
        await_fn *await;
        cancel_fn *cancel;
        text_fn *text;
        preload_fn *preload;
        evict_fn *evict;
    } fn;
    void *ctx;
};

struct subscription {
    event_fn *fn;
    void *ctx;
};

struct jobs {
    struct loop *loop;
    struct loop_timer step;
    struct job job[N_JOBS]; /* a ring: the newest overwrites the oldest that has ended */
    size_t n, next;
    unsigned made;
    bool quiet, busy; /* nothing is made up by itself; bodies are held back */
    struct subscription subscribers[N_SUBSCRIBERS];
    struct worker_view workers[N_WORKERS];
    struct key_view keys[N_KEYS];
    struct jobs_status status;
};

/* ---- events ---------------------------------------------------------------------------------- */

struct subscription *jobs_subscribe(struct jobs *jobs, event_fn *fn, void *ctx)
{
    for (int i = 0; i < N_SUBSCRIBERS; i++)
        if (!jobs->subscribers[i].fn) {
            jobs->subscribers[i] = (struct subscription){fn, ctx};
            return &jobs->subscribers[i];
        }
    return NULL;
}

void jobs_unsubscribe(struct subscription *subscription)
{
    if (subscription)
        subscription->fn = NULL;
}

static void tell(struct jobs *jobs, enum event_kind kind, const struct job *job, const char *text)
{
    struct event event = {kind, job ? &job->view : NULL, text};

    for (int i = 0; i < N_SUBSCRIBERS; i++)
        if (jobs->subscribers[i].fn)
            jobs->subscribers[i].fn(jobs->subscribers[i].ctx, &event);
}

/* ---- the made-up life ------------------------------------------------------------------------ */

static const struct {
    const char *circuit, *key_worker;
    unsigned partitions;
    uint64_t bytes;
} circuits[JOB_N_KINDS] = {
    [JOB_POREP] = {"porep-32GiB", "cuda 0", 10, 14 * GIB},
    [JOB_UPDATE] = {"update-32GiB", "cuda 1", 16, 12 * GIB},
    [JOB_WINDOW] = {"window-32GiB", "cuda 1", 1, 17 * GIB},
    [JOB_WINNING] = {"winning-32GiB", "urgent", 1, GIB / 2},
};

static void set_view(struct job *job)
{
    job->view.id = job->id;
    job->view.request_id = job->request_id;
    job->view.stage = job->stage;
    job->view.why = job->why;
    job->view.error = job->error;
}

static struct job *add_job(struct jobs *jobs, enum job_kind kind, const char *request_id)
{
    struct job *job = &jobs->job[jobs->next];

    memset(job, 0, sizeof *job);
    jobs->next = (jobs->next + 1) % N_JOBS;
    jobs->n += jobs->n < N_JOBS;
    jobs->made++;
    snprintf(job->request_id, sizeof job->request_id, "%s", request_id);
    snprintf(job->id, sizeof job->id, "%.255s~%08x", request_id, jobs->made * 0x9e3779b9u);
    job->worker = -1;
    job->view = (struct job_view){.kind = kind,
                                  .circuit = circuits[kind].circuit,
                                  .priority = job_priority_of(PRIORITY_NONE, kind),
                                  .state = JOB_WAITING,
                                  .worker = "",
                                  .partitions = circuits[kind].partitions,
                                  .submitted = clock_unix_seconds(),
                                  .reserved_bytes = circuits[kind].bytes};
    set_view(job);
    jobs->status.accepted++;
    tell(jobs, EVENT_ACCEPTED, job, job->id);
    return job;
}

static void end_job(struct jobs *jobs, struct job *job, enum job_state state)
{
    struct kind_counts *counts = &jobs->status.kind[job->view.kind];

    job->view.state = state;
    job->view.finished = clock_unix_seconds();
    job->view.timing.total = (uint64_t)(1e3 * (job->view.finished - job->view.submitted));
    job->stage[0] = job->why[0] = 0;
    job->view.worker = "";
    if (job->worker >= 0)
        jobs->workers[job->worker].job_id = jobs->workers[job->worker].stage = "";
    job->worker = -1;
    if (state == JOB_DONE) {
        counts->done++;
        counts->duration_count++;
        counts->duration_sum += job->view.finished - job->view.submitted;
        for (size_t i = 0; i < sizeof job->proof; i++)
            job->proof[i] = (uint8_t)(i * 7 + jobs->made);
    }
    counts->failed += state == JOB_FAILED;
    counts->cancelled += state == JOB_CANCELLED;
    tell(jobs, EVENT_STATE, job, job->id);
}

static void begin_stage(struct jobs *jobs, struct job *job)
{
    snprintf(job->stage, sizeof job->stage, "partition %u: %s", job->view.done,
             stages[job->stage_number]);
    jobs->workers[job->worker].stage = job->stage;
    job->steps = 1 + (job->stage_number * 7 + job->view.done * 3 + jobs->made) % 4;
    if (job->n_spans < N_SPANS)
        job->spans[job->n_spans++] =
            (struct span){job->view.done, job->stage_number, clock_unix_seconds(), 0};
    tell(jobs, EVENT_STAGE, job, job->stage);
}

static void start_job(struct jobs *jobs, struct job *job, int worker)
{
    job->worker = worker;
    job->view.state = JOB_RUNNING;
    job->view.started = clock_unix_seconds();
    job->view.attempts++;
    job->view.worker = jobs->workers[worker].name;
    job->view.timing.queue_wait = (uint64_t)(1e3 * (job->view.started - job->view.submitted));
    job->why[0] = 0;
    jobs->workers[worker].job_id = job->id;
    begin_stage(jobs, job);
    tell(jobs, EVENT_STATE, job, job->id);
}

static void step_job(struct jobs *jobs, struct job *job)
{
    if (--job->steps > 0)
        return;
    if (job->n_spans > 0)
        job->spans[job->n_spans - 1].end = clock_unix_seconds();
    job->view.timing.synthesis += job->stage_number == 0 ? 310 : 0;
    job->view.timing.compute += job->stage_number ? 170 : 0;
    job->stage_number = (job->stage_number + 1) % N_STAGES;
    if (job->stage_number == 0) {
        job->view.done++;
        tell(jobs, EVENT_PARTITION, job, job->id);
    }
    if (!jobs->quiet && job->view.done == job->view.partitions && jobs->made % 17 == 3) {
        snprintf(job->error, sizeof job->error,
                 "worker cuda 0: killed by signal 9 (Killed) in partition 7, twice");
        job->view.status = CUZK_DEVICE;
        end_job(jobs, job, JOB_FAILED);
    } else if (job->view.done == job->view.partitions)
        end_job(jobs, job, JOB_DONE);
    else
        begin_stage(jobs, job);
}

static struct job *job_at(struct jobs *jobs, size_t newest)
{
    return &jobs->job[(jobs->next + 2 * N_JOBS - 1 - newest) % N_JOBS];
}

static void place_waiting(struct jobs *jobs)
{
    uint32_t position = 0;

    for (size_t i = jobs->n; i-- > 0;) {
        struct job *job = job_at(jobs, i);
        int worker = job->view.kind == JOB_WINNING ? 2 : job->view.kind == JOB_WINDOW ? 1 : 0;

        if (job->view.state != JOB_WAITING)
            continue;
        if (job->view.kind == JOB_UPDATE && jobs->workers[0].job_id[0])
            worker = 1;
        if (!jobs->workers[worker].job_id[0]) {
            start_job(jobs, job, worker);
            continue;
        }
        job->view.queue_position = ++position;
        if (position == 1)
            snprintf(job->why, sizeof job->why, "for %s: it has a job", jobs->workers[worker].name);
        else
            snprintf(job->why, sizeof job->why,
                     "for memory: 14.0 GiB needed, %.1f GiB free of 96.0 GiB", 9.4 - position);
    }
}

static void update_figures(struct jobs *jobs)
{
    static const double shares[MEM_N_CLASSES] = {0.52, 0.04, 0.06, 0.17, 0.13, 0.08};
    struct jobs_status *s = &jobs->status;
    uint64_t reserved = 0;

    for (int kind = 0; kind < JOB_N_KINDS; kind++)
        s->kind[kind].waiting = s->kind[kind].running = 0;
    memset(s->waiting_by_priority, 0, sizeof s->waiting_by_priority);
    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = job_at(jobs, i);

        s->kind[job->view.kind].waiting += job->view.state == JOB_WAITING;
        s->kind[job->view.kind].running += job->view.state == JOB_RUNNING;
        s->waiting_by_priority[job->view.priority] += job->view.state == JOB_WAITING;
        reserved += job->view.state == JOB_RUNNING ? job->view.reserved_bytes : 0;
    }
    for (int i = 0; i < N_KEYS; i++) {
        reserved += jobs->keys[i].tier == KEY_COLD ? 0 : jobs->keys[i].bytes;
        jobs->keys[i].idle_seconds += jobs->keys[i].tier == KEY_WARM ? STEP_MS / 1e3 : 0;
    }
    for (int i = 0; i < N_WORKERS; i++) {
        jobs->workers[i].busy_seconds =
            jobs->workers[i].job_id[0] ? jobs->workers[i].busy_seconds + STEP_MS / 1e3 : 0;
        jobs->workers[i].busy_total += jobs->workers[i].job_id[0] ? STEP_MS / 1e3 : 0;
        jobs->workers[i].used_bytes = jobs->workers[i].job_id[0] ? 9 * GIB : 0;
    }
    s->reserved_bytes = reserved;
    s->used_bytes = 0;
    for (int c = 0; c < MEM_N_CLASSES; c++) {
        double wave =
            0.85 + 0.12 * sin((double)jobs->made * 0.9 + c + clock_seconds() * (0.2 + 0.1 * c));

        s->class_bytes[c] = (uint64_t)((double)reserved * shares[c] * wave);
        s->used_bytes += s->class_bytes[c];
    }
    s->metered_bytes = s->used_bytes + 300 * ((uint64_t)1 << 20);
    if (s->metered_bytes > s->metered_peak)
        s->metered_peak = s->metered_bytes;
}

static void make_up(struct jobs *jobs)
{
    char id[64];
    unsigned k = jobs->made;

    if (k % 11 == 4)
        snprintf(id, sizeof id, "winpost-1000-%08x", k * 77);
    else if (k % 5 == 3)
        snprintf(id, sizeof id, "wdpost-1000-%u-[1 2 3 4 5 6 7 8]", k);
    else
        snprintf(id, sizeof id, k % 3 == 1 ? "snap-1000-%u" : "porep-1000-%u", 5120 + k);
    add_job(jobs,
            k % 11 == 4  ? JOB_WINNING
            : k % 5 == 3 ? JOB_WINDOW
            : k % 3 == 1 ? JOB_UPDATE
                         : JOB_POREP,
            id);
}

static void step(void *ctx)
{
    struct jobs *jobs = ctx;
    uint32_t waiting = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = job_at(jobs, i);

        if (job->view.state == JOB_RUNNING)
            step_job(jobs, job);
        waiting += job->view.state == JOB_WAITING;
    }
    if (!jobs->quiet && waiting < 7)
        make_up(jobs);
    place_waiting(jobs);
    update_figures(jobs);
    loop_timer_set(jobs->loop, &jobs->step, loop_now() + STEP_MS * LOOP_MILLISECOND);
}

void staged_jobs_new(struct jobs **ret, struct loop *loop, bool quiet)
{
    static const struct worker_view workers[N_WORKERS] = {
        {.name = "cuda 0",
         .backend = "cuda",
         .device = "NVIDIA H200",
         .pid = 4711,
         .device_total = 140 * GIB,
         .device_free = 54 * GIB,
         .device_budget = 139 * GIB,
         .device_reserved = 86 * GIB,
         .device_urgent = 2 * GIB,
         .budget_bytes = 16 * GIB,
         .restarts = 1},
        {.name = "cuda 1",
         .backend = "cuda",
         .device = "NVIDIA H200",
         .ordinal = 1,
         .pid = 4712,
         .device_total = 140 * GIB,
         .device_free = 38 * GIB,
         .device_budget = 139 * GIB,
         .device_reserved = 102 * GIB,
         .device_urgent = 2 * GIB,
         .budget_bytes = 17 * GIB},
        {.name = "urgent",
         .backend = "cpu",
         .device = "",
         .ordinal = -1,
         .pid = 4713,
         .budget_bytes = GIB},
        {.name = "cpu", .backend = "cpu", .device = "", .ordinal = -1, .pid = 4714, .paused = true},
    };
    static const struct key_view keys[N_KEYS] = {
        {"porep-32GiB", "cuda 0", KEY_HOT, 0, 47 * GIB, 1, 0, 86 * GIB},
        {"update-32GiB", "cuda 1", KEY_HOT, 0, 35 * GIB, 1, 0, 61 * GIB},
        {"window-32GiB", "cuda 1", KEY_WARM, 24 * GIB, 61 * GIB, 0, 42, 41 * GIB},
        {"winning-32GiB", "urgent", KEY_WARM, GIB / 5, GIB / 5, 0, 11, 0},
        {"porep-64GiB", "", KEY_COLD, 0, 47 * GIB, 0, 0, 0},
    };
    struct jobs *jobs = mem_new(sizeof *jobs);

    if (!jobs)
        abort();
    jobs->loop = loop;
    jobs->quiet = quiet;
    memcpy(jobs->workers, workers, sizeof workers);
    memcpy(jobs->keys, keys, sizeof keys);
    for (int i = 0; i < N_WORKERS; i++)
        jobs->workers[i].job_id = jobs->workers[i].stage = "";
    jobs->status = (struct jobs_status){.started = clock_unix_seconds(),
                                        .budget_bytes = 96 * GIB,
                                        .urgent_reserve = GIB,
                                        .spool_bytes = 3 * GIB / 2,
                                        .disk_free = 812 * GIB,
                                        .disk_reserve = 4 * GIB,
                                        .n_workers = N_WORKERS,
                                        .n_keys = N_KEYS,
                                        .workers = jobs->workers,
                                        .keys = jobs->keys};
    jobs->step = (struct loop_timer){.f = step, .ctx = jobs};
    step(jobs);
    *ret = jobs;
}

void jobs_close(struct jobs *jobs)
{
    if (jobs)
        loop_timer_cancel(&jobs->step);
    mem_free(jobs);
}

void staged_jobs_set_busy(struct jobs *jobs, bool busy)
{
    jobs->busy = busy;
}

/* ---- questions: answered by a timer, later than they are asked ------------------------------- */

static void finish_call(void *ctx)
{
    struct job_call *call = ctx;

    call->finish(call);
}

static struct job_call *ask(struct jobs *jobs, const char *id,
                            void (*finish)(struct job_call *call), void *ctx)
{
    struct job_call *call = mem_new(sizeof *call);

    if (!call)
        abort();
    call->jobs = jobs;
    call->finish = finish;
    call->ctx = ctx;
    snprintf(call->id, sizeof call->id, "%s", id);
    call->timer = (struct loop_timer){.f = finish_call, .ctx = call};
    loop_timer_set(jobs->loop, &call->timer, loop_now() + 5 * LOOP_MILLISECOND);
    return call;
}

static void end_call(struct job_call *call)
{
    job_request_done(&call->submission.request);
    mem_free(call);
}

void job_call_drop(struct job_call *call)
{
    if (!call)
        return;
    loop_timer_cancel(&call->timer);
    end_call(call);
}

static struct job *find(struct jobs *jobs, const char *id)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = job_at(jobs, i);

        if (strcmp(job->id, id) == 0 || strcmp(job->request_id, id) == 0)
            return job;
    }
    return NULL;
}

enum cuzk_status jobs_spool_open(struct jobs *jobs, int *ret_fd, struct cuzk_error *err)
{
    FILE *file = tmpfile();

    (void)jobs;
    *ret_fd = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    return *ret_fd >= 0 ? CUZK_OK : error_set(err, CUZK_IO, "no spool file");
}

bool jobs_may_spool(struct jobs *jobs, uint64_t bytes, const char **ret_why)
{
    if (ret_why)
        *ret_why = "the disk's reserve";
    return bytes <= JOBS_SMALL_BODY || !jobs->busy;
}

/* The first bytes of the body become the error's text when they are "bad": what was spooled is
 * seen. */
static void finish_submit(struct job_call *call)
{
    const struct job_request *r = &call->submission.request;
    struct submit_answer answer = {.refusal = REFUSED_NOT};
    char head[64] = {0};
    struct cuzk_error err;
    struct job *job;

    if (call->submission.decode &&
        call->submission.decode(&call->submission.request, call->submission.fd,
                                call->submission.bytes, &err) != CUZK_OK) {
        answer = (struct submit_answer){.refusal = REFUSED_BAD_REQUEST, .sentence = err.message};
    } else if (pread(call->submission.fd, head, sizeof head - 1, 0) > 2 &&
               strncmp(head, "bad", 3) == 0) {
        answer = (struct submit_answer){.refusal = REFUSED_BAD_REQUEST, .sentence = head};
    } else if ((job = find(call->jobs, r->request_id)) != NULL)
        answer = (struct submit_answer){.job_id = job->id, .attached = true};
    else {
        char id[JOB_REQUEST_ID_MAX + 1];

        snprintf(id, sizeof id, "%s", r->request_id);
        if (!id[0])
            snprintf(id, sizeof id, "body-%lu-%zu", (unsigned long)call->submission.bytes,
                     job_request_n_ranges(r));
        job = add_job(call->jobs, r->kind, id);
        answer = (struct submit_answer){.job_id = job->id, .queue_position = 1};
    }
    close(call->submission.fd);
    call->fn.submit(call->ctx, &answer);
    end_call(call);
}

struct job_call *jobs_submit(struct jobs *jobs, struct submission *submission, submit_fn *fn,
                             void *ctx)
{
    struct job_call *call = ask(jobs, "", finish_submit, ctx);

    call->submission = *submission;
    call->fn.submit = fn;
    return call;
}

static void finish_await(struct job_call *call)
{
    struct job *job = find(call->jobs, call->id);
    struct job_view view;

    if (job && call->deadline && !job_state_is_final(job->view.state) &&
        loop_now() < call->deadline) {
        loop_timer_set(call->jobs->loop, &call->timer, loop_now() + 20 * LOOP_MILLISECOND);
        return;
    }
    if (job) {
        view = job->view;
        if (view.state == JOB_DONE) {
            view.proof = job->proof;
            view.proof_bytes = 192 * view.partitions;
        }
    }
    call->fn.await(call->ctx,
                   !job                                                     ? AWAIT_UNKNOWN
                   : call->deadline && !job_state_is_final(job->view.state) ? AWAIT_TIMEOUT
                                                                            : AWAIT_OVER,
                   job ? &view : NULL);
    end_call(call);
}

struct job_call *jobs_await(struct jobs *jobs, const char *id, uint64_t timeout_ms, await_fn *fn,
                            void *ctx)
{
    struct job_call *call = ask(jobs, id, finish_await, ctx);

    call->deadline = timeout_ms ? loop_now() + timeout_ms * LOOP_MILLISECOND : UINT64_MAX;
    call->fn.await = fn;
    return call;
}

struct job_call *jobs_look(struct jobs *jobs, const char *id, await_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, id, finish_await, ctx);

    call->fn.await = fn;
    return call;
}

static void finish_cancel(struct job_call *call)
{
    struct job *job = find(call->jobs, call->id);
    enum cancel_end end = !job                             ? CANCEL_UNKNOWN
                          : job->view.state == JOB_WAITING ? CANCEL_WAS_WAITING
                          : job->view.state == JOB_RUNNING ? CANCEL_WAS_RUNNING
                                                           : CANCEL_WAS_OVER;

    if (job && !job_state_is_final(job->view.state))
        end_job(call->jobs, job, JOB_CANCELLED);
    call->fn.cancel(call->ctx, end);
    end_call(call);
}

struct job_call *jobs_cancel(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, id, finish_cancel, ctx);

    call->fn.cancel = fn;
    return call;
}

static void finish_clear(struct job_call *call)
{
    call->fn.cancel(call->ctx, find(call->jobs, call->id) ? CANCEL_WAS_OVER : CANCEL_UNKNOWN);
    end_call(call);
}

struct job_call *jobs_clear(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, id, finish_clear, ctx);

    call->fn.cancel = fn;
    return call;
}

static void finish_trace(struct job_call *call)
{
    const struct job *job = find(call->jobs, call->id);
    struct text json;

    if (!job || job->n_spans == 0) {
        call->fn.text(call->ctx, CUZK_BAD_INPUT, "", 0);
        end_call(call);
        return;
    }
    if (text_begin(&json, NULL) != CUZK_OK)
        abort();
    fputs("{\"traceEvents\":[", json.stream);
    for (size_t i = 0; i < job->n_spans; i++) {
        const struct span *span = &job->spans[i];
        double end = span->end > 0 ? span->end : clock_unix_seconds();

        fprintf(json.stream,
                "%s{\"name\":\"partition %u: "
                "%s\",\"ph\":\"X\",\"ts\":%.0f,\"dur\":%.0f,\"pid\":1,\"tid\":1}",
                i ? "," : "", span->partition, stages[span->stage],
                (span->begin - job->view.submitted) * 1e6, (end - span->begin) * 1e6);
    }
    fputs("]}", json.stream);
    if (text_end(&json, NULL) != CUZK_OK)
        abort();
    call->fn.text(call->ctx, CUZK_OK, json.bytes, json.n);
    text_free(&json);
    end_call(call);
}

struct job_call *jobs_trace(struct jobs *jobs, const char *id, text_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, id, finish_trace, ctx);

    call->fn.text = fn;
    return call;
}

static struct key_view *find_key(struct jobs *jobs, const char *circuit)
{
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(jobs->keys[i].circuit, circuit) == 0)
            return &jobs->keys[i];
    return NULL;
}

static void finish_preload(struct job_call *call)
{
    struct key_view *key = find_key(call->jobs, call->id);
    struct preload_answer answer = {.status = CUZK_OK, .load_ms = 1234};

    if (!key)
        answer = (struct preload_answer){.status = CUZK_BAD_INPUT, .sentence = "no such circuit"};
    else {
        answer.already_loaded = key->tier != KEY_COLD;
        key->tier = key->tier == KEY_COLD ? KEY_WARM : key->tier;
        key->bytes = key->bytes ? key->bytes : GIB;
        key->worker = "cuda 0";
        tell(call->jobs, EVENT_KEY, NULL, "a key was loaded");
    }
    call->fn.preload(call->ctx, &answer);
    end_call(call);
}

struct job_call *jobs_preload(struct jobs *jobs, const char *circuit, preload_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, circuit, finish_preload, ctx);

    call->fn.preload = fn;
    return call;
}

static void finish_evict(struct job_call *call)
{
    struct key_view *key = find_key(call->jobs, call->id);
    struct evict_answer answer = {.status = CUZK_OK};

    if (!key || key->tier == KEY_HOT)
        answer = (struct evict_answer){.status = CUZK_BAD_INPUT,
                                       .sentence = "in use, or no such circuit"};
    else {
        answer.was_loaded = key->tier == KEY_WARM;
        answer.freed_bytes = key->bytes;
        key->tier = KEY_COLD;
        tell(call->jobs, EVENT_KEY, NULL, "a key was evicted");
    }
    call->fn.evict(call->ctx, &answer);
    end_call(call);
}

struct job_call *jobs_evict(struct jobs *jobs, const char *circuit, evict_fn *fn, void *ctx)
{
    struct job_call *call = ask(jobs, circuit, finish_evict, ctx);

    call->fn.evict = fn;
    return call;
}

/* ---- listings -------------------------------------------------------------------------------- */

void jobs_each(struct jobs *jobs, job_visit_fn *fn, void *ctx)
{
    for (size_t i = jobs->n; i-- > 0;)
        if (job_at(jobs, i)->view.state == JOB_RUNNING)
            fn(ctx, &job_at(jobs, i)->view);
    for (size_t i = jobs->n; i-- > 0;)
        if (job_at(jobs, i)->view.state == JOB_WAITING)
            fn(ctx, &job_at(jobs, i)->view);
    for (size_t i = 0; i < jobs->n; i++)
        if (job_state_is_final(job_at(jobs, i)->view.state))
            fn(ctx, &job_at(jobs, i)->view);
}

void jobs_status(struct jobs *jobs, struct jobs_status *ret)
{
    *ret = jobs->status;
}
