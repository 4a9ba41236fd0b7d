/* include/cuzk/cuzk.h over the engine: contexts, circuits made row by row, keys, proofs. */
#include "cuzk/cuzk.h"

#include <string.h>

#include "base/reader.h"
#include "engine/engine.h"
#include "engine/key_prepare.h"
#include "engine/open_key.h"
#include "engine/version.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor.h"
#include "groth16/verify.h"
#include "r1cs/recorder.h"

_Static_assert(CUZK_ONE == VAR_ONE, "the public number of ONE is the recorder's");

struct cuzk_context {
    struct engine engine;
    atomic_bool cancel;
    cuzk_progress_fn *progress;
    void *progress_user;
};

struct cuzk_circuit {
    struct cuzk_context *ctx;
    const struct curve *curve;
    struct recorder *recorder; /* until it is finished */
    struct r1cs cs;            /* afterwards */
    struct qap qap;
    const char *failure; /* of a row, for cuzk_circuit_finish */
    enum cuzk_status failed;
};

struct cuzk_key {
    struct proving_key key;
};

struct cuzk_verifying_key {
    struct verifying_key vk;
    struct verifier verifier;
};

const char *cuzk_version(void)
{
    return CUZK_VERSION;
}

/* Toy curves are for tests of the tree, not for users. */
static enum cuzk_status find_curve(const struct curve **ret, const char *name,
                                   struct cuzk_error *err)
{
    const struct curve *curve = curve_find(name);

    if (!curve || curve->fr_bytes != CUZK_VALUE_BYTES)
        return error_set(err, CUZK_USAGE, "no curve '%s': bls12_381 and bn254 are there", name);
    *ret = curve;
    return CUZK_OK;
}

/* An object, or the sentence that there is no memory for it. */
static enum cuzk_status new_object(void *ret, size_t bytes, struct cuzk_error *err)
{
    void *object = mem_new(bytes);

    if (!object)
        return error_set(err, CUZK_NO_MEMORY, "no memory for an object of %zu bytes", bytes);
    memcpy(ret, &object, sizeof object);
    return CUZK_OK;
}

/* ---- contexts -------------------------------------------------------------------------------- */

enum cuzk_status cuzk_context_new(struct cuzk_context **ret, const struct cuzk_options *options,
                                  struct cuzk_error *err)
{
    const struct cuzk_options none = {0};
    struct cuzk_context *ctx;
    enum cuzk_status st;

    if (!options)
        options = &none;
    TRY(new_object(&ctx, sizeof *ctx, err));
    atomic_init(&ctx->cancel, false);
    ctx->progress = options->progress;
    ctx->progress_user = options->progress_user;
    st = engine_open(&ctx->engine,
                     &(struct engine_options){.backend = options->backend,
                                              .threads = options->threads,
                                              .memory = options->memory,
                                              .cancel = &ctx->cancel},
                     err);
    if (st == CUZK_OK)
        *ret = ctx;
    else
        cuzk_context_free(ctx);
    return st;
}

void cuzk_context_free(struct cuzk_context *ctx)
{
    if (ctx)
        engine_close(&ctx->engine);
    mem_free(ctx);
}

void cuzk_cancel(struct cuzk_context *ctx)
{
    atomic_store(&ctx->cancel, true);
}

void cuzk_resume(struct cuzk_context *ctx)
{
    atomic_store(&ctx->cancel, false);
}

uint64_t cuzk_memory_now(const struct cuzk_context *ctx)
{
    return atomic_load(&ctx->engine.budget.now);
}

uint64_t cuzk_memory_peak(const struct cuzk_context *ctx)
{
    return engine_memory_peak(&ctx->engine);
}

/* ---- circuits -------------------------------------------------------------------------------- */

enum cuzk_status cuzk_circuit_new(struct cuzk_context *ctx, struct cuzk_circuit **ret,
                                  const char *curve, struct cuzk_error *err)
{
    struct cuzk_circuit *circuit;
    enum cuzk_status st;

    TRY(new_object(&circuit, sizeof *circuit, err));
    circuit->ctx = ctx;
    TRY_GOTO(st, fail, find_curve(&circuit->curve, curve, err));
    TRY_GOTO(st, fail, recorder_new(&circuit->recorder, circuit->curve, &ctx->engine.budget, err));
    *ret = circuit;
    return CUZK_OK;
fail:
    cuzk_circuit_free(circuit);
    return st;
}

void cuzk_circuit_free(struct cuzk_circuit *circuit)
{
    if (!circuit)
        return;
    recorder_free(circuit->recorder);
    qap_done(&circuit->qap);
    r1cs_done(&circuit->cs);
    mem_free(circuit);
}

cuzk_variable cuzk_circuit_input(struct cuzk_circuit *circuit)
{
    return circuit->recorder ? recorder_input(circuit->recorder) : CUZK_ONE;
}

cuzk_variable cuzk_circuit_aux(struct cuzk_circuit *circuit, int is_bit)
{
    return circuit->recorder ? recorder_aux(circuit->recorder, is_bit != 0) : CUZK_ONE;
}

static struct scalar load_value(const uint8_t *bytes)
{
    struct scalar value;

    for (int i = 0; i < 4; i++)
        value.w[i] = load_u64_le(bytes + 8 * i);
    return value;
}

static void fail_circuit(struct cuzk_circuit *circuit, enum cuzk_status status, const char *why)
{
    if (!circuit->failure) {
        circuit->failed = status;
        circuit->failure = why;
    }
}

/* Public terms as the recorder wants them; *terms is mem_new's. */
static bool intern_terms(struct cuzk_circuit *circuit, struct term **terms,
                         const struct cuzk_term *in, size_t n)
{
    *terms = mem_new(n * sizeof **terms);
    if (!*terms)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct scalar value = load_value(in[i].coefficient);

        if (!circuit->curve->fr_is_reduced(&value)) {
            fail_circuit(circuit, CUZK_BAD_INPUT,
                         "a coefficient is not below the order of the group");
            value = (struct scalar){{0}};
        }
        (*terms)[i] = (struct term){in[i].variable, recorder_coef(circuit->recorder, &value)};
    }
    return true;
}

void cuzk_circuit_row(struct cuzk_circuit *circuit, const struct cuzk_term *a, size_t n_a,
                      const struct cuzk_term *b, size_t n_b, const struct cuzk_term *c, size_t n_c)
{
    struct term *sides[3] = {NULL, NULL, NULL};

    if (!circuit->recorder)
        return;
    if (intern_terms(circuit, &sides[0], a, n_a) && intern_terms(circuit, &sides[1], b, n_b) &&
        intern_terms(circuit, &sides[2], c, n_c))
        recorder_row(circuit->recorder, sides[0], n_a, sides[1], n_b, sides[2], n_c);
    else
        fail_circuit(circuit, CUZK_NO_MEMORY, "no memory for a row");
    for (int i = 0; i < 3; i++)
        mem_free(sides[i]);
}

enum cuzk_status cuzk_circuit_finish(struct cuzk_circuit *circuit, struct cuzk_error *err)
{
    if (!circuit->recorder)
        return error_set(err, CUZK_USAGE, "the circuit is finished already");
    if (circuit->failure)
        return error_set(err, circuit->failed, "%s", circuit->failure);
    TRY(recorder_finish(circuit->recorder, &circuit->cs, err));
    recorder_free(circuit->recorder);
    circuit->recorder = NULL;
    return qap_init(&circuit->qap, &circuit->cs, &circuit->ctx->engine.budget, err);
}

static enum cuzk_status check_finished(const struct cuzk_circuit *circuit, struct cuzk_error *err)
{
    if (!circuit->qap.cs)
        return error_set(err, CUZK_USAGE, "cuzk_circuit_finish comes first");
    return CUZK_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum cuzk_status cuzk_key_open(struct cuzk_context *ctx, struct cuzk_key **ret, const char *path,
                               const char *curve, struct cuzk_error *err)
{
    const struct curve *found;
    struct cuzk_key *key;
    enum cuzk_status st;

    TRY(find_curve(&found, curve, err));
    TRY(new_object(&key, sizeof *key, err));
    st = key_open(&key->key, path, found, &ctx->engine, err);
    if (st == CUZK_OK)
        *ret = key;
    else
        mem_free(key);
    return st;
}

void cuzk_key_free(struct cuzk_key *key)
{
    if (key)
        proving_key_done(&key->key);
    mem_free(key);
}

enum cuzk_status cuzk_verifying_key_open(struct cuzk_context *ctx, struct cuzk_verifying_key **ret,
                                         const char *path, const char *curve,
                                         struct cuzk_error *err)
{
    struct engine *engine = &ctx->engine;
    const struct curve *found;
    struct cuzk_verifying_key *vk;
    enum cuzk_status st;

    TRY(find_curve(&found, curve, err));
    TRY(new_object(&vk, sizeof *vk, err));
    TRY_GOTO(st, fail, vk_open(&vk->vk, path, found, engine->pool, &engine->budget, err));
    TRY_GOTO(st, fail,
             verifier_init(&vk->verifier, &vk->vk, true, engine->pool, &engine->budget, err));
    *ret = vk;
    return CUZK_OK;
fail:
    cuzk_verifying_key_free(vk);
    return st;
}

void cuzk_verifying_key_free(struct cuzk_verifying_key *vk)
{
    if (!vk)
        return;
    verifier_done(&vk->verifier);
    verifying_key_done(&vk->vk);
    mem_free(vk);
}

size_t cuzk_verifying_key_inputs(const struct cuzk_verifying_key *vk)
{
    return vk->vk.n_inputs - 1;
}

static void tell_query(void *user, enum key_query query, size_t done, size_t total)
{
    struct cuzk_context *ctx = user;

    ctx->progress(ctx->progress_user, key_query_name(query), done, total);
}

enum cuzk_status cuzk_setup_insecure(struct cuzk_context *ctx, const struct cuzk_circuit *circuit,
                                     const char *label, const char *params_path,
                                     const char *vk_path, struct cuzk_error *err)
{
    const struct setup_options options = {.backend = ctx->engine.backend,
                                          .pool = ctx->engine.pool,
                                          .budget = &ctx->engine.budget,
                                          .domain_generator = circuit->curve->fr_generator.w[0],
                                          .cancel = &ctx->cancel,
                                          .progress = ctx->progress ? tell_query : NULL,
                                          .progress_ctx = ctx};
    struct params_writer writer;
    struct trapdoor trapdoor;
    struct key_sink sink;
    enum cuzk_status st;

    TRY(check_finished(circuit, err));
    TRY(params_writer_open(&writer, circuit->curve, params_path, vk_path, ctx->engine.pool, err));
    sink = params_writer_sink(&writer);
    st = trapdoor_from_label(&trapdoor, circuit->curve, label, err);
    if (st == CUZK_OK)
        st = groth16_setup(&circuit->qap, &trapdoor, &options, &sink, err);
    mem_wipe(&trapdoor, sizeof trapdoor);
    if (st == CUZK_OK)
        st = params_writer_commit(&writer, err);
    params_writer_abort(&writer);
    return st;
}

enum cuzk_status cuzk_key_prepare(struct cuzk_context *ctx, const struct cuzk_circuit *circuit,
                                  const char *params_path, const char *prepared_path,
                                  struct cuzk_error *err)
{
    TRY(check_finished(circuit, err));
    return key_prepare_of(&ctx->engine, &circuit->qap, params_path, prepared_path, false,
                          ctx->progress ? tell_query : NULL, ctx, err);
}

/* ---- witnesses ------------------------------------------------------------------------------- */

struct packed {
    struct witness witness;
    struct region region;
};

/* One aux value into its place: a bit, or the next full value. */
static enum cuzk_status pack_value(const struct r1cs *cs, size_t v, const struct scalar *value,
                                   uint64_t *bits, uint64_t **next_full, struct cuzk_error *err)
{
    if (!cs->curve->fr_is_reduced(value))
        return error_set(err, CUZK_BAD_INPUT, "aux %zu is not below the order of the group", v);
    if (witness_bit(cs->full_map, v)) {
        memcpy(*next_full, value, CUZK_VALUE_BYTES);
        *next_full += CUZK_VALUE_BYTES / 8;
        return CUZK_OK;
    }
    if (value->w[0] > 1 || (value->w[1] | value->w[2] | value->w[3]) != 0)
        return error_set(err, CUZK_BAD_INPUT, "aux %zu was promised to be a bit", v);
    bits[v / 64] |= value->w[0] << (v % 64);
    return CUZK_OK;
}

static enum cuzk_status fill_packed(struct packed *packed, const struct r1cs *cs, uint64_t *at,
                                    const uint8_t *inputs, const uint8_t *aux,
                                    struct cuzk_error *err)
{
    uint64_t *in = at, *bits = in + 4 * (size_t)cs->n_inputs;
    uint64_t *full = bits + witness_map_words(cs->n_aux), *next_full = full;

    in[0] = 1;
    for (size_t i = 1; i < cs->n_inputs; i++) {
        const struct scalar value = load_value(inputs + (i - 1) * CUZK_VALUE_BYTES);

        if (!cs->curve->fr_is_reduced(&value))
            return error_set(err, CUZK_BAD_INPUT,
                             "public input %zu is not below the order of the group", i - 1);
        memcpy(in + 4 * i, &value, CUZK_VALUE_BYTES);
    }
    for (size_t v = 0; v < cs->n_aux; v++) {
        const struct scalar value = load_value(aux + v * CUZK_VALUE_BYTES);

        TRY(pack_value(cs, v, &value, bits, &next_full, err));
    }
    packed->witness = (struct witness){.n_inputs = cs->n_inputs,
                                       .n_aux = cs->n_aux,
                                       .n_full = cs->n_full,
                                       .fr_bytes = CUZK_VALUE_BYTES,
                                       .inputs = in,
                                       .full_map = cs->full_map,
                                       .full_rank = cs->full_rank,
                                       .bits = bits,
                                       .full = full};
    return CUZK_OK;
}

static enum cuzk_status pack(struct packed *packed, const struct cuzk_circuit *circuit,
                             const uint8_t *inputs, const uint8_t *aux, struct cuzk_error *err)
{
    const struct r1cs *cs = &circuit->cs;
    const size_t words = 4 * (cs->n_inputs + cs->n_full) + witness_map_words(cs->n_aux);
    enum cuzk_status st;

    TRY(region_map(&packed->region, &circuit->ctx->engine.budget, MEM_WITNESS, 8 * words, err));
    st = fill_packed(packed, cs, (uint64_t *)(void *)packed->region.base, inputs, aux, err);
    if (st != CUZK_OK)
        region_unmap(&packed->region);
    return st;
}

static void packed_done(struct packed *packed)
{
    if (packed->region.base)
        mem_wipe(packed->region.base, packed->region.bytes);
    region_unmap(&packed->region);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

size_t cuzk_proof_bytes(const char *curve)
{
    const struct curve *found;

    return find_curve(&found, curve, NULL) == CUZK_OK ? proof_bytes(found) : 0;
}

static void tell_prove(void *user, enum prove_stage stage)
{
    struct cuzk_context *ctx = user;
    const char *name = stage == PROVE_N_STAGES ? "done" : prove_stage_name(stage);

    ctx->progress(ctx->progress_user, name, (uint64_t)stage, PROVE_N_STAGES);
}

enum cuzk_status cuzk_prove(struct cuzk_context *ctx, const struct cuzk_key *key,
                            const struct cuzk_circuit *circuit, const uint8_t *inputs,
                            const uint8_t *aux, uint8_t *proof, struct cuzk_error *err)
{
    const struct prove_options options = {.backend = ctx->engine.backend,
                                          .pool = ctx->engine.pool,
                                          .budget = &ctx->engine.budget,
                                          .cancel = &ctx->cancel,
                                          .progress = ctx->progress ? tell_prove : NULL,
                                          .progress_ctx = ctx};
    struct packed packed;
    struct proof made;
    enum cuzk_status st;

    TRY(check_finished(circuit, err));
    TRY(pack(&packed, circuit, inputs, aux, err));
    st = groth16_prove(&key->key, &circuit->qap, &packed.witness, NULL, &options, &made, err);
    packed_done(&packed);
    if (st == CUZK_OK)
        proof_encode(proof, circuit->curve, &made);
    return st;
}

enum cuzk_status cuzk_verify(struct cuzk_context *ctx, struct cuzk_verifying_key *vk,
                             const uint8_t *proof, size_t n, const uint8_t *inputs, size_t n_inputs,
                             struct cuzk_error *err)
{
    const struct statement statement = {inputs, n_inputs};
    struct proof decoded;

    (void)ctx;
    TRY(proof_decode(&decoded, vk->vk.curve, proof, n, "proof", err));
    return groth16_verify(&vk->verifier, &decoded, &statement, err);
}

static enum cuzk_status decode_batch(struct proof *proofs, struct statement *statements,
                                     const struct verifier *verifier, size_t n,
                                     const uint8_t *bytes, const uint8_t *inputs, size_t n_inputs,
                                     size_t *ret_bad, struct cuzk_error *err)
{
    size_t bad = n;
    const enum cuzk_status st =
        proofs_decode(proofs, verifier->vk->curve, bytes, n, "proof", &bad, verifier->pool, err);

    if (bad < n) {
        if (ret_bad)
            *ret_bad = bad;
        return error_prefix(err, st, "proof %zu of %zu", bad, n);
    }
    for (size_t j = 0; j < n; j++)
        statements[j] = (struct statement){inputs + j * n_inputs * CUZK_VALUE_BYTES, n_inputs};
    return st;
}

enum cuzk_status cuzk_verify_batch(struct cuzk_context *ctx, struct cuzk_verifying_key *vk,
                                   size_t n, const uint8_t *proofs, const uint8_t *inputs,
                                   size_t n_inputs, size_t *ret_bad, struct cuzk_error *err)
{
    struct budget *budget = &ctx->engine.budget;
    const size_t decoded_bytes = arena_piece(n * sizeof(struct proof));
    struct region room;
    struct proof *decoded;
    struct statement *statements;
    enum cuzk_status st;

    if (n > SIZE_MAX / 4 / sizeof(struct proof))
        return error_set(err, CUZK_USAGE, "%zu proofs", n);
    TRY(region_map(&room, budget, MEM_SCRATCH, decoded_bytes + n * sizeof(struct statement), err));
    decoded = (struct proof *)(void *)room.base;
    statements = (struct statement *)(void *)(room.base + decoded_bytes);
    st =
        decode_batch(decoded, statements, &vk->verifier, n, proofs, inputs, n_inputs, ret_bad, err);
    if (st == CUZK_OK)
        st = groth16_verify_batch(&vk->verifier, decoded, statements, n, ret_bad, budget, err);
    region_unmap(&room);
    return st;
}
