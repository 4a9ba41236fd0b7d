/* cuzk inspect FILE, and cuzk key info FILE: say what a file is. */
#include <string.h>

#include "cli/cli.h"
#include "engine/inspect.h"

struct arguments {
    struct engine_arguments engine;
    const char *file, *verb;
    bool is_key, json;
};

static error_t take_word(struct arguments *a, char *word, struct argp_state *state)
{
    if (a->is_key && !a->verb) {
        if (strcmp(word, "info") != 0)
            argp_error(state, "this version has `cuzk key info FILE`, not '%s'", word);
        a->verb = word;
    } else if (!a->file) {
        a->file = word;
    } else {
        argp_error(state, "one file at a time, found '%s'", word);
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 'j': a->json = true; return 0;
    case ARGP_KEY_ARG: return take_word(a, arg, state);
    case ARGP_KEY_END:
        if (!a->file)
            argp_error(state, "which file?");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int answer(const struct argp *argp, int argc, char **argv, bool is_key)
{
    struct arguments a = {.is_key = is_key};
    struct engine engine = {0};
    struct report report;
    struct cuzk_error err = {0};
    enum cuzk_status st;
    int code = cli_parse(argp, argc, argv, &a);

    if (code)
        return code;
    report_init(&report);
    st = cli_engine_open(&engine, &a.engine, &err);
    if (st == CUZK_OK)
        st = inspect_file(&engine, a.file, &report, &err);
    code = cli_engine_finish(&engine, &a.engine, st, &err);
    if (code) {
        report_done(&report);
        return code;
    }
    return cli_answer(&report, a.json);
}

static const struct argp_option options[] = {{"json", 'j', 0, 0, "answer in JSON", 0}, {0}};
static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};

int command_inspect(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "FILE",
        "Says what a file is (parameters, verifying key, proof, C1), its counts and digests.",
        children,
        0,
        0};

    return answer(&argp, argc, argv, false);
}

int command_key(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "info FILE", "Counts and digests of a key file.", children, 0, 0};

    return answer(&argp, argc, argv, true);
}
