#include "daemon/metrics.h"

#include "base/clock.h"
#include "daemon/rpc.h"
#include "engine/version.h"

/* Begins a family. */
static void family(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP cuzk_%s %s\n# TYPE cuzk_%s %s\n", name, help, name, type);
}

static void whole(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    family(out, name, type, help);
    fprintf(out, "cuzk_%s %lu\n", name, (unsigned long)value);
}

static void write_proofs(FILE *out, const struct jobs_status *s)
{
    family(out, "proofs_total", "counter", "Jobs that have ended since the start.");
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        const struct kind_counts *k = &s->kind[kind];
        const struct {
            const char *outcome;
            uint64_t n;
        } ends[] = {{"done", k->done}, {"failed", k->failed}, {"cancelled", k->cancelled}};

        for (int i = 0; i < 3; i++)
            fprintf(out, "cuzk_proofs_total{kind=\"%s\",outcome=\"%s\"} %lu\n", job_kind_name(kind),
                    ends[i].outcome, (unsigned long)ends[i].n);
    }
    family(out, "proof_duration_seconds", "summary",
           "From accepted to done, of jobs that were done.");
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        fprintf(out,
                "cuzk_proof_duration_seconds_sum{kind=\"%s\"} %.6f\n"
                "cuzk_proof_duration_seconds_count{kind=\"%s\"} %lu\n",
                job_kind_name(kind), s->kind[kind].duration_sum, job_kind_name(kind),
                (unsigned long)s->kind[kind].duration_count);
}

static void write_queue(FILE *out, const struct jobs_status *s)
{
    family(out, "queue_jobs", "gauge", "Accepted jobs that have not ended.");
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        fprintf(out,
                "cuzk_queue_jobs{kind=\"%s\",state=\"waiting\"} %u\n"
                "cuzk_queue_jobs{kind=\"%s\",state=\"running\"} %u\n",
                job_kind_name(kind), s->kind[kind].waiting, job_kind_name(kind),
                s->kind[kind].running);
    family(out, "queue_waiting_jobs", "gauge", "Waiting jobs by priority.");
    for (enum job_priority p = PRIORITY_LOW; p < N_PRIORITIES; p++)
        fprintf(out, "cuzk_queue_waiting_jobs{priority=\"%s\"} %lu\n", job_priority_name(p),
                (unsigned long)s->waiting_by_priority[p]);
    family(out, "admission_wait_seconds", "summary",
           "From accepted to the reservation of memory, of jobs that began.");
    fprintf(out, "cuzk_admission_wait_seconds_sum %.6f\ncuzk_admission_wait_seconds_count %lu\n",
            s->admission_wait_sum, (unsigned long)s->admission_wait_count);
    family(out, "requests_total", "counter", "Requests by what became of them.");
    fprintf(out,
            "cuzk_requests_total{outcome=\"accepted\"} %lu\n"
            "cuzk_requests_total{outcome=\"attached\"} %lu\n"
            "cuzk_requests_total{outcome=\"refused\"} %lu\n",
            (unsigned long)s->accepted, (unsigned long)s->attached, (unsigned long)s->refused);
}

static void write_memory(FILE *out, const struct jobs_status *s)
{
    whole(out, "memory_budget_bytes", "gauge",
          "Anonymous and shared memory that all processes of the daemon may take.",
          s->budget_bytes);
    whole(out, "memory_reserved_bytes", "gauge", "Of the budget, what is spoken for.",
          s->reserved_bytes);
    family(out, "memory_used_bytes", "gauge", "Taken now, by what it is for.");
    for (enum mem_class c = 0; c < MEM_N_CLASSES; c++)
        fprintf(out, "cuzk_memory_used_bytes{class=\"%s\"} %lu\n", mem_class_name(c),
                (unsigned long)s->class_bytes[c]);
    whole(out, "memory_urgent_reserve_bytes", "gauge", "Kept free for WinningPoSt.",
          s->urgent_reserve);
    whole(out, "memory_metered_bytes", "gauge",
          "Anonymous and shared memory of all our processes, as the kernel counts it.",
          s->metered_bytes);
    whole(out, "memory_metered_peak_bytes", "gauge", "The highest of these samples.",
          s->metered_peak);
    whole(out, "memory_pressure", "gauge", "1 while memory pressure (PSI) stops admission.",
          s->pressed);
    whole(out, "spool_bytes", "gauge", "Payloads on disk.", s->spool_bytes);
    whole(out, "disk_free_bytes", "gauge", "Room on the journal's disk.", s->disk_free);
    whole(out, "disk_reserve_bytes", "gauge", "With less room than this no large request is taken.",
          s->disk_reserve);
}

static void write_workers(FILE *out, const struct jobs_status *s)
{
    family(out, "worker_up", "gauge", "1 while the worker process runs.");
    for (size_t i = 0; i < s->n_workers; i++)
        fprintf(out, "cuzk_worker_up{worker=\"%s\",backend=\"%s\"} %d\n", s->workers[i].name,
                s->workers[i].backend, s->workers[i].pid != 0);
    family(out, "worker_busy", "gauge", "1 while it has a job.");
    for (size_t i = 0; i < s->n_workers; i++)
        fprintf(out, "cuzk_worker_busy{worker=\"%s\"} %d\n", s->workers[i].name,
                s->workers[i].job_id[0] != 0);
    family(out, "worker_busy_seconds_total", "counter", "Time with a job.");
    for (size_t i = 0; i < s->n_workers; i++)
        fprintf(out, "cuzk_worker_busy_seconds_total{worker=\"%s\"} %.3f\n", s->workers[i].name,
                s->workers[i].busy_total);
    family(out, "worker_restarts_total", "counter", "Times it was started again.");
    for (size_t i = 0; i < s->n_workers; i++)
        fprintf(out, "cuzk_worker_restarts_total{worker=\"%s\"} %u\n", s->workers[i].name,
                s->workers[i].restarts);
    family(out, "device_memory_bytes", "gauge", "Memory of a worker's device.");
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].ordinal >= 0)
            fprintf(out,
                    "cuzk_device_memory_bytes{worker=\"%s\",state=\"total\"} %lu\n"
                    "cuzk_device_memory_bytes{worker=\"%s\",state=\"free\"} %lu\n",
                    s->workers[i].name, (unsigned long)s->workers[i].device_total,
                    s->workers[i].name, (unsigned long)s->workers[i].device_free);
    family(out, "device_memory_budget_bytes", "gauge", "Of a card's memory, what proofs may take.");
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].ordinal >= 0)
            fprintf(out, "cuzk_device_memory_budget_bytes{worker=\"%s\"} %lu\n", s->workers[i].name,
                    (unsigned long)s->workers[i].device_budget);
    family(out, "device_memory_reserved_bytes", "gauge",
           "Of that, what is spoken for by the running job and by keys that stay.");
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].ordinal >= 0)
            fprintf(out, "cuzk_device_memory_reserved_bytes{worker=\"%s\"} %lu\n",
                    s->workers[i].name, (unsigned long)s->workers[i].device_reserved);
    family(out, "key_resident_bytes", "gauge", "What a loaded key holds of the budget.");
    for (size_t i = 0; i < s->n_keys; i++)
        if (s->keys[i].tier != KEY_COLD)
            fprintf(out, "cuzk_key_resident_bytes{circuit=\"%s\",worker=\"%s\"} %lu\n",
                    s->keys[i].circuit, s->keys[i].worker, (unsigned long)s->keys[i].bytes);
}

static void write_faults(FILE *out, const struct jobs_status *s)
{
    whole(out, "retries_total", "counter", "Jobs begun again after a fault.", s->retries);
    whole(out, "worker_deaths_total", "counter", "Worker processes that ended unasked.",
          s->worker_deaths);
    whole(out, "verify_failures_total", "counter",
          "Proofs that did not verify and so were not delivered.", s->verify_failures);
    whole(out, "poisoned_total", "counter", "Payloads that killed too many workers.", s->poisoned);
    whole(out, "preemptions_total", "counter", "Times a worker made way for an urgent job.",
          s->preemptions);
}

static void write_rpc(FILE *out, const struct rpc *rpc)
{
    struct rpc_stats s;

    rpc_stats(rpc, &s);
    whole(out, "rpc_open_connections", "gauge", "gRPC connections that are open.", s.n_connections);
    whole(out, "rpc_open_calls", "gauge", "gRPC calls that are not over.", s.n_calls);
    whole(out, "rpc_receiving_calls", "gauge", "Of those, whose request is not whole.",
          s.n_receiving);
    whole(out, "rpc_held_calls", "gauge", "Of those, whose request waits for room.", s.n_held);
    whole(out, "rpc_granted_bytes", "gauge", "Of requests, that may come and are not written yet.",
          s.granted_bytes);
    whole(out, "rpc_connections_total", "counter", "gRPC connections that were opened.",
          s.connections);
    family(out, "rpc_calls_total", "counter", "gRPC calls by the code of their end.");
    for (enum grpc_code code = GRPC_OK; code < GRPC_N_CODES; code++)
        fprintf(out, "cuzk_rpc_calls_total{code=\"%s\"} %lu\n", grpc_code_name(code),
                (unsigned long)s.ended[code]);
    whole(out, "rpc_abandoned_calls_total", "counter", "gRPC calls whose client went away first.",
          s.abandoned);
    whole(out, "rpc_body_bytes_total", "counter", "Of requests for proofs, written to the spool.",
          s.bytes);
}

/* The names of the original's GetMetrics; the kinds with underscores, as there. */
static void write_original(FILE *out, const struct jobs_status *s)
{
    static const char *const labels[JOB_N_KINDS] = {"", "porep_c2", "snap_update", "window_post",
                                                    "winning_post"};
    uint64_t done = 0, failed = 0, waiting = 0, running = 0;

    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        done += s->kind[kind].done;
        failed += s->kind[kind].failed;
        waiting += s->kind[kind].waiting;
        running += s->kind[kind].running;
    }
    whole(out, "proofs_completed_total", "counter", "Jobs done since the start.", done);
    whole(out, "proofs_failed_total", "counter", "Jobs failed since the start.", failed);
    whole(out, "queue_depth", "gauge", "Waiting jobs.", waiting);
    whole(out, "running_jobs", "gauge", "Running jobs.", running);
    whole(out, "gpu_workers", "gauge", "Workers.", s->n_workers);
    family(out, "proofs_completed", "gauge", "Jobs done since the start.");
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        fprintf(out, "cuzk_proofs_completed{proof_kind=\"%s\"} %lu\n", labels[kind],
                (unsigned long)s->kind[kind].done);
    family(out, "proofs_failed", "gauge", "Jobs failed since the start.");
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        fprintf(out, "cuzk_proofs_failed{proof_kind=\"%s\"} %lu\n", labels[kind],
                (unsigned long)s->kind[kind].failed);
}

void metrics_write(FILE *out, struct jobs *jobs, const struct rpc *rpc, bool with_original)
{
    struct jobs_status s;

    jobs_status(jobs, &s);
    family(out, "build_info", "gauge", "The version, as a label.");
    fprintf(out, "cuzk_build_info{version=\"%s\"} 1\n", CUZK_VERSION);
    family(out, "start_time_seconds", "gauge", "When the daemon started, since 1970.");
    fprintf(out, "cuzk_start_time_seconds %.3f\n", s.started);
    family(out, "uptime_seconds", "gauge", "Since the start.");
    fprintf(out, "cuzk_uptime_seconds %.3f\n", clock_unix_seconds() - s.started);
    whole(out, "draining", "gauge", "1 while the daemon is ending.", s.draining);
    write_proofs(out, &s);
    write_queue(out, &s);
    write_memory(out, &s);
    write_workers(out, &s);
    write_faults(out, &s);
    if (rpc)
        write_rpc(out, rpc);
    if (with_original)
        write_original(out, &s);
}
