/* cuzk check: does the witness of a C1 satisfy every constraint, and if not, which one first? */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct arguments {
    struct c1_arguments c1;
    struct engine_arguments engine;
    const char *kind;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->c1;
        state->child_inputs[1] = &a->engine;
        return 0;
    case ARGP_KEY_ARG:
        if (a->kind)
            argp_error(state, "one kind of proof at a time, found '%s'", arg);
        a->kind = arg;
        if (strcmp(arg, "porep") != 0)
            argp_error(state, "this version checks porep, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->kind)
            argp_error(state, "which kind of proof? porep");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_c1_argp, 0, 0, 1}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "porep --c1 FILE",
        "Evaluates all rows of the circuit and compares the vanilla proofs with the challenges. "
        "Exit code 1 names the first row that does not hold, and where in the circuit it is.",
        children,
        0,
        0};
    struct arguments a = {0};
    struct engine engine = {0};
    struct cuzk_error err = {0};
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = cli_engine_open(&engine, &a.engine, &err);
    if (st == CUZK_OK)
        st = porep_check(&engine, &a.c1.input, &err);
    if (st == CUZK_OK)
        printf("%s: every row holds\n", a.c1.input.c1_path);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
