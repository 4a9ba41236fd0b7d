/* Seal proofs: everything is in the C1. */
#include <inttypes.h>
#include <string.h>

#include "engine/request.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/vanilla_check.h"

/* Was this C1 made by that miner for that sector? */
static enum cuzk_status check_identity(const struct request_input *input, const struct c1 *c1,
                                       struct cuzk_error *err)
{
    const struct seal *seal = &c1->vanilla.seal;
    struct scalar id;
    uint8_t prover_id[32];

    if (!input->has_identity)
        return CUZK_OK;
    if (c1->has_sector_num && c1->sector_num != input->sector_num)
        return error_set(err, CUZK_BAD_INPUT, "%s: SectorNum is %" PRIu64 ", expected %" PRIu64,
                         file_part_name(&input->c1), c1->sector_num, input->sector_num);
    prover_id_of_miner(prover_id, input->miner_id);
    id = replica_id_make(prover_id, input->sector_num, seal->ticket, &seal->comm_d,
                         c1->config.porep_id);
    if (memcmp(&id, &seal->replica_id, sizeof id) != 0)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: replica_id is not that of sector %" PRIu64 " of miner %" PRIu64,
                         file_part_name(&input->c1), input->sector_num, input->miner_id);
    return CUZK_OK;
}

static enum cuzk_status read_porep(struct request *r, const struct request_input *input,
                                   struct engine *engine, struct cuzk_error *err)
{
    if (!input->c1.path)
        return error_set(err, CUZK_USAGE, "--c1 FILE is missing");
    r->label = file_part_name(&input->c1);
    TRY(c1_read_part(&r->of.c1, &input->c1, &input->hints, &engine->budget, err));
    r->name = r->of.c1.name;
    r->partitions = r->of.c1.config.partitions;
    r->n_inputs = porep_n_inputs(&r->of.c1.config.shape);
    return check_identity(input, &r->of.c1, err);
}

static enum cuzk_status check_porep(const struct request *r, struct engine *engine,
                                    struct cuzk_error *err)
{
    (void)engine;
    for (unsigned k = r->first; k < r->end; k++)
        TRY(vanilla_check(&r->of.c1.vanilla, &r->of.c1.config, k, err));
    return CUZK_OK;
}

static enum cuzk_status check_porep_deep(const struct request *r, struct engine *engine,
                                         struct cuzk_error *err)
{
    (void)engine;
    for (unsigned k = r->first; k < r->end; k++)
        TRY(vanilla_check_deep(&r->of.c1.vanilla, &r->of.c1.config, k, err));
    return CUZK_OK;
}

static void witness(const struct request *r, struct packed_witness *w, const struct r1cs *cs,
                    unsigned k, struct pool *pool)
{
    porep_witness(w, cs, &r->of.c1.vanilla, k, pool);
}

static void public_inputs(const struct request *r, struct scalar *out, unsigned k)
{
    const struct porep_config *config = &r->of.c1.config;
    const struct graph graph =
        graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id);

    porep_public_inputs(out, config, &graph, &r->of.c1.vanilla.seal, k);
}

static enum cuzk_status row_path(const struct request *r, char *out, size_t n, uint64_t row,
                                 struct budget *budget, struct cuzk_error *err)
{
    return porep_row_path(out, n, &r->of.c1.config.shape, row, budget, err);
}

static void done(struct request *r)
{
    c1_done(&r->of.c1);
}

static size_t bytes(struct circuit_name name)
{
    return vanilla_porep_bytes(&name.size->porep, name.size->porep_partitions);
}

const struct request_kind request_porep = {
    .bytes = bytes,
    .read = read_porep,
    .check = check_porep,
    .check_deep = check_porep_deep,
    .witness = witness,
    .public_inputs = public_inputs,
    .row_path = row_path,
    .done = done,
};
