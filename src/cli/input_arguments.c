/* What a job is about: KIND and its files and public facts. */
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"

enum {
    KEY_C1 = 0x200,
    KEY_VANILLA,
    KEY_REGISTERED_PROOF,
    KEY_SECTOR_SIZE,
    KEY_API_VERSION,
    KEY_POREP_ID,
    KEY_PARTITION,
    KEY_MINER_ID,
    KEY_SECTOR_NUM,
    KEY_RANDOMNESS,
    KEY_COMM_R_OLD,
    KEY_COMM_D_NEW,
    KEY_COMM_R_NEW,
};

static void take_kind(struct input_arguments *a, const char *word, struct argp_state *state)
{
    for (unsigned kind = CIRCUIT_POREP; kind <= CIRCUIT_UPDATE; kind++)
        if (strcmp(word, request_kind_word((enum circuit_kind)kind)) == 0) {
            a->input.kind = (enum circuit_kind)kind;
            a->has_kind = true;
            return;
        }
    argp_error(state, "'%s' is not a kind of proof: porep, winning, window or update", word);
}

/* Room for as many as there are arguments was taken at the beginning. */
static void take_vanilla(struct input_arguments *a, const char *path, struct argp_state *state)
{
    if (!a->vanilla)
        argp_error(state, "no memory for the arguments");
    a->vanilla[a->input.n_vanilla++] = file_whole(path);
}

static void take_argument(struct input_arguments *a, const char *text, struct argp_state *state)
{
    if (!a->has_kind)
        take_kind(a, text, state);
    else if (a->input.n_vanilla > 0)
        take_vanilla(a, text, state);
    else
        argp_error(state, "one kind of proof at a time, found '%s'", text);
}

static void end_input(struct input_arguments *a, struct argp_state *state)
{
    const struct request_input *in = &a->input;
    const bool is_porep = in->kind == CIRCUIT_POREP, is_update = in->kind == CIRCUIT_UPDATE;

    if (!a->has_kind)
        argp_error(state, "which kind of proof? porep, winning, window or update");
    if (is_porep && !in->c1.path)
        argp_error(state, "--c1 FILE is missing");
    if (is_porep && a->has_miner_id != a->has_sector_num)
        argp_error(state, "--miner-id and --sector-num go together");
    if (!is_porep && in->n_vanilla == 0)
        argp_error(state, "--vanilla FILE is missing");
    if (!is_porep && in->hints.registered_proof < 0 && !in->hints.sector_size)
        argp_error(state, "--registered-proof N is missing");
    if (!is_porep && !is_update && !a->has_randomness)
        argp_error(state, "--randomness HEX is missing");
    if (is_update && !(a->has_comm_r_old && a->has_comm_d_new && a->has_comm_r_new))
        argp_error(state, "--comm-r-old, --comm-d-new and --comm-r-new are needed");
    a->input.has_identity = a->has_miner_id && a->has_sector_num;
    a->input.vanilla = a->vanilla;
}

static void take_32(uint8_t out[32], bool *has, const char *option, const char *text,
                    struct argp_state *state)
{
    cli_hex(state, option, text, out, 32);
    *has = true;
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
    struct input_arguments *a = state->input;
    struct request_input *in = &a->input;

    switch (key) {
    case KEY_C1: in->c1 = file_whole(arg); return 0;
    case KEY_VANILLA: take_vanilla(a, arg, state); return 0;
    case KEY_REGISTERED_PROOF:
        in->hints.registered_proof = (int)cli_number(state, "--registered-proof", arg, 19);
        return 0;
    case KEY_SECTOR_SIZE: in->hints.sector_size = cli_size(state, "--sector-size", arg); return 0;
    case KEY_API_VERSION: in->hints.api_version = arg; return 0;
    case KEY_POREP_ID:
        take_32(in->hints.porep_id, &in->hints.has_porep_id, "--porep-id", arg, state);
        return 0;
    case KEY_PARTITION: in->partition = (int)cli_number(state, "--partition", arg, 10000); return 0;
    case KEY_MINER_ID:
        in->miner_id = cli_number(state, "--miner-id", arg, UINT64_MAX);
        a->has_miner_id = true;
        return 0;
    case KEY_SECTOR_NUM:
        in->sector_num = cli_number(state, "--sector-num", arg, UINT64_MAX);
        a->has_sector_num = true;
        return 0;
    case KEY_RANDOMNESS:
        take_32(in->randomness, &a->has_randomness, "--randomness", arg, state);
        return 0;
    case KEY_COMM_R_OLD:
        take_32(in->comm_r_old, &a->has_comm_r_old, "--comm-r-old", arg, state);
        return 0;
    case KEY_COMM_D_NEW:
        take_32(in->comm_d_new, &a->has_comm_d_new, "--comm-d-new", arg, state);
        return 0;
    case KEY_COMM_R_NEW:
        take_32(in->comm_r_new, &a->has_comm_r_new, "--comm-r-new", arg, state);
        return 0;
    case ARGP_KEY_INIT:
        in->hints.registered_proof = -1;
        in->partition = ALL_PARTITIONS;
        a->vanilla = mem_new((size_t)state->argc * sizeof *a->vanilla);
        return 0;
    case ARGP_KEY_ARG: take_argument(a, arg, state); return 0;
    case ARGP_KEY_END: end_input(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

void cli_input_done(struct input_arguments *a)
{
    mem_free(a->vanilla);
    a->vanilla = NULL;
}

static const struct argp_option options[] = {
    {"c1", KEY_C1, "FILE", 0,
     "porep: the C1 output: API JSON, Curio's wrapper, native bincode or native JSON", 1},
    {"vanilla", KEY_VANILLA, "FILE...", 0,
     "winning, window: a vanilla proof a sector, in order; update: one a partition", 1},
    {"registered-proof", KEY_REGISTERED_PROOF, "N", 0,
     "porep: seal proof 0 to 19 (a native C1 needs it, another is compared with it); winning: 0 to "
     "4; window: 5 to 14; update: 0 to 4",
     1},
    {"sector-size", KEY_SECTOR_SIZE, "SIZE", 0, "for a size without registered proofs", 1},
    {"api-version", KEY_API_VERSION, "V", 0, "the same, porep and window: 1.0.0, 1.1.0 or 1.2.0",
     1},
    {"porep-id", KEY_POREP_ID, "HEX", 0, "the same: 32 bytes", 1},
    {"partition", KEY_PARTITION, "K", 0,
     "only this partition; window, update: the files may be all, or those of the partition", 1},
    {"miner-id", KEY_MINER_ID, "N", 0,
     "porep: compare the replica id with this miner and sector; no part of other proofs", 1},
    {"sector-num", KEY_SECTOR_NUM, "N", 0, "", 1},
    {"randomness", KEY_RANDOMNESS, "HEX", 0, "winning, window: 32 bytes", 1},
    {"comm-r-old", KEY_COMM_R_OLD, "HEX", 0, "update: 32 bytes, before the new data", 1},
    {"comm-d-new", KEY_COMM_D_NEW, "HEX", 0, "update: of the new data", 1},
    {"comm-r-new", KEY_COMM_R_NEW, "HEX", 0, "update: with the new data", 1},
    {0},
};
const struct argp cli_input_argp = {options, parse_input, 0, 0, 0, 0, 0};
