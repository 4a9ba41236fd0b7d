#include "engine/porep_job.h"

#include <inttypes.h>
#include <string.h>

#include "circuit/packed_witness.h"
#include "engine/open_circuit.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/vanilla_check.h"
#include "format/bellperson.h"
#include "groth16/prove.h"
#include "groth16/trapdoor.h"
#include "groth16/verify.h"

/* ---- the input --------------------------------------------------------------------------------
 */

struct range {
    unsigned first, end;
};

static enum cuzk_status partitions_of(struct range *ret, const struct porep_input *input,
                                      const struct c1 *c1, struct cuzk_error *err)
{
    *ret = (struct range){0, c1->config.partitions};
    if (input->partition == ALL_PARTITIONS)
        return CUZK_OK;
    if ((unsigned)input->partition >= c1->config.partitions)
        return error_set(err, CUZK_USAGE, "%s: no partition %d: it has %u", input->c1_path,
                         input->partition, c1->config.partitions);
    *ret = (struct range){(unsigned)input->partition, (unsigned)input->partition + 1};
    return CUZK_OK;
}

/* Was this C1 made by that miner for that sector? */
static enum cuzk_status check_identity(const struct porep_input *input, const struct c1 *c1,
                                       struct cuzk_error *err)
{
    const struct seal *seal = &c1->vanilla.seal;
    struct scalar id;
    uint8_t prover_id[32];

    if (!input->has_identity)
        return CUZK_OK;
    if (c1->has_sector_num && c1->sector_num != input->sector_num)
        return error_set(err, CUZK_BAD_INPUT, "%s: SectorNum is %" PRIu64 ", expected %" PRIu64,
                         input->c1_path, c1->sector_num, input->sector_num);
    prover_id_of_miner(prover_id, input->miner_id);
    id = replica_id_make(prover_id, input->sector_num, seal->ticket, &seal->comm_d,
                         c1->config.porep_id);
    if (memcmp(&id, &seal->replica_id, sizeof id) != 0)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: replica_id is not that of sector %" PRIu64 " of miner %" PRIu64,
                         input->c1_path, input->sector_num, input->miner_id);
    return CUZK_OK;
}

static enum cuzk_status read_input(struct engine *engine, const struct porep_input *input,
                                   struct c1 *c1, struct range *partitions, struct cuzk_error *err)
{
    engine_stage(engine, "read C1");
    TRY(c1_read_file(c1, input->c1_path, &input->hints, &engine->budget, err));
    TRY(check_identity(input, c1, err));
    return partitions_of(partitions, input, c1, err);
}

static enum cuzk_status check_vanilla(struct engine *engine, const struct porep_input *input,
                                      const struct c1 *c1, struct range partitions,
                                      struct cuzk_error *err)
{
    engine_stage(engine, "check C1");
    for (unsigned k = partitions.first; k < partitions.end; k++) {
        enum cuzk_status st = vanilla_check(&c1->vanilla, &c1->config, k, err);

        if (st != CUZK_OK)
            return error_prefix(err, st, "%s", input->c1_path);
    }
    return CUZK_OK;
}

/* ---- proving ----------------------------------------------------------------------------------
 */

struct prove_job {
    struct engine *engine;
    struct c1 c1;
    struct open_circuit circuit;
    struct proving_key key;
    struct packed_witness witness;
    struct blinding blinding;
    bool fixed_blinding;
};

static void prove_job_done(struct prove_job *job)
{
    engine_stage_end(job->engine);
    packed_witness_done(&job->witness);
    proving_key_done(&job->key);
    circuit_close(&job->circuit);
    c1_done(&job->c1);
    mem_wipe(&job->blinding, sizeof job->blinding);
}

static enum cuzk_status open_key(struct prove_job *job, const struct porep_key *choice,
                                 struct cuzk_error *err)
{
    const char *folder = choice->folder ? choice->folder : key_folder_default();
    const struct curve *curve = job->circuit.cs.curve;
    char path[KEY_PATH_MAX];

    engine_stage(job->engine, "open key");
    if (choice->seed_label && choice->choice != KEY_ONLY_DEV)
        return error_set(err, CUZK_INTERNAL, "known randomness for an official key");
    TRY(key_folder_find(path, folder, job->circuit.name, ".params", choice->choice, err));
    TRY(params_open(&job->key, path, curve, job->engine->pool, &job->engine->budget, err));
    if (proving_key_matches(&job->key, &job->circuit.qap, err) != CUZK_OK)
        return error_prefix(err, CUZK_BAD_INPUT, "%s", path);
    if (choice->seed_label) {
        blinding_from_label(&job->blinding, curve, choice->seed_label);
        job->fixed_blinding = true;
    }
    return CUZK_OK;
}

/* All that is still to be taken must fit now, not when half of the work is done. */
static enum cuzk_status check_plan(const struct prove_job *job, struct cuzk_error *err)
{
    struct engine *engine = job->engine;
    struct plan plan;
    size_t need, in_use = atomic_load(&engine->budget.now);

    plan_prove(&plan, &(struct plan_input){.backend = engine->backend,
                                           .key = &job->key,
                                           .qap = &job->circuit.qap,
                                           .n_threads = pool_size(engine->pool)});
    need = in_use + packed_witness_bytes(&job->circuit.cs) + plan.peak_bytes;
    if (need > engine->budget.limit)
        return error_set(
            err, CUZK_NO_MEMORY,
            "this proof takes %zu bytes (%zu in use, %zu for the witness, %zu to prove); "
            "%zu are allowed",
            need, in_use, packed_witness_bytes(&job->circuit.cs), plan.peak_bytes,
            engine->budget.limit);
    return CUZK_OK;
}

static void stage_begins(void *ctx, enum prove_stage stage)
{
    if (stage < PROVE_N_STAGES)
        engine_stage(ctx, "  %s", prove_stage_name(stage));
}

static enum cuzk_status prove_partition(struct prove_job *job, unsigned k, uint8_t *out,
                                        struct cuzk_error *err)
{
    struct engine *engine = job->engine;
    const struct prove_options options = {.backend = engine->backend,
                                          .pool = engine->pool,
                                          .budget = &engine->budget,
                                          .cancel = engine->cancel,
                                          .progress = stage_begins,
                                          .progress_ctx = engine};
    const struct curve *curve = job->circuit.cs.curve;
    struct proof proof;

    engine_stage(engine, "partition %u: witness", k);
    packed_witness_clear(&job->witness);
    porep_witness(&job->witness, &job->circuit.cs, &job->c1.vanilla, k, engine->pool);
    TRY(groth16_prove(&job->key, &job->circuit.qap, &job->witness.values,
                      job->fixed_blinding ? &job->blinding : NULL, &options, &proof, err));
    proof_encode(out, curve, &proof);
    return CUZK_OK;
}

/* The statement in our witness must be the one a verifier derives from the public facts. */
static enum cuzk_status check_inputs(const struct prove_job *job, unsigned k,
                                     struct scalar *expected, const struct graph *graph,
                                     struct cuzk_error *err)
{
    const struct c1 *c1 = &job->c1;
    size_t n = porep_n_inputs(&c1->config.shape);

    porep_public_inputs(expected, &c1->config, graph, &c1->vanilla.seal, k);
    if (memcmp(expected, job->witness.values.inputs + 4, n * sizeof *expected) != 0)
        return error_set(
            err, CUZK_BAD_INPUT,
            "partition %u: the vanilla proofs are not for the challenges of this sector", k);
    return CUZK_OK;
}

static enum cuzk_status prove_all(struct prove_job *job, struct range partitions, uint8_t *out,
                                  struct cuzk_error *err)
{
    const struct porep_config *config = &job->c1.config;
    struct graph graph = graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id);
    struct scalar *expected = mem_new(porep_n_inputs(&config->shape) * sizeof *expected);
    enum cuzk_status st = CUZK_OK;

    if (!expected)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the public inputs");
    for (unsigned k = partitions.first; st == CUZK_OK && k < partitions.end; k++) {
        st = prove_partition(job, k, out + (k - partitions.first) * (size_t)POREP_PROOF_BYTES, err);
        if (st == CUZK_OK)
            st = check_inputs(job, k, expected, &graph, err);
        else
            error_prefix(err, st, "partition %u", k);
    }
    mem_free(expected);
    return st;
}

enum cuzk_status porep_prove(struct engine *engine, const struct porep_input *input,
                             const struct porep_key *key, struct porep_proof *ret,
                             struct cuzk_error *err)
{
    struct prove_job job = {.engine = engine};
    struct porep_proof proof = {0};
    struct range partitions;
    enum cuzk_status st;

    TRY_GOTO(st, out, read_input(engine, input, &job.c1, &partitions, err));
    TRY_GOTO(st, out, check_vanilla(engine, input, &job.c1, partitions, err));
    TRY_GOTO(st, out, circuit_open(&job.circuit, engine, job.c1.name, err));
    TRY_GOTO(st, out, open_key(&job, key, err));
    TRY_GOTO(st, out, check_plan(&job, err));
    TRY_GOTO(st, out, packed_witness_new(&job.witness, &job.circuit.cs, &engine->budget, err));

    proof.n_bytes = (partitions.end - partitions.first) * (size_t)POREP_PROOF_BYTES;
    proof.bytes = mem_new(proof.n_bytes);
    if (!proof.bytes)
        TRY_GOTO(st, out, error_set(err, CUZK_NO_MEMORY, "no memory for the proof"));
    TRY_GOTO(st, out, prove_all(&job, partitions, proof.bytes, err));
    *ret = proof;
    proof = (struct porep_proof){0};
out:
    porep_proof_done(&proof);
    prove_job_done(&job);
    return st;
}

void porep_proof_done(struct porep_proof *proof)
{
    mem_free(proof->bytes);
    *proof = (struct porep_proof){0};
}

/* ---- verifying --------------------------------------------------------------------------------
 */

static enum cuzk_status open_vk(struct engine *engine, const struct porep_key *key,
                                struct circuit_name name, struct verifying_key *vk,
                                struct cuzk_error *err)
{
    const char *folder = key->folder ? key->folder : key_folder_default();
    char path[KEY_PATH_MAX];

    if (key->vk_path && key_is_dev(key->vk_path) && key->choice == KEY_OFFICIAL)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: a development key proves nothing; --allow-dev-key accepts it",
                         key->vk_path);
    if (!key->vk_path)
        TRY(key_folder_find(path, folder, name, ".vk", key->choice, err));
    return vk_open(vk, key->vk_path ? key->vk_path : path, &curve_bls12_381, engine->pool,
                   &engine->budget, err);
}

struct verify_job {
    struct c1 c1;
    struct verifying_key vk;
    struct verifier verifier;
    struct file_map file;
    struct proof *proofs;
    struct statement *statements;
    struct scalar *inputs;
};

static void verify_job_done(struct verify_job *job)
{
    mem_free(job->proofs);
    mem_free(job->statements);
    mem_free(job->inputs);
    file_unmap(&job->file);
    verifier_done(&job->verifier);
    verifying_key_done(&job->vk);
    c1_done(&job->c1);
}

static enum cuzk_status read_proofs(struct verify_job *job, const char *path,
                                    struct range partitions, struct cuzk_error *err)
{
    size_t n = partitions.end - partitions.first;
    size_t n_inputs = porep_n_inputs(&job->c1.config.shape);
    const struct porep_config *config = &job->c1.config;
    struct graph graph = graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id);

    TRY(file_map(&job->file, path, err));
    if (job->file.bytes != n * POREP_PROOF_BYTES)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: expected %zu bytes (%zu partitions of %d), found %zu", path,
                         n * POREP_PROOF_BYTES, n, (int)POREP_PROOF_BYTES, job->file.bytes);
    job->proofs = mem_new(n * sizeof *job->proofs);
    job->statements = mem_new(n * sizeof *job->statements);
    job->inputs = mem_new(n * n_inputs * sizeof *job->inputs);
    if (!job->proofs || !job->statements || !job->inputs)
        return error_set(err, CUZK_NO_MEMORY, "no memory for %zu proofs", n);
    for (size_t i = 0; i < n; i++) {
        struct scalar *inputs = job->inputs + i * n_inputs;

        porep_public_inputs(inputs, &job->c1.config, &graph, &job->c1.vanilla.seal,
                            partitions.first + (unsigned)i);
        job->statements[i] = (struct statement){.inputs = inputs, .n = n_inputs};
        if (proof_decode(&job->proofs[i], &curve_bls12_381, job->file.data + i * POREP_PROOF_BYTES,
                         POREP_PROOF_BYTES, path, err) != CUZK_OK)
            return error_prefix(err, CUZK_INVALID, "partition %zu", (size_t)partitions.first + i);
    }
    return CUZK_OK;
}

enum cuzk_status porep_verify(struct engine *engine, const struct porep_input *input,
                              const struct porep_key *key, const char *proof_path,
                              struct cuzk_error *err)
{
    struct verify_job job = {0};
    struct range partitions;
    size_t bad = 0;
    enum cuzk_status st;

    TRY_GOTO(st, out, read_input(engine, input, &job.c1, &partitions, err));
    engine_stage(engine, "open key");
    TRY_GOTO(st, out, open_vk(engine, key, job.c1.name, &job.vk, err));
    TRY_GOTO(st, out,
             verifier_init(&job.verifier, &job.vk, true, engine->pool, &engine->budget, err));
    engine_stage(engine, "read proof");
    TRY_GOTO(st, out, read_proofs(&job, proof_path, partitions, err));
    engine_stage(engine, "verify");
    st = groth16_verify_batch(&job.verifier, job.proofs, job.statements,
                              partitions.end - partitions.first, &bad, &engine->budget, err);
    if (st != CUZK_OK)
        error_prefix(err, st, "%s", proof_path);
out:
    engine_stage_end(engine);
    verify_job_done(&job);
    return st;
}

/* ---- checking ---------------------------------------------------------------------------------
 */

static enum cuzk_status unsatisfied(struct engine *engine, const struct c1 *c1, unsigned k,
                                    uint64_t row, struct cuzk_error *err)
{
    char path[256];

    TRY(porep_row_path(path, sizeof path, &c1->config.shape, row, &engine->budget, err));
    return error_set(err, CUZK_INVALID, "partition %u: row %" PRIu64 " does not hold: %s", k, row,
                     path);
}

static enum cuzk_status check_partitions(struct engine *engine, const struct c1 *c1,
                                         const struct open_circuit *circuit,
                                         struct range partitions, struct packed_witness *witness,
                                         struct cuzk_error *err)
{
    for (unsigned k = partitions.first; k < partitions.end; k++) {
        struct r1cs_check check;

        engine_stage(engine, "partition %u: witness", k);
        packed_witness_clear(witness);
        porep_witness(witness, &circuit->cs, &c1->vanilla, k, engine->pool);
        engine_stage(engine, "  evaluate rows");
        TRY(r1cs_check(&circuit->cs, &witness->values, engine->pool, &check, err));
        if (!check.satisfied)
            return unsatisfied(engine, c1, k, check.first_bad_row, err);
    }
    return CUZK_OK;
}

enum cuzk_status porep_check(struct engine *engine, const struct porep_input *input,
                             struct cuzk_error *err)
{
    struct c1 c1 = {0};
    struct open_circuit circuit = {0};
    struct packed_witness witness = {0};
    struct range partitions;
    enum cuzk_status st;

    TRY_GOTO(st, out, read_input(engine, input, &c1, &partitions, err));
    TRY_GOTO(st, out, circuit_open(&circuit, engine, c1.name, err));
    TRY_GOTO(st, out, packed_witness_new(&witness, &circuit.cs, &engine->budget, err));
    TRY_GOTO(st, out, check_partitions(engine, &c1, &circuit, partitions, &witness, err));
    TRY_GOTO(st, out, check_vanilla(engine, input, &c1, partitions, err));
out:
    engine_stage_end(engine);
    packed_witness_done(&witness);
    circuit_close(&circuit);
    c1_done(&c1);
    return st;
}
