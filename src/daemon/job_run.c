/* A job from its beginning on a worker to its end.
 *
 *     job_start ──► running: row and payload (desk) ── order ──► worker
 *       ▲                   │ partition ──► desk: verify, store ──► have[k]
 *       │                   │ end, all there ──► done
 *     line ◄── retried ◄────┤ worker died, device failed, proof was bad: once more
 *                           └ twice in a row without a partition between: failed
 *
 * A job holds its bytes from job_start until its worker has said `end` or is reaped. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "daemon/jobs_state.h"
#include "daemon/log.h"
#include "daemon/worker.h"

#define GRACE (10 * LOOP_SECOND)      /* for a worker to stop when it is told to */
#define AGAIN LOOP_SECOND             /* until the journal is asked again after a failure */
#define TELL_STAGE (LOOP_SECOND / 10) /* at most so often a job */

/* ---- beginning ------------------------------------------------------------------------------- */

uint32_t worker_order(struct worker *w, enum worker_task task)
{
    w->task = task;
    w->sent = false;
    w->begun = loop_now();
    w->number = ++w->jobs->numbers;
    w->stage[0] = 0;
    return w->number;
}

void worker_idle(struct worker *w)
{
    w->busy_total += (double)(loop_now() - w->begun) / 1e9;
    w->task = TASK_NONE;
    w->job = NULL;
    w->stage[0] = 0;
    jobs_pause_or_resume(w->jobs);
    jobs_schedule(w->jobs);
}

struct begin_task {
    struct desk_task task;
    struct job *job;
    struct worker *worker;
    uint32_t number;
    struct journal_row row;
    int fd;
    enum cuzk_status status;
    struct cuzk_error err;
    bool unwritten;
    struct cuzk_error why; /* unwritten */
};

/* A row that still says `waiting` harms nobody, so a disk that is full keeps no job from its proof.
 */
static void begin_work(struct desk_task *task)
{
    struct begin_task *b = (struct begin_task *)task;
    struct journal *journal = b->job->jobs->clerk.journal;

    b->status = journal_payload_open(journal, &b->row, &b->fd, &b->err);
    b->unwritten = b->status == CUZK_OK && journal_update(journal, &b->row, &b->why) != CUZK_OK;
}

static void send_proof_order(struct begin_task *b)
{
    struct job *job = b->job;
    struct worker *w = b->worker;
    struct order order = {.kind = ORDER_PROVE, .number = b->number};
    const struct resident *key = worker_key(w, job->name);

    order.budget = worker_resident_bytes(w) + job->held;
    order.device = key ? key->device : job->device_held;
    for (unsigned i = 0; i < job->n; i++)
        order.skip[i] = job->have[i];
    worker_process_send(w->process, &order, b->fd);
    w->sent = true;
}

static void leave_worker(struct job *job);
static void back_to_line(struct job *job);

static void begin_done(struct desk_task *task)
{
    struct begin_task *b = (struct begin_task *)task;
    struct job *job = b->job;
    struct worker *w = b->worker;
    const bool still_ours = job->worker == w && w->number == b->number;

    if (b->unwritten)
        log_warn("the beginning of a job is not in the journal", "job", job->row.id, "error",
                 b->why.message, NULL);
    if (still_ours && job->cancelling) {
        leave_worker(job);
        job_end(job, JOB_CANCELLED, CUZK_CANCELLED, "cancelled");
    } else if (still_ours && job->stopping) {
        leave_worker(job);
        back_to_line(job);
    } else if (still_ours && b->status == CUZK_BAD_INPUT) {
        leave_worker(job);
        job_end(job, JOB_FAILED, b->status, b->err.message);
    } else if (still_ours && b->status != CUZK_OK) {
        log_error("a payload cannot be opened now", "job", job->row.id, "error", b->err.message,
                  NULL);
        leave_worker(job);
        job->not_before = loop_now() + AGAIN;
        job->row.attempts--;
        back_to_line(job);
    } else if (still_ours)
        send_proof_order(b);
    if (b->fd >= 0)
        close(b->fd);
    mem_free(b);
}

bool job_start(struct job *job, struct worker *w)
{
    struct jobs *jobs = job->jobs;
    struct begin_task *b = mem_new(sizeof *b);
    const double now = clock_unix_seconds();

    if (!b)
        return false;
    job->row.queue_ms = jobs_queue_ms(job);
    job_list_remove(&jobs->line, job);
    job_list_append(&jobs->running, job);
    job->place = PLACE_RUNNING;
    job->held = job_need(job, w);
    jobs->ledger.held += job->held;
    job->device_held = worker_key(w, job->name) ? 0 : card_need(w, &job->plan, job_is_urgent(job));
    w->device.held += job->device_held;
    job->worker = w;
    job->row.state = JOB_RUNNING;
    job->row.attempts++;
    job->stage_of = -1;
    memset(job->ms, 0, sizeof job->ms);
    if (job->row.started <= 0) {
        job->row.started = now;
        jobs->status.admission_wait_sum += now - job->row.submitted;
        jobs->status.admission_wait_count++;
    }
    worker_order(w, TASK_PROVE);
    w->job = job;
    jobs_pause_or_resume(jobs);
    *b = (struct begin_task){.task = {.work = begin_work, .done = begin_done},
                             .job = job,
                             .worker = w,
                             .number = w->number,
                             .row = job->row,
                             .fd = -1};
    desk_post(jobs->desk, &b->task);
    jobs_event(jobs, EVENT_STATE, job, "running");
    return true;
}

/* ---- leaving the worker ---------------------------------------------------------------------- */

/* The key stays, and its bytes with it, if the worker lives and has it now. */
static void leave_worker(struct job *job)
{
    struct jobs *jobs = job->jobs;
    struct worker *w = job->worker;
    struct resident *key = worker_key(w, job->name);

    jobs->ledger.held -= job->held;
    w->device.held -= job->device_held;
    job->held = job->device_held = 0;
    if (key)
        key->last_used = loop_now();
    job->worker = NULL;
    loop_timer_cancel(&job->grace);
    worker_idle(w);
}

static void note_key(struct worker *w, const struct job *job, const struct note_end *end)
{
    struct resident *key = worker_key(w, job->name);

    if (key || end->file_bytes == 0)
        return;
    key = worker_key_add(w, job->name);
    if (!key)
        return;
    key->bytes = job_bytes_resident(job_bytes_on(&job->plan, w));
    key->file_bytes = end->file_bytes;
    key->device = job->device_held;
    w->jobs->ledger.held += key->bytes;
    w->device.held += key->device;
    jobs_event(w->jobs, EVENT_KEY, NULL, job->row.circuit);
}

struct wait_task {
    struct desk_task task;
    struct jobs *jobs;
    struct journal_row row;
    struct cuzk_error err;
};

static void wait_work(struct desk_task *task)
{
    struct wait_task *t = (struct wait_task *)task;

    if (journal_update(t->jobs->clerk.journal, &t->row, &t->err) == CUZK_OK)
        t->err.message[0] = 0;
}

/* A row that still says `running` is taken up all the same at the next start. */
static void wait_done(struct desk_task *task)
{
    struct wait_task *t = (struct wait_task *)task;

    if (t->err.message[0])
        log_warn("a retry is not in the journal", "job", t->row.id, "error", t->err.message, NULL);
    jobs_schedule(t->jobs);
    mem_free(t);
}

static void back_to_line(struct job *job)
{
    struct jobs *jobs = job->jobs;
    struct wait_task *t = mem_new(sizeof *t);

    job->bad_proof = false;
    job->stage[0] = 0;
    job->row.state = JOB_WAITING;
    job_list_remove(&jobs->running, job);
    jobs_line_insert(jobs, job);
    if (t) {
        *t = (struct wait_task){
            .task = {.work = wait_work, .done = wait_done}, .jobs = jobs, .row = job->row};
        desk_post(jobs->desk, &t->task);
    }
    jobs_event(jobs, EVENT_STATE, job, "waiting again");
    jobs_schedule(jobs);
}

/* Once more, unless that has been tried without a step forward. */
static void retry(struct job *job, enum cuzk_status status, const char *sentence)
{
    struct jobs *jobs = job->jobs;

    if (job->row.kills >= jobs->config->journal.max_attempts) {
        jobs->status.poisoned++;
        job_end(job, JOB_FAILED, status, sentence);
    } else if (++job->faults >= 2)
        job_end(job, JOB_FAILED, status, sentence);
    else {
        jobs->status.retries++;
        log_warn("job is tried again", "job", job->row.id, "error", sentence, NULL);
        back_to_line(job);
    }
}

/* ---- ending ---------------------------------------------------------------------------------- */

struct end_task {
    struct desk_task task;
    struct job *job;
    struct journal_row row;
    enum cuzk_status status;
    struct cuzk_error err;
    struct loop_timer again;
};

static void end_work(struct desk_task *task)
{
    struct end_task *e = (struct end_task *)task;

    e->status = journal_finish(e->job->jobs->clerk.journal, &e->row, &e->err);
}

static void count_end(struct jobs *jobs, const struct journal_row *row)
{
    struct kind_counts *counts = &jobs->status.kind[row->kind];

    if (row->state == JOB_DONE) {
        counts->done++;
        counts->duration_count++;
        counts->duration_sum += row->finished - row->submitted;
    } else if (row->state == JOB_FAILED)
        counts->failed++;
    else
        counts->cancelled++;
}

static void post_end(void *ctx)
{
    struct end_task *e = ctx;

    desk_post(e->job->jobs->desk, &e->task);
}

static void end_done(struct desk_task *task)
{
    struct end_task *e = (struct end_task *)task;
    struct job *job = e->job;
    struct jobs *jobs = job->jobs;

    if (e->status != CUZK_OK && jobs->status.draining) { /* the next start takes it up */
        log_error("the end of a job is not in the journal", "job", job->row.id, "error",
                  e->err.message, NULL);
        job_list_remove(job->place == PLACE_LINE ? &jobs->line : &jobs->running, job);
        jobs_remember(jobs, job);
        jobs_schedule(jobs);
        return;
    }
    if (e->status != CUZK_OK) {
        log_error("the journal does not take the end of a job", "job", job->row.id, "error",
                  e->err.message, NULL);
        e->again.f = post_end;
        e->again.ctx = e;
        loop_timer_set(jobs->loop, &e->again, loop_now() + AGAIN);
        return;
    }
    journal_row_done(&job->row);
    job->row = e->row;
    job->ending = false;
    job_list_remove(job->place == PLACE_LINE ? &jobs->line : &jobs->running, job);
    job->place = PLACE_NONE;
    count_end(jobs, &job->row);
    log_info("job is over", "job", job->row.id, "state", job_state_name(job->row.state), "error",
             job->row.error, NULL);
    jobs_event(jobs, EVENT_STATE, job, job_state_name(job->row.state));
    calls_answer(job);
    jobs_remember(jobs, job); /* last: it may make place by freeing an old one */
    jobs_schedule(jobs);
}

struct end_task *end_task_new(void)
{
    return mem_new(sizeof(struct end_task));
}

void job_end(struct job *job, enum job_state state, enum cuzk_status status, const char *sentence)
{
    struct end_task *e = job->end;

    if (job->ending)
        return;
    job->ending = true;
    *e = (struct end_task){
        .task = {.work = end_work, .done = end_done}, .job = job, .row = job->row};
    e->row.state = state;
    e->row.finished = clock_unix_seconds();
    e->row.queue_ms = jobs_queue_ms(job);
    e->row.status = state == JOB_DONE ? CUZK_OK : status;
    snprintf(e->row.error, sizeof e->row.error, "%s", state == JOB_DONE ? "" : sentence);
    desk_post(job->jobs->desk, &e->task);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void grace_is_over(void *ctx)
{
    struct job *job = ctx;

    log_warn("a worker does not stop and is killed", "job", job->row.id, NULL);
    if (job->worker)
        worker_process_kill(job->worker->process);
}

void job_stop(struct job *job)
{
    struct worker *w = job->worker;

    if (!w || !w->sent)
        return; /* begin_done, or what has ended already, sees the flag */
    worker_process_send(w->process, &(struct order){.kind = ORDER_CANCEL, .number = w->number}, -1);
    job->grace.f = grace_is_over;
    job->grace.ctx = job;
    loop_timer_set(job->jobs->loop, &job->grace, loop_now() + GRACE);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

/* What is to be said if the job is tried again, or fails; a bad proof is not talked over. */
void job_set_fault(struct job *job, enum cuzk_status status, const char *sentence)
{
    if (job->bad_proof)
        return;
    job->fault_status = status;
    snprintf(job->fault, sizeof job->fault, "%.511s", sentence);
}

/* All partitions are there and no worker is at it. */
void job_finish_if_complete(struct job *job)
{
    if (job->worker || job->checking || job->ending || job->place != PLACE_RUNNING)
        return;
    if (job->n_have == job->n)
        job_end(job, JOB_DONE, CUZK_OK, "");
    else if (job->cancelling)
        job_end(job, JOB_CANCELLED, CUZK_CANCELLED, "cancelled");
    else if (job->stopping)
        back_to_line(job);
    else
        retry(job, job->fault_status, job->fault);
}

/* ---- what workers say ------------------------------------------------------------------------ */

/* "partition 3: witness" begins one; what names none belongs to the last that was named. */
static void add_partition_time(struct job *job, const struct stage *s)
{
    const int named = worker_partition_of(s->name);
    const uint32_t ms = (uint32_t)((s->end - s->begin) * 1e3 + 0.5);

    if (named >= 0)
        job->stage_of = named - (int)job->row.first;
    if (job->stage_of < 0 || job->stage_of >= (int)job->n)
        return;
    if (worker_account_of(s->name) == ACCOUNT_SYNTHESIS)
        job->ms[job->stage_of].synthesis += ms;
    else
        job->ms[job->stage_of].compute += ms;
}

static void note_stage(struct worker *w, const struct note_stage *note)
{
    struct job *job = w->job;
    const double since = clock_unix_seconds() - (job ? job->row.submitted : 0);
    const struct stage *s = &note->stage;
    struct span *span;
    void *place;

    for (int c = 0; c < MEM_N_CLASSES; c++)
        w->class_now[c] = note->class_now[c];
    if (s->end == 0.0)
        snprintf(w->stage, sizeof w->stage, "%s", s->name);
    if (!job)
        return;
    if (s->end == 0.0) {
        snprintf(job->stage, sizeof job->stage, "%s", s->name);
        if (loop_now() - job->stage_told > TELL_STAGE) {
            job->stage_told = loop_now();
            jobs_event(w->jobs, EVENT_STAGE, job, job->stage);
        }
        return;
    }
    add_partition_time(job, s);
    if (grow_take(&job->spans, sizeof *span, &place, NULL) != CUZK_OK)
        return; /* the timeline is full */
    span = place;
    span->stage = *s;
    span->stage.begin = since - (s->end - s->begin);
    span->stage.end = since;
    snprintf(span->worker, sizeof span->worker, "%s", w->name);
}

static void add_times(struct journal_row *row, const struct note_end *end)
{
    row->key_ms += end->key_ms;
    row->synthesis_ms += end->synthesis_ms;
    row->compute_ms += end->compute_ms;
}

static void note_proof_end(struct worker *w, const struct note_end *end)
{
    struct job *job = w->job;
    const char *name = w->name;

    add_times(&job->row, end);
    job_set_fault(job, end->status == CUZK_OK ? CUZK_INTERNAL : end->status,
                  end->status == CUZK_OK ? "the worker left partitions out" : end->sentence);
    note_key(w, job, end);
    leave_worker(job);
    if (end->status == CUZK_OK || end->status == CUZK_CANCELLED || job->bad_proof) {
        job_finish_if_complete(job);
        return;
    }
    log_warn("a worker reports a failure", "job", job->row.id, "worker", name, "error",
             end->sentence, NULL);
    if (job->cancelling)
        job_end(job, JOB_CANCELLED, CUZK_CANCELLED, "cancelled");
    else if (job->stopping)
        back_to_line(job);
    else if (end->status == CUZK_BAD_INPUT || end->status == CUZK_USAGE)
        job_end(job, JOB_FAILED, end->status, end->sentence);
    else {
        if (end->status == CUZK_INVALID)
            w->jobs->status.verify_failures++;
        job->avoid = w->role == ROLE_DEVICE ? w : NULL;
        retry(job, end->status, end->sentence);
    }
}

static void hear(void *ctx, const struct note *note) /* ctx: a worker */
{
    struct worker *w = ctx;

    if (note->kind == NOTE_HELLO) {
        w->hello = note->of.hello;
        if (w->role == ROLE_DEVICE)
            card_said_hello(w);
        jobs_event(w->jobs, EVENT_WORKER, NULL, w->name);
        jobs_pause_or_resume(w->jobs);
        jobs_schedule(w->jobs);
        return;
    }
    if (w->task == TASK_NONE || note->number != w->number)
        return; /* of an order that nobody waits for any more */
    if (note->kind == NOTE_STAGE)
        note_stage(w, &note->of.stage);
    else if (note->kind == NOTE_PARTITION && w->task == TASK_PROVE)
        job_check_partition(w, &note->of.partition);
    else if (note->kind == NOTE_END && w->task == TASK_PROVE)
        note_proof_end(w, &note->of.end);
    else if (note->kind == NOTE_END)
        jobs_keys_note(w, &note->of.end);
}

/* ---- death ----------------------------------------------------------------------------------- */

static void job_lost_worker(struct job *job, const char *how)
{
    const bool our_wish = job->cancelling || job->stopping;

    job_set_fault(job, CUZK_DEVICE, how);
    leave_worker(job);
    if (job->checking || our_wish || job->bad_proof || job->n_have == job->n) {
        if (!our_wish)
            job->row.kills++;
        job_finish_if_complete(job);
        return;
    }
    job->row.kills++;
    retry(job, CUZK_DEVICE, how);
}

static void worker_died(void *ctx, const char *how)
{
    struct worker *w = ctx;
    struct jobs *jobs = w->jobs;
    struct job *job = w->job;

    const bool had_said_hello = w->hello.backend[0] != 0;

    jobs->status.worker_deaths++;
    log_error("a worker ended", "worker", w->name, "how", how, "job", job ? job->row.id : "", NULL);
    worker_keys_forget(w);
    memset(w->class_now, 0, sizeof w->class_now);
    w->paused = false;
    if (w->task == TASK_PROVE)
        job_lost_worker(job, how);
    else if (w->task != TASK_NONE)
        jobs_keys_died(w, how);
    w->hello = (struct note_hello){0};
    if (w->role == ROLE_DEVICE)
        card_is_gone(w, had_said_hello);
    jobs_event(jobs, EVENT_WORKER, NULL, how);
    jobs_schedule(jobs);
}

/* ---- the process ----------------------------------------------------------------------------- */

bool worker_start(struct worker *w)
{
    const struct config *config = w->jobs->config;
    const unsigned threads = (unsigned)config->synthesis.threads;

    w->process = worker_process_new(
        w->jobs->loop, &(struct worker_process_options){
                           .program = w->jobs->program,
                           .name = w->name,
                           .backend = w->backend,
                           .card = w->card,
                           .threads = (unsigned)config->gpus.gpu_threads,
                           .witness_threads = threads ? threads : pool_processors(),
                           .params = w->jobs->params,
                           .allow_dev_keys = config->srs.allow_dev_keys,
                           .restart = true,
                           .note = hear,
                           .died = worker_died,
                           .ctx = w});
    return w->process != NULL;
}
