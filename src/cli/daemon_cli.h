/* What the verbs that speak to a daemon share. */
#ifndef CLI_DAEMON_CLI_H
#define CLI_DAEMON_CLI_H

#include "cli/cli.h"
#include "daemon/proving_client.h"

command_fn command_daemon, command_jobs, command_status, command_cancel, command_top, command_trace,
    command_bench_tool, command_worker;

/* -a ADDR, as an argp child that fills a `const char *`. */
extern const struct argp cli_address_argp;

/* A job as one line: state, place, id, circuit, progress, times, and why it waits or failed. */
void cli_print_job(const struct proving_job *job, double now);
void cli_print_job_titles(void);

#endif
