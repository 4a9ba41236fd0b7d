/* What sums of points in lanes are made of, seen from inside the unit: products and squares of both
 * fields, an element; additions of affine points that share inversions, an addition. blst beside
 * them does one product after the other, and adds its points as a sum of them (which batches
 * inversions, too). A processor without AVX-512 IFMA has no lines here. */
#include "backend/ifma/ifma_bls12_381.c"

#include "base/cpu.h"
#include "bench.h"
#include "blst_peer.h"

/* ---- products -------------------------------------------------------------------------------- */

enum { REPEAT = 2000, INDEPENDENT = 8 };

static fp_lanes_t fp_x[INDEPENDENT], fp_y;
static fr_lanes_t fr_x[INDEPENDENT], fr_y;
static fp_t fp_one_x, fp_one_y;
static fr_t fr_one_x, fr_one_y;

/* REPEAT vectors of eight, in INDEPENDENT chains or in one; the peer's as many elements in one. */
#define CHAINS(name, n_chains, step, peer_step)                                                    \
    static void ours_##name(void *ctx)                                                             \
    {                                                                                              \
        (void)ctx;                                                                                 \
        for (int i = 0; i < REPEAT / (n_chains); i++)                                              \
            for (int c = 0; c < (n_chains); c++)                                                   \
                step;                                                                              \
    }                                                                                              \
    static void peer_##name(void *ctx)                                                             \
    {                                                                                              \
        (void)ctx;                                                                                 \
        for (int i = 0; i < LANES * REPEAT; i++)                                                   \
            PEER_STEP(peer_step);                                                                  \
    }
#define A(x) ((blst_fp *)&(x))
#define S(x) ((blst_fr *)&(x))

CHAINS(fp_chain, 1, fp_lanes_mul(&fp_x[c], &fp_x[c], &fp_y),
       blst_fp_mul(A(fp_one_x), A(fp_one_x), A(fp_one_y)))
CHAINS(fp_mul, INDEPENDENT, fp_lanes_mul(&fp_x[c], &fp_x[c], &fp_y),
       blst_fp_mul(A(fp_one_x), A(fp_one_x), A(fp_one_y)))
CHAINS(fp_sqr, INDEPENDENT, fp_lanes_sqr(&fp_x[c], &fp_x[c]), blst_fp_sqr(A(fp_one_x), A(fp_one_x)))
CHAINS(fr_chain, 1, fr_lanes_mul(&fr_x[c], &fr_x[c], &fr_y),
       blst_fr_mul(S(fr_one_x), S(fr_one_x), S(fr_one_y)))
CHAINS(fr_mul, INDEPENDENT, fr_lanes_mul(&fr_x[c], &fr_x[c], &fr_y),
       blst_fr_mul(S(fr_one_x), S(fr_one_x), S(fr_one_y)))
CHAINS(fr_sqr, INDEPENDENT, fr_lanes_sqr(&fr_x[c], &fr_x[c]), blst_fr_sqr(S(fr_one_x), S(fr_one_x)))

static void products_new(void)
{
    struct rng rng;

    rng_seed(&rng, 1);
    rng_bytes(&rng, &fp_one_x, sizeof fp_one_x);
    rng_bytes(&rng, &fr_one_x, sizeof fr_one_x);
    fp_from_plain(&fp_one_x, &fp_one_x);
    fr_from_plain(&fr_one_x, &fr_one_x);
    fp_one_y = fp_one_x;
    fr_one_y = fr_one_x;
    fp_lanes_all(&fp_y, &fp_one_y);
    fr_lanes_all(&fr_y, &fr_one_y);
    for (int c = 0; c < INDEPENDENT; c++) {
        fp_x[c] = fp_y;
        fr_x[c] = fr_y;
    }
}

/* ---- additions ------------------------------------------------------------------------------- */

/* The points take 2 MiB, as much as the second cache or more; pairs are drawn from all of them. */
enum { N_POINTS = 1 << 14, N_POINTS_G2 = 1 << 13, N_SMOKE = 64 };

struct additions {
    size_t n;
    const struct group_kernels *kernels;
    bool second;
    void *native, *cells, *sums, *adder;
    uint32_t *left, *right;
};

static void additions_new(struct additions *a, bool second)
{
    const struct curve *curve = ifma_curve(&curve_bls12_381);
    const struct group_kernels *k = second ? curve->g2 : curve->g1;
    const size_t n = bench_smoke() ? N_SMOKE : second ? N_POINTS_G2 : N_POINTS;
    const size_t cell = second ? sizeof(g2_cell_t) : sizeof(g1_cell_t);
    uint64_t *scalars = bench_memory(n * curve->fr_bytes);
    void *table = bench_memory(k->fixed_table_bytes()),
         *scratch = bench_memory(k->fixed_mul_bytes(n, 1));
    struct rng rng;

    rng_seed(&rng, n);
    *a = (struct additions){
        .n = n,
        .kernels = k,
        .second = second,
        .native = bench_memory(n * k->point_bytes),
        .cells = bench_memory(n * cell),
        .sums = bench_memory(n * cell),
        .adder = bench_memory(second ? sizeof(struct g2_adder) : sizeof(struct g1_adder)),
        .left = bench_memory(n * sizeof(uint32_t)),
        .right = bench_memory(n * sizeof(uint32_t)),
    };
    rng_bytes(&rng, scalars, n * curve->fr_bytes);
    for (size_t i = 0; i < n; i++) { /* below the modulus */
        scalars[4 * i + 3] %= curve->fr_modulus.w[3];
        a->left[i] = (uint32_t)rng_below(&rng, n);
        a->right[i] = (uint32_t)(a->left[i] + 1 + rng_below(&rng, n - 1)) % (uint32_t)n;
    }
    k->fixed_table_init(table, second ? (const void *)&curve->g2_generator : &curve->g1_generator,
                        NULL);
    k->fixed_mul(a->native, table, scalars, n, scratch, NULL);
    if (second)
        g2_cells_load(a->cells, &(struct points_view){POINTS_NATIVE, a->native, n}, NULL, 0, n,
                      NULL);
    else
        g1_cells_load(a->cells, &(struct points_view){POINTS_NATIVE, a->native, n}, NULL, 0, n,
                      NULL);
    free(scalars);
    free(table);
    free(scratch);
}

static void additions_free(struct additions *a)
{
    free(a->native);
    free(a->cells);
    free(a->sums);
    free(a->adder);
    free(a->left);
    free(a->right);
}

static void ours_g1_additions(void *ctx)
{
    struct additions *a = ctx;
    const g1_cell_t *cells = a->cells;
    g1_cell_t *sums = a->sums;
    struct g1_adder *adder = a->adder;

    g1_adder_init(adder, NULL);
    for (size_t i = 0; i < a->n; i++)
        g1_adder_push(adder, g1_ref(&cells[a->left[i]], false), g1_ref(&cells[a->right[i]], i % 2),
                      &sums[i]);
    g1_adder_flush(adder);
}

static void ours_g2_additions(void *ctx)
{
    struct additions *a = ctx;
    const g2_cell_t *cells = a->cells;
    g2_cell_t *sums = a->sums;
    struct g2_adder *adder = a->adder;

    g2_adder_init(adder, NULL);
    for (size_t i = 0; i < a->n; i++)
        g2_adder_push(adder, g2_ref(&cells[a->left[i]], false), g2_ref(&cells[a->right[i]], i % 2),
                      &sums[i]);
    g2_adder_flush(adder);
}

static void peer_additions(void *ctx)
{
#ifdef CUZK_HAVE_BLST
    const struct additions *a = ctx;

    if (a->second) {
        const blst_p2_affine *points[2] = {a->native, NULL};
        blst_p2 out;

        blst_p2s_add(&out, points, a->n);
    } else {
        const blst_p1_affine *points[2] = {a->native, NULL};
        blst_p1 out;

        blst_p1s_add(&out, points, a->n);
    }
#else
    (void)ctx;
#endif
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void run_products(const char *title, bench_fn *ours, bench_fn *peer, double goal)
{
    bench_run(&(struct bench){.title = title,
                              .rounds = 41,
                              .units_per_second = 1e9 / (LANES * REPEAT),
                              .unit = "ns",
                              .ours = ours,
                              .peer = PEER,
                              .peer_fn = peer,
                              .goal = goal});
}

static void run_additions(bool second)
{
    struct additions a;

    additions_new(&a, second);
    bench_run(&(struct bench){.title = second ? "batch-affine-lanes BLS12-381 G2 2^13 1"
                                              : "batch-affine-lanes BLS12-381 G1 2^14 1",
                              .rounds = 21,
                              .units_per_second = 1e9 / (double)a.n,
                              .unit = "ns",
                              .ours = second ? ours_g2_additions : ours_g1_additions,
                              .ours_ctx = &a,
                              .peer = PEER,
                              .peer_fn = peer_additions,
                              .peer_ctx = &a,
                              .goal = second ? 0 : 82});
    additions_free(&a);
}

int main(void)
{
    if (!cpu_features()->avx512_ifma) {
        printf("SKIP: this processor has no AVX-512 IFMA\n");
        return 0;
    }
    products_new();
    run_products("mul-lanes BLS12-381 Fp - 1", ours_fp_mul, peer_fp_mul, 9.3);
    run_products("mul-lanes-chain BLS12-381 Fp - 1", ours_fp_chain, peer_fp_chain, 0);
    run_products("sqr-lanes BLS12-381 Fp - 1", ours_fp_sqr, peer_fp_sqr, 0);
    run_products("mul-lanes BLS12-381 Fr - 1", ours_fr_mul, peer_fr_mul, 4.0);
    run_products("mul-lanes-chain BLS12-381 Fr - 1", ours_fr_chain, peer_fr_chain, 0);
    run_products("sqr-lanes BLS12-381 Fr - 1", ours_fr_sqr, peer_fr_sqr, 0);
    run_additions(false);
    run_additions(true);
    return 0;
}
