#include "daemon/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/jobs_state.h"
#include "daemon/log.h"
#include "daemon/memory_limit.h"
#include "engine/version.h"

/* ---- lists ----------------------------------------------------------------------------------- */

static void insert_before(struct job_list *list, struct job *job, struct job *next)
{
    job->next = next;
    job->previous = next ? next->previous : list->last;
    if (job->previous)
        job->previous->next = job;
    else
        list->first = job;
    if (next)
        next->previous = job;
    else
        list->last = job;
    list->n++;
}

void job_list_append(struct job_list *list, struct job *job)
{
    insert_before(list, job, NULL);
}

void job_list_remove(struct job_list *list, struct job *job)
{
    if (job->previous)
        job->previous->next = job->next;
    else
        list->first = job->next;
    if (job->next)
        job->next->previous = job->previous;
    else
        list->last = job->previous;
    job->next = job->previous = NULL;
    list->n--;
}

static struct job_turn turn_of(const struct job *job)
{
    return (struct job_turn){.priority = job->row.priority,
                             .submitted = job->row.submitted,
                             .deadline = job->row.deadline,
                             .number = job->row.seq};
}

void jobs_line_insert(struct jobs *jobs, struct job *job)
{
    const struct job_turn turn = turn_of(job);
    struct job *next = NULL;

    for (struct job *j = jobs->line.last; j; j = j->previous) {
        const struct job_turn before = turn_of(j);

        if (!job_goes_before(&turn, &before))
            break;
        next = j;
    }
    insert_before(&jobs->line, job, next);
    job->place = PLACE_LINE;
    job->in_line = job->row.started > 0 ? clock_unix_seconds() : job->row.submitted;
}

void jobs_remember(struct jobs *jobs, struct job *job)
{
    job_list_append(&jobs->recent, job);
    job->place = PLACE_RECENT;
    while (jobs->recent.n > JOBS_RECENT) {
        struct job *oldest = jobs->recent.first;

        job_list_remove(&jobs->recent, oldest);
        job_free(oldest);
    }
}

struct job *jobs_find(struct jobs *jobs, const char *id)
{
    const struct job_list *lists[] = {&jobs->running, &jobs->line, &jobs->recent};
    struct job *newest = NULL;

    for (unsigned i = 0; i < 3; i++)
        for (struct job *j = lists[i]->first; j; j = j->next) {
            if (strcmp(j->row.id, id) == 0)
                return j;
            if (strcmp(j->row.request_id, id) == 0 && (!newest || j->row.seq > newest->row.seq))
                newest = j;
        }
    return newest;
}

struct job *job_new(struct jobs *jobs, const struct journal_row *row)
{
    struct job *job = mem_new(sizeof *job);
    const struct job_plan *plan;

    if (!job)
        return NULL;
    job->end = end_task_new();
    if (!job->end) {
        mem_free(job);
        return NULL;
    }
    job->jobs = jobs;
    job->row = *row;
    job->n = row->end - row->first;
    if (job->n > PAYLOAD_PARTITIONS_MAX || circuit_name_parse(&job->name, row->circuit, NULL)) {
        mem_free(job->end);
        mem_free(job);
        return NULL;
    }
    plan = jobs_plan(jobs, job->name);
    if (plan)
        job->plan = *plan;
    grow_init(&job->spans, NULL, MEM_REQUEST, STAGES_MAX * sizeof(struct span));
    return job;
}

void job_free(struct job *job)
{
    loop_timer_cancel(&job->grace);
    grow_done(&job->spans);
    journal_row_done(&job->row);
    mem_free(job->end);
    mem_free(job);
}

/* ---- events ---------------------------------------------------------------------------------- */

void jobs_event(struct jobs *jobs, enum event_kind kind, struct job *job, const char *text)
{
    struct event event = {.kind = kind, .text = text};
    struct job_view view;

    if (job) {
        jobs_view(job, &view);
        event.job = &view;
    }
    for (struct subscription *s = jobs->subscriptions, *next; s; s = next) {
        next = s->next;
        s->fn(s->ctx, &event);
    }
}

struct subscription *jobs_subscribe(struct jobs *jobs, event_fn *fn, void *ctx)
{
    struct subscription *s = mem_new(sizeof *s);

    if (!s)
        return NULL;
    *s = (struct subscription){.jobs = jobs, .fn = fn, .ctx = ctx, .next = jobs->subscriptions};
    jobs->subscriptions = s;
    return s;
}

void jobs_unsubscribe(struct subscription *subscription)
{
    if (!subscription)
        return;
    for (struct subscription **s = &subscription->jobs->subscriptions; *s; s = &(*s)->next)
        if (*s == subscription) {
            *s = subscription->next;
            break;
        }
    mem_free(subscription);
}

/* ---- what is sampled every second ------------------------------------------------------------ */

static void sample_memory(struct jobs *jobs)
{
    struct jobs_status *s = &jobs->status;
    uint64_t sum = memory_metered((int)getpid());

    for (size_t i = 0; i < jobs->n_workers; i++)
        if (worker_process_pid(jobs->workers[i].process))
            sum += memory_metered(worker_process_pid(jobs->workers[i].process));
    if (jobs->planner.process && worker_process_pid(jobs->planner.process))
        sum += memory_metered(worker_process_pid(jobs->planner.process));
    s->metered_bytes = sum;
    if (sum > s->metered_peak)
        s->metered_peak = sum;
}

/* Pressed: somebody stood still for memory for more than a tenth of the last second. */
static void sample_pressure(struct jobs *jobs)
{
    FILE *f = fopen("/proc/pressure/memory", "re");
    unsigned long long total;
    bool pressed = false;

    if (!f)
        return; /* a kernel without PSI */
    if (fscanf(f, "some avg10=%*s avg60=%*s avg300=%*s total=%llu", &total) == 1) {
        pressed = jobs->pressure_total && total - jobs->pressure_total > 100000;
        jobs->pressure_total = total;
    }
    fclose(f);
    if (pressed == jobs->status.pressed)
        return;
    jobs->status.pressed = pressed;
    jobs_event(jobs, EVENT_ADMISSION, NULL,
               pressed ? "memory pressure: no more is taken" : "memory pressure is over");
    if (!pressed)
        jobs_schedule(jobs);
}

static void sample_disk(struct jobs *jobs)
{
    struct jobs_status *s = &jobs->status;
    struct statvfs fs;
    const bool was_low = s->disk_free < s->disk_reserve;

    if (statvfs(journal_spool_folder(jobs->clerk.journal), &fs) != 0)
        return;
    s->disk_free = (uint64_t)fs.f_bavail * fs.f_frsize;
    s->disk_reserve = jobs->config->journal.disk_reserve;
    if (was_low && s->disk_free >= s->disk_reserve)
        jobs_event(jobs, EVENT_ADMISSION, NULL, "the disk has room again");
}

static void every_second(void *ctx)
{
    struct jobs *jobs = ctx;

    sample_memory(jobs);
    sample_pressure(jobs);
    sample_disk(jobs);
    jobs->status.spool_bytes =
        jobs->line.n + jobs->running.n ? journal_spool_bytes(jobs->clerk.journal) : 0;
    if (jobs->line.n || jobs->planless)
        jobs_schedule(jobs); /* keys may have become idle for long enough */
    loop_timer_set(jobs->loop, &jobs->second, loop_now() + LOOP_SECOND);
}

/* ---- admission ------------------------------------------------------------------------------- */

bool jobs_may_spool(struct jobs *jobs, uint64_t bytes, const char **ret_why)
{
    const struct jobs_status *s = &jobs->status;
    const char *why = NULL;

    if (bytes <= JOBS_SMALL_BODY)
        return true;
    sample_disk(jobs);
    if (s->disk_free < s->disk_reserve || s->disk_free - s->disk_reserve < bytes)
        why = "the disk of the journal is down to its reserve";
    else if (s->draining)
        why = "the daemon is ending";
    else if (s->pressed)
        why = "the system is short of memory";
    else if (desk_load(jobs->reader) >= 4)
        why = "other bodies are still being read";
    if (why && ret_why)
        *ret_why = why;
    return !why;
}

enum cuzk_status jobs_spool_open(struct jobs *jobs, int *ret_fd, struct cuzk_error *err)
{
    return journal_spool_open(jobs->clerk.journal, ret_fd, err);
}

/* ---- purging --------------------------------------------------------------------------------- */

struct purge_task {
    struct desk_task task;
    struct jobs *jobs;
    double before;
    struct cuzk_error err;
    enum cuzk_status status;
};

static void purge_work(struct desk_task *task)
{
    struct purge_task *p = (struct purge_task *)task;

    p->status = journal_purge(p->jobs->clerk.journal, p->before, &p->err);
}

static void purge_done(struct desk_task *task)
{
    struct purge_task *p = (struct purge_task *)task;

    if (p->status != CUZK_OK)
        log_warn("old jobs could not be removed", "error", p->err.message, NULL);
    jobs_schedule(p->jobs);
    mem_free(p);
}

static void purge(void *ctx)
{
    struct jobs *jobs = ctx;
    struct purge_task *p = mem_new(sizeof *p);

    loop_timer_set(jobs->loop, &jobs->purge, loop_now() + 3600 * LOOP_SECOND);
    if (!p)
        return;
    *p = (struct purge_task){.task = {.work = purge_work, .done = purge_done},
                             .jobs = jobs,
                             .before = clock_unix_seconds() -
                                       (double)jobs->config->journal.retain_ms / 1e3};
    desk_post(jobs->desk, &p->task);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A proof's scratch depends on the threads of the pool, the code on the version. */
void jobs_plan_depends(const struct jobs *jobs, char text[64])
{
    const bool cards = jobs->n_workers && jobs->workers[0].role == ROLE_DEVICE;

    snprintf(text, 64, "%s cpu %llu%s", CUZK_VERSION,
             (unsigned long long)jobs->config->gpus.gpu_threads, cards ? " cards" : "");
}

struct loading {
    struct jobs *jobs;
    bool failed;
};

static void load_plan(void *ctx, const char *circuit, const struct job_plan *plan)
{
    struct circuit_name name;

    if (circuit_name_parse(&name, circuit, NULL) == CUZK_OK)
        jobs_plan_add(ctx, name, plan);
}

static void load_live(void *ctx, const struct journal_row *row)
{
    struct loading *l = ctx;
    struct job *job = job_new(l->jobs, row);

    if (!job) {
        l->failed = true;
        return;
    }
    job->row.state = JOB_WAITING; /* whatever ran when the daemon ended begins again */
    jobs_line_insert(l->jobs, job);
}

static void load_recent(void *ctx, const struct journal_row *row)
{
    struct loading *l = ctx;
    struct job *job = job_new(l->jobs, row);

    if (job) { /* newest first: the list has the oldest first */
        insert_before(&l->jobs->recent, job, l->jobs->recent.first);
        job->place = PLACE_RECENT;
    }
}

static enum cuzk_status load_journal(struct jobs *jobs, struct cuzk_error *err)
{
    struct journal *journal = jobs->clerk.journal;
    struct loading loading = {.jobs = jobs};
    char depends[64];

    jobs_plan_depends(jobs, depends);
    TRY(journal_plans(journal, depends, load_plan, jobs, err));
    TRY(journal_each(journal, false, 0, load_live, &loading, err));
    if (loading.failed)
        return error_set(err, CUZK_NO_MEMORY, "a job of the journal cannot be taken up");
    TRY(journal_each(journal, true, JOBS_RECENT, load_recent, &loading, err));
    for (struct job *j = jobs->line.first; j; j = j->next) {
        TRY(journal_partitions(journal, &j->row, j->have, err));
        for (unsigned i = 0; i < j->n; i++)
            j->n_have += j->have[i];
    }
    for (struct job *j = jobs->recent.first; j; j = j->next) {
        bool found;
        struct journal_row row;

        TRY(journal_find(journal, j->row.id, &row, &found, err));
        if (found)
            j->row = row; /* with its proof */
    }
    return CUZK_OK;
}

/* What the largest WinningPoSt takes; it is recorded in a few hundredths of a second. */
static enum cuzk_status auto_reserve(struct jobs *jobs, uint64_t *ret, struct cuzk_error *err)
{
    const struct engine_options options = {.backend = backend_host()->name,
                                           .threads = (unsigned)jobs->config->gpus.gpu_threads};
    struct engine *engine = mem_new(sizeof *engine);
    struct circuit_name name;
    struct job_plan plan;
    enum cuzk_status st;

    if (!engine)
        return error_set(err, CUZK_NO_MEMORY, "no memory for an engine");
    TRY_GOTO(st, out, engine_open(engine, &options, err));
    TRY_GOTO(st, out, circuit_name_parse(&name, "winning-64GiB", err));
    TRY_GOTO(st, out, circuit_job_plan(engine, name, NULL, &plan, err));
    *ret = job_bytes_total(&plan.host);
out:
    engine_close(engine);
    mem_free(engine);
    return st;
}

static enum cuzk_status open_ledger(struct jobs *jobs, struct cuzk_error *err)
{
    const struct config_memory *m = &jobs->config->memory;
    struct ledger *l = &jobs->ledger;
    char from[256] = "memory.total_budget", text[LOG_NUMBER], reserve[LOG_NUMBER];

    l->total = m->total_budget;
    if (m->total_budget == CONFIG_AUTO) {
        l->total = memory_limit("", from);
        if (l->total <= m->safety_margin)
            return error_set(err, CUZK_NO_MEMORY,
                             "memory.safety_margin of %llu leaves nothing of the %llu bytes that "
                             "%s allows",
                             (unsigned long long)m->safety_margin, (unsigned long long)l->total,
                             from[0] ? from : "no file");
        l->total -= m->safety_margin;
    }
    l->urgent_reserve = m->urgent_reserve;
    if (m->urgent_reserve == CONFIG_AUTO)
        TRY(auto_reserve(jobs, &l->urgent_reserve, err));
    l->standing = STANDING_DAEMON + STANDING_WORKER * jobs->n_workers;
    for (size_t i = 0; i < jobs->n_workers; i++)
        l->standing += jobs->workers[i].role == ROLE_DEVICE ? STANDING_CARD : 0;
    if (ledger_most(l, true) == 0)
        return error_set(err, CUZK_NO_MEMORY,
                         "the budget of %llu bytes is less than the daemon's own processes need "
                         "(%llu)",
                         (unsigned long long)l->total, (unsigned long long)l->standing);
    log_info("memory budget", "bytes", log_number(text, l->total), "from", from, "urgent_reserve",
             log_number(reserve, l->urgent_reserve), NULL);
    return CUZK_OK;
}

struct worker *jobs_add_worker(struct jobs *jobs, enum worker_role role, const char *backend,
                               const char *card, const char *name)
{
    struct worker *w = &jobs->workers[jobs->n_workers++];

    *w = (struct worker){.jobs = jobs, .role = role, .backend = backend, .card = card, .place = -1};
    snprintf(w->name, sizeof w->name, "%s%s%s", name, *card ? " " : "", card);
    return w;
}

/* The cards; the processor, for what they cannot do; and the processor once more, for what cannot
 * wait. */
static enum cuzk_status choose_workers(struct jobs *jobs, struct cuzk_error *err)
{
    const char *host = backend_host()->name;

    TRY(jobs_choose_cards(jobs, err));
    jobs_add_worker(jobs, ROLE_CPU, host, "", "cpu");
    jobs_add_worker(jobs, ROLE_URGENT, host, "", "urgent");
    return CUZK_OK;
}

static enum cuzk_status start_workers(struct jobs *jobs, struct cuzk_error *err)
{
    for (size_t i = 0; i < jobs->n_workers; i++) {
        struct worker *w = &jobs->workers[i];

        if (!worker_start(w))
            return error_set(err, CUZK_NO_MEMORY, "no memory for worker %s", w->name);
    }
    return CUZK_OK;
}

static enum cuzk_status open_desks(struct jobs *jobs, struct cuzk_error *err)
{
    struct engine_options options = {.backend = "cpu", .threads = 1, .memory = READING_SMALL};
    struct clerk *clerk = &jobs->clerk;

    TRY(engine_open(&jobs->engines[0], &options, err));
    options.memory = READING_LARGE;
    TRY(engine_open(&jobs->engines[1], &options, err));
    budget_init(&clerk->budget, 0);
    clerk->key =
        (struct job_key){.folder = jobs->params,
                         .choice = jobs->config->srs.allow_dev_keys ? KEY_ALLOW_DEV : KEY_OFFICIAL};
    TRY(desk_new(&jobs->desk, jobs->loop, "cuzk desk", err));
    return desk_new(&jobs->reader, jobs->loop, "cuzk reader", err);
}

static enum cuzk_status open_all(struct jobs *jobs, struct cuzk_error *err)
{
    const char *params = jobs->config->srs.param_cache;

    snprintf(jobs->params, sizeof jobs->params, "%s", params[0] ? params : key_folder_default());
    TRY(choose_workers(jobs, err));
    TRY(journal_open(&jobs->clerk.journal, jobs->config->journal.path, err));
    TRY(open_ledger(jobs, err));
    TRY(load_journal(jobs, err));
    TRY(open_desks(jobs, err));
    TRY(start_workers(jobs, err));
    jobs_refit_line(jobs);
    jobs->second.f = every_second;
    jobs->purge.f = purge;
    jobs->second.ctx = jobs->purge.ctx = jobs;
    every_second(jobs);
    purge(jobs);
    jobs_schedule(jobs);
    return CUZK_OK;
}

enum cuzk_status jobs_open(struct jobs **ret, struct loop *loop, const struct config *config,
                           const char *program, struct cuzk_error *err)
{
    struct jobs *jobs = mem_new(sizeof *jobs);
    enum cuzk_status st;

    if (!jobs)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the jobs");
    jobs->loop = loop;
    jobs->config = config;
    jobs->program = program;
    jobs->status.started = clock_unix_seconds();
    st = open_all(jobs, err);
    if (st != CUZK_OK) {
        jobs_close(jobs);
        return st;
    }
    *ret = jobs;
    return CUZK_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void free_list(struct job_list *list)
{
    while (list->first) {
        struct job *job = list->first;

        job_list_remove(list, job);
        for (struct job_call *c = job->calls, *next; c; c = next) {
            next = c->next;
            call_free(c);
        }
        job_free(job);
    }
}

void jobs_close(struct jobs *jobs)
{
    if (!jobs)
        return;
    loop_timer_cancel(&jobs->second);
    loop_timer_cancel(&jobs->purge);
    loop_timer_cancel(&jobs->drain_timer);
    jobs->closing = jobs->status.draining = true; /* what the desks bring back begins nothing */
    while (jobs->subscriptions)
        jobs_unsubscribe(jobs->subscriptions);
    desk_free(jobs->reader);
    desk_free(jobs->desk);
    for (size_t i = 0; i < jobs->n_workers; i++)
        worker_process_free(jobs->workers[i].process);
    worker_process_free(jobs->planner.process);
    while (jobs->planless) {
        struct job_call *call = jobs->planless;

        jobs->planless = call->next;
        call_free(call);
    }
    while (jobs->wishes) {
        struct job_call *call = jobs->wishes;

        jobs->wishes = call->next;
        call_free(call);
    }
    free_list(&jobs->line);
    free_list(&jobs->running);
    free_list(&jobs->recent);
    for (int i = 0; i < CHECKERS_MAX; i++)
        if (jobs->clerk.used[i])
            proof_checker_close(&jobs->clerk.checkers[i]);
    for (int i = 0; i < 2; i++)
        engine_close(&jobs->engines[i]);
    journal_close(jobs->clerk.journal);
    mem_free(jobs);
}

void jobs_check_drained(struct jobs *jobs)
{
    drained_fn *fn = jobs->drained;

    if (!fn || jobs->running.n || desk_load(jobs->desk) || desk_load(jobs->reader))
        return;
    jobs->drained = NULL;
    loop_timer_cancel(&jobs->drain_timer);
    fn(jobs->drained_ctx);
}

static void drain_time_is_up(void *ctx)
{
    struct jobs *jobs = ctx;

    for (struct job *j = jobs->running.first; j; j = j->next) {
        j->stopping = true;
        job_stop(j);
    }
}

void jobs_drain(struct jobs *jobs, double seconds, drained_fn *fn, void *ctx)
{
    jobs->status.draining = true;
    jobs->drained = fn;
    jobs->drained_ctx = ctx;
    jobs->drain_timer.f = drain_time_is_up;
    jobs->drain_timer.ctx = jobs;
    loop_timer_set(jobs->loop, &jobs->drain_timer, loop_now() + (uint64_t)(seconds * 1e9));
    jobs_event(jobs, EVENT_ADMISSION, NULL, "draining: nothing more is taken");
    jobs_schedule(jobs);
}
