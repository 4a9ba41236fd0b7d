/* Reading arguments: values, and the groups of options that several verbs take. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/quantity.h"
#include "cli/cli.h"

/* ---- values ---------------------------------------------------------------------------------- */

static bool parse_u64(const char *text, const char **end, uint64_t *ret)
{
    char *stop;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *ret = strtoul(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

uint64_t cli_number(struct argp_state *state, const char *option, const char *text, uint64_t max)
{
    const char *end;
    uint64_t value = 0;

    if (!parse_u64(text, &end, &value) || *end || value > max)
        argp_error(state, "%s: '%s' is not a number up to %lu", option, text, (unsigned long)max);
    return value;
}

uint64_t cli_size(struct argp_state *state, const char *option, const char *text)
{
    uint64_t value;

    if (quantity_size(text, &value))
        return value;
    argp_error(state, "%s: '%s' is not a size (bytes, or with KiB MiB GiB TiB KB MB GB TB)", option,
               text);
    return 0;
}

void cli_hex(struct argp_state *state, const char *option, const char *text, uint8_t *out, size_t n)
{
    if (!hex_decode(out, n, text))
        argp_error(state, "%s: expected %zu bytes in hexadecimal digits", option, n);
}

struct circuit_name cli_circuit(struct argp_state *state, const char *text)
{
    struct circuit_name name = {0};
    struct cuzk_error err;

    if (circuit_name_parse(&name, text, &err) != CUZK_OK)
        argp_error(state, "%s", err.message);
    return name;
}

int cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    argp_err_exit_status = CUZK_USAGE;
    return argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, input) == 0 ? 0 : CUZK_USAGE;
}

/* ---- the engine ------------------------------------------------------------------------------ */

enum { KEY_BACKEND = 0x100, KEY_THREADS, KEY_MEM, KEY_DEVICE_MEM, KEY_TRACE };

static error_t parse_engine(int key, char *arg, struct argp_state *state)
{
    struct engine_arguments *a = state->input;

    switch (key) {
    case KEY_BACKEND: a->options.backend = arg; return 0;
    case KEY_THREADS:
        a->options.threads = (unsigned)cli_number(state, "--threads", arg, 4096);
        return 0;
    case KEY_MEM: a->options.memory = cli_size(state, "--mem", arg); return 0;
    case KEY_DEVICE_MEM: a->options.device_memory = cli_size(state, "--device-mem", arg); return 0;
    case KEY_TRACE: a->trace = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option engine_options[] = {
    {"backend", KEY_BACKEND, "NAME", 0, "auto (default), cpu, ifma or cuda", 10},
    {"threads", KEY_THREADS, "N", 0, "threads; default: as `cuzk info` says", 10},
    {"mem", KEY_MEM, "SIZE", 0, "memory allowed, such as 16GiB; default no limit", 10},
    {"device-mem", KEY_DEVICE_MEM, "SIZE", 0, "of a card's memory; default all that is free", 10},
    {"trace", KEY_TRACE, "FILE", 0, "write the stages as a Chrome trace", 10},
    {0},
};
const struct argp cli_engine_argp = {engine_options, parse_engine, 0, 0, 0, 0, 0};

static atomic_bool cancelled;

static void cancel(int signal_number)
{
    atomic_store(&cancelled, true);
    signal(signal_number, SIG_DFL); /* the second one ends the program at once */
}

enum cuzk_status cli_engine_open(struct engine *engine, const struct engine_arguments *arguments,
                                 struct cuzk_error *err)
{
    struct engine_options options = arguments->options;

    signal(SIGINT, cancel);
    signal(SIGTERM, cancel);
    options.cancel = &cancelled;
    options.progress = isatty(STDERR_FILENO) == 1;
    return engine_open(engine, &options, err);
}

int cli_engine_finish(struct engine *engine, const struct engine_arguments *arguments,
                      enum cuzk_status status, struct cuzk_error *err)
{
    engine_stage_end(engine);
    if (arguments->trace && status == CUZK_OK)
        status = engine_write_trace(engine, arguments->trace, err);
    engine_close(engine);
    return status == CUZK_OK ? 0 : cli_fail(status, err);
}

int cli_report(const struct engine_arguments *engine_arguments, bool json, cli_fill_fn *fill,
               const void *arguments)
{
    struct engine engine = {0};
    struct report report;
    struct cuzk_error err = {0};
    enum cuzk_status st;
    int code;

    report_init(&report);
    st = cli_engine_open(&engine, engine_arguments, &err);
    if (st == CUZK_OK)
        st = fill(&engine, arguments, &report, &err);
    code = cli_engine_finish(&engine, engine_arguments, st, &err);
    if (code) {
        report_done(&report);
        return code;
    }
    return cli_answer(&report, json);
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum { KEY_PARAMS = 0x300, KEY_ALLOW_DEV_KEY, KEY_INSECURE_SEED };

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    struct job_key *k = state->input;

    switch (key) {
    case KEY_PARAMS: k->folder = arg; return 0;
    case KEY_ALLOW_DEV_KEY:
        if (k->choice == KEY_OFFICIAL)
            k->choice = KEY_ALLOW_DEV;
        return 0;
    case KEY_INSECURE_SEED:
        k->seed_label = arg;
        k->choice = KEY_ONLY_DEV;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option key_options[] = {
    {"params", KEY_PARAMS, "DIR", 0,
     "folder of the keys; default /data/zk/params, then $FIL_PROOFS_PARAMETER_CACHE", 2},
    {"allow-dev-key", KEY_ALLOW_DEV_KEY, 0, 0, "accept a development key", 2},
    {"insecure-seed", KEY_INSECURE_SEED, "LABEL", 0,
     "tests only: r and s from the label, with a development key", 2},
    {0},
};
const struct argp cli_key_argp = {key_options, parse_key, 0, 0, 0, 0, 0};
