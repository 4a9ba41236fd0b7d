/* Transforms: natural order in and out on the subgroup, on a coset, and the part that chains are
 * made of (natural to reversed order). No peer is linked; arkworks 0.5 needs 362 to 408 ms for 2^20
 * forward on one thread of the reference machine, in the same order. Sizes above 2^20: bench_ntt LG
 * ... */
#include "bench.h"

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

static void die_unless(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit((int)status);
    }
}

static void work_new(struct work *work, const struct curve *curve, unsigned lg_n, struct pool *pool)
{
    const size_t n = (size_t)1 << lg_n;
    struct cuzk_error err;
    struct rng rng;
    uint64_t *words;

    *work =
        (struct work){.fr = curve->fr, .lg_n = lg_n, .g = curve->fr_generator.w[0], .pool = pool};
    die_unless(region_map(&work->vector, NULL, MEM_SCRATCH, n * curve->fr_bytes, &err), &err);
    die_unless(region_map(&work->table, NULL, MEM_SCRATCH, curve->fr->ntt_table_bytes(lg_n), &err),
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

static void measure(const struct curve *curve, const char *name, unsigned lg_n, unsigned n_threads)
{
    static const struct {
        const char *what;
        bench_fn *f;
    } all[] = {{"ntt", forward},
               {"ntt-inverse", inverse},
               {"ntt-coset", coset},
               {"ntt-reversed", reversed},
               {"ntt-table", table}};
    struct pool *pool = NULL;
    struct cuzk_error err;
    struct work work;

    if (n_threads > 1)
        die_unless(pool_new(&pool, n_threads, &err), &err);
    work_new(&work, curve, lg_n, pool);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char title[64];
        const struct bench bench = {.title = title,
                                    .rounds = lg_n > 20 ? 3 : 7,
                                    .units_per_second = 1e3,
                                    .unit = "ms",
                                    .ours = all[i].f,
                                    .ours_ctx = &work};

        snprintf(title, sizeof title, "%s %s Fr 2^%u %u", all[i].what, name, lg_n, n_threads);
        bench_run(&bench);
    }
    work_done(&work);
    pool_free(pool);
}

int main(int argc, char **argv)
{
    if (bench_smoke()) {
        measure(&curve_bls12_381, "BLS12-381", 12, 1);
        return 0;
    }
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            measure(&curve_bls12_381, "BLS12-381", (unsigned)atoi(argv[i]), 1);
        return 0;
    }
    for (unsigned lg_n = 18; lg_n <= 20; lg_n += 2) {
        measure(&curve_bls12_381, "BLS12-381", lg_n, 1);
        measure(&curve_bn254, "BN254", lg_n, 1);
    }
    measure(&curve_bls12_381, "BLS12-381", 20, 2);
    return 0;
}
