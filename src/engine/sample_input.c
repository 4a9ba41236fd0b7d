#include "engine/sample_input.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/fr32.h"

enum cuzk_status sample_version(enum api_version *ret, const char *name, enum api_version older,
                                enum api_version newer, struct cuzk_error *err)
{
    *ret = newer;
    if (!name || strcmp(name, api_version_name(newer)) == 0)
        return CUZK_OK;
    *ret = older;
    if (strcmp(name, api_version_name(older)) == 0)
        return CUZK_OK;
    return error_set(err, CUZK_USAGE, "API version %s: samples of this circuit are of %s or %s",
                     name, api_version_name(older), api_version_name(newer));
}

enum cuzk_status sample_input_post(struct post_config *config, size_t *n,
                                   const struct sample_options *options, struct cuzk_error *err)
{
    enum post_kind kind = options->name.kind == CIRCUIT_WINNING ? POST_WINNING : POST_WINDOW;
    enum api_version version;

    TRY(sample_version(&version, options->api_version, API_1_0_0,
                       kind == POST_WINNING ? API_1_0_0 : API_1_2_0, err));
    *config = post_config_make(kind, options->name.size, version);
    *n = options->sectors ? options->sectors : kind == POST_WINNING ? 1 : config->shape.slots;
    return CUZK_OK;
}

/* ---- do the options apply? ------------------------------------------------------------------- */

static enum cuzk_status check_options(const struct sample_options *o, struct cuzk_error *err)
{
    const bool porep = o->name.kind == CIRCUIT_POREP, update = o->name.kind == CIRCUIT_UPDATE;
    const bool post = !porep && !update, sealed = porep || o->dense;
    const struct {
        const char *flag;
        bool given, applies;
    } flags[] = {
        {"--sectors", o->sectors > 0, post},
        {"--api-version", o->api_version != NULL, porep || post},
        {"--registered-proof", o->registered_proof >= 0, sealed},
        {"--porep-id", o->porep_id != NULL, sealed},
        {"--miner-id", o->miner_id != NULL, sealed},
        {"--sector-num", o->sector_num != NULL, sealed || post},
        {"--ticket", o->ticket != NULL, sealed},
        {"--seal-seed", o->seal_seed != NULL, porep},
        {"--randomness", o->randomness != NULL, post},
        {"--data", o->data != NULL, o->dense},
        {"--new-data", o->new_data != NULL, o->dense && update},
        {"--sector-files", o->sector_files != NULL, o->dense && !post},
    };
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, o->name);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].given && !flags[i].applies)
            return error_set(err, CUZK_USAGE, "%s does not apply to a %s sample of %s",
                             flags[i].flag, o->dense ? "dense" : "sparse", text);
    if (o->dense && o->name.size->porep.tree.lg_nodes > SAMPLE_DENSE_LG_NODES_MAX)
        return error_set(err, CUZK_USAGE, "%s: dense samples are of 2 KiB to 32 KiB", text);
    if (o->data && o->sectors > 1)
        return error_set(err, CUZK_USAGE, "--data is of one sector, found --sectors %zu",
                         o->sectors);
    return CUZK_OK;
}

/* ---- how it is sealed ------------------------------------------------------------------------ */

static const struct seal_proof *find_seal_proof(const struct sector_size *size,
                                                enum api_version version)
{
    for (unsigned i = 0; i < N_SEAL_PROOFS; i++) {
        const struct seal_proof *proof = seal_proof_of_number(i);

        if (proof->size == size && proof->version == version &&
            proof->challenges == CHALLENGES_INTERACTIVE)
            return proof;
    }
    return NULL;
}

static enum cuzk_status seal_by_number(struct sample_input *in, struct cuzk_error *err)
{
    const struct sample_options *o = in->options;
    const struct seal_proof *proof = seal_proof_of_number((uint64_t)o->registered_proof);

    if (!proof || proof->size != o->name.size)
        return error_set(err, CUZK_USAGE, "registered proof %d is not a seal proof of %s",
                         o->registered_proof, o->name.size->name);
    if (o->name.kind == CIRCUIT_POREP && o->api_version &&
        strcmp(o->api_version, api_version_name(proof->version)) != 0)
        return error_set(err, CUZK_USAGE, "API version: expected %s (%s), found %s",
                         api_version_name(proof->version), proof->name, o->api_version);
    if (proof->challenges != CHALLENGES_INTERACTIVE && !o->dense)
        return error_set(
            err, CUZK_USAGE,
            "%s: its challenges depend on comm_r, which only dense samples know before",
            proof->name);
    in->proof = proof;
    porep_config_of(&in->sealing, proof);
    return CUZK_OK;
}

static enum cuzk_status seal_by_size(struct sample_input *in, struct cuzk_error *err)
{
    const struct sector_size *size = in->options->name.size;
    enum api_version version = API_1_1_0;

    if (in->options->name.kind == CIRCUIT_POREP)
        TRY(sample_version(&version, in->options->api_version, API_1_0_0, API_1_1_0, err));
    in->proof = find_seal_proof(size, version);
    if (in->proof)
        porep_config_of(&in->sealing, in->proof);
    else
        in->sealing = (struct porep_config){.shape = size->porep,
                                            .partitions = size->porep_partitions,
                                            .version = version,
                                            .challenges = CHALLENGES_INTERACTIVE};
    return CUZK_OK;
}

static enum cuzk_status choose_sealing(struct sample_input *in, struct cuzk_error *err)
{
    const uint8_t *porep_id = in->options->porep_id;

    TRY(in->options->registered_proof >= 0 ? seal_by_number(in, err) : seal_by_size(in, err));
    if (porep_id && in->proof && memcmp(porep_id, in->sealing.porep_id, 32) != 0)
        return error_set(err, CUZK_USAGE, "porep_id: not that of %s", in->proof->name);
    if (porep_id)
        memcpy(in->sealing.porep_id, porep_id, 32);
    return CUZK_OK;
}

/* ---- facts ----------------------------------------------------------------------------------- */

struct sample_facts sample_input_facts(const struct sample_input *input, size_t i)
{
    const struct sample_options *o = input->options;
    struct sample_facts facts = sample_facts_of(o->seed + i);

    facts.dense = o->dense;
    facts.data = input->data;
    if (o->miner_id)
        facts.miner = *o->miner_id;
    if (o->sector_num)
        facts.number = *o->sector_num + i;
    if (o->ticket)
        memcpy(facts.ticket, o->ticket, 32);
    if (o->seal_seed)
        memcpy(facts.seed, o->seal_seed, 32);
    return facts;
}

static enum cuzk_status choose_randomness(struct sample_input *in, struct cuzk_error *err)
{
    rng_bytes(&in->facts.rng, in->randomness, 32);
    in->randomness[31] &= 0x3f;
    if (!in->options->randomness)
        return CUZK_OK;
    memcpy(in->randomness, in->options->randomness, 32);
    if (in->randomness[31] >= 0x40)
        return error_set(err, CUZK_USAGE,
                         "--randomness: the two top bits of its last byte must be clear");
    return CUZK_OK;
}

/* ---- data ------------------------------------------------------------------------------------ */

static enum cuzk_status pad_data(struct scalar *nodes, uint64_t sector_bytes,
                                 const struct file_map *map, struct cuzk_error *err)
{
    const uint64_t units = sector_bytes / FR32_PADDED_UNIT;
    uint8_t *padded = (uint8_t *)nodes;

    if (map->bytes != units * FR32_UNPADDED_UNIT)
        return error_set(err, CUZK_BAD_INPUT, "%s: expected %" PRIu64 " bytes of data, found %zu",
                         map->path, units * FR32_UNPADDED_UNIT, map->bytes);
    fr32_pad(padded, map->data, units);
    for (uint64_t i = 0; i < sector_bytes / sizeof *nodes; i++)
        nodes[i] = scalar_from_bytes(padded + i * sizeof *nodes);
    return CUZK_OK;
}

/* A file of 127 bytes for every 128 of the sector, into a number a node. */
static enum cuzk_status read_data(struct scalar *nodes, const char *path, uint64_t sector_bytes,
                                  struct cuzk_error *err)
{
    struct file_map map;
    enum cuzk_status st;

    TRY(file_map(&map, path, err));
    st = pad_data(nodes, sector_bytes, &map, err);
    file_unmap(&map);
    return st;
}

static enum cuzk_status open_data(struct sample_input *in, struct budget *budget,
                                  struct cuzk_error *err)
{
    const struct sample_options *o = in->options;
    const uint64_t bytes = o->name.size->bytes;

    if (!o->data && !o->new_data)
        return CUZK_OK;
    TRY(region_map(&in->memory, budget, MEM_REQUEST, 2 * bytes, err));
    if (o->data) {
        in->data = (struct scalar *)(void *)in->memory.base;
        TRY(read_data(in->data, o->data, bytes, err));
    }
    if (o->new_data) {
        in->new_data = (struct scalar *)(void *)(in->memory.base + bytes);
        TRY(read_data(in->new_data, o->new_data, bytes, err));
    }
    return CUZK_OK;
}

enum cuzk_status sample_input_open(struct sample_input *ret, const struct sample_options *options,
                                   struct budget *budget, struct cuzk_error *err)
{
    struct sample_input in = {.options = options};
    enum cuzk_status st;

    TRY(check_options(options, err));
    if (options->name.kind == CIRCUIT_POREP || options->dense)
        TRY(choose_sealing(&in, err));
    TRY_GOTO(st, fail, open_data(&in, budget, err));
    in.facts = sample_input_facts(&in, 0);
    TRY_GOTO(st, fail, choose_randomness(&in, err));
    *ret = in;
    return CUZK_OK;
fail:
    sample_input_close(&in);
    return st;
}

void sample_input_close(struct sample_input *input)
{
    region_unmap(&input->memory);
    memset(input, 0, sizeof *input);
}
