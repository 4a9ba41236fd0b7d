/* Transforms: natural order in and out on the subgroup, on a coset, the part that chains are made
 * of (natural to reversed order), and from the subgroup to a coset. In lanes beside the portable
 * ones where the processor has them; published, one thread, BLS12-381 Fr: gnark-crypto on Zen 4,
 * with vector units, 33, 155 and 675 ms for 2^18, 2^20 and 2^22; arkworks 0.5 362 to 408 ms for
 * 2^20. "-threads" lines have two threads beside one, in lanes. Sizes that are arguments instead of
 * those below: bench_ntt LG ... */
#include "bench.h"

#if defined(__x86_64__)
#include "backend/ifma/ifma_kernels.h"
#endif
#include "base/cpu.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/rng.h"
#include "curve/curve.h"
#include "ntt/scalar_kernels.h"

struct work {
    const struct scalar_kernels *fr;
    unsigned lg_n;
    uint64_t g;
    struct pool *pool;
    struct region vector, table;
};

/* The curve with its kernels in lanes; NULL where there are none. */
static const struct curve *lanes_of(const struct curve *curve)
{
#if defined(__x86_64__)
    if (cpu_features()->avx512_ifma)
        return ifma_curve(curve);
#endif
    (void)curve;
    return NULL;
}

static void work_new(struct work *work, const struct curve *curve, unsigned lg_n, struct pool *pool)
{
    const size_t n = (size_t)1 << lg_n;
    struct cuzk_error err;
    struct rng rng;
    uint64_t *words;

    *work =
        (struct work){.fr = curve->fr, .lg_n = lg_n, .g = curve->fr_generator.w[0], .pool = pool};
    bench_must(region_map(&work->vector, NULL, MEM_SCRATCH, n * curve->fr_bytes, &err), &err);
    bench_must(region_map(&work->table, NULL, MEM_SCRATCH, curve->fr->ntt_table_bytes(lg_n), &err),
               &err);
    curve->fr->ntt_table_init(work->table.base, lg_n, work->g, pool);
    rng_seed(&rng, lg_n);
    rng_bytes(&rng, work->vector.base, n * curve->fr_bytes);
    words = (uint64_t *)work->vector.base;
    for (size_t i = 3; i < 4 * n; i += 4) /* below the modulus */
        words[i] %= curve->fr_modulus.w[3];
}

static void work_done(struct work *work)
{
    region_unmap(&work->vector);
    region_unmap(&work->table);
}

static void table(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt_table_init(w->table.base, w->lg_n, w->g, w->pool);
}

static void forward(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt(w->vector.base, w->table.base, NTT_FORWARD, NTT_SUBGROUP, w->pool);
}

static void inverse(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt(w->vector.base, w->table.base, NTT_INVERSE, NTT_SUBGROUP, w->pool);
}

static void coset(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt(w->vector.base, w->table.base, NTT_FORWARD, NTT_COSET, w->pool);
}

static void reversed(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt_to_reversed(w->vector.base, w->table.base, NTT_FORWARD, w->pool);
}

static void moved(void *ctx)
{
    struct work *w = ctx;

    w->fr->ntt_move(w->vector.base, w->table.base, NTT_COSET, w->pool);
}

/* The plain transform of BLS12-381's scalars, in lanes and on one thread, in ms; 0: no goal. */
static double goal_of(const struct curve *curve, bench_fn *f, unsigned lg_n, unsigned n_threads)
{
    if (f != forward || curve != &curve_bls12_381 || !lanes_of(curve) || n_threads > 1)
        return 0;
    return lg_n == 18 ? 12 : lg_n == 20 ? 52 : lg_n == 22 ? 240 : 0;
}

static void measure(const struct curve *curve, const char *name, unsigned lg_n, unsigned n_threads)
{
    static const struct {
        const char *what;
        bench_fn *f;
    } all[] = {{"ntt", forward},           {"ntt-inverse", inverse}, {"ntt-coset", coset},
               {"ntt-reversed", reversed}, {"ntt-move", moved},      {"ntt-table", table}};
    struct pool *pool = NULL;
    const struct curve *lanes = lanes_of(curve);
    struct cuzk_error err;
    struct work work, portable;

    if (n_threads > 1)
        bench_must(pool_new(&pool, n_threads, &err), &err);
    work_new(&work, lanes ? lanes : curve, lg_n, pool);
    if (lanes)
        work_new(&portable, curve, lg_n, pool);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char title[64];
        const struct bench bench = {.title = title,
                                    .rounds = lg_n > 20 ? 3 : 7,
                                    .units_per_second = 1e3,
                                    .unit = "ms",
                                    .ours = all[i].f,
                                    .ours_ctx = &work,
                                    .peer = lanes ? "portable" : NULL,
                                    .peer_fn = all[i].f,
                                    .peer_ctx = &portable,
                                    .goal = goal_of(curve, all[i].f, lg_n, n_threads)};

        snprintf(title, sizeof title, "%s %s Fr 2^%u %u", all[i].what, name, lg_n, n_threads);
        bench_run(&bench);
    }
    work_done(&work);
    if (lanes)
        work_done(&portable);
    pool_free(pool);
}

/* Two threads beside one. */
static void measure_threads(unsigned lg_n)
{
    const struct curve *lanes = lanes_of(&curve_bls12_381);
    struct pool *pool;
    struct cuzk_error err;
    struct work two, one;
    char title[64];

    if (!lanes)
        return;
    bench_must(pool_new(&pool, 2, &err), &err);
    work_new(&two, lanes, lg_n, pool);
    one = two;
    one.pool = NULL;
    snprintf(title, sizeof title, "ntt-threads BLS12-381 Fr 2^%u 2", lg_n);
    bench_second_thread(title, lg_n > 20 ? 7 : 21, forward, &two, &one);
    work_done(&two);
    pool_free(pool);
}

int main(int argc, char **argv)
{
    if (bench_smoke()) {
        measure(&curve_bls12_381, "BLS12-381", 12, 1);
        measure_threads(12);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        for (unsigned lg_n = 18; lg_n <= 22; lg_n += 2)
            measure_threads(lg_n);
        return 0;
    }
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            measure(&curve_bls12_381, "BLS12-381", (unsigned)atoi(argv[i]), 1);
        return 0;
    }
    for (unsigned lg_n = 18; lg_n <= 22; lg_n += 2)
        for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
            measure(&curve_bls12_381, "BLS12-381", lg_n, n_threads);
            if (lg_n < 22)
                measure(&curve_bn254, "BN254", lg_n, n_threads);
        }
    for (unsigned lg_n = 18; lg_n <= 22; lg_n += 2)
        measure_threads(lg_n);
    return 0;
}
