/* cuzk setup: a development key. */
#include <stdio.h>

#include "cli/cli.h"
#include "engine/circuit_job.h"

struct arguments {
    struct engine_arguments engine;
    const char *circuit_text, *label, *folder;
    struct circuit_name circuit;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 's': a->label = arg; return 0;
    case 'o': a->folder = arg; return 0;
    case ARGP_KEY_ARG:
        if (a->circuit_text)
            argp_error(state, "one circuit at a time, found '%s'", arg);
        a->circuit_text = arg;
        a->circuit = cli_circuit(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->circuit_text)
            argp_error(state, "which circuit? For example porep-2KiB");
        if (!a->label)
            argp_error(state, "--insecure-seed LABEL is missing; keys from a ceremony are not made "
                              "here");
        if (!a->folder)
            argp_error(state, "-o DIR is missing");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status make_key(struct engine *engine, const void *arguments,
                                 struct report *report, struct cuzk_error *err)
{
    const struct arguments *a = arguments;

    enum cuzk_status st = circuit_setup(engine, a->circuit, a->label, a->folder, report, err);

    if (st == CUZK_OK)
        engine_print_stages(engine, stdout);
    return st;
}

int command_setup(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"insecure-seed", 's', "LABEL", 0,
         "the label that the trapdoors come from: whoever knows it can forge proofs", 0},
        {"output", 'o', "DIR", 0, "folder for dev-<official name>.params and .vk", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "CIRCUIT --insecure-seed LABEL -o DIR",
                                     "Makes a development key: bytes exactly as bellperson writes "
                                     "them, a name that marks it.",
                                     children,
                                     0,
                                     0};
    struct arguments a = {0};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, false, make_key, &a);
}
