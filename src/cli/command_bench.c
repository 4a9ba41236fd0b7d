/* cuzk bench: a whole job on this machine from nothing. */
#include "cli/cli.h"
#include "engine/bench_job.h"

struct arguments {
    struct engine_arguments engine;
    struct bench_options bench;
    const char *circuit_text;
    bool json;
};

enum { KEY_PARTITIONS = 0x500 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case KEY_PARTITIONS:
        a->bench.partitions = (unsigned)cli_number(state, "--partitions", arg, 1000);
        if (!a->bench.partitions)
            argp_error(state, "--partitions: expected at least 1");
        return 0;
    case 's': a->bench.seed = cli_number(state, "--seed", arg, UINT64_MAX); return 0;
    case 'j': a->json = true; return 0;
    case ARGP_KEY_ARG:
        if (a->circuit_text)
            argp_error(state, "one circuit at a time, found '%s'", arg);
        a->circuit_text = arg;
        a->bench.name = cli_circuit(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->circuit_text)
            argp_error(state, "which circuit? For example porep-32GiB");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status run(struct engine *engine, const void *arguments, struct report *report,
                            struct cuzk_error *err)
{
    const struct arguments *a = arguments;

    TRY(bench_job_run(engine, &a->bench, report, err));
    if (a->json)
        engine_report_stages(engine, report);
    else
        engine_print_stages(engine, stdout);
    return CUZK_OK;
}

int command_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"partitions", KEY_PARTITIONS, "N", 0,
         "prove the first N; default all of a sector, and one of a Window PoSt", 0},
        {"seed", 's', "N", 0, "of the sector and the key; default 0", 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "CIRCUIT",
        "Makes up a sector, makes a development key in the memory of the back end (it is never "
        "written and worth nothing), proves the partitions, verifies them all, and says what took "
        "how long and how much memory.",
        children,
        0,
        0};
    struct arguments a = {0};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, run, &a);
}
