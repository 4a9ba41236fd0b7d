#include "cli/daemon_cli.h"

#include <stdio.h>
#include <string.h>

#include "base/quantity.h"

enum { KEY_CA = 0x700, KEY_CERT, KEY_KEY };

static error_t parse_place(int key, char *arg, struct argp_state *state)
{
    struct proving_place *place = state->input;

    switch (key) {
    case 'a': place->address = arg; return 0;
    case KEY_CA: place->ca = arg; return 0;
    case KEY_CERT: place->certificate = arg; return 0;
    case KEY_KEY: place->key = arg; return 0;
    case ARGP_KEY_END:
        if (!place->certificate != !place->key)
            argp_error(state, "--cert and --key belong together");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option place_options[] = {
    {"addr", 'a', "ADDR", 0,
     "the daemon: unix://PATH, HOST:PORT or https://HOST:PORT; default " PROVING_ADDRESS
     ", of cuzk-bench " BENCH_ADDRESS,
     5},
    {"ca", KEY_CA, "FILE", 0, "TLS: the daemon's authority (PEM); default with https: the system's",
     5},
    {"cert", KEY_CERT, "FILE", 0, "TLS: our certificate, where the daemon wants one", 5},
    {"key", KEY_KEY, "FILE", 0, "TLS: its private key", 5},
    {0},
};
const struct argp cli_place_argp = {place_options, parse_place, 0, 0, 0, 0, 0};

static error_t parse_job(int key, char *arg, struct argp_state *state)
{
    struct job_arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        a->id = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "expected the id of a job"); return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->place; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child place_child[] = {{&cli_place_argp, 0, 0, 0}, {0}};
const struct argp cli_job_argp = {0, parse_job, 0, 0, place_child, 0, 0};

int cli_parse_job(const char *doc, int argc, char **argv, struct job_arguments *ret)
{
    static const struct argp_child children[] = {{&cli_job_argp, 0, 0, 0}, {0}};
    const struct argp argp = {.args_doc = "ID", .doc = doc, .children = children};

    return cli_parse(&argp, argc, argv, ret);
}

static error_t parse_switch(int key, char *arg, struct argp_state *state)
{
    struct switch_arguments *a = state->input;

    (void)arg;
    switch (key) {
    case 'j': /* --json */
    case '1': /* --once */ a->on = true; return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->place; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_parse_switch(const struct argp_option *options, const char *doc, int argc, char **argv,
                     struct switch_arguments *ret)
{
    const struct argp argp = {
        .options = options, .parser = parse_switch, .doc = doc, .children = place_child};

    return cli_parse(&argp, argc, argv, ret);
}

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
