/* Groth16 of a dense circuit on two threads: the chain x <- x^2 + 5 of 2^16 - 4 steps with one
 * public value, its end, in which every variable is a full-sized number. A time is that of one
 * proof: its witness made, proven, verified; the key, from a trapdoor, lies in memory. Every proof
 * must be the one that the trapdoor gives by itself, byte for byte.
 *
 * Published, the same circuit, two threads of an idle Zen 4: gnark 1.66 s (BLS12-381) and 1.00 s
 * (BN254), ark-groth16 2.90 s, bellperson 3.20 s. The smoke run has 2^8. */
#include "bench.h"

#include "format/bellperson.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/trapdoor_proof.h"
#include "r1cs/recorder.h"

enum { N_PUBLIC = 1 };
static const struct scalar five = {{5}}, seed = {{3, 1, 4, 1}};

struct chain {
    const struct curve *curve;
    struct pool *pool;
    size_t n_steps;
    struct r1cs cs;
    struct qap qap;
    struct trapdoor trapdoor;
    struct blinding blinding;
    struct proving_key key;
    struct region points[KEY_N_QUERIES]; /* of the key, plain */
    size_t n_points[KEY_N_QUERIES];      /* so far */
    struct region inputs, full, bits;    /* of the witness */
    struct witness witness;
    struct proof expected;
};

/* ---- the circuit ----------------------------------------------------------------------------- */

static void record(struct chain *c)
{
    struct recorder *rec;
    struct cuzk_error err;
    uint32_t minus_five;
    struct scalar value = {{0}};
    var_t end, x;

    c->curve->fr_sub(&value, &value, &five);
    bench_must(recorder_new(&rec, c->curve, NULL, &err), &err);
    minus_five = recorder_coef(rec, &value);
    end = recorder_input(rec);
    x = recorder_aux(rec, false);
    for (size_t i = 0; i < c->n_steps; i++) {
        const var_t next = i + 1 < c->n_steps ? recorder_aux(rec, false) : end;
        const struct term square = {x, COEF_ONE};
        const struct term aux_first[2] = {{next, COEF_ONE}, {VAR_ONE, minus_five}};
        const struct term one_first[2] = {{VAR_ONE, minus_five}, {next, COEF_ONE}};

        recorder_row(rec, &square, 1, &square, 1, next == end ? one_first : aux_first, 2);
        x = next;
    }
    bench_must(recorder_finish(rec, &c->cs, &err), &err);
    recorder_free(rec);
    bench_must(qap_init(&c->qap, &c->cs, NULL, &err), &err);
}

static void witness_new(struct chain *c)
{
    const size_t bytes = c->curve->fr_bytes;
    struct cuzk_error err;

    bench_must(region_map(&c->inputs, NULL, MEM_WITNESS, (1 + N_PUBLIC) * bytes, &err), &err);
    bench_must(region_map(&c->full, NULL, MEM_WITNESS, c->n_steps * bytes, &err), &err);
    bench_must(region_map(&c->bits, NULL, MEM_WITNESS, witness_map_words(c->n_steps) * 8, &err),
               &err);
    c->witness = (struct witness){.n_inputs = 1 + N_PUBLIC,
                                  .n_aux = c->n_steps,
                                  .n_full = c->n_steps,
                                  .fr_bytes = bytes,
                                  .inputs = (const uint64_t *)(void *)c->inputs.base,
                                  .full_map = c->cs.full_map,
                                  .full_rank = c->cs.full_rank,
                                  .bits = (const uint64_t *)(void *)c->bits.base,
                                  .full = (const uint64_t *)(void *)c->full.base};
}

static void solve(struct chain *c)
{
    const size_t bytes = c->curve->fr_bytes;
    const struct scalar one = {{1}};
    struct scalar x = seed;

    for (size_t i = 0; i < c->n_steps; i++) {
        memcpy(c->full.base + i * bytes, &x, bytes);
        c->curve->fr_mul(&x, &x, &x);
        c->curve->fr_add(&x, &x, &five);
    }
    memcpy(c->inputs.base, &one, bytes);
    memcpy(c->inputs.base + bytes, &x, bytes);
}

/* ---- its key, in memory ---------------------------------------------------------------------- */

static enum cuzk_status keep_verifying_key(void *ctx, const struct verifying_key *vk,
                                           struct cuzk_error *err)
{
    struct verifying_key *kept = &((struct chain *)ctx)->key.vk;
    struct region ic;

    TRY(verifying_key_init(kept, vk->curve, vk->n_inputs, NULL, err));
    ic = kept->ic;
    *kept = *vk;
    kept->ic = ic;
    memcpy(kept->ic.base, vk->ic.base, vk->n_inputs * vk->curve->g1_bytes);
    return CUZK_OK;
}

static size_t point_bytes(const struct chain *c, enum key_query query)
{
    return key_query_group(query) == ELEMENT_G2 ? c->curve->g2_bytes : c->curve->g1_bytes;
}

static enum cuzk_status open_query(void *ctx, enum key_query query, size_t n,
                                   struct cuzk_error *err)
{
    struct chain *c = ctx;

    TRY(region_map(&c->points[query], NULL, MEM_KEY, n * point_bytes(c, query), err));
    c->key.query[query] = (struct points_view){POINTS_PLAIN, c->points[query].base, n};
    return CUZK_OK;
}

static enum cuzk_status keep_points(void *ctx, enum key_query query, void *plain, size_t n,
                                    struct cuzk_error *err)
{
    struct chain *c = ctx;
    const size_t bytes = point_bytes(c, query);

    (void)err;
    memcpy(c->points[query].base + c->n_points[query] * bytes, plain, n * bytes);
    c->n_points[query] += n;
    return CUZK_OK;
}

static void make_key(struct chain *c)
{
    const uint64_t generator = c->curve->fr_generator.w[0];
    const struct setup_options options = {.backend = backend_find("auto"),
                                          .pool = c->pool,
                                          .domain_generator = generator,
                                          .h_basis = H_POWERS};
    const struct key_sink sink = {
        .ctx = c, .verifying_key = keep_verifying_key, .query = open_query, .points = keep_points};
    struct cuzk_error err;

    bench_must(trapdoor_from_label(&c->trapdoor, c->curve, "dense chain", &err), &err);
    bench_must(blinding_from_label(&c->blinding, c->curve, "dense chain", &err), &err);
    c->key.h_basis = H_POWERS;
    c->key.domain_generator = generator;
    bench_must(groth16_setup(&c->qap, &c->trapdoor, &options, &sink, &err), &err);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static struct prove_options options_of(const struct chain *c)
{
    return (struct prove_options){.backend = backend_find("auto"), .pool = c->pool, .lone = true};
}

static void expect_proof(struct chain *c)
{
    const struct prove_options options = options_of(c);
    struct cuzk_error err;

    solve(c);
    bench_must(trapdoor_prove(&c->qap, &c->trapdoor, c->key.domain_generator, &c->witness,
                              &c->blinding, &options, &c->expected, &err),
               &err);
}

/* Verified by the prover. */
static void prove(void *ctx)
{
    struct chain *c = ctx;
    const struct prove_options options = options_of(c);
    struct cuzk_error err;
    struct proof proof;

    solve(c);
    bench_must(groth16_prove(&c->key, &c->qap, &c->witness, &c->blinding, &options, &proof, &err),
               &err);
    if (memcmp(&proof.a, &c->expected.a, c->curve->g1_bytes) != 0 ||
        memcmp(&proof.b, &c->expected.b, c->curve->g2_bytes) != 0 ||
        memcmp(&proof.c, &c->expected.c, c->curve->g1_bytes) != 0) {
        fprintf(stderr, "bench_chain: %s: not the proof that the trapdoor gives\n", c->curve->name);
        exit(1);
    }
}

static void chain_new(struct chain *c, const struct curve *curve, unsigned lg_n, struct pool *pool)
{
    *c = (struct chain){.curve = curve, .pool = pool, .n_steps = ((size_t)1 << lg_n) - 4};
    record(c);
    witness_new(c);
    make_key(c);
    expect_proof(c);
}

static void chain_free(struct chain *c)
{
    proving_key_done(&c->key);
    for (int q = 0; q < KEY_N_QUERIES; q++)
        region_unmap(&c->points[q]);
    region_unmap(&c->inputs);
    region_unmap(&c->full);
    region_unmap(&c->bits);
    qap_done(&c->qap);
    r1cs_done(&c->cs);
}

static void bench_chain(const struct curve *curve, const char *title, const char *published,
                        double goal)
{
    struct chain chain;
    struct pool *pool;
    struct cuzk_error err;

    bench_must(pool_new(&pool, 2, &err), &err);
    chain_new(&chain, curve, bench_smoke() ? 8 : 16, pool);
    bench_run(&(struct bench){.title = title,
                              .rounds = 7,
                              .units_per_second = 1e3,
                              .unit = "ms",
                              .ours = prove,
                              .ours_ctx = &chain,
                              .published = published,
                              .goal = goal});
    chain_free(&chain);
    pool_free(pool);
}

int main(void)
{
    bench_chain(&curve_bls12_381, "groth16-chain BLS12-381 - 2^16 2",
                "gnark 1660 ms, bellperson 3200 ms", 450);
    bench_chain(&curve_bn254, "groth16-chain BN254 - 2^16 2", "gnark 1000 ms", 270);
    return 0;
}
