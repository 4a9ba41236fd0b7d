/* cuzk check: does the witness of vanilla proofs satisfy every constraint, and if not, which one
 * first? */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct arguments {
    struct input_arguments input;
    struct engine_arguments engine;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->input;
        state->child_inputs[1] = &a->engine;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int command_check(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_input_argp, 0, 0, 1}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "KIND (its input as for prove)",
        "Evaluates all rows of the circuit, then compares the vanilla proofs with the challenges "
        "and with themselves. Exit code 1 names the first row that does not hold, and where in the "
        "circuit it is; 3 what else is wrong, and in which challenge.",
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
        st = job_check(&engine, &a.input.input, &err);
    if (st == CUZK_OK)
        printf("%s: every row holds\n", request_kind_word(a.input.input.kind));
    cli_input_done(&a.input);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
