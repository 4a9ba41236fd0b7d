/* cuzk sample: the vanilla proofs of made-up sectors. */
#include "cli/cli.h"
#include "engine/sample_job.h"

struct arguments {
    struct engine_arguments engine;
    struct sample_options sample;
    const char *circuit_text, *output;
    bool has_seed, json;
};

enum { KEY_API_VERSION = 0x400, KEY_DENSE, KEY_SECTORS };

static void check_arguments(struct argp_state *state, const struct arguments *a)
{
    if (!a->circuit_text)
        argp_error(state, "which circuit? For example porep-32GiB");
    if (!a->has_seed)
        argp_error(state, "--seed N is missing");
    if (!a->output)
        argp_error(state, "-o FILE (porep) or -o DIR (winning, window) is missing");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 's':
        a->sample.seed = cli_number(state, "--seed", arg, UINT64_MAX);
        a->has_seed = true;
        return 0;
    case 'o': a->output = arg; return 0;
    case 'j': a->json = true; return 0;
    case KEY_API_VERSION: a->sample.api_version = arg; return 0;
    case KEY_SECTORS:
        a->sample.sectors = cli_number(state, "--sectors", arg, UINT32_MAX);
        if (!a->sample.sectors)
            argp_error(state, "--sectors: expected at least 1");
        return 0;
    case KEY_DENSE: a->sample.dense = true; return 0;
    case ARGP_KEY_ARG:
        if (a->circuit_text)
            argp_error(state, "one circuit at a time, found '%s'", arg);
        a->circuit_text = arg;
        a->sample.name = cli_circuit(state, arg);
        return 0;
    case ARGP_KEY_END: check_arguments(state, a); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status make_up(struct engine *engine, const void *arguments, struct report *report,
                                struct cuzk_error *err)
{
    const struct arguments *a = arguments;

    return sample_write(engine, &a->sample, a->output, report, err);
}

int command_sample(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"seed", 's', "N", 0,
         "the same number gives the same sector; also the number of the first sector", 0},
        {"output", 'o', "PATH", 0, "porep: the C1; winning, window: a folder for vanilla-*.bin", 0},
        {"api-version", KEY_API_VERSION, "V", 0,
         "porep: 1.0.0 or 1.1.0 (default); window: 1.0.0 or 1.2.0 (default)", 0},
        {"sectors", KEY_SECTORS, "N", 0, "window: how many; default those of one partition", 0},
        {"dense", KEY_DENSE, 0, OPTION_HIDDEN, 0, 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "CIRCUIT --seed N -o PATH",
        "Makes up sectors of which nearly all is uniform, and writes their vanilla proofs: they "
        "satisfy the circuit as those of real sectors do, and nothing is sealed. PoRep: the API's "
        "JSON where there is a registered proof of that size (2 KiB, 8 MiB, 512 MiB, 32 GiB, 64 "
        "GiB), else native bincode. Winning and window: bincode, a file a sector.",
        children,
        0,
        0};
    struct arguments a = {0};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, make_up, &a);
}
