/* Who begins next, and where.
 *
 *     something has changed ──► jobs_schedule ──► schedule_now, once a turn
 *         drains, or memory is short: nobody
 *         plans that somebody waits for, wishes about keys: first
 *         line ── choose (ledger.h) ──► job_start (job_run.c), as long as somebody may
 *         who waits for memory alone: an idle key may have to go
 *
 * While an urgent job computes on the processor, the ordinary worker of the processor stands
 * still. */
#include "daemon/jobs_state.h"

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_free(const struct worker *w)
{
    return w->task == TASK_NONE && worker_process_ready(w->process);
}

/* May this worker ever take it? Where there are devices the processor takes what none has room for,
 * what a device did badly, and what is urgent: never on the worker that stands still for what is
 * urgent. */
static bool may_take(const struct worker *w, const struct job *job)
{
    const bool urgent = job_is_urgent(job);
    char sentence[FIT_SENTENCE];

    if (!worker_fits(w, &job->plan, urgent))
        return false;
    switch (w->role) {
    case ROLE_DEVICE: return w != job->avoid;
    case ROLE_URGENT: return urgent;
    case ROLE_CPU:
        return !urgent &&
               (job->avoid || jobs_fit(w->jobs, &job->plan, urgent, "", sentence) != FITS_CARD);
    default: return false;
    }
}

/* The free one that suits best: devices first; one with the key, then one where nothing has to make
 * way for it. */
static struct worker *find_worker(struct jobs *jobs, const struct job *job)
{
    struct worker *best = NULL;
    bool best_has_place = false;

    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];

        if (!is_free(w) || !may_take(w, job))
            continue;
        if (worker_key(w, job->name))
            return w;
        if (!best || (!best_has_place && worker_has_place(w, &job->plan, job_is_urgent(job)) &&
                      w->role == best->role)) {
            best = w;
            best_has_place = worker_has_place(w, &job->plan, job_is_urgent(job));
        }
    }
    return best;
}

uint64_t job_need(const struct job *job, struct worker *w)
{
    const struct job_bytes *bytes;

    if (!w)
        return job_host_bytes(job);
    bytes = job_bytes_on(&job->plan, w);
    return job_bytes_total(bytes) - (worker_key(w, job->name) ? job_bytes_resident(bytes) : 0);
}

/* The first of the line that may begin, and where. */
static struct job *choose(struct jobs *jobs, struct worker **ret_worker)
{
    struct candidate line[LINE_MAX];
    struct job *jobs_of[LINE_MAX];
    struct worker *workers[LINE_MAX];
    const uint64_t now = loop_now();
    size_t n = 0, i;

    for (struct job *j = jobs->line.first; j && n < LINE_MAX; j = j->next) {
        if (j->ending || !job_is_planned(j) || j->not_before > now)
            continue;
        jobs_of[n] = j;
        workers[n] = find_worker(jobs, j);
        line[n] = (struct candidate){.need = job_need(j, workers[n]),
                                     .urgent = job_is_urgent(j),
                                     .has_worker = workers[n] != NULL};
        n++;
    }
    i = ledger_choose(&jobs->ledger, line, n);
    for (size_t k = 0; k < n; k++)
        jobs_of[k]->why = line[k].why;
    if (i == n)
        return NULL;
    *ret_worker = workers[i];
    return jobs_of[i];
}

/* The first that waits for memory and nothing else may have it from idle keys: at once if it is
 * urgent or if nothing else would ever give it any. */
static bool make_room(struct jobs *jobs)
{
    for (struct job *j = jobs->line.first; j; j = j->next) {
        if (j->ending || j->why != WAITS_MEMORY)
            continue;
        return jobs_evict_idle(jobs, NULL, j->name, job_is_urgent(j) || jobs->running.n == 0);
    }
    return false;
}

static void schedule_now(void *ctx)
{
    struct jobs *jobs = ctx;
    struct worker *worker;
    struct job *job;

    jobs->schedule_posted = false;
    if (jobs->status.draining) {
        jobs_check_drained(jobs);
        return;
    }
    if (jobs->status.pressed && jobs->running.n)
        return;
    if (jobs_plan_some(jobs))
        return; /* what becomes free is the planner's */
    jobs_wishes(jobs);
    while ((job = choose(jobs, &worker)) != NULL) {
        if (!worker_key(worker, job->name) &&
            !worker_has_place(worker, &job->plan, job_is_urgent(job))) {
            jobs_evict_idle(jobs, worker, job->name, true); /* its end schedules again */
            return;
        }
        if (!job_start(job, worker))
            return;
    }
    make_room(jobs);
}

void jobs_schedule(struct jobs *jobs)
{
    if (jobs->schedule_posted)
        return;
    jobs->schedule_note = (struct loop_note){.f = schedule_now, .ctx = jobs};
    jobs->schedule_posted = loop_post(jobs->loop, &jobs->schedule_note);
}

/* ---- pre-emption ----------------------------------------------------------------------------- */

/* While an urgent job computes on the processor, the ordinary worker of the processor stands still.
 */
void jobs_pause_or_resume(struct jobs *jobs)
{
    bool urgent = false;

    for (size_t i = 0; i < jobs->n_workers; i++)
        urgent |= jobs->workers[i].role == ROLE_URGENT && jobs->workers[i].task == TASK_PROVE;
    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];
        const struct order order = {.kind = urgent ? ORDER_PAUSE : ORDER_RESUME};

        if (w->role != ROLE_CPU || w->paused == urgent || !worker_process_ready(w->process))
            continue;
        w->paused = urgent;
        if (urgent && w->task != TASK_NONE)
            jobs->status.preemptions++;
        worker_process_send(w->process, &order, -1);
        jobs_event(jobs, EVENT_WORKER, NULL, urgent ? "paused" : "resumed");
    }
}
