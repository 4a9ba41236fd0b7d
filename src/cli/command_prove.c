/* cuzk prove: vanilla proofs in, verified proof bytes out. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

struct arguments {
    struct input_arguments input;
    struct job_key key;
    struct engine_arguments engine;
    const char *output;
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
    case 'o': a->output = arg; return 0;
    case ARGP_KEY_END:
        if (!a->output)
            argp_error(state, "-o PROOF is missing");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status write_proof(const char *path, const struct job_proof *proof,
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
        {&cli_input_argp, 0, 0, 1}, {&cli_key_argp, 0, 0, 2}, {&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "porep --c1 FILE -o PROOF\n"
        "winning|window --vanilla FILE... --randomness HEX --registered-proof N -o PROOF\n"
        "update --vanilla FILE... --comm-r-old HEX --comm-d-new HEX --comm-r-new HEX "
        "--registered-proof N -o PROOF",
        "Makes a proof, verifies it, and writes it. Nothing is "
        "written unless every partition verified.",
        children,
        0,
        0};
    struct arguments a = {0};
    struct engine engine = {0};
    struct job_proof proof = {0};
    struct cuzk_error err = {0};
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = cli_engine_open(&engine, &a.engine, &err);
    if (st == CUZK_OK)
        st = job_prove(&engine, &a.input.input, &a.key, &proof, &err);
    if (st == CUZK_OK)
        st = write_proof(a.output, &proof, &err);
    if (st == CUZK_OK) {
        engine_print_stages(&engine, stdout);
        printf("%s: %zu bytes, verified\n", a.output, proof.n_bytes);
    }
    job_proof_done(&proof);
    cli_input_done(&a.input);
    return cli_engine_finish(&engine, &a.engine, st, &err);
}
