/* cuzk jobs: the daemon's jobs, as they stand. */
#include <string.h>

#include "base/clock.h"
#include "cli/daemon_cli.h"

struct arguments {
    struct proving_place place;
    bool json, all;
    double now;
    struct report report;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    (void)arg;
    switch (key) {
    case 'j': a->json = true; return 0;
    case 'A': a->all = true; return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->place; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void report_job(struct report *report, const struct proving_job *job)
{
    report_object(report, NULL);
    report_text(report, "job_id", "%s", job->id);
    report_text(report, "request_id", "%s", job->request_id);
    report_text(report, "circuit", "%s", job->circuit);
    report_text(report, "priority", "%s", job_priority_name(job->priority));
    report_text(report, "state", "%s", job_state_name(job->state));
    report_text(report, "why", "%s", job->why);
    report_text(report, "worker", "%s", job->worker);
    report_text(report, "stage", "%s", job->stage);
    report_number(report, "queue_position", job->queue_position);
    report_number(report, "partitions", job->partitions);
    report_number(report, "partitions_done", job->done);
    report_number(report, "attempts", job->attempts);
    report_number(report, "submitted_ms", (uint64_t)(job->submitted * 1e3));
    report_number(report, "deadline_ms", (uint64_t)(job->deadline * 1e3));
    report_number(report, "started_ms", (uint64_t)(job->started * 1e3));
    report_number(report, "finished_ms", (uint64_t)(job->finished * 1e3));
    report_number(report, "reserved_bytes", job->reserved_bytes);
    report_text(report, "error", "%s", job->error);
    report_end(report);
}

static void take_job(void *ctx, const struct proving_job *job)
{
    struct arguments *a = ctx;

    if (!a->all && job_state_is_final(job->state))
        return;
    if (a->json)
        report_job(&a->report, job);
    else
        cli_print_job(job, a->now);
}

int command_jobs(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"all", 'A', 0, 0, "those that have ended too", 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_place_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {
        options,  parse, 0, "Running jobs, then waiting ones in the order of the queue.",
        children, 0,     0};
    struct arguments a = {.now = clock_unix_seconds()};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    report_init(&a.report);
    report_list(&a.report, "jobs");
    st = proving_open(&client, &a.place, &err);
    if (st == CUZK_OK && !a.json)
        cli_print_job_titles();
    if (st == CUZK_OK)
        st = proving_list(client, take_job, &a, &err);
    client_close(client);
    report_end(&a.report);
    if (st == CUZK_OK && a.json)
        return cli_answer(&a.report, true);
    report_done(&a.report);
    return st == CUZK_OK ? cli_printed() : cli_fail(st, &err);
}
