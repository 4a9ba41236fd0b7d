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

/* ---- proving --------------------------------------------------------------------------------- */

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
 *     device           | run 0       | run 1                   | run 2
 *     host     prepare 0 | prepare 1 | prepare 2 | finish 0    | prepare 3 | finish 1
 *
 * The first run, and every one where there is room for one witness only, begins with the making of
 * its witness, and works on what is there of it.
 *
 * A prover that takes batches reads the key as it runs, for the sums over the witness once a batch:
 *
 *     device                 | H of 0 |           | H of 1 | L, A, B1, B2 of both |
 *     host         prepare 0 |        | prepare 1 |        |                      | finish 0, 1
 */

struct prove_job {
    struct engine *engine;
    const struct request *request;
    const struct job_resident *resident;
    const struct job_sink *sink;
    struct prover *prover, *own_prover;
    struct packed_witness witness;
    unsigned in_work;     /* partitions at once */
    struct region inputs; /* of these, as a verifier derives them */
};

struct partition {
    struct prove_job *job;
    unsigned k, slot;
    struct scalar *inputs;
    struct thread thread;
    struct prove_sums sums;
    double begin, end;   /* of the run, */
    enum cuzk_status st; /* and how it went */
    struct cuzk_error err;
    double there;         /* when the first of the witness was put; 0: not yet */
    enum cuzk_status put; /* how putting parts of it went */
    struct cuzk_error put_err;
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
                                               .n_threads = pool_size(engine->pool),
                                               .form = PLAN_STAGED});
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

/* Partitions in work at once: the last, the present, the next, or a batch; or one after the other.
 */
static unsigned in_work(const struct backend *backend, unsigned n_witnesses)
{
    if (!backend->beside_host)
        return 1;
    return n_witnesses > 3 ? n_witnesses : 3;
}

size_t job_inputs_bytes(const struct backend *backend, unsigned n_witnesses, size_t n_inputs)
{
    return region_bytes(in_work(backend, n_witnesses) * n_inputs * sizeof(struct scalar));
}

static enum cuzk_status named(const struct partition *p, enum cuzk_status st,
                              struct cuzk_error *err)
{
    return st == CUZK_OK ? st : error_prefix(err, st, "partition %u", p->k);
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

/* The witness as far as aux n_aux, to the device. */
static enum cuzk_status put_until(struct partition *p, size_t n_aux, struct cuzk_error *err)
{
    TRY(prover_put_part(p->job->prover, p->slot, &p->job->witness.values, n_aux, err));
    if (p->there == 0)
        p->there = clock_seconds();
    return CUZK_OK;
}

/* Part of it is made; after a failure no more is put. */
static void part_made(void *ctx, size_t n_aux)
{
    struct partition *p = ctx;

    if (p->put == CUZK_OK)
        p->put = put_until(p, n_aux, &p->put_err);
}

static enum cuzk_status make_witness(struct partition *p, struct cuzk_error *err)
{
    struct prove_job *job = p->job;
    struct packed_witness *w = &job->witness;

    engine_stage(job->engine, "partition %u: witness", p->k);
    packed_witness_clear(w);
    w->made.f = part_made;
    w->made.ctx = p;
    job->request->kind->witness(job->request, w, &job->resident->circuit.cs, p->k,
                                job->engine->witness_pool);
    if (job->engine->cancel && atomic_load(job->engine->cancel)) /* then it is not whole */
        return error_set(err, CUZK_CANCELLED, "cancelled while the witness was made");
    if (p->put != CUZK_OK && err)
        *err = p->put_err;
    TRY(p->put);
    return check_inputs(p, err);
}

static enum cuzk_status put_rest(struct partition *p, struct cuzk_error *err)
{
    if (p->job->engine->backend->beside_host)
        engine_stage(p->job->engine, "partition %u: put witness", p->k);
    return put_until(p, p->job->witness.values.n_aux, err);
}

/* After prover_put_begin. A run that waits for the witness is told when there will be none. */
static enum cuzk_status prepare(struct partition *p, struct cuzk_error *err)
{
    enum cuzk_status st = make_witness(p, err);

    if (st == CUZK_OK)
        st = put_rest(p, err);
    if (st != CUZK_OK)
        prover_put_fail(p->job->prover, p->slot);
    return named(p, st, err);
}

/* Of a partition in a batch: its chain. */
static void run(void *ctx)
{
    struct partition *p = ctx;
    struct prover *prover = p->job->prover;

    p->begin = clock_seconds();
    if (prover_takes_batches(prover))
        p->st = prover_run_chain(prover, p->slot, &p->sums, &p->err);
    else
        p->st = prover_run(prover, p->slot, &p->sums, &p->err);
    p->end = clock_seconds();
}

/* In which the device had work. */
static double run_seconds(const struct partition *p)
{
    const double begin = p->there > p->begin ? p->there : p->begin;

    return p->end > begin ? p->end - begin : 0; /* it may fail before */
}

static enum cuzk_status finish(struct partition *p, struct cuzk_error *err)
{
    const struct job_resident *resident = p->job->resident;
    const struct statement statement = {p->inputs, p->job->request->n_inputs};
    uint8_t bytes[PARTITION_PROOF_BYTES];
    enum cuzk_status st;
    struct proof proof;

    if (p->job->engine->backend->beside_host)
        engine_stage(p->job->engine, "partition %u: verify", p->k);
    st = prover_finish(p->job->prover, &p->sums,
                       resident->fixed_blinding ? &resident->blinding : NULL, &statement, &proof,
                       err);
    if (st == CUZK_OK) {
        proof_encode(bytes, resident->circuit.cs.curve, &proof);
        st = p->job->sink->f(p->job->sink->ctx, p->k, bytes, err);
    }
    return named(p, st, err);
}

/* What a run came to. */
static enum cuzk_status ended(const struct partition *p, struct cuzk_error *err)
{
    if (p->st != CUZK_OK && err)
        *err = p->err;
    return named(p, p->st, err);
}

/* What the host does while a partition runs: its own witness, if it has none yet, the next
 * partition and the last one (NULL: none). */
struct beside {
    struct partition *fed, *next, *last;
};

static enum cuzk_status work_beside(const struct beside *work, struct cuzk_error *err)
{
    if (work->fed)
        TRY(prepare(work->fed, err));
    if (work->next) {
        prover_put_begin(work->next->job->prover, work->next->slot);
        TRY(prepare(work->next, err));
    }
    return work->last ? finish(work->last, err) : CUZK_OK;
}

static enum cuzk_status run_beside(struct partition *now, const struct beside *work,
                                   struct cuzk_error *err)
{
    struct engine *engine = now->job->engine;
    enum cuzk_status st;

    if (work->fed)
        prover_put_begin(now->job->prover, now->slot);
    TRY(thread_begin(&now->thread, run, now, err));
    st = work_beside(work, err);
    engine_stage(engine, "partition %u: device", now->k);
    thread_end(&now->thread);
    engine->device_seconds += run_seconds(now);
    return st == CUZK_OK ? ended(now, err) : st;
}

/* Room for one witness: the run begins with it. */
static enum cuzk_status run_by_itself(struct partition *now, struct cuzk_error *err)
{
    TRY(run_beside(now, &(struct beside){.fed = now}, err));
    return finish(now, err);
}

static enum cuzk_status prepare_and_run(struct partition *now, struct cuzk_error *err)
{
    struct engine *engine = now->job->engine;

    prover_put_begin(now->job->prover, now->slot);
    TRY(prepare(now, err));
    if (engine->backend->beside_host)
        engine_stage(engine, "partition %u: device", now->k);
    run(now);
    if (engine->backend->beside_host)
        engine->device_seconds += run_seconds(now);
    return ended(now, err);
}

/* The staged form: the witness must stay where it is until the run is over. */
static enum cuzk_status run_staged(struct partition *now, struct cuzk_error *err)
{
    TRY(prepare_and_run(now, err));
    return finish(now, err);
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
        .inputs = inputs + i % job->in_work * job->request->n_inputs,
    };
}

/* The sums that are made for all of a batch. */
static enum cuzk_status run_classes(struct partition *p, unsigned n, struct cuzk_error *err)
{
    struct engine *engine = p->job->engine;
    struct prove_sums sums[PLAN_WITNESSES_MAX];
    const double begin = clock_seconds();
    enum cuzk_status st;

    engine_stage(engine, "partitions %u to %u: device", p[0].k, p[n - 1].k);
    for (unsigned i = 0; i < n; i++)
        sums[i] = p[i].sums;
    st = prover_run_classes(p->job->prover, n, sums, err);
    for (unsigned i = 0; i < n; i++)
        p[i].sums = sums[i];
    engine->device_seconds += clock_seconds() - begin;
    mem_wipe(sums, sizeof sums);
    return st;
}

static enum cuzk_status prove_batch(struct partition *p, unsigned n, struct cuzk_error *err)
{
    for (unsigned i = 0; i < n; i++)
        TRY(prepare_and_run(&p[i], err));
    TRY(run_classes(p, n, err));
    for (unsigned i = 0; i < n; i++)
        TRY(finish(&p[i], err));
    return CUZK_OK;
}

/* The streamed form: as many at a time as have room. */
static enum cuzk_status prove_in_batches(struct prove_job *job, struct cuzk_error *err)
{
    const unsigned n_slots = prover_slots(job->prover), end = job->request->end;
    struct partition p[PLAN_WITNESSES_MAX];
    unsigned k = next_wanted(job, job->request->first);
    enum cuzk_status st = CUZK_OK;

    while (st == CUZK_OK && k < end) {
        unsigned n = 0;

        for (; n < n_slots && k < end; n++, k = next_wanted(job, k + 1))
            p[n] = partition_of(job, n, k);
        st = prove_batch(p, n, err);
    }
    mem_wipe(p, sizeof p);
    return st;
}

static enum cuzk_status prove_in_turn(struct prove_job *job, struct cuzk_error *err)
{
    const bool kept = prover_takes_parts(job->prover), beside = prover_slots(job->prover) > 1;
    const unsigned end = job->request->end;
    struct partition p[3] = {{0}}; /* number i is p[i % 3]: the last, the present, the next */
    unsigned k = next_wanted(job, job->request->first), i = 0;
    enum cuzk_status st = CUZK_OK;

    if (k == end)
        return CUZK_OK;
    p[0] = partition_of(job, 0, k);
    for (; st == CUZK_OK && k < end; i++) {
        struct partition *now = &p[i % 3], *next = &p[(i + 1) % 3];

        k = next_wanted(job, now->k + 1);
        *next = partition_of(job, i + 1, k);
        if (beside)
            st = run_beside(now,
                            &(struct beside){.fed = i ? NULL : now,
                                             .next = k < end ? next : NULL,
                                             .last = i ? &p[(i + 2) % 3] : NULL},
                            err);
        else
            st = kept ? run_by_itself(now, err) : run_staged(now, err);
    }
    if (st == CUZK_OK && beside)
        st = finish(&p[(i + 2) % 3], err);
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
    const unsigned n_slots = job.prover ? prover_slots(job.prover) : 1;
    enum cuzk_status st;

    job.in_work = in_work(engine->backend, n_slots);
    TRY_GOTO(st, out,
             region_map(&job.inputs, &engine->budget, MEM_REQUEST,
                        job_inputs_bytes(engine->backend, n_slots, request->n_inputs), err));
    TRY_GOTO(st, out, check_plan(&job, err));
    TRY_GOTO(st, out,
             packed_witness_new(&job.witness, &resident->circuit.cs, &engine->budget, err));
    if (!job.prover) {
        TRY_GOTO(st, out, open_prover(&job.own_prover, engine, resident, err));
        job.prover = job.own_prover;
    }
    st = prover_takes_batches(job.prover) ? prove_in_batches(&job, err) : prove_in_turn(&job, err);
out:
    engine_stage_end(engine);
    prover_close(job.own_prover);
    region_unmap(&job.inputs);
    packed_witness_done(&job.witness);
    return st;
}

/* ---- a whole proof --------------------------------------------------------------------------- */

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

/* ---- verifying ------------------------------------------------------------------------------- */

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

static enum cuzk_status read_proofs(struct verify_job *job, const char *path, struct engine *engine,
                                    struct cuzk_error *err)
{
    const struct request *request = &job->request;
    size_t n = request->end - request->first, n_inputs = request->n_inputs, bad = n;
    struct scalar *inputs;
    enum cuzk_status st;

    TRY(file_map(&job->file, path, err));
    if (job->file.bytes != n * PARTITION_PROOF_BYTES)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: expected %zu bytes (%zu partitions of %d), found %zu", path,
                         n * PARTITION_PROOF_BYTES, n, (int)PARTITION_PROOF_BYTES, job->file.bytes);
    job->proofs = mem_new(n * sizeof *job->proofs);
    job->statements = mem_new(n * sizeof *job->statements);
    if (!job->proofs || !job->statements)
        return error_set(err, CUZK_NO_MEMORY, "no memory for %zu proofs", n);
    st = proofs_decode(job->proofs, &curve_bls12_381, job->file.data, n, path, &bad, engine->pool,
                       err);
    if (bad < n)
        return error_prefix(err, CUZK_INVALID, "partition %zu", request->first + bad);
    if (st != CUZK_OK)
        return st;
    TRY(region_map(&job->inputs, &engine->budget, MEM_REQUEST, n * n_inputs * sizeof *inputs, err));
    inputs = (struct scalar *)(void *)job->inputs.base;
    for (size_t i = 0; i < n; i++, inputs += n_inputs) {
        request->kind->public_inputs(request, inputs, request->first + (unsigned)i);
        job->statements[i] = (struct statement){.inputs = inputs, .n = n_inputs};
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
    TRY_GOTO(st, out, read_proofs(&job, proof_path, engine, err));
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

/* ---- checking -------------------------------------------------------------------------------- */

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
    TRY_GOTO(st, out, request_check_deep(&request, engine, err));
out:
    engine_stage_end(engine);
    packed_witness_done(&witness);
    circuit_close(&circuit);
    request_done(&request);
    return st;
}
