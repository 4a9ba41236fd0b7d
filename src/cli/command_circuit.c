/* cuzk circuit and cuzk plan: what there is to know about a circuit before a key or a proof exists.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "engine/circuit_job.h"
#include "engine/open_circuit.h"

struct arguments {
    struct engine_arguments engine;
    const char *circuit_text;
    struct circuit_name circuit;
    bool digest, setup, json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 'd': a->digest = true; return 0;
    case 's': a->setup = true; return 0;
    case 'j': a->json = true; return 0;
    case ARGP_KEY_ARG:
        if (a->circuit_text)
            argp_error(state, "one circuit at a time, found '%s'", arg);
        a->circuit_text = arg;
        a->circuit = cli_circuit(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->circuit_text)
            argp_error(state, "which circuit? For example porep-32GiB");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int answer(const struct argp *argp, int argc, char **argv, cli_fill_fn *fill)
{
    struct arguments a = {0};
    int code = cli_parse(argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, fill, &a);
}

static enum cuzk_status describe(struct engine *engine, const void *arguments,
                                 struct report *report, struct cuzk_error *err)
{
    const struct arguments *a = arguments;
    struct open_circuit circuit;
    enum cuzk_status st;

    TRY(circuit_open(&circuit, engine, a->circuit, err));
    st = circuit_report(&circuit, engine, a->digest, report, err);
    circuit_close(&circuit);
    return st;
}

static enum cuzk_status plan(struct engine *engine, const void *arguments, struct report *report,
                             struct cuzk_error *err)
{
    const struct arguments *a = arguments;

    return (a->setup ? circuit_setup_plan : circuit_plan)(engine, a->circuit, report, err);
}

static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};

int command_circuit(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"digest", 'd', 0, 0, "the structural and the coefficient digest too", 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp argp = {
        options,  parse, "NAME", "Counts, densities, nonzeros, domain and file names of a circuit.",
        children, 0,     0};

    return answer(&argp, argc, argv, describe);
}

int command_plan(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"setup", 's', 0, 0, "of making a development key (`cuzk setup`), not of a proof", 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp argp = {options,
                                     parse,
                                     "CIRCUIT",
                                     "The memory that one proof of this circuit takes, by class "
                                     "and by stage; with --setup what making a development key "
                                     "takes, of memory and of disk.",
                                     children,
                                     0,
                                     0};

    return answer(&argp, argc, argv, plan);
}
