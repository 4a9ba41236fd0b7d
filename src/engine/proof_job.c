#include "engine/proof_job.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "engine/open_key.h"
#include "engine/proof_check.h"
#include "format/bellperson.h"
#include "groth16/prove.h"
#include "groth16/trapdoor.h"

/* ---- proving ----------------------------------------------------------------------------------
 */

static enum cuzk_status open_key(struct job_resident *resident, struct engine *engine,
                                 const struct job_key *choice, struct cuzk_error *err)
{
    const char *folder = choice->folder ? choice->folder : key_folder_default();
    const struct curve *curve = resident->circuit.cs.curve;

    if (choice->seed_label && choice->choice != KEY_ONLY_DEV)
        return error_set(err, CUZK_INTERNAL, "known randomness for an official key");
    TRY(key_open_in_folder(&resident->key, folder, resident->circuit.name, choice->choice, curve,
                           engine, err));
    TRY(proving_key_matches(&resident->key, &resident->circuit.qap, err));
    if (choice->seed_label) {
        TRY(blinding_from_label(&resident->blinding, curve, choice->seed_label, err));
        resident->fixed_blinding = true;
    }
    return CUZK_OK;
}

static void stage_begins(void *ctx, enum prove_stage stage)
{
    if (stage < PROVE_N_STAGES)
        engine_stage(ctx, "  %s", prove_stage_name(stage));
}

struct prove_options job_prove_options(struct engine *engine)
{
    struct prove_options options = {.backend = engine->backend,
                                    .pool = engine->pool,
                                    .budget = &engine->budget,
                                    .device_memory = engine->device_memory,
                                    .cancel = engine->cancel,
                                    .timeline = engine_timeline(engine)};

    if (!engine->backend->beside_host) { /* else its stages are not this thread's */
        options.progress = stage_begins;
        options.progress_ctx = engine;
    }
    return options;
}

static enum cuzk_status open_prover(struct prover **ret, struct engine *engine,
                                    const struct job_resident *resident, struct cuzk_error *err)
{
    const struct prove_options options = job_prove_options(engine);

    return prover_open(ret, &resident->key, &resident->circuit.qap, &options, err);
}

enum cuzk_status job_resident_open(struct job_resident *ret, struct engine *engine,
                                   struct circuit_name name, const struct job_key *key,
                                   struct cuzk_error *err)
{
    enum cuzk_status st;

    *ret = (struct job_resident){0};
    TRY(circuit_open(&ret->circuit, engine, name, err));
    st = open_key(ret, engine, key, err);
    if (st == CUZK_OK && engine->backend->beside_host) {
        engine_stage(engine, "upload key");
        st = open_prover(&ret->prover, engine, ret, err);
    }
    engine_stage_end(engine);
    if (st != CUZK_OK)
        job_resident_close(ret);
    return st;
}

void job_resident_close(struct job_resident *resident)
{
    prover_close(resident->prover);
    proving_key_done(&resident->key);
    circuit_close(&resident->circuit);
    mem_wipe(&resident->blinding, sizeof resident->blinding);
    resident->prover = NULL;
    resident->fixed_blinding = false;
}

/* ---- the partitions of a request --------------------------------------------------------------
 *
 * A partition is prepared (its witness made and put), run (its sums, on the device) and finished
 * (proof, verification, sink). Where the device works beside the host, run has a thread of its own:
 *
 *     device   | run 0       | run 1                   | run 2
 *     host     | prepare 1   | prepare 2 | finish 0    | prepare 3 | finish 1
 */

struct prove_job {
    struct engine *engine;
    const struct request *request;
    const struct job_resident *resident;
    const struct job_sink *sink;
    struct prover *prover, *own_prover;
    struct packed_witness witness;
    struct region inputs; /* of the partitions in work, as a verifier derives them */
};

struct partition {
    struct prove_job *job;
    unsigned k, slot;
    struct scalar *inputs;
    struct thread thread;
    struct prove_sums sums;
    double seconds;      /* that the run took, */
    enum cuzk_status st; /* and its end */
    struct cuzk_error err;
};

/* All that is still to be taken must fit now, not when half of the work is done. */
static enum cuzk_status check_plan(const struct prove_job *job, struct cuzk_error *err)
{
    const struct open_circuit *circuit = &job->resident->circuit;
    struct engine *engine = job->engine;
    struct plan plan = {0};
    size_t need, in_use = atomic_load(&engine->budget.now);

    if (!job->resident->prover)
        plan_prove(&plan, &(struct plan_input){.backend = engine->backend,
                                               .key = &job->resident->key,
                                               .qap = &circuit->qap,
                                               .n_threads = pool_size(engine->pool)});
    need = in_use + packed_witness_bytes(&circuit->cs) + plan.peak_bytes;
    if (need > engine->budget.limit)
        return error_set(
            err, CUZK_NO_MEMORY,
            "this proof takes %zu bytes (%zu in use, %zu for the witness, %zu to prove); "
            "%zu are allowed",
            need, in_use, packed_witness_bytes(&circuit->cs), plan.peak_bytes,
            engine->budget.limit);
    return CUZK_OK;
}

/* Partitions in work at once: the last, the present, the next; or one after the other. */
static unsigned in_work(const struct backend *backend)
{
    return backend->beside_host ? 3 : 1;
}

size_t job_inputs_bytes(const struct backend *backend, size_t n_inputs)
{
    return region_bytes(in_work(backend) * n_inputs * sizeof(struct scalar));
}

/* The statement in our witness must be the one a verifier derives from the public facts. */
static enum cuzk_status check_inputs(const struct partition *p, struct cuzk_error *err)
{
    const struct request *request = p->job->request;

    request->kind->public_inputs(request, p->inputs, p->k);
    if (memcmp(p->inputs, p->job->witness.values.inputs + 4,
               request->n_inputs * sizeof *p->inputs) != 0)
        return error_set(err, CUZK_BAD_INPUT,
                         "the vanilla proofs are not for the challenges of this sector");
    return CUZK_OK;
}

static enum cuzk_status prepare(struct partition *p, struct cuzk_error *err)
{
    struct prove_job *job = p->job;
    struct engine *engine = job->engine;

    engine_stage(engine, "partition %u: witness", p->k);
    packed_witness_clear(&job->witness);
    job->request->kind->witness(job->request, &job->witness, &job->resident->circuit.cs, p->k,
                                engine->witness_pool);
    TRY(check_inputs(p, err));
    if (engine->backend->beside_host)
        engine_stage(engine, "partition %u: put witness", p->k);
    return prover_put(job->prover, p->slot, &job->witness.values, err);
}

static void run(void *ctx)
{
    struct partition *p = ctx;
    const double begin = clock_seconds();

    p->st = prover_run(p->job->prover, p->slot, &p->sums, &p->err);
    p->seconds = clock_seconds() - begin;
}

static enum cuzk_status finish(struct partition *p, struct cuzk_error *err)
{
    const struct job_resident *resident = p->job->resident;
    const struct statement statement = {p->inputs, p->job->request->n_inputs};
    uint8_t bytes[PARTITION_PROOF_BYTES];
    struct proof proof;

    if (p->job->engine->backend->beside_host)
        engine_stage(p->job->engine, "partition %u: verify", p->k);
    TRY(prover_finish(p->job->prover, &p->sums,
                      resident->fixed_blinding ? &resident->blinding : NULL, &statement, &proof,
                      err));
    proof_encode(bytes, resident->circuit.cs.curve, &proof);
    return p->job->sink->f(p->job->sink->ctx, p->k, bytes, err);
}

static enum cuzk_status named(const struct partition *p, enum cuzk_status st,
                              struct cuzk_error *err)
{
    return st == CUZK_OK ? st : error_prefix(err, st, "partition %u", p->k);
}

/* What the host does while `now` runs: the next partition (NULL: none) and the last one. */
static enum cuzk_status work_beside(struct partition *next, struct partition *last,
                                    struct cuzk_error *err)
{
    if (next)
        TRY(named(next, prepare(next, err), err));
    return last ? named(last, finish(last, err), err) : CUZK_OK;
}

static enum cuzk_status run_beside(struct partition *now, struct partition *next,
                                   struct partition *last, struct cuzk_error *err)
{
    enum cuzk_status st;

    TRY(thread_begin(&now->thread, run, now, err));
    st = work_beside(next, last, err);
    engine_stage(now->job->engine, "partition %u: device", now->k);
    thread_end(&now->thread);
    now->job->engine->device_seconds += now->seconds;
    if (st == CUZK_OK && now->st != CUZK_OK) {
        st = now->st;
        if (err)
            *err = now->err;
        named(now, st, err);
    }
    return st;
}

/* A device with room for one witness: it must stay where it is until the run is over. */
static enum cuzk_status run_alone(struct partition *now, struct cuzk_error *err)
{
    struct engine *engine = now->job->engine;

    if (engine->backend->beside_host)
        engine_stage(engine, "partition %u: device", now->k);
    run(now);
    if (engine->backend->beside_host)
        engine->device_seconds += now->seconds;
    if (now->st != CUZK_OK) {
        if (err)
            *err = now->err;
        return named(now, now->st, err);
    }
    return named(now, finish(now, err), err);
}

/* The next wanted partition from k on; the request's end if there is none. */
static unsigned next_wanted(const struct prove_job *job, unsigned k)
{
    while (k < job->request->end && job->sink->skip && job->sink->skip[k - job->request->first])
        k++;
    return k;
}

/* Number i of those that are wanted is partition k. */
static struct partition partition_of(struct prove_job *job, unsigned i, unsigned k)
{
    struct scalar *inputs = (struct scalar *)(void *)job->inputs.base;

    return (struct partition){
        .job = job,
        .k = k,
        .slot = i % prover_slots(job->prover),
        .inputs = inputs + i % in_work(job->engine->backend) * job->request->n_inputs,
    };
}

static enum cuzk_status prove_all(struct prove_job *job, struct cuzk_error *err)
{
    const bool beside = job->engine->backend->beside_host && prover_slots(job->prover) > 1;
    const unsigned end = job->request->end;
    struct partition p[3] = {{0}}; /* number i is p[i % 3]: the last, the present, the next */
    unsigned k = next_wanted(job, job->request->first), i = 0;
    enum cuzk_status st = CUZK_OK;

    if (k == end)
        return CUZK_OK;
    p[0] = partition_of(job, 0, k);
    st = named(p, prepare(p, err), err);
    for (; st == CUZK_OK && k < end; i++) {
        struct partition *now = &p[i % 3], *next = &p[(i + 1) % 3];

        k = next_wanted(job, now->k + 1);
        *next = partition_of(job, i + 1, k);
        if (beside) {
            st = run_beside(now, k < end ? next : NULL, i ? &p[(i + 2) % 3] : NULL, err);
            continue;
        }
        st = run_alone(now, err);
        if (st == CUZK_OK && k < end)
            st = named(next, prepare(next, err), err);
    }
    if (st == CUZK_OK && beside)
        st = named(&p[(i + 2) % 3], finish(&p[(i + 2) % 3], err), err);
    mem_wipe(p, sizeof p);
    return st;
}

enum cuzk_status job_prove_request(struct engine *engine, const struct request *request,
                                   const struct job_resident *resident, const struct job_sink *sink,
                                   struct cuzk_error *err)
{
    struct prove_job job = {.engine = engine,
                            .request = request,
                            .resident = resident,
                            .sink = sink,
                            .prover = resident->prover};
    enum cuzk_status st;

    TRY_GOTO(st, out,
             region_map(&job.inputs, &engine->budget, MEM_REQUEST,
                        job_inputs_bytes(engine->backend, request->n_inputs), err));
    TRY_GOTO(st, out, check_plan(&job, err));
    TRY_GOTO(st, out,
             packed_witness_new(&job.witness, &resident->circuit.cs, &engine->budget, err));
    if (!job.prover) {
        TRY_GOTO(st, out, open_prover(&job.own_prover, engine, resident, err));
        job.prover = job.own_prover;
    }
    st = prove_all(&job, err);
out:
    engine_stage_end(engine);
    prover_close(job.own_prover);
    region_unmap(&job.inputs);
    packed_witness_done(&job.witness);
    return st;
}

/* ---- a whole proof ----------------------------------------------------------------------------
 */

struct collected {
    uint8_t *bytes;
    unsigned first;
};

static enum cuzk_status collect(void *ctx, unsigned k, const uint8_t proof[PARTITION_PROOF_BYTES],
                                struct cuzk_error *err)
{
    struct collected *c = ctx;

    (void)err;
    memcpy(c->bytes + (size_t)(k - c->first) * PARTITION_PROOF_BYTES, proof, PARTITION_PROOF_BYTES);
    return CUZK_OK;
}

static enum cuzk_status prove_checked(struct engine *engine, const struct request *request,
                                      const struct job_key *key, struct job_proof *ret,
                                      struct cuzk_error *err)
{
    const size_t n_bytes = (request->end - request->first) * (size_t)PARTITION_PROOF_BYTES;
    struct job_proof proof = {.bytes = mem_new(n_bytes), .n_bytes = n_bytes};
    struct collected collected = {.bytes = proof.bytes, .first = request->first};
    const struct job_sink sink = {.f = collect, .ctx = &collected};
    struct job_resident resident = {0};
    enum cuzk_status st;

    if (!proof.bytes)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the proof");
    TRY_GOTO(st, out, job_resident_open(&resident, engine, request->name, key, err));
    TRY_GOTO(st, out, job_prove_request(engine, request, &resident, &sink, err));
    *ret = proof;
    proof = (struct job_proof){0};
out:
    job_proof_done(&proof);
    job_resident_close(&resident);
    return st;
}

enum cuzk_status job_prove(struct engine *engine, const struct request_input *input,
                           const struct job_key *key, struct job_proof *ret, struct cuzk_error *err)
{
    struct request request = {0};
    enum cuzk_status st;

    TRY_GOTO(st, out, request_read(&request, input, engine, err));
    TRY_GOTO(st, out, request_check(&request, engine, err));
    TRY_GOTO(st, out, prove_checked(engine, &request, key, ret, err));
out:
    engine_stage_end(engine);
    request_done(&request);
    return st;
}

void job_proof_done(struct job_proof *proof)
{
    mem_free(proof->bytes);
    *proof = (struct job_proof){0};
}

/* ---- verifying --------------------------------------------------------------------------------
 */

struct verify_job {
    struct request request;
    struct proof_checker checker;
    struct file_map file;
    struct proof *proofs;
    struct statement *statements;
    struct region inputs; /* of all partitions */
};

static void verify_job_done(struct verify_job *job)
{
    mem_free(job->proofs);
    mem_free(job->statements);
    region_unmap(&job->inputs);
    file_unmap(&job->file);
    proof_checker_close(&job->checker);
    request_done(&job->request);
}

static enum cuzk_status read_proofs(struct verify_job *job, const char *path, struct budget *budget,
                                    struct cuzk_error *err)
{
    const struct request *request = &job->request;
    size_t n = request->end - request->first, n_inputs = request->n_inputs;
    struct scalar *inputs;

    TRY(file_map(&job->file, path, err));
    if (job->file.bytes != n * PARTITION_PROOF_BYTES)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: expected %zu bytes (%zu partitions of %d), found %zu", path,
                         n * PARTITION_PROOF_BYTES, n, (int)PARTITION_PROOF_BYTES, job->file.bytes);
    job->proofs = mem_new(n * sizeof *job->proofs);
    job->statements = mem_new(n * sizeof *job->statements);
    if (!job->proofs || !job->statements)
        return error_set(err, CUZK_NO_MEMORY, "no memory for %zu proofs", n);
    TRY(region_map(&job->inputs, budget, MEM_REQUEST, n * n_inputs * sizeof *inputs, err));
    inputs = (struct scalar *)(void *)job->inputs.base;
    for (size_t i = 0; i < n; i++, inputs += n_inputs) {
        request->kind->public_inputs(request, inputs, request->first + (unsigned)i);
        job->statements[i] = (struct statement){.inputs = inputs, .n = n_inputs};
        if (proof_decode(&job->proofs[i], &curve_bls12_381,
                         job->file.data + i * PARTITION_PROOF_BYTES, PARTITION_PROOF_BYTES, path,
                         err) != CUZK_OK)
            return error_prefix(err, CUZK_INVALID, "partition %zu", (size_t)request->first + i);
    }
    return CUZK_OK;
}

enum cuzk_status job_verify(struct engine *engine, const struct request_input *input,
                            const struct job_key *key, const char *proof_path,
                            struct cuzk_error *err)
{
    struct verify_job job = {0};
    size_t bad = 0;
    enum cuzk_status st;

    TRY_GOTO(st, out, request_read(&job.request, input, engine, err));
    engine_stage(engine, "open key");
    TRY_GOTO(st, out,
             proof_checker_open(&job.checker, job.request.name, key, engine->pool, &engine->budget,
                                err));
    engine_stage(engine, "read proof");
    TRY_GOTO(st, out, read_proofs(&job, proof_path, &engine->budget, err));
    engine_stage(engine, "verify");
    st = groth16_verify_batch(&job.checker.verifier, job.proofs, job.statements,
                              job.request.end - job.request.first, &bad, &engine->budget, err);
    if (st != CUZK_OK)
        error_prefix(err, st, "%s", proof_path);
out:
    engine_stage_end(engine);
    verify_job_done(&job);
    return st;
}

/* ---- checking ---------------------------------------------------------------------------------
 */

static enum cuzk_status unsatisfied(struct engine *engine, const struct request *request,
                                    unsigned k, uint64_t row, struct cuzk_error *err)
{
    char path[256];

    TRY(request->kind->row_path(request, path, sizeof path, row, &engine->budget, err));
    return error_set(err, CUZK_INVALID, "partition %u: row %" PRIu64 " does not hold: %s", k, row,
                     path);
}

static enum cuzk_status check_partitions(struct engine *engine, const struct request *request,
                                         const struct open_circuit *circuit,
                                         struct packed_witness *witness, struct cuzk_error *err)
{
    for (unsigned k = request->first; k < request->end; k++) {
        struct r1cs_check check;

        engine_stage(engine, "partition %u: witness", k);
        packed_witness_clear(witness);
        request->kind->witness(request, witness, &circuit->cs, k, engine->pool);
        engine_stage(engine, "  evaluate rows");
        TRY(r1cs_check(&circuit->cs, &witness->values, engine->pool, &check, err));
        if (!check.satisfied)
            return unsatisfied(engine, request, k, check.first_bad_row, err);
    }
    return CUZK_OK;
}

enum cuzk_status job_check(struct engine *engine, const struct request_input *input,
                           struct cuzk_error *err)
{
    struct request request = {0};
    struct open_circuit circuit = {0};
    struct packed_witness witness = {0};
    enum cuzk_status st;

    TRY_GOTO(st, out, request_read(&request, input, engine, err));
    TRY_GOTO(st, out, circuit_open(&circuit, engine, request.name, err));
    TRY_GOTO(st, out, packed_witness_new(&witness, &circuit.cs, &engine->budget, err));
    TRY_GOTO(st, out, check_partitions(engine, &request, &circuit, &witness, err));
    TRY_GOTO(st, out, request_check(&request, engine, err));
out:
    engine_stage_end(engine);
    packed_witness_done(&witness);
    circuit_close(&circuit);
    request_done(&request);
    return st;
}
