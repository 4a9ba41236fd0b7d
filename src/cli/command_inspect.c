/* cuzk inspect FILE: say what a file is. */
#include "cli/cli.h"
#include "engine/inspect.h"

struct arguments {
    struct engine_arguments engine;
    const char *file;
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 'j': a->json = true; return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one file at a time, found '%s'", arg);
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file)
            argp_error(state, "which file?");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status look(struct engine *engine, const void *arguments, struct report *report,
                             struct cuzk_error *err)
{
    const struct arguments *a = arguments;

    return inspect_file(engine, a->file, report, err);
}

int command_inspect(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", 'j', 0, 0, "answer in JSON", 0}, {0}};
    static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "FILE",
                                     "Says what a file is (parameters, prepared key, verifying "
                                     "key, proof, C1 in JSON), its counts "
                                     "and digests.",
                                     children,
                                     0,
                                     0};
    struct arguments a = {0};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, look, &a);
}
