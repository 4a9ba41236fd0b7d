/* cuzk verify: a proof against its public facts. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

struct arguments {
    struct input_arguments input;
    struct job_key key;
    struct engine_arguments engine;
    const char *proof;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->input;
        state->child_inputs[1] = &a->key;
        state->child_inputs[2] = &a->engine;
        return 0;
    case 'p': a->proof = arg; return 0;
    case 'v': a->key.vk_path = arg; return 0;
    case ARGP_KEY_END:
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
        {&cli_input_argp, 0, 0, 1}, {&cli_key_argp, 0, 0, 2}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "KIND (its input as for prove) --proof FILE",
        "Derives the public inputs from the public facts and verifies all partitions. Exit "
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
        st = job_verify(&engine, &a.input.input, &a.key, a.proof, &err);
    if (st == CUZK_OK)
        printf("%s: valid\n", a.proof);
    cli_input_done(&a.input);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
