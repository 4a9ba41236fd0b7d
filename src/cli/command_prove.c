/* cuzk prove: a C1 in, verified proof bytes out. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

struct arguments {
    struct c1_arguments c1;
    struct porep_key key;
    struct engine_arguments engine;
    const char *kind, *output;
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
    case 'o': a->output = arg; return 0;
    case ARGP_KEY_ARG:
        if (a->kind)
            argp_error(state, "one kind of proof at a time, found '%s'", arg);
        a->kind = arg;
        if (strcmp(arg, "porep") != 0)
            argp_error(state, "this version proves porep, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->kind)
            argp_error(state, "which kind of proof? porep");
        if (!a->output)
            argp_error(state, "-o PROOF is missing");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status write_proof(const char *path, const struct porep_proof *proof,
                                    struct cuzk_error *err)
{
    struct out_file out;
    enum cuzk_status st;

    TRY(out_open(&out, path, err));
    st = out_write(&out, proof->bytes, proof->n_bytes, err);
    if (st == CUZK_OK)
        return out_commit(&out, err);
    out_abort(&out);
    return st;
}

int command_prove(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "PROOF", 0, "the proof: 192 bytes a partition", 0},
        {0},
    };
    static const struct argp_child children[] = {
        {&cli_c1_argp, 0, 0, 1}, {&cli_key_argp, 0, 0, 2}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "porep --c1 FILE -o PROOF",
                                     "Makes a proof, verifies it, and writes it. Nothing is "
                                     "written unless every partition verified.",
                                     children,
                                     0,
                                     0};
    struct arguments a = {0};
    struct engine engine = {0};
    struct porep_proof proof = {0};
    struct cuzk_error err = {0};
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = cli_engine_open(&engine, &a.engine, &err);
    if (st == CUZK_OK)
        st = porep_prove(&engine, &a.c1.input, &a.key, &proof, &err);
    if (st == CUZK_OK)
        st = write_proof(a.output, &proof, &err);
    if (st == CUZK_OK) {
        engine_print_stages(&engine, stdout);
        printf("%s: %zu bytes, verified\n", a.output, proof.n_bytes);
    }
    porep_proof_done(&proof);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
