#include "daemon/status_report.h"

#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "daemon/worker.h"
#include "engine/version.h"

/* Stages inside a stage are indented (engine.h). */
static const char *stage_name(const char *stage)
{
    return stage + strspn(stage, " ");
}

static uint64_t milliseconds(double seconds)
{
    return seconds > 0 ? (uint64_t)(seconds * 1e3) : 0;
}

static void report_proof(struct report *report, const struct job_view *job)
{
    char digits[2 * 192 + 1];
    size_t n;

    report_list(report, "proofs"); /* one a partition */
    for (size_t at = 0; at < job->proof_bytes; at += n) {
        n = job->proof_bytes - at < 192 ? job->proof_bytes - at : 192;
        hex_encode(digits, job->proof + at, n);
        report_text(report, NULL, "%s", digits);
    }
    report_end(report);
}

void job_report(struct report *report, const struct job_view *job, bool with_proof)
{
    report_text(report, "job_id", "%s", job->id);
    report_text(report, "request_id", "%s", job->request_id);
    report_text(report, "kind", "%s", job_kind_name(job->kind));
    report_text(report, "circuit", "%s", job->circuit);
    report_text(report, "priority", "%s", job_priority_name(job->priority));
    report_text(report, "state", "%s", job_state_name(job->state));
    report_bool(report, "cancelling", job->cancelling);
    report_text(report, "why", "%s", job->why);
    report_text(report, "worker", "%s", job->worker);
    report_text(report, "stage", "%s", stage_name(job->stage));
    report_number(report, "queue_position", job->queue_position);
    report_number(report, "partitions", job->partitions);
    report_number(report, "partitions_done", job->done);
    report_number(report, "attempts", job->attempts);
    report_number(report, "submitted_ms", milliseconds(job->submitted));
    report_number(report, "deadline_ms", milliseconds(job->deadline));
    report_number(report, "started_ms", milliseconds(job->started));
    report_number(report, "finished_ms", milliseconds(job->finished));
    report_number(report, "reserved_bytes", job->reserved_bytes);
    report_number(report, "queue_wait_ms", job->timing.queue_wait);
    report_number(report, "srs_load_ms", job->timing.key_load);
    report_number(report, "synthesis_ms", job->timing.synthesis);
    report_number(report, "gpu_compute_ms", job->timing.compute);
    report_number(report, "total_ms", job->timing.total);
    report_text(report, "error", "%s", job->error);
    if (with_proof && job->proof)
        report_proof(report, job);
}

/* ---- the original's parts -------------------------------------------------------------------- */

/* The memory of each card, a class of its own. */
static void report_cards(struct report *report, const struct jobs_status *s)
{
    report_list(report, "devices");
    for (size_t i = 0; i < s->n_workers; i++) {
        const struct worker_view *w = &s->workers[i];

        if (w->ordinal < 0)
            continue;
        report_object(report, NULL);
        report_text(report, "worker", "%s", w->name);
        report_number(report, "total_bytes", w->device_budget);
        report_number(report, "used_bytes", w->device_reserved);
        report_number(report, "available_bytes",
                      w->device_budget > w->device_reserved ? w->device_budget - w->device_reserved
                                                            : 0);
        report_number(report, "urgent_reserve_bytes", w->device_urgent);
        report_end(report);
    }
    report_end(report);
}

static void report_memory(struct report *report, const struct jobs_status *s)
{
    report_object(report, "memory");
    report_number(report, "total_bytes", s->budget_bytes);
    report_number(report, "used_bytes", s->reserved_bytes);
    report_number(report, "available_bytes",
                  s->budget_bytes > s->reserved_bytes ? s->budget_bytes - s->reserved_bytes : 0);
    report_number(report, "taken_bytes", s->used_bytes);
    report_object(report, "classes");
    for (enum mem_class c = 0; c < MEM_N_CLASSES; c++)
        report_number(report, mem_class_name(c), s->class_bytes[c]);
    report_end(report);
    report_number(report, "urgent_reserve_bytes", s->urgent_reserve);
    report_cards(report, s);
    report_number(report, "metered_bytes", s->metered_bytes);
    report_number(report, "metered_peak_bytes", s->metered_peak);
    report_bool(report, "pressure", s->pressed);
    report_end(report);
}

/* Partitions are proven in order: what does not name its partition belongs to the first that is not
 * done. */
static const char *partition_state(const struct job_view *job, unsigned index)
{
    int named = worker_partition_of(job->stage);

    if (index < job->done)
        return "done";
    if (job->stage[0] == 0 || (named < 0 ? job->done : (unsigned)named) != index)
        return "pending";
    return strstr(job->stage, "witness") ? "synthesizing" : "gpu";
}

/* A running job, with its partitions. */
static void report_pipeline(struct report *report, const struct job_view *job, double now)
{
    report_object(report, NULL);
    report_text(report, "job_id", "%s", job->id);
    report_text(report, "proof_kind", "%s", job_kind_name(job->kind));
    report_real(report, "started_secs_ago", job->started > 0 ? now - job->started : 0);
    report_number(report, "total_partitions", job->partitions);
    report_number(report, "partitions_done", job->done);
    report_list(report, "partitions");
    for (unsigned i = 0; i < job->partitions; i++) {
        report_object(report, NULL);
        report_number(report, "index", i);
        report_text(report, "state", "%s", partition_state(job, i));
        report_number(report, "synth_ms", job->partition_ms ? job->partition_ms[i].synthesis : 0);
        report_number(report, "gpu_ms", job->partition_ms ? job->partition_ms[i].compute : 0);
        report_end(report);
    }
    report_end(report);
    report_end(report);
}

static void report_workers(struct report *report, const struct jobs_status *s)
{
    report_list(report, "gpu_workers");
    for (size_t i = 0; i < s->n_workers; i++) {
        const struct worker_view *w = &s->workers[i];

        report_object(report, NULL);
        report_number(report, "worker_id", i);
        report_real(report, "gpu_ordinal", w->ordinal);
        report_text(report, "state", "%s", w->job_id[0] ? "proving" : "idle");
        if (w->job_id[0])
            report_text(report, "current_job", "%s", w->job_id);
        if (worker_partition_of(w->stage) >= 0)
            report_number(report, "current_partition", (uint64_t)worker_partition_of(w->stage));
        report_real(report, "busy_secs", w->busy_seconds);
        report_text(report, "name", "%s", w->name);
        report_text(report, "backend", "%s", w->backend);
        report_text(report, "device", "%s", w->device);
        report_number(report, "pid", (uint64_t)w->pid);
        report_bool(report, "paused", w->paused);
        report_text(report, "stage", "%s", stage_name(w->stage));
        report_real(report, "busy_total_secs", w->busy_total);
        report_number(report, "device_total_bytes", w->device_total);
        report_number(report, "device_free_bytes", w->device_free);
        report_number(report, "budget_bytes", w->budget_bytes);
        report_number(report, "used_bytes", w->used_bytes);
        report_number(report, "restarts", w->restarts);
        report_end(report);
    }
    report_end(report);
}

static void report_allocations(struct report *report, const struct jobs_status *s)
{
    static const char *const tiers[] = {
        [KEY_HOT] = "hot", [KEY_WARM] = "warm", [KEY_COLD] = "cold"};

    report_object(report, "allocations");
    report_list(report, "srs");
    for (size_t i = 0; i < s->n_keys; i++) {
        const struct key_view *k = &s->keys[i];

        report_object(report, NULL);
        report_text(report, "circuit_id", "%s", k->circuit);
        report_number(report, "bytes", k->bytes);
        report_real(report, "last_used_secs_ago", k->idle_seconds);
        report_bool(report, "evictable", k->tier == KEY_WARM && k->users == 0);
        report_text(report, "tier", "%s", tiers[k->tier]);
        report_text(report, "worker", "%s", k->worker);
        report_number(report, "file_bytes", k->file_bytes);
        report_number(report, "device_bytes", k->device_bytes);
        report_number(report, "users", k->users);
        report_end(report);
    }
    report_end(report);
    report_list(report, "pce"); /* compiled constraints take no memory that is worth a line */
    report_end(report);
    report_end(report);
}

static void report_by_kind(struct report *report, const char *key, const struct jobs_status *s,
                           size_t offset)
{
    report_object(report, key);
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        report_number(report, job_kind_name(kind),
                      *(const uint64_t *)(const void *)((const char *)&s->kind[kind] + offset));
    report_end(report);
}

static void report_counters(struct report *report, const struct jobs_status *s)
{
    uint64_t done = 0, failed = 0, cancelled = 0, waiting = 0;

    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        done += s->kind[kind].done;
        failed += s->kind[kind].failed;
        cancelled += s->kind[kind].cancelled;
        waiting += s->kind[kind].waiting;
    }
    report_object(report, "counters");
    report_number(report, "total_completed", done);
    report_number(report, "total_failed", failed);
    report_by_kind(report, "completed_by_kind", s, offsetof(struct kind_counts, done));
    report_by_kind(report, "failed_by_kind", s, offsetof(struct kind_counts, failed));
    report_number(report, "queue_depth", waiting);
    report_number(report, "total_cancelled", cancelled);
    report_number(report, "accepted", s->accepted);
    report_number(report, "attached", s->attached);
    report_number(report, "refused", s->refused);
    report_number(report, "retries", s->retries);
    report_number(report, "worker_deaths", s->worker_deaths);
    report_number(report, "verify_failures", s->verify_failures);
    report_number(report, "poisoned", s->poisoned);
    report_number(report, "preemptions", s->preemptions);
    report_end(report);
}

/* Partitions and buffers in flight in the original; one a running job here. */
static void report_buffers(struct report *report, uint64_t running)
{
    report_object(report, "buffers");
    report_number(report, "synth_in_flight", running);
    report_number(report, "provers_in_flight", running);
    report_number(report, "aux_in_flight", running);
    report_number(report, "shells_in_flight", 0);
    report_number(report, "pending_handles", 0);
    report_end(report);
}

/* ---- jobs, in passing ------------------------------------------------------------------------ */

struct walk {
    struct report *report;
    double now;
    bool final; /* of this list's jobs */
    uint64_t running;
};

static void visit_pipeline(void *ctx, const struct job_view *job)
{
    struct walk *walk = ctx;

    if (job->state != JOB_RUNNING)
        return;
    walk->running++;
    report_pipeline(walk->report, job, walk->now);
}

static void visit_job(void *ctx, const struct job_view *job)
{
    struct walk *walk = ctx;

    if (job_state_is_final(job->state) != walk->final)
        return;
    report_object(walk->report, NULL);
    job_report(walk->report, job, false);
    report_end(walk->report);
}

void status_report(struct report *report, struct jobs *jobs)
{
    struct walk walk = {.report = report, .now = clock_unix_seconds()};
    struct jobs_status s;

    jobs_status(jobs, &s);
    report_text(report, "version", "%s", CUZK_VERSION);
    report_number(report, "now_ms", milliseconds(walk.now)); /* of the times below */
    report_number(report, "uptime_secs", (uint64_t)(walk.now - s.started));
    report_bool(report, "draining", s.draining);
    report_memory(report, &s);
    report_list(report, "pipelines");
    jobs_each(jobs, visit_pipeline, &walk);
    report_end(report);
    report_object(report, "synthesis");
    report_number(report, "max_concurrent", s.n_workers);
    report_number(report, "active", walk.running);
    report_end(report);
    report_workers(report, &s);
    report_allocations(report, &s);
    report_counters(report, &s);
    report_buffers(report, walk.running);
    report_object(report, "disk");
    report_number(report, "spool_bytes", s.spool_bytes);
    report_number(report, "free_bytes", s.disk_free);
    report_number(report, "reserve_bytes", s.disk_reserve);
    report_end(report);
    report_list(report, "jobs"); /* running, then waiting in the queue's order */
    jobs_each(jobs, visit_job, &walk);
    report_end(report);
    walk.final = true;
    report_list(report, "recent"); /* those that have ended, newest first */
    jobs_each(jobs, visit_job, &walk);
    report_end(report);
}
