#include "cli/daemon_cli.h"

#include <stdio.h>
#include <string.h>

#include "base/quantity.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const char **address = state->input;

    if (key != 'a')
        return ARGP_ERR_UNKNOWN;
    *address = arg;
    return 0;
}

static const struct argp_option options[] = {
    {"addr", 'a', "ADDR", 0, "the daemon: unix://PATH or HOST:PORT; default " PROVING_ADDRESS, 5},
    {0},
};
const struct argp cli_address_argp = {options, parse, 0, 0, 0, 0, 0};

void cli_print_job_titles(void)
{
    printf("%-10s %-9s %-14s %-7s %9s %8s  %-40s %s\n", "STATE", "PRIORITY", "CIRCUIT", "DONE",
           "MEMORY", "TIME", "JOB", "");
}

void cli_print_job(const struct proving_job *job, double now)
{
    double from = job->state == JOB_WAITING || job->started <= 0 ? job->submitted : job->started;
    double to = job->finished > 0 ? job->finished : now;
    const char *what = job->state == JOB_WAITING   ? job->why
                       : job->state == JOB_RUNNING ? job->stage + strspn(job->stage, " ")
                                                   : job->error;
    char memory[QUANTITY_TEXT], done[24], state[24];

    quantity_size_rounded(memory, job->reserved_bytes);
    snprintf(done, sizeof done, "%u/%u", job->done, job->partitions);
    if (job->state == JOB_WAITING)
        snprintf(state, sizeof state, "waiting %u", job->queue_position);
    else
        snprintf(state, sizeof state, "%s",
                 job->cancelling ? "cancelling" : job_state_name(job->state));
    printf("%-10s %-9s %-14s %-7s %9s %7.1fs  %-40s %s\n", state, job_priority_name(job->priority),
           job->circuit, done, memory, to > from ? to - from : 0, job->id, what);
}
