/* Questions about jobs. A job in memory is asked at once (the answer comes with a note), any other
 * by way of the journal. All that are not over are in memory. */
#include <stddef.h>

#include "base/text.h"
#include "daemon/jobs_state.h"

struct job_call *call_new(struct jobs *jobs, enum call_kind kind, const char *id, void *ctx)
{
    struct job_call *call = mem_new(sizeof *call);

    if (!call)
        return NULL;
    call->jobs = jobs;
    call->kind = kind;
    call->ctx = ctx;
    snprintf(call->id, sizeof call->id, "%s", id);
    return call;
}

void call_free(struct job_call *call)
{
    loop_timer_cancel(&call->timer);
    journal_row_done(&call->row);
    intake_free(call->intake);
    mem_free(call);
}

void call_leave(struct job_call **list, struct job_call *call)
{
    for (struct job_call **c = list; *c; c = &(*c)->next)
        if (*c == call) {
            *c = call->next;
            call->next = NULL;
            return;
        }
}

static void leave_job(struct job_call *call)
{
    if (!call->job)
        return;
    call_leave(&call->job->calls, call);
    call->job = NULL;
}

void job_call_drop(struct job_call *call)
{
    if (!call)
        return;
    call->dropped = true;
    if (call->away || call->kind == CALL_SUBMIT)
        return; /* a submission goes on: who comes back finds the job */
    for (size_t i = 0; i < call->jobs->n_workers; i++)
        if (call->jobs->workers[i].asker == call)
            call->jobs->workers[i].asker = NULL;
    leave_job(call);
    call_leave(&call->jobs->wishes, call);
    call_free(call);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answer_await(struct job_call *call, enum await_end end, const struct job_view *view)
{
    leave_job(call);
    if (call_is_wanted(call))
        call->fn.await(call->ctx, end, view);
    call_free(call);
}

static void answer_cancel(struct job_call *call, enum cancel_end end)
{
    leave_job(call);
    if (call_is_wanted(call))
        call->fn.cancel(call->ctx, end);
    call_free(call);
}

static void answer_text(struct job_call *call, enum cuzk_status status, const char *text, size_t n)
{
    if (call_is_wanted(call))
        call->fn.text(call->ctx, status, text, n);
    call_free(call);
}

void calls_answer(struct job *job)
{
    struct job_view view;

    jobs_view(job, &view);
    while (job->calls) {
        struct job_call *call = job->calls;

        if (call->kind == CALL_CANCEL)
            answer_cancel(call, job->row.state != JOB_CANCELLED ? CANCEL_WAS_OVER
                                : call->was_running             ? CANCEL_WAS_RUNNING
                                                                : CANCEL_WAS_WAITING);
        else
            answer_await(call, AWAIT_OVER, &view);
    }
}

/* ---- timeline -------------------------------------------------------------------------------- */

/* One complete event a stage: category and thread are the worker, the time is since acceptance. */
static void print_spans(const struct job *job, FILE *out)
{
    const struct span *spans = (const struct span *)(const void *)job->spans.region.base;
    const size_t n = job->spans.used / sizeof *spans;

    fputs("[\n", out);
    fprintf(out,
            "{\"name\":\"waiting\",\"cat\":\"queue\",\"ph\":\"X\",\"pid\":1,\"tid\":\"queue\","
            "\"ts\":0,\"dur\":%.0f}",
            (job->row.started > 0 ? job->row.started - job->row.submitted : 0) * 1e6);
    for (size_t i = 0; i < n; i++) {
        const struct stage *s = &spans[i].stage;

        fprintf(out,
                ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":\"%s\","
                "\"ts\":%.0f,\"dur\":%.0f,\"args\":{\"cpu_s\":%.3f,\"bytes\":%zu}}",
                s->name, spans[i].worker, spans[i].worker, s->begin * 1e6,
                (s->end - s->begin) * 1e6, s->cpu, s->bytes);
        fprintf(out,
                ",\n{\"name\":\"memory\",\"ph\":\"C\",\"pid\":1,\"ts\":%.0f,"
                "\"args\":{\"bytes\":%zu}}",
                s->begin * 1e6, s->bytes);
    }
    fputs("\n]\n", out);
}

static void answer_trace(struct job_call *call, const struct job *job)
{
    struct text text;

    if (!job || job->row.started <= 0) {
        answer_text(call, CUZK_BAD_INPUT, NULL, 0);
        return;
    }
    if (text_begin(&text, NULL) != CUZK_OK) {
        answer_text(call, CUZK_NO_MEMORY, NULL, 0);
        return;
    }
    print_spans(job, text.stream);
    if (text_end(&text, NULL) != CUZK_OK) {
        answer_text(call, CUZK_NO_MEMORY, NULL, 0);
        return;
    }
    answer_text(call, CUZK_OK, text.bytes, text.n);
    text_free(&text);
}

/* ---- asking the journal ---------------------------------------------------------------------- */

static void look_work(struct desk_task *task)
{
    struct job_call *call =
        (struct job_call *)(void *)((char *)task - offsetof(struct job_call, task));
    struct journal *journal = call->jobs->clerk.journal;

    call->status = journal_find(journal, call->id, &call->row, &call->found, &call->err);
    if (call->status == CUZK_OK && call->found && call->kind == CALL_CLEAR)
        call->status = journal_clear(journal, &call->row, &call->err);
}

static void look_done(struct desk_task *task)
{
    struct job_call *call =
        (struct job_call *)(void *)((char *)task - offsetof(struct job_call, task));
    const bool found = call->status == CUZK_OK && call->found;
    struct job_view view;

    call->away = false;
    if (found)
        jobs_view_row(&call->row, &view);
    jobs_schedule(call->jobs);
    switch (call->kind) {
    case CALL_AWAIT:
    case CALL_LOOK:
        answer_await(call, found ? AWAIT_OVER : AWAIT_UNKNOWN, found ? &view : NULL);
        break;
    case CALL_TRACE: answer_trace(call, NULL); break;
    default: answer_cancel(call, found ? CANCEL_WAS_OVER : CANCEL_UNKNOWN); break;
    }
}

static void ask_journal(struct job_call *call)
{
    call->away = true;
    call->task.work = look_work;
    call->task.done = look_done;
    desk_post(call->jobs->desk, &call->task);
}

/* ---- asking what is in memory ---------------------------------------------------------------- */

static void time_is_up(void *ctx)
{
    struct job_call *call = ctx;
    struct job_view view;

    jobs_view(call->job, &view);
    answer_await(call, AWAIT_TIMEOUT, &view);
}

static void wait_for(struct job_call *call, struct job *job)
{
    call->job = job;
    call->next = job->calls;
    job->calls = call;
    if (call->until)
        loop_timer_set(call->jobs->loop, &call->timer, call->until);
}

static void begin_cancel(struct job_call *call, struct job *job)
{
    if (job_state_is_final(job->row.state) && !job->ending) {
        answer_cancel(call, CANCEL_WAS_OVER);
        return;
    }
    call->was_running = job->place == PLACE_RUNNING;
    wait_for(call, job);
    if (job->ending || job->cancelling)
        return;
    job->cancelling = true;
    if (call->was_running)
        job_stop(job);
    else
        job_end(job, JOB_CANCELLED, CUZK_CANCELLED, "cancelled");
    jobs_event(job->jobs, EVENT_STATE, job, "cancelling");
}

static void answer_in_memory(struct job_call *call, struct job *job)
{
    struct job_view view;

    switch (call->kind) {
    case CALL_TRACE: answer_trace(call, job); break;
    case CALL_CANCEL: begin_cancel(call, job); break;
    case CALL_AWAIT:
        if (job->place != PLACE_RECENT) {
            wait_for(call, job);
            break;
        }
        jobs_view(job, &view);
        answer_await(call, AWAIT_OVER, &view);
        break;
    default: jobs_view(job, &view); answer_await(call, AWAIT_OVER, &view);
    }
}

static void answer_now(struct job_call *call)
{
    struct job *job = jobs_find(call->jobs, call->id);

    if (job && call->kind != CALL_CLEAR)
        answer_in_memory(call, job);
    else
        ask_journal(call);
}

static void note_came(void *ctx)
{
    struct job_call *call = ctx;

    call->away = false;
    if (call->dropped)
        call_free(call);
    else
        answer_now(call);
}

static struct job_call *ask(struct job_call *call)
{
    if (!call)
        return NULL;
    call->note = (struct loop_note){.f = note_came, .ctx = call};
    call->away = loop_post(call->jobs->loop, &call->note);
    if (!call->away) { /* the loop has ended */
        call_free(call);
        return NULL;
    }
    return call;
}

/* ---- the face -------------------------------------------------------------------------------- */

struct job_call *jobs_await(struct jobs *jobs, const char *id, uint64_t timeout_ms, await_fn *fn,
                            void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_AWAIT, id, ctx);

    if (call)
        call->fn.await = fn;
    if (call && timeout_ms) {
        call->until = loop_now() + timeout_ms * LOOP_MILLISECOND;
        call->timer.f = time_is_up;
        call->timer.ctx = call;
    }
    return ask(call);
}

struct job_call *jobs_look(struct jobs *jobs, const char *id, await_fn *fn, void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_LOOK, id, ctx);

    if (call)
        call->fn.await = fn;
    return ask(call);
}

struct job_call *jobs_cancel(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_CANCEL, id, ctx);

    if (call)
        call->fn.cancel = fn;
    return ask(call);
}

struct job_call *jobs_clear(struct jobs *jobs, const char *id, cancel_fn *fn, void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_CLEAR, id, ctx);

    if (call)
        call->fn.cancel = fn;
    return ask(call);
}

struct job_call *jobs_trace(struct jobs *jobs, const char *id, text_fn *fn, void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_TRACE, id, ctx);

    if (call)
        call->fn.text = fn;
    return ask(call);
}
