/* What the commands share: one function a verb, one way to read arguments, one way to fail. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/proof_job.h"
#include "engine/report.h"

/* Each verb gets its own argv (argv[0] is "cuzk <verb>") and returns the exit code. */
typedef int command_fn(int argc, char **argv);
command_fn command_setup, command_prove, command_verify, command_check, command_circuit,
    command_plan, command_key, command_bench, command_sample, command_inspect, command_info;

/* Prints "cuzk: <sentence>" on stderr; returns the exit code of the status. */
int cli_fail(enum cuzk_status status, const struct cuzk_error *err);

/* Prints a report, as JSON if asked, frees it, and returns the exit code. */
int cli_answer(struct report *report, bool json);

/* After an answer that was printed otherwise: its exit code, which is not 0 if it could not be
 * written. */
int cli_printed(void);

/* argp_parse with our exit code for wrong usage (2). `input` becomes state->input. */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Values of options; what cannot be read ends the program through argp_error (exit code 2). */
uint64_t cli_size(struct argp_state *state, const char *option, const char *text); /* 16GiB */
uint64_t cli_number(struct argp_state *state, const char *option, const char *text, uint64_t max);
void cli_hex(struct argp_state *state, const char *option, const char *text, uint8_t *out,
             size_t n);
struct circuit_name cli_circuit(struct argp_state *state, const char *text);

/* ---- groups of options that several verbs take: argp children --------------------------------
 *
 * Each has an argp and the struct it fills; a verb names them in its children and hands each its
 * struct with state->child_inputs in ARGP_KEY_INIT. */

/* --backend --threads --mem --trace; cancel and progress are set up by cli_engine_open. */
struct engine_arguments {
    struct engine_options options;
    const char *trace;
};
extern const struct argp cli_engine_argp;

/* Opens the engine: progress on stderr if that is a terminal, SIGINT and SIGTERM cancel. */
MUST_CHECK enum cuzk_status cli_engine_open(struct engine *engine,
                                            const struct engine_arguments *arguments,
                                            struct cuzk_error *err);
/* Writes the trace if one was asked for, closes, and returns the exit code of the job's status. */
int cli_engine_finish(struct engine *engine, const struct engine_arguments *arguments,
                      enum cuzk_status status, struct cuzk_error *err);

/* A whole verb that answers with a report: opens the engine, lets `fill` work, prints what it said.
 * `arguments` are the verb's own. Returns the exit code. */
typedef enum cuzk_status cli_fill_fn(struct engine *engine, const void *arguments,
                                     struct report *report, struct cuzk_error *err);
int cli_report(const struct engine_arguments *engine_arguments, bool json, cli_fill_fn *fill,
               const void *arguments);

/* KIND (porep, winning, window or update) and what a request of that kind needs:
 *     --c1 --vanilla --registered-proof --sector-size --api-version --porep-id --partition
 *     --miner-id --sector-num --randomness --comm-r-old --comm-d-new --comm-r-new
 * Arguments after KIND are more files for --vanilla. */
struct input_arguments {
    struct request_input input;
    struct file_part *vanilla; /* input.vanilla; cli_input_done frees it */
    bool has_kind, has_miner_id, has_sector_num, has_randomness;
    bool has_comm_r_old, has_comm_d_new, has_comm_r_new;
};
extern const struct argp cli_input_argp;
void cli_input_done(struct input_arguments *a);

/* --params --allow-dev-key --insecure-seed */
extern const struct argp cli_key_argp; /* fills struct job_key */

#endif
