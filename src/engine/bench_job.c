#include "engine/bench_job.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory_watch.h"
#include "engine/proof_job.h"
#include "engine/sample_request.h"
#include "format/bellperson.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor.h"

/* C folded into L, H on the coset: 4 transforms instead of 6 or 7. */
#define BASIS H_COSET_FOLDED

/* Variables evaluated and points made at once by a device with memory of its own: whole launches
 * for it, and little beside the key. */
#define DEVICE_WINDOW ((size_t)1 << 25)
#define DEVICE_SLICE ((size_t)1 << 21)

struct bench {
    struct engine *engine;
    const struct bench_options *options;
    struct request request;
    struct job_resident resident;
    struct device *device;
    size_t arena_bytes;
    struct stream *stream;
    struct resident_key key;
    enum plan_form form;

    uint8_t *proofs; /* of the partitions, in order */
    double *done;    /* when each was there */
    double began;
};

static void bench_done(struct bench *b)
{
    prover_close(b->resident.prover);
    b->resident.prover = NULL;
    resident_key_done(&b->key);
    if (b->device) {
        b->engine->backend->stream_free(b->stream);
        b->engine->backend->close(b->device);
    }
    job_resident_close(&b->resident);
    request_done(&b->request);
    mem_free(b->proofs);
    mem_free(b->done);
}

/* ---- the device ----------------------------------------------------------------------------- */

static struct prove_options prove_options_of(const struct bench *b)
{
    struct prove_options options = job_prove_options(b->engine);

    options.lone = b->request.end == 1;
    return options;
}

static struct setup_options setup_options_of(struct engine *engine, const struct curve *curve)
{
    const bool beside = engine->backend->beside_host;

    return (struct setup_options){.backend = engine->backend,
                                  .pool = engine->pool,
                                  .budget = &engine->budget,
                                  .domain_generator = curve->fr_generator.w[0],
                                  .h_basis = BASIS,
                                  .window = beside ? DEVICE_WINDOW : 0,
                                  .slice = beside ? DEVICE_SLICE : 0,
                                  .cancel = engine->cancel};
}

/* Arena for the key, and above it what makes it or what proves with it. */
static size_t arena_for(const struct bench *b, enum plan_form form)
{
    const struct qap *qap = &b->resident.circuit.qap;
    const struct setup_options setup = setup_options_of(b->engine, qap->cs->curve);
    const struct prove_options prove = prove_options_of(b);
    const size_t making = setup_resident_bytes(qap, &setup);
    struct plan plan;
    size_t proving;

    prover_resident_plan(&plan, qap, BASIS, form, &prove);
    proving = resident_key_bytes(b->engine->backend, qap, BASIS) + plan.arena_bytes;
    return making > proving ? making : proving;
}

static enum cuzk_status choose_form(struct bench *b, struct cuzk_error *err)
{
    const struct backend *backend = b->engine->backend;
    size_t available;

    b->form = PLAN_STAGED;
    b->arena_bytes = arena_for(b, b->form);
    if (!backend->beside_host)
        return CUZK_OK;
    TRY(engine_device_room(b->engine, &available, err));
    if (b->arena_bytes > available)
        return error_set(
            err, CUZK_NO_MEMORY,
            "the key on the device and a proof take %zu bytes of its memory, %zu may be "
            "taken",
            b->arena_bytes, available);
    for (enum plan_form form = PLAN_OVERLAPPED; form > PLAN_STAGED; form--)
        if (arena_for(b, form) <= available) {
            b->form = form;
            b->arena_bytes = arena_for(b, form);
            break;
        }
    return CUZK_OK;
}

static enum cuzk_status open_device(struct bench *b, struct cuzk_error *err)
{
    struct engine *engine = b->engine;

    engine_stage(engine, "open device");
    TRY(choose_form(b, err));
    TRY(engine->backend->open(&b->device,
                              &(struct device_options){.curve = b->resident.circuit.cs.curve,
                                                       .pool = engine->pool,
                                                       .budget = &engine->budget,
                                                       .arena_bytes = b->arena_bytes,
                                                       .cancel = engine->cancel,
                                                       .timeline = engine_timeline(engine)},
                              err));
    return engine->backend->stream_new(b->device, &b->stream, err);
}

static enum cuzk_status make_key(struct bench *b, struct cuzk_error *err)
{
    const struct qap *qap = &b->resident.circuit.qap;
    const struct curve *curve = qap->cs->curve;
    const struct setup_options options = setup_options_of(b->engine, curve);
    struct trapdoor trapdoor;
    char label[32];
    enum cuzk_status st;

    engine_stage(b->engine, "development key");
    snprintf(label, sizeof label, "bench-%llu", (unsigned long long)b->options->seed);
    TRY_GOTO(st, out, trapdoor_from_label(&trapdoor, curve, label, err));
    st = groth16_setup_resident(qap, &trapdoor, &options, b->device, b->stream, &b->key, err);
out:
    mem_wipe(&trapdoor, sizeof trapdoor);
    return st;
}

static enum cuzk_status open_prover(struct bench *b, struct cuzk_error *err)
{
    const struct prove_options options = prove_options_of(b);

    engine_stage(b->engine, "open prover");
    return prover_open_resident(&b->resident.prover, &b->key, b->device, b->form,
                                &b->resident.circuit.qap, &options, err);
}

/* ---- the proofs ----------------------------------------------------------------------------- */

static enum cuzk_status take_proof(void *ctx, unsigned k,
                                   const uint8_t proof[PARTITION_PROOF_BYTES],
                                   struct cuzk_error *err)
{
    struct bench *b = ctx;

    (void)err;
    memcpy(b->proofs + (size_t)k * PARTITION_PROOF_BYTES, proof, PARTITION_PROOF_BYTES);
    b->done[k] = clock_seconds();
    return CUZK_OK;
}

static enum cuzk_status prove(struct bench *b, struct cuzk_error *err)
{
    const struct job_sink sink = {.f = take_proof, .ctx = b};

    b->proofs = mem_new(b->request.end * (size_t)PARTITION_PROOF_BYTES);
    b->done = mem_new(b->request.end * sizeof *b->done);
    if (!b->proofs || !b->done)
        return error_set(err, CUZK_NO_MEMORY, "no memory for %u proofs", b->request.end);
    b->began = clock_seconds();
    return job_prove_request(b->engine, &b->request, &b->resident, &sink, err);
}

/* From the bytes, as somebody else would. */
static enum cuzk_status verify(struct bench *b, struct verifier *verifier, struct scalar *inputs,
                               struct cuzk_error *err)
{
    const struct statement statement = {inputs, b->request.n_inputs};
    char name[32];

    for (unsigned k = 0; k < b->request.end; k++) {
        struct proof proof;
        enum cuzk_status st;

        snprintf(name, sizeof name, "partition %u", k);
        TRY(proof_decode(&proof, b->key.vk.curve, b->proofs + (size_t)k * PARTITION_PROOF_BYTES,
                         PARTITION_PROOF_BYTES, name, err));
        b->request.kind->public_inputs(&b->request, inputs, k);
        st = groth16_verify(verifier, &proof, &statement, err);
        if (st != CUZK_OK)
            return error_prefix(err, st, "%s", name);
    }
    return CUZK_OK;
}

static enum cuzk_status verify_all(struct bench *b, struct cuzk_error *err)
{
    struct engine *engine = b->engine;
    struct verifier verifier;
    struct region inputs;
    enum cuzk_status st;

    engine_stage(engine, "verify all");
    TRY(verifier_init(&verifier, &b->key.vk, false, engine->pool, &engine->budget, err));
    st = region_map(&inputs, &engine->budget, MEM_REQUEST,
                    b->request.n_inputs * sizeof(struct scalar), err);
    if (st == CUZK_OK)
        st = verify(b, &verifier, (struct scalar *)(void *)inputs.base, err);
    region_unmap(&inputs);
    verifier_done(&verifier);
    engine_stage_end(engine);
    return st;
}

static enum cuzk_status run(struct bench *b, struct cuzk_error *err)
{
    const struct bench_options *o = b->options;
    struct engine *engine = b->engine;

    if (!engine->backend->fixed_base_new || !engine->backend->spmv_transposed)
        return error_set(err, CUZK_USAGE, "back end %s makes no keys: use cpu",
                         engine->backend->name);
    TRY(request_sample(&b->request, o->name, o->seed, o->partitions, engine, err));
    TRY(circuit_open(&b->resident.circuit, engine, o->name, err));
    TRY(open_device(b, err));
    TRY(make_key(b, err));
    TRY(open_prover(b, err));
    TRY(prove(b, err));
    return verify_all(b, err);
}

/* ---- the report ----------------------------------------------------------------------------- */

static double seconds_of(const struct engine *engine, const char *stage)
{
    for (size_t i = 0; i < engine->n_stages; i++)
        if (strcmp(engine->stages[i].name, stage) == 0)
            return engine->stages[i].end - engine->stages[i].begin;
    return 0.0;
}

static void report_seconds(const struct bench *b, struct report *report)
{
    static const struct {
        const char *key, *stage;
    } stages[] = {{"sample", "make sample"},
                  {"circuit", "record circuit"},
                  {"key", "development key"},
                  {"prover", "open prover"}};
    const unsigned n = b->request.end;

    report_object(report, "seconds");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        report_real(report, stages[i].key, seconds_of(b->engine, stages[i].stage));
    report_real(report, "proofs", b->done[n - 1] - b->began);
    report_list(report, "from_proof_to_proof");
    for (unsigned k = 0; k < n; k++)
        report_real(report, NULL, b->done[k] - (k ? b->done[k - 1] : b->began));
    report_end(report);
    report_end(report);
}

static void report_bytes(const struct bench *b, size_t anonymous, struct report *report)
{
    struct budget *budget = &b->engine->budget;
    size_t highest = 0;

    report_object(report, "bytes");
    for (enum mem_class class = MEM_KEY; class < MEM_N_CLASSES; class ++)
        report_number(report, mem_class_name(class), atomic_load(&budget->class_peak[class]));
    for (size_t i = 0; i < b->engine->n_stages; i++)
        if (b->engine->stages[i].bytes > highest)
            highest = b->engine->stages[i].bytes;
    report_number(report, "budget", highest);
    report_number(report, "anonymous_sampled", anonymous);
    if (b->engine->backend->beside_host)
        report_number(report, "device", b->arena_bytes);
    report_end(report);
}

static void report_bench(const struct bench *b, size_t anonymous, struct report *report)
{
    static const char *const forms[] = {[PLAN_STREAMED] = "streamed",
                                        [PLAN_STAGED] = "staged",
                                        [PLAN_RESIDENT] = "resident",
                                        [PLAN_OVERLAPPED] = "overlapped"};
    char text[CIRCUIT_TEXT_MAX];
    struct device_info info;

    circuit_name_print(text, b->options->name);
    b->engine->backend->info(b->device, &info);
    report_text(report, "circuit", "%s", text);
    report_text(report, "backend", "%s", b->engine->backend->name);
    report_text(report, "device", "%s", info.name);
    report_text(report, "prover", "%s", forms[b->form]);
    report_number(report, "threads", pool_size(b->engine->pool));
    report_number(report, "partitions_verified", b->request.end);
    report_seconds(b, report);
    report_bytes(b, anonymous, report);
}

enum cuzk_status bench_job_run(struct engine *engine, const struct bench_options *options,
                               struct report *report, struct cuzk_error *err)
{
    struct bench b = {.engine = engine, .options = options};
    struct memory_watch watch;
    size_t anonymous;
    enum cuzk_status st;

    TRY(memory_watch_begin(&watch, err));
    st = run(&b, err);
    anonymous = memory_watch_end(&watch);
    if (st == CUZK_OK)
        report_bench(&b, anonymous, report);
    engine_stage_end(engine);
    bench_done(&b);
    return st;
}
