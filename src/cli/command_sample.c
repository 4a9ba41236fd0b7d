/* cuzk sample: the vanilla proofs of made-up sectors. */
#include "cli/cli.h"
#include "engine/sample_job.h"

struct arguments {
    struct engine_arguments engine;
    struct sample_options sample;
    const char *circuit_text, *output;
    bool has_seed, json;
    /* where the options' pointers lead once they are given */
    uint64_t miner_id, sector_num;
    uint8_t ticket[32], seal_seed[32], randomness[32], porep_id[32];
};

enum {
    KEY_API_VERSION = 0x400,
    KEY_DENSE,
    KEY_SECTORS,
    KEY_REGISTERED_PROOF,
    KEY_POREP_ID,
    KEY_MINER_ID,
    KEY_SECTOR_NUM,
    KEY_TICKET,
    KEY_SEAL_SEED,
    KEY_RANDOMNESS,
    KEY_DATA,
    KEY_NEW_DATA,
    KEY_SECTOR_FILES,
};

static void check_arguments(struct argp_state *state, const struct arguments *a)
{
    if (!a->circuit_text)
        argp_error(state, "which circuit? For example porep-32GiB");
    if (!a->has_seed)
        argp_error(state, "--seed N is missing");
    if (!a->output)
        argp_error(state, "-o FILE (porep) or -o DIR (winning, window, update) is missing");
}

static const uint8_t *take_hex(struct argp_state *state, const char *option, const char *text,
                               uint8_t out[32])
{
    cli_hex(state, option, text, out, 32);
    return out;
}

static const uint64_t *take_number(struct argp_state *state, const char *option, const char *text,
                                   uint64_t *out)
{
    *out = cli_number(state, option, text, UINT64_MAX);
    return out;
}

/* Facts that otherwise follow from the seed. */
static error_t parse_fact(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct sample_options *o = &a->sample;

    switch (key) {
    case KEY_POREP_ID: o->porep_id = take_hex(state, "--porep-id", arg, a->porep_id); return 0;
    case KEY_TICKET: o->ticket = take_hex(state, "--ticket", arg, a->ticket); return 0;
    case KEY_SEAL_SEED: o->seal_seed = take_hex(state, "--seal-seed", arg, a->seal_seed); return 0;
    case KEY_RANDOMNESS:
        o->randomness = take_hex(state, "--randomness", arg, a->randomness);
        return 0;
    case KEY_MINER_ID: o->miner_id = take_number(state, "--miner-id", arg, &a->miner_id); return 0;
    case KEY_SECTOR_NUM:
        o->sector_num = take_number(state, "--sector-num", arg, &a->sector_num);
        return 0;
    case KEY_DATA: o->data = arg; return 0;
    case KEY_NEW_DATA: o->new_data = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct sample_options *o = &a->sample;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 's':
        o->seed = cli_number(state, "--seed", arg, UINT64_MAX);
        a->has_seed = true;
        return 0;
    case 'o': a->output = arg; return 0;
    case 'j': a->json = true; return 0;
    case KEY_API_VERSION: o->api_version = arg; return 0;
    case KEY_REGISTERED_PROOF:
        o->registered_proof = (int)cli_number(state, "--registered-proof", arg, INT32_MAX);
        return 0;
    case KEY_SECTORS:
        o->sectors = cli_number(state, "--sectors", arg, UINT32_MAX);
        if (!o->sectors)
            argp_error(state, "--sectors: expected at least 1");
        return 0;
    case KEY_DENSE: o->dense = true; return 0;
    case KEY_SECTOR_FILES: o->sector_files = arg; return 0;
    case ARGP_KEY_ARG:
        if (a->circuit_text)
            argp_error(state, "one circuit at a time, found '%s'", arg);
        a->circuit_text = arg;
        o->name = cli_circuit(state, arg);
        return 0;
    case ARGP_KEY_END: check_arguments(state, a); return 0;
    default: return parse_fact(key, arg, state);
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
         "the same number gives the same sample; also the number of the (first) sector", 0},
        {"output", 'o', "PATH", 0,
         "porep: the C1; winning, window, update: a folder for vanilla-*.bin", 0},
        {"api-version", KEY_API_VERSION, "V", 0,
         "porep: 1.0.0 or 1.1.0 (default); window: 1.0.0 or 1.2.0 (default)", 0},
        {"sectors", KEY_SECTORS, "N", 0, "window: how many; default those of one partition", 0},
        {"dense", KEY_DENSE, 0, 0, "2KiB to 32KiB: seal the sector for real", 0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0, 0, 0, 0, "Facts that otherwise follow from the seed:", 1},
        {"sector-num", KEY_SECTOR_NUM, "N", 0, "number of the (first) sector", 1},
        {"randomness", KEY_RANDOMNESS, "HEX", 0, "winning, window", 1},
        {"seal-seed", KEY_SEAL_SEED, "HEX", 0, "porep: the seed of the challenges", 1},
        {"miner-id", KEY_MINER_ID, "N", 0, "porep, dense: default 1000", 1},
        {"ticket", KEY_TICKET, "HEX", 0, "porep, dense", 1},
        {"registered-proof", KEY_REGISTERED_PROOF, "N", 0,
         "porep, dense: the seal proof, 0 to 19; from 10 only dense", 1},
        {"porep-id", KEY_POREP_ID, "HEX", 0,
         "porep, dense: where the size has no registered proof; default zeros", 1},
        {"data", KEY_DATA, "FILE", 0, "dense: 127/128 of the sector's bytes", 1},
        {"new-data", KEY_NEW_DATA, "FILE", 0, "dense update: as many", 1},
        {0, 0, 0, 0, "More files of a dense sector:", 2},
        {"sector-files", KEY_SECTOR_FILES, "DIR", 0,
         "porep, update: unsealed.bin, sealed.bin, p_aux.bin; update: also data-new.bin, "
         "replica-new.bin, p_aux-new.bin",
         2},
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
        "GiB), else native bincode. Winning and window: bincode, a file a sector. Update: bincode, "
        "a file a partition. With --dense a small sector is sealed node by node instead.",
        children,
        0,
        0};
    struct arguments a = {.sample.registered_proof = -1};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, make_up, &a);
}
