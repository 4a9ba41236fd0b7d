/* Verification of a proof with 40 public inputs, alone, ten and a hundred at a time, and the reading
 * of a hundred from their bytes, on one thread. The peer does what bellperson does with blst: a sum
 * over the ic points, three Miller loops, one final exponentiation, a comparison with e(alpha, beta).
 * Proofs are made from logarithms. Products of Miller values stand beside the portable ones. */
#include "bench.h"

#include "backend/host.h"
#include "base/rng.h"
#include "format/bellperson.h"
#include "groth16/verify.h"

#ifdef CUZK_HAVE_BLST
#include "blst.h"
#endif

#define CURVE (&curve_bls12_381)
enum { N_PUBLIC = 40, N_PROOFS = 100 };

struct work {
    struct verifying_key vk;
    struct verifier verifier;
    struct proof proofs[N_PROOFS];
    struct scalar inputs[N_PROOFS][N_PUBLIC];
    struct statement statements[N_PROOFS];
    uint8_t bytes[N_PROOFS][192];
#ifdef CUZK_HAVE_BLST
    blst_p1_affine ic[N_PUBLIC + 1], a, c;
    blst_p2_affine b, gamma, delta;
    blst_fp12 alpha_beta;
    uint8_t scalars[N_PUBLIC][32];
    limb_t *scratch;
#endif
};

static void check(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}

static struct scalar draw(struct rng *rng)
{
    struct scalar s;
    uint8_t wide[64];

    rng_bytes(rng, wide, sizeof wide);
    CURVE->fr_sample_ct(&s, wide);
    return s;
}

/* Logarithms of a key: everything as multiples of the generators. */
struct key_logs {
    struct scalar alpha, beta, gamma, delta, ic[N_PUBLIC + 1];
};

static void make_key(struct work *w, struct key_logs *k, struct rng *rng)
{
    struct verifying_key *vk = &w->vk;
    struct cuzk_error err;

    check(verifying_key_init(vk, CURVE, N_PUBLIC + 1, NULL, &err), &err);
    *k = (struct key_logs){draw(rng), draw(rng), draw(rng), draw(rng), {{{0}}}};
    CURVE->g1_mul(&vk->alpha_g1, &CURVE->g1_generator, &k->alpha);
    CURVE->g1_mul(&vk->beta_g1, &CURVE->g1_generator, &k->beta);
    CURVE->g1_mul(&vk->delta_g1, &CURVE->g1_generator, &k->delta);
    CURVE->g2_mul(&vk->beta_g2, &CURVE->g2_generator, &k->beta);
    CURVE->g2_mul(&vk->gamma_g2, &CURVE->g2_generator, &k->gamma);
    CURVE->g2_mul(&vk->delta_g2, &CURVE->g2_generator, &k->delta);
    for (size_t i = 0; i <= N_PUBLIC; i++) {
        struct g1_point point;

        k->ic[i] = draw(rng);
        CURVE->g1_mul(&point, &CURVE->g1_generator, &k->ic[i]);
        verifying_key_set_ic(vk, i, &point);
    }
    check(verifier_init(&w->verifier, vk, true, NULL, NULL, &err), &err);
}

/* c = (a b - alpha beta - ic gamma) / delta */
static void make_proof(struct work *w, size_t j, const struct key_logs *k, struct rng *rng)
{
    struct scalar a = draw(rng), b = draw(rng), ic = k->ic[0], c, t;

    for (size_t i = 0; i < N_PUBLIC; i++) {
        w->inputs[j][i] = draw(rng);
        CURVE->fr_mul(&t, &w->inputs[j][i], &k->ic[i + 1]);
        CURVE->fr_add(&ic, &ic, &t);
    }
    w->statements[j] = (struct statement){w->inputs[j], N_PUBLIC};
    CURVE->fr_mul(&c, &a, &b);
    CURVE->fr_mul(&t, &k->alpha, &k->beta);
    CURVE->fr_sub(&c, &c, &t);
    CURVE->fr_mul(&t, &ic, &k->gamma);
    CURVE->fr_sub(&c, &c, &t);
    CURVE->fr_inv(&t, &k->delta);
    CURVE->fr_mul(&c, &c, &t);
    CURVE->g1_mul(&w->proofs[j].a, &CURVE->g1_generator, &a);
    CURVE->g2_mul(&w->proofs[j].b, &CURVE->g2_generator, &b);
    CURVE->g1_mul(&w->proofs[j].c, &CURVE->g1_generator, &c);
}

static void ours_single(void *ctx)
{
    struct work *w = ctx;
    struct cuzk_error err;

    check(groth16_verify(&w->verifier, &w->proofs[0], &w->statements[0], &err), &err);
}

static void verify_batch(struct work *w, size_t n)
{
    struct cuzk_error err;

    check(groth16_verify_batch(&w->verifier, w->proofs, w->statements, n, NULL, NULL, &err), &err);
}

static void ours_ten(void *ctx)
{
    verify_batch(ctx, 10);
}

static void ours_hundred(void *ctx)
{
    verify_batch(ctx, 100);
}

/* ---- Miller values -------------------------------------------------------------------------- */

struct loops {
    const struct curve *curve;
    struct g1_point p[N_PROOFS];
    struct g2_point q[N_PROOFS];
    size_t n;
    void *value;
};

static void ours_loops(void *ctx)
{
    const struct loops *l = ctx;

    host_curve(l->curve)->pairing_value(l->value,
                                        &(struct pairing_product){.p = l->p, .q = l->q, .n = l->n});
}

static void portable_loops(void *ctx)
{
    const struct loops *l = ctx;

    l->curve->pairing_value(l->value, &(struct pairing_product){.p = l->p, .q = l->q, .n = l->n});
}

static void run_loops(const struct curve *curve, const char *name)
{
    static const size_t counts[] = {2, 3, 4, 8, 13, 64};
    static struct loops l;

    l.curve = curve;
    l.value = bench_memory(curve->pairing_value_bytes());
    l.p[0] = curve->g1_generator;
    l.q[0] = curve->g2_generator;
    for (size_t i = 1; i < N_PROOFS; i++) {
        curve->g1_add(&l.p[i], &l.p[i - 1], &l.p[0]);
        curve->g2_add(&l.q[i], &l.q[i - 1], &l.q[0]);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char title[64];

        l.n = counts[i];
        snprintf(title, sizeof title, "miller-loops %s - %zu 1", name, l.n);
        bench_run(&(struct bench){.title = title,
                                  .rounds = 21,
                                  .units_per_second = 1e6,
                                  .unit = "us",
                                  .ours = ours_loops,
                                  .ours_ctx = &l,
                                  .peer = "portable",
                                  .peer_fn = portable_loops,
                                  .peer_ctx = &l});
    }
    free(l.value);
}

static void ours_decode(void *ctx)
{
    struct work *w = ctx;
    struct proof proofs[N_PROOFS];
    struct cuzk_error err;

    check(proofs_decode(proofs, CURVE, w->bytes, N_PROOFS, "proof", NULL, NULL, &err), &err);
}

/* ---- the peer ------------------------------------------------------------------------------- */

#ifdef CUZK_HAVE_BLST
static void to_blst_g1(blst_p1_affine *out, const struct g1_point *point)
{
    uint8_t bytes[96];

    CURVE->g1_encode(bytes, point, false);
    if (blst_p1_deserialize(out, bytes) != BLST_SUCCESS)
        exit(1);
}

static void to_blst_g2(blst_p2_affine *out, const struct g2_point *point)
{
    uint8_t bytes[192];

    CURVE->g2_encode(bytes, point, false);
    if (blst_p2_deserialize(out, bytes) != BLST_SUCCESS)
        exit(1);
}

static void peer_new(struct work *w)
{
    blst_p1_affine alpha;
    blst_p2_affine beta;

    for (size_t i = 0; i <= N_PUBLIC; i++) {
        struct g1_point point;

        verifying_key_get_ic(&w->vk, i, &point);
        to_blst_g1(&w->ic[i], &point);
    }
    for (size_t i = 0; i < N_PUBLIC; i++)
        memcpy(w->scalars[i], &w->inputs[0][i], 32);
    to_blst_g1(&alpha, &w->vk.alpha_g1);
    to_blst_g2(&beta, &w->vk.beta_g2);
    to_blst_g2(&w->gamma, &w->vk.gamma_g2);
    to_blst_g2(&w->delta, &w->vk.delta_g2);
    to_blst_g1(&w->a, &w->proofs[0].a);
    to_blst_g2(&w->b, &w->proofs[0].b);
    to_blst_g1(&w->c, &w->proofs[0].c);
    blst_miller_loop(&w->alpha_beta, &beta, &alpha);
    w->scratch = malloc(blst_p1s_mult_pippenger_scratch_sizeof(N_PUBLIC));
}

static void peer_single(void *ctx)
{
    struct work *w = ctx;
    const blst_p1_affine *points[] = {&w->ic[1], NULL};
    const uint8_t *scalars[] = {w->scalars[0], NULL};
    blst_p1_affine sum;
    blst_p1 jacobian;
    blst_fp12 left, right, t;

    blst_p1s_mult_pippenger(&jacobian, points, N_PUBLIC, scalars, 255, w->scratch);
    blst_p1_add_or_double_affine(&jacobian, &jacobian, &w->ic[0]);
    blst_p1_to_affine(&sum, &jacobian);
    blst_miller_loop(&left, &w->b, &w->a);
    blst_miller_loop(&right, &w->gamma, &sum);
    blst_miller_loop(&t, &w->delta, &w->c);
    blst_fp12_mul(&right, &right, &t);
    blst_fp12_mul(&right, &right, &w->alpha_beta);
    if (!blst_fp12_finalverify(&left, &right))
        exit(1);
}

static void peer_decode(void *ctx)
{
    struct work *w = ctx;

    for (size_t j = 0; j < N_PROOFS; j++)
        if (blst_p1_uncompress(&w->a, w->bytes[j]) || !blst_p1_affine_in_g1(&w->a) ||
            blst_p2_uncompress(&w->b, w->bytes[j] + 48) || !blst_p2_affine_in_g2(&w->b) ||
            blst_p1_uncompress(&w->c, w->bytes[j] + 144) || !blst_p1_affine_in_g1(&w->c))
            exit(1);
}
#endif

int main(void)
{
    static struct work w;
    struct key_logs logs;
    struct bench single = {.title = "verify BLS12-381 40-inputs 1-proof 1",
                           .rounds = 51,
                           .units_per_second = 1e3,
                           .unit = "ms",
                           .ours = ours_single,
                           .ours_ctx = &w};
    struct bench ten = {.title = "verify BLS12-381 40-inputs a-proof-of-10 1",
                        .rounds = 21,
                        .units_per_second = 1e3 / 10,
                        .unit = "ms",
                        .ours = ours_ten,
                        .ours_ctx = &w};
    struct bench hundred = {.title = "verify BLS12-381 40-inputs a-proof-of-100 1",
                            .rounds = 11,
                            .units_per_second = 1e3 / 100,
                            .unit = "ms",
                            .ours = ours_hundred,
                            .ours_ctx = &w};
    struct bench decode = {.title = "read BLS12-381 a-proof-of-100 1",
                           .rounds = 51,
                           .units_per_second = 1e6 / N_PROOFS,
                           .unit = "us",
                           .ours = ours_decode,
                           .ours_ctx = &w};
    struct rng rng;

    rng_seed(&rng, 1);
    make_key(&w, &logs, &rng);
    for (size_t j = 0; j < N_PROOFS; j++)
        make_proof(&w, j, &logs, &rng);
    for (size_t j = 0; j < N_PROOFS; j++)
        proof_encode(w.bytes[j], CURVE, &w.proofs[j]);
#ifdef CUZK_HAVE_BLST
    peer_new(&w);
    single.peer = "blst";
    single.peer_fn = peer_single;
    single.peer_ctx = &w;
    decode.peer = "blst";
    decode.peer_fn = peer_decode;
    decode.peer_ctx = &w;
#endif
    bench_run(&single);
    bench_run(&ten);
    bench_run(&hundred);
    run_loops(&curve_bls12_381, "BLS12-381");
    run_loops(&curve_bn254, "BN254");
    bench_run(&decode); /* last: the peer's points are others now */
    verifier_done(&w.verifier);
    verifying_key_done(&w.vk);
    return 0;
}
