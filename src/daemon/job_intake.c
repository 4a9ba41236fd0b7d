/* From a body to an accepted job:
 *
 *     desk or reader   decode, check, identity, key there?, seal the payload
 *     loop             the plan: known, or asked of the planner; can it ever fit?
 *     desk             payload's name and row on disk
 *     loop             a job in the line; the answer
 *
 * Small bodies are read by the desk, large ones by the reader, so that a WinningPoSt request is not
 * behind a 68 MiB one. A caller who goes away stops none of it. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/jobs_state.h"
#include "daemon/log.h"
#include "engine/open_key.h"

struct intake {
    struct submission submission;
    struct engine *engine; /* of the thread that reads it */
    struct payload payload;
    enum refusal refusal;
    enum accept_end accepted;
};

void intake_free(struct intake *intake)
{
    if (!intake)
        return;
    if (intake->submission.fd >= 0)
        close(intake->submission.fd);
    job_request_done(&intake->submission.request);
    payload_done(&intake->payload);
    mem_free(intake);
}

static struct job_call *call_of(struct desk_task *task)
{
    return (struct job_call *)(void *)((char *)task - offsetof(struct job_call, task));
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void answer(struct job_call *call, const struct submit_answer *a)
{
    struct jobs *jobs = call->jobs;

    if (a->refusal != REFUSED_NOT) {
        jobs->status.refused++;
        log_info("request refused", "request", call->row.request_id, "error", a->sentence, NULL);
    }
    if (call_is_wanted(call))
        call->fn.submit(call->ctx, a);
    call_free(call);
    jobs_schedule(jobs);
}

static void refuse(struct job_call *call, enum refusal refusal, const char *sentence)
{
    const struct submit_answer a = {.refusal = refusal, .sentence = sentence};

    answer(call, &a);
}

/* ---- on the desk: reading -------------------------------------------------------------------- */

static enum refusal refusal_of(enum cuzk_status st)
{
    switch (st) {
    case CUZK_OK: return REFUSED_NOT;
    case CUZK_INVALID:
    case CUZK_USAGE:
    case CUZK_BAD_INPUT: return REFUSED_BAD_REQUEST;
    default: return REFUSED_FAULT;
    }
}

static enum cuzk_status decode(struct intake *in, struct cuzk_error *err)
{
    struct submission *s = &in->submission;

    if (s->decode)
        return s->decode(&s->request, s->fd, s->bytes, err);
    if (job_request_n_ranges(&s->request) > 0)
        return CUZK_OK;
    return job_request_add_range(&s->request, (struct job_range){.bytes = s->bytes}, err);
}

static enum cuzk_status find_keys(const struct jobs *jobs, struct circuit_name name,
                                  struct cuzk_error *err)
{
    const struct job_key *key = &jobs->clerk.key;
    char path[KEY_PATH_MAX];

    TRY(key_find_in_folder(path, key->folder, name, key->choice, err));
    return key_folder_find(path, key->folder, name, ".vk", key->choice, err);
}

static enum cuzk_status read_body(struct job_call *call, struct cuzk_error *err)
{
    struct intake *in = call->intake;
    struct submission *s = &in->submission;

    TRY(decode(in, err));
    snprintf(call->row.request_id, sizeof call->row.request_id, "%s", s->request.request_id);
    TRY(payload_identity(call->row.identity, &s->request, s->fd, err));
    TRY(payload_check(&in->payload, &s->request, s->fd, s->bytes, in->engine, err));
    if (find_keys(call->jobs, in->payload.name, err) != CUZK_OK) {
        in->refusal = REFUSED_NO_KEY;
        return err->status;
    }
    return payload_seal(&in->payload, s->fd, err);
}

static void read_work(struct desk_task *task)
{
    struct job_call *call = call_of(task);
    const enum cuzk_status st = read_body(call, &call->err);

    if (call->intake->refusal == REFUSED_NOT)
        call->intake->refusal = refusal_of(st);
    engine_stages_clear(call->intake->engine);
}

/* ---- on the desk: accepting ------------------------------------------------------------------ */

static void accept_work(struct desk_task *task)
{
    struct job_call *call = call_of(task);
    struct intake *in = call->intake;

    call->status = journal_accept(call->jobs->clerk.journal, &call->row, in->submission.fd,
                                  (unsigned)call->jobs->config->journal.max_attempts, &in->accepted,
                                  &call->err);
}

static uint32_t position_of(const struct job *job)
{
    uint32_t n = 1;

    if (job->place != PLACE_LINE)
        return 0;
    for (const struct job *j = job->previous; j; j = j->previous)
        n++;
    return n;
}

static void answer_accepted(struct job_call *call, struct job *job, bool attached)
{
    struct submit_answer a = {.job_id = job ? job->row.id : call->row.id, .attached = attached};

    if (job)
        a.queue_position = position_of(job);
    if (attached)
        call->jobs->status.attached++;
    else
        call->jobs->status.accepted++;
    answer(call, &a);
}

static void forget_old_attempt(struct jobs *jobs, const char *id)
{
    for (struct job *j = jobs->recent.first, *next; j; j = next) {
        next = j->next;
        if (strcmp(j->row.id, id) == 0) {
            job_list_remove(&jobs->recent, j);
            job_free(j);
        }
    }
}

static void accept_done(struct desk_task *task)
{
    struct job_call *call = call_of(task);
    struct jobs *jobs = call->jobs;
    struct intake *in = call->intake;
    struct job *job;

    if (call->status != CUZK_OK) {
        refuse(call, REFUSED_FAULT, call->err.message);
        return;
    }
    if (in->accepted == ACCEPT_POISON) {
        refuse(call, REFUSED_POISON,
               "this payload has killed its workers before; an operator can clear it");
        return;
    }
    job = jobs_find(jobs, call->row.id);
    if (in->accepted == ACCEPT_ATTACHED && (job || job_state_is_final(call->row.state))) {
        answer_accepted(call, job, true);
        return;
    }
    forget_old_attempt(jobs, call->row.id);
    job = job_new(jobs, &call->row);
    if (!job) { /* it is in the journal: the same request again, or the next start, takes it up */
        refuse(call, REFUSED_FAULT, "no memory for the job");
        return;
    }
    job->row.state = JOB_WAITING;
    jobs_line_insert(jobs, job);
    log_info("job accepted", "job", job->row.id, "circuit", job->row.circuit, "priority",
             job_priority_name(job->row.priority), NULL);
    jobs_event(jobs, EVENT_ACCEPTED, job, "accepted");
    answer_accepted(call, job, false);
}

/* ---- on the loop: can it ever fit? ----------------------------------------------------------- */

static void admit(struct job_call *call, const struct job_plan *plan)
{
    const struct intake *in = call->intake;
    char sentence[FIT_SENTENCE];

    call->row.kind = in->payload.request.kind;
    call->row.priority = job_priority_of(in->payload.request.priority, call->row.kind);
    if (jobs_fit(call->jobs, plan, call->row.priority == PRIORITY_CRITICAL, call->row.circuit,
                 sentence) == FITS_NOWHERE) {
        refuse(call, REFUSED_TOO_LARGE, sentence);
        return;
    }
    call->row.first = in->payload.first;
    call->row.end = in->payload.end;
    call->row.submitted = clock_unix_seconds();
    call->row.deadline = in->payload.request.deadline_ms
                             ? call->row.submitted + (double)in->payload.request.deadline_ms / 1e3
                             : 0;
    call->task.work = accept_work;
    call->task.done = accept_done;
    desk_post(call->jobs->desk, &call->task);
}

static void read_done(struct desk_task *task)
{
    struct job_call *call = call_of(task);
    struct jobs *jobs = call->jobs;
    const struct job_plan *plan;
    char circuit[CIRCUIT_TEXT_MAX];

    if (desk_load(jobs->reader) == 3)
        jobs_event(jobs, EVENT_ADMISSION, NULL, "a body has been read");
    if (call->intake->refusal != REFUSED_NOT) {
        refuse(call, call->intake->refusal, call->err.message);
        return;
    }
    if (jobs->status.draining) {
        refuse(call, REFUSED_DRAINING, "the daemon is ending");
        return;
    }
    call->circuit = call->intake->payload.name;
    circuit_name_print(circuit, call->circuit);
    snprintf(call->row.circuit, sizeof call->row.circuit, "%.31s", circuit);
    plan = jobs_plan(jobs, call->circuit);
    if (plan) {
        admit(call, plan);
        return;
    }
    call->next = jobs->planless;
    jobs->planless = call;
    jobs_schedule(jobs);
}

void jobs_planned(struct jobs *jobs, struct circuit_name name, enum cuzk_status status,
                  const char *sentence)
{
    const struct job_plan *plan = jobs_plan(jobs, name);
    struct job_call **at = &jobs->planless;

    while (*at) {
        struct job_call *call = *at;

        if (!same_circuit(call->circuit, name)) {
            at = &call->next;
            continue;
        }
        *at = call->next;
        call->next = NULL;
        if (plan)
            admit(call, plan);
        else
            refuse(call, status == CUZK_NO_MEMORY ? REFUSED_TOO_LARGE : refusal_of(status),
                   sentence);
    }
    for (struct job *j = jobs->line.first, *next; j; j = next) {
        next = j->next;
        if (!same_circuit(j->name, name))
            continue;
        if (plan)
            j->plan = *plan;
        else if (status != CUZK_DEVICE) /* a planner that was killed is started again */
            job_end(j, JOB_FAILED, status, sentence);
    }
    jobs_refit_line(jobs);
}

/* ---- the face -------------------------------------------------------------------------------- */

struct job_call *jobs_submit(struct jobs *jobs, struct submission *submission, submit_fn *fn,
                             void *ctx)
{
    struct job_call *call = call_new(jobs, CALL_SUBMIT, "", ctx);
    struct intake *in = mem_new(sizeof *in);
    const bool small = submission->bytes <= JOBS_SMALL_BODY;

    if (!call || !in) {
        close(submission->fd);
        job_request_done(&submission->request);
        mem_free(in);
        mem_free(call);
        return NULL;
    }
    call->fn.submit = fn;
    call->intake = in;
    call->away = true;
    in->submission = *submission;
    in->engine = &jobs->engines[small ? 0 : 1];
    call->task.work = read_work;
    call->task.done = read_done;
    desk_post(small ? jobs->desk : jobs->reader, &call->task);
    return call;
}
