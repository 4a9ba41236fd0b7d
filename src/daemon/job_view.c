/* Jobs, workers and keys as others see them. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/jobs_state.h"

/* ---- jobs ------------------------------------------------------------------------------------ */

static uint64_t ms_between(double begin, double end)
{
    return end > begin ? (uint64_t)((end - begin) * 1e3 + 0.5) : 0;
}

uint64_t jobs_queue_ms(const struct job *job)
{
    return job->row.queue_ms +
           (job->place == PLACE_LINE ? ms_between(job->in_line, clock_unix_seconds()) : 0);
}

void jobs_view_row(const struct journal_row *row, struct job_view *ret)
{
    const double until = row->finished > 0 ? row->finished : clock_unix_seconds();

    *ret = (struct job_view){
        .id = row->id,
        .request_id = row->request_id,
        .kind = row->kind,
        .circuit = row->circuit,
        .priority = row->priority,
        .state = row->state,
        .why = "",
        .worker = "",
        .stage = "",
        .partitions = row->end - row->first,
        .done = row->state == JOB_DONE ? row->end - row->first : 0,
        .attempts = row->attempts,
        .submitted = row->submitted,
        .deadline = row->deadline,
        .started = row->started,
        .finished = row->finished,
        .timing = {.queue_wait = row->queue_ms,
                   .key_load = row->key_ms,
                   .synthesis = row->synthesis_ms,
                   .compute = row->compute_ms,
                   .total = ms_between(row->submitted, until)},
        .status = row->status,
        .error = row->error,
        .proof = row->proof,
        .proof_bytes = row->proof_bytes,
    };
}

static uint32_t place_in_line(const struct job *job)
{
    uint32_t n = 1;

    for (const struct job *j = job->previous; j; j = j->previous)
        n++;
    return n;
}

uint64_t job_host_bytes(const struct job *job)
{
    char sentence[FIT_SENTENCE];

    if (job->worker)
        return job_bytes_total(job_bytes_on(&job->plan, job->worker));
    if (jobs_fit(job->jobs, &job->plan, job_is_urgent(job), job->row.circuit, sentence) ==
            FITS_CARD &&
        !job->avoid)
        return job_bytes_total(&job->plan.card.host);
    return job_bytes_total(&job->plan.host);
}

/* "" unless it is on the processor for a reason. */
static void explain_processor(struct job *job, char text[FIT_SENTENCE])
{
    if (job->avoid)
        snprintf(text, FIT_SENTENCE, "once more elsewhere, after a fault of %s", job->avoid->name);
    else if (jobs_fit(job->jobs, &job->plan, job_is_urgent(job), job->row.circuit, text) !=
             FITS_PROCESSOR_ONLY)
        text[0] = 0;
}

static const char *running_why(struct job *job)
{
    char why[FIT_SENTENCE] = "";

    if (job->worker && job->worker->role != ROLE_DEVICE)
        explain_processor(job, why);
    snprintf(job->why_text, sizeof job->why_text, "%s", why);
    return job->why_text;
}

static void explain(struct job *job)
{
    char *text = job->why_text;
    const size_t n = sizeof job->why_text;
    char why[FIT_SENTENCE] = "";

    if (job->jobs->status.draining)
        snprintf(text, n, "the daemon is ending");
    else if (!job_is_planned(job))
        snprintf(text, n, "its memory is being planned");
    else if (job->why == WAITS_WORKER)
        snprintf(text, n, "all workers are busy");
    else if (job->why == WAITS_MEMORY)
        snprintf(text, n, "needs %zu MiB, %llu are free", (size_t)(job_host_bytes(job) >> 20),
                 (unsigned long long)ledger_open_to(&job->jobs->ledger, job_is_urgent(job)) >> 20);
    else
        snprintf(text, n, "others are before it");
    if (job_is_planned(job))
        explain_processor(job, why);
    if (why[0])
        snprintf(text + strlen(text), n - strlen(text), "; %.150s", why);
}

void jobs_view(struct job *job, struct job_view *ret)
{
    jobs_view_row(&job->row, ret);
    ret->done = job->row.state == JOB_DONE ? job->n : job->n_have;
    ret->cancelling = job->cancelling;
    ret->reserved_bytes = job_host_bytes(job);
    ret->timing.queue_wait = jobs_queue_ms(job);
    if (job->place == PLACE_LINE) {
        explain(job);
        ret->why = job->why_text;
        ret->queue_position = place_in_line(job);
    }
    if (job->place == PLACE_RUNNING) {
        ret->worker = job->worker ? job->worker->name : "";
        ret->stage = job->stage;
        ret->why = running_why(job);
        ret->partition_ms = job->ms;
    }
}

void jobs_each(struct jobs *jobs, job_visit_fn *fn, void *ctx)
{
    struct job_view view;
    const struct job_list *lists[] = {&jobs->running, &jobs->line};
    uint32_t position = 1;

    for (unsigned i = 0; i < 2; i++)
        for (struct job *j = lists[i]->first; j; j = j->next) {
            jobs_view_row(&j->row, &view);
            view.done = j->n_have;
            view.cancelling = j->cancelling;
            view.reserved_bytes = job_host_bytes(j);
            view.timing.queue_wait = jobs_queue_ms(j);
            if (i == 0) {
                view.worker = j->worker ? j->worker->name : "";
                view.stage = j->stage;
                view.why = running_why(j);
                view.partition_ms = j->ms;
            } else {
                explain(j);
                view.why = j->why_text;
                view.queue_position = position++;
            }
            view.proof = NULL;
            fn(ctx, &view);
        }
    for (struct job *j = jobs->recent.last; j; j = j->previous) {
        jobs_view_row(&j->row, &view);
        view.proof = NULL;
        fn(ctx, &view);
    }
}

/* ---- status ---------------------------------------------------------------------------------- */

static void count_jobs(struct jobs *jobs, struct jobs_status *s)
{
    for (unsigned k = 0; k < JOB_N_KINDS; k++)
        s->kind[k].waiting = s->kind[k].running = 0;
    memset(s->waiting_by_priority, 0, sizeof s->waiting_by_priority);
    for (const struct job *j = jobs->line.first; j; j = j->next) {
        s->kind[j->row.kind].waiting++;
        s->waiting_by_priority[j->row.priority]++;
    }
    for (const struct job *j = jobs->running.first; j; j = j->next)
        s->kind[j->row.kind].running++;
}

static double seconds_since(uint64_t then)
{
    return (double)(loop_now() - then) / 1e9;
}

static void view_worker(const struct worker *w, struct worker_view *ret)
{
    const bool busy = w->task != TASK_NONE;
    uint64_t used = 0;

    for (int c = 0; c < MEM_N_CLASSES; c++)
        used += w->class_now[c];
    *ret = (struct worker_view){
        .name = w->name,
        .backend = w->backend,
        .device = w->hello.device,
        .ordinal = w->place,
        .pid = worker_process_pid(w->process),
        .paused = w->paused,
        .job_id = w->job ? w->job->row.id : "",
        .stage = busy ? w->stage : "",
        .busy_seconds = busy ? seconds_since(w->begun) : 0,
        .busy_total = w->busy_total + (busy ? seconds_since(w->begun) : 0),
        .device_total = w->hello.device_total,
        .device_free =
            w->hello.device_free > w->device.held ? w->hello.device_free - w->device.held : 0,
        .device_budget = w->device.total,
        .device_reserved = w->device.held,
        .device_urgent = w->device.urgent_reserve,
        .budget_bytes = worker_resident_bytes(w) + (w->job ? w->job->held : 0) + w->held,
        .used_bytes = used,
        .restarts = worker_process_deaths(w->process),
    };
}

static void view_keys(struct jobs *jobs, const struct worker *w, size_t *n)
{
    for (int i = 0; i < WORKER_KEYS_MAX; i++) {
        const struct resident *r = &w->keys[i];
        const bool hot =
            w->task != TASK_NONE && ((w->job && same_circuit(w->job->name, r->name)) || r->loading);

        if (!r->used)
            continue;
        circuit_name_print(jobs->key_names[*n], r->name);
        jobs->key_views[*n] = (struct key_view){
            .circuit = jobs->key_names[*n],
            .worker = w->name,
            .tier = hot ? KEY_HOT : KEY_WARM,
            .bytes = r->bytes,
            .file_bytes = r->file_bytes,
            .device_bytes = r->device,
            .users = hot,
            .idle_seconds = hot ? 0 : seconds_since(r->last_used),
        };
        ++*n;
    }
}

void jobs_status(struct jobs *jobs, struct jobs_status *ret)
{
    struct jobs_status *s = &jobs->status;

    count_jobs(jobs, s);
    s->budget_bytes = jobs->ledger.total;
    s->urgent_reserve = jobs->ledger.urgent_reserve;
    s->reserved_bytes = jobs->ledger.standing + jobs->ledger.held;
    s->used_bytes = 0;
    memset(s->class_bytes, 0, sizeof s->class_bytes);
    s->n_keys = 0;
    for (size_t i = 0; i < jobs->n_workers; i++) {
        for (int c = 0; c < MEM_N_CLASSES; c++)
            s->class_bytes[c] += jobs->workers[i].class_now[c];
        view_worker(&jobs->workers[i], &jobs->worker_views[i]);
        view_keys(jobs, &jobs->workers[i], &s->n_keys);
    }
    for (int c = 0; c < MEM_N_CLASSES; c++) {
        for (int d = 0; d < 2; d++)
            s->class_bytes[c] += atomic_load(&jobs->engines[d].budget.class_now[c]);
        s->used_bytes += s->class_bytes[c];
    }
    s->n_workers = jobs->n_workers;
    s->workers = jobs->worker_views;
    s->keys = jobs->key_views;
    *ret = *s;
}
