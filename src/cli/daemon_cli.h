/* What the verbs that speak to a daemon share. */
#ifndef CLI_DAEMON_CLI_H
#define CLI_DAEMON_CLI_H

#include "cli/cli.h"
#include "daemon/proving_client.h"

command_fn command_daemon, command_jobs, command_status, command_cancel, command_clear, command_top,
    command_trace, command_bench_tool, command_worker;

/* Argp children, each with the struct that it fills. */

/* What cuzk-bench asks when it is not told whom: the original's address. */
#define BENCH_ADDRESS "http://127.0.0.1:9820"

/* -a ADDR --ca --cert --key: where the daemon is. */
extern const struct argp cli_place_argp; /* struct proving_place */

/* The same, and ID. */
struct job_arguments {
    struct proving_place place;
    const char *id;
};
extern const struct argp cli_job_argp;

/* Whole command lines, as cli_parse. */

/* Of a verb about one job: where the daemon is, and ID. */
int cli_parse_job(const char *doc, int argc, char **argv, struct job_arguments *ret);

/* Of a verb with one switch, which is all that `options` has: -j or -1. */
struct switch_arguments {
    struct proving_place place;
    bool on;
};
int cli_parse_switch(const struct argp_option *options, const char *doc, int argc, char **argv,
                     struct switch_arguments *ret);

/* A job as one line: state, place, id, circuit, progress, times, and why it waits or failed. */
void cli_print_job(const struct proving_job *job, double now);
void cli_print_job_titles(void);

#endif
