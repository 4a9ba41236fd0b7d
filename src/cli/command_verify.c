/* cuzk verify: a proof against the public data of its C1. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct arguments {
    struct c1_arguments c1;
    struct porep_key key;
    struct engine_arguments engine;
    const char *kind, *proof;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->c1;
        state->child_inputs[1] = &a->key;
        state->child_inputs[2] = &a->engine;
        return 0;
    case 'p': a->proof = arg; return 0;
    case 'v': a->key.vk_path = arg; return 0;
    case ARGP_KEY_ARG:
        if (a->kind)
            argp_error(state, "one kind of proof at a time, found '%s'", arg);
        a->kind = arg;
        if (strcmp(arg, "porep") != 0)
            argp_error(state, "this version verifies porep, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->kind)
            argp_error(state, "which kind of proof? porep");
        if (!a->proof)
            argp_error(state, "--proof FILE is missing");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int command_verify(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"proof", 'p', "FILE", 0, "the proof", 0},
        {"vk", 'v', "FILE", 0, "the verifying key; default the one in --params", 0},
        {0},
    };
    static const struct argp_child children[] = {
        {&cli_c1_argp, 0, 0, 1}, {&cli_key_argp, 0, 0, 2}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "porep --c1 FILE --proof FILE",
        "Derives the public inputs from the C1's public values and verifies all partitions. Exit "
        "code 0: valid; 1: not valid.",
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
        st = porep_verify(&engine, &a.c1.input, &a.key, a.proof, &err);
    if (st == CUZK_OK)
        printf("%s: valid\n", a.proof);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
