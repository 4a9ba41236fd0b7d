/* Sums of products beside blst's, one thread; class sums, fixed-base multiples, decoding and
 * decompressing (with the subgroup's check) alone.
 * All of it with the portable kernels and, where the processor has them, in lanes ("-lanes"). The
 * largest lengths are there in lanes only; then two threads stand beside one.
 * BN254 stands beside blst's BLS12-381 of the same length. Other lengths run when asked:
 * bench_msm LG ... ; `bench_msm points` runs what is measured a point at a time, `bench_msm lanes`
 * and `bench_msm threads` the last two parts of the sums. */
#include "bench.h"
#include "blst_peer.h"

#if defined(__x86_64__)
#include "backend/ifma/ifma_kernels.h"
#endif
#include "base/cpu.h"
#include "base/pool.h"
#include "base/rng.h"
#include "curve/curve.h"
#include "msm/group_kernels.h"

struct work {
    const struct group_kernels *kernels;
    const struct curve *curve;
    size_t n;
    struct points_view points; /* native */
    uint64_t *scalars;
    void *scratch, *table;
    struct g2_point out; /* large enough for both groups */
    struct pool *pool;   /* NULL: one thread */
    bool second;
};

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void work_new(struct work *work, const struct curve *curve, bool second, size_t n)
{
    const struct group_kernels *k = second ? curve->g2 : curve->g1;
    struct rng rng;
    void *native = bench_memory(n * k->point_bytes);

    rng_seed(&rng, n);
    *work = (struct work){.kernels = k, .curve = curve, .n = n, .second = second};
    work->scalars = bench_memory(n * curve->fr_bytes);
    rng_bytes(&rng, work->scalars, n * curve->fr_bytes);
    for (size_t i = 0; i < n; i++) /* below the modulus */
        work->scalars[4 * i + 3] %= curve->fr_modulus.w[3];
    work->scratch = bench_memory(
        largest(k->fixed_mul_bytes(n, 1), largest(k->msm_bytes(n, 1), k->sum_bytes(n, 1))));
    work->table = bench_memory(k->fixed_table_bytes());
    k->fixed_table_init(work->table,
                        second ? (const void *)&curve->g2_generator : &curve->g1_generator, NULL);
    k->fixed_mul(native, work->table, work->scalars, n, work->scratch, NULL);
    work->points = (struct points_view){POINTS_NATIVE, native, n};
    rng_bytes(&rng, work->scalars, n * curve->fr_bytes);
    for (size_t i = 0; i < n; i++)
        work->scalars[4 * i + 3] %= curve->fr_modulus.w[3];
}

static void work_free(struct work *work)
{
    free((void *)(uintptr_t)work->points.data);
    free(work->scalars);
    free(work->scratch);
    free(work->table);
}

static void ours_msm(void *ctx)
{
    struct work *w = ctx;

    if (w->kernels->msm(&w->out, &w->points, NULL, w->scalars, w->n, w->scratch, w->pool, NULL) !=
        0)
        exit(1);
}

#ifdef CUZK_HAVE_BLST
/* blst's affine points are ours: Montgomery form with the same radix. */
static void peer_msm(void *ctx)
{
    struct work *w = ctx;
    const byte *scalars[2] = {(const byte *)w->scalars, NULL};

    if (w->second) {
        const blst_p2_affine *points[2] = {w->points.data, NULL};
        blst_p2 out;

        blst_p2s_mult_pippenger(&out, points, w->n, scalars, 255, w->scratch);
    } else {
        const blst_p1_affine *points[2] = {w->points.data, NULL};
        blst_p1 out;

        blst_p1s_mult_pippenger(&out, points, w->n, scalars, 255, w->scratch);
    }
}

static size_t peer_scratch(const struct work *w)
{
    return w->second ? blst_p2s_mult_pippenger_scratch_sizeof(w->n)
                     : blst_p1s_mult_pippenger_scratch_sizeof(w->n);
}
#else
static void peer_msm(void *ctx)
{
    (void)ctx;
}

static size_t peer_scratch(const struct work *w)
{
    (void)w;
    return 0;
}
#endif

/* The curve with lane kernels; NULL if they cannot run here. */
static const struct curve *in_lanes(const struct curve *curve)
{
#if defined(__x86_64__)
    return cpu_features()->avx512_ifma ? ifma_curve(curve) : NULL;
#else
    (void)curve;
    return NULL;
#endif
}

static const char *how(const struct curve *curve)
{
    return curve == &curve_bls12_381 || curve == &curve_bn254 ? "" : "-lanes";
}

static bool is_bn254(const struct curve *curve)
{
    return curve->fr_bits == curve_bn254.fr_bits;
}

/* What is to be reached, in ms, in lanes. */
static double goal_of(const struct curve *curve, unsigned lg, bool second)
{
    static const struct {
        unsigned lg;
        bool bn254, second;
        double ms;
    } goals[] = {{16, false, false, 130}, {18, false, false, 450}, {20, false, false, 1700},
                 {16, false, true, 370},  {18, false, true, 1350}, {16, true, false, 75},
                 {18, true, false, 280},  {20, true, false, 1050}};

    for (size_t i = 0; i < sizeof goals / sizeof *goals && *how(curve); i++)
        if (goals[i].lg == lg && goals[i].bn254 == is_bn254(curve) && goals[i].second == second)
            return goals[i].ms;
    return 0;
}

/* peer: NULL for none */
static void bench_one(struct work *ours, const struct work *peer, unsigned lg, int rounds)
{
    char title[64];
    struct work theirs = {0};

    if (peer) {
        theirs = *peer;
        theirs.scratch = bench_memory(peer_scratch(peer));
    }
    snprintf(title, sizeof title, "msm%s %s G%d 2^%u 1", how(ours->curve),
             is_bn254(ours->curve) ? "BN254" : "BLS12-381", ours->second ? 2 : 1, lg);
    bench_run(&(struct bench){.title = title,
                              .rounds = rounds,
                              .units_per_second = 1e3,
                              .unit = "ms",
                              .ours = ours_msm,
                              .ours_ctx = ours,
                              .peer = peer ? PEER : NULL,
                              .peer_fn = peer_msm,
                              .peer_ctx = &theirs,
                              .goal = goal_of(ours->curve, lg, ours->second)});
    free(theirs.scratch);
}

static void bench_length(unsigned lg, int rounds, bool second)
{
    const struct curve *curves[] = {&curve_bls12_381, in_lanes(&curve_bls12_381), &curve_bn254,
                                    in_lanes(&curve_bn254)};
    struct work bls;

    work_new(&bls, &curve_bls12_381, second, (size_t)1 << lg);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        struct work ours;

        if (!curves[i])
            continue;
        work_new(&ours, curves[i], second, (size_t)1 << lg);
        bench_one(&ours, &bls, lg, rounds);
        work_free(&ours);
    }
    work_free(&bls);
}

/* In lanes alone; blst beside BLS12-381. */
static void bench_in_lanes(const struct curve *curve, unsigned lg, int rounds, bool second)
{
    const struct curve *lanes = in_lanes(curve);
    struct work ours;

    if (!lanes)
        return;
    work_new(&ours, lanes, second, (size_t)1 << lg);
    bench_one(&ours, is_bn254(curve) ? NULL : &ours, lg, rounds);
    work_free(&ours);
}

/* Two threads beside one. */
static void bench_threads(const struct curve *curve, unsigned lg, int rounds, bool second)
{
    const struct curve *lanes = in_lanes(curve);
    char title[64];
    struct work two, one;
    struct cuzk_error err;

    if (!lanes)
        return;
    work_new(&one, lanes, second, (size_t)1 << lg);
    two = one;
    bench_must(pool_new(&two.pool, 2, &err), &err);
    two.scratch = bench_memory(one.kernels->msm_bytes(one.n, 2));
    snprintf(title, sizeof title, "msm-lanes %s G%d 2^%u 2",
             is_bn254(curve) ? "BN254" : "BLS12-381", second ? 2 : 1, lg);
    bench_second_thread(title, rounds, ours_msm, &two, &one);
    pool_free(two.pool);
    free(two.scratch);
    work_free(&one);
}

static void bench_largest(void)
{
    bench_in_lanes(&curve_bls12_381, bench_smoke() ? 9 : 20, 3, false);
    bench_in_lanes(&curve_bn254, bench_smoke() ? 9 : 20, 3, false);
    bench_in_lanes(&curve_bls12_381, bench_smoke() ? 9 : 18, 2, true);
}

static void bench_two_threads(void)
{
    for (unsigned lg = 18; lg <= 20; lg += 2) {
        bench_threads(&curve_bls12_381, bench_smoke() ? 9 : lg, 3, false);
        bench_threads(&curve_bn254, bench_smoke() ? 9 : lg, 3, false);
    }
    bench_threads(&curve_bls12_381, bench_smoke() ? 9 : 18, 3, true);
}

/* ---- the other kernels, a point at a time ---------------------------------------------------- */

static uint64_t *all_selected;

static void ours_sum(void *ctx)
{
    struct work *w = ctx;

    if (w->kernels->sum(&w->out, &w->points, all_selected, w->n, w->scratch, NULL, NULL) != 0)
        exit(1);
}

static void ours_fixed(void *ctx)
{
    struct work *w = ctx;

    w->kernels->fixed_mul((void *)(uintptr_t)w->points.data, w->table, w->scalars, w->n, w->scratch,
                          NULL);
}

static uint8_t *encoded;

static void ours_decode(void *ctx)
{
    struct work *w = ctx;
    const struct points_view view = {POINTS_ZCASH, encoded, w->n};
    struct points_fault fault;

    if (!w->kernels->decode((void *)(uintptr_t)w->points.data, &view, 0, w->n, &fault))
        exit(1);
}

/* Encodings of the same points, and where each begins. */
static uint8_t *compressed;
static const uint8_t **compressed_at;

static void compress(const struct work *w, const struct curve *curve, bool second)
{
    const size_t bytes = w->kernels->encoded_bytes / 2;

    compressed = bench_memory(w->n * bytes);
    compressed_at = bench_memory(w->n * sizeof *compressed_at);
    for (size_t i = 0; i < w->n; i++) {
        struct g2_point point = {{0}}; /* room for either */

        w->kernels->to_plain(&point, (const char *)w->points.data + i * 2 * bytes, 1);
        if (second)
            curve->g2_encode(compressed + i * bytes, &point, true);
        else
            curve->g1_encode(compressed + i * bytes, (const struct g1_point *)&point, true);
        compressed_at[i] = compressed + i * bytes;
    }
}

static void ours_decompress(void *ctx)
{
    struct work *w = ctx;
    struct points_fault fault;

    if (!w->kernels->decompress((void *)(uintptr_t)w->points.data, compressed_at, w->n, &fault))
        exit(1);
}

static void bench_points(const struct curve *curve, unsigned lg, bool second)
{
    static const struct {
        const char *name;
        bench_fn *f;
    } kernels[] = {{"class-sum", ours_sum},
                   {"decode", ours_decode},
                   {"decompress", ours_decompress},
                   {"fixed-base", ours_fixed}};
    struct work w;

    work_new(&w, curve, second, (size_t)1 << lg);
    all_selected = bench_memory(w.n / 8 + 8);
    memset(all_selected, 0xff, w.n / 8 + 8);
    encoded = bench_memory(w.n * w.kernels->encoded_bytes);
    w.kernels->encode(encoded, w.points.data, w.n);
    compress(&w, curve, second);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char title[64];

        snprintf(title, sizeof title, "%s%s BLS12-381 G%d 2^%u 1", kernels[i].name, how(curve),
                 second ? 2 : 1, lg);
        bench_run(&(struct bench){.title = title,
                                  .rounds = 5,
                                  .units_per_second = 1e9 / (double)w.n,
                                  .unit = "ns/point",
                                  .ours = kernels[i].f,
                                  .ours_ctx = &w});
    }
    free(compressed_at);
    free(compressed);
    free(encoded);
    free(all_selected);
    work_free(&w);
}

static void bench_all_points(bool second)
{
    const struct curve *lanes = in_lanes(&curve_bls12_381);
    const unsigned lg = bench_smoke() ? 8 : second ? 14 : 15;

    bench_points(&curve_bls12_381, lg, second);
    if (lanes)
        bench_points(lanes, lg, second);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "points") == 0) {
        bench_all_points(false);
        bench_all_points(true);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "lanes") == 0) {
        bench_largest();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        bench_two_threads();
        return 0;
    }
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            bench_length((unsigned)atoi(argv[i]), 1, false);
        return 0;
    }
    for (int second = 0; second < 2; second++) {
        if (bench_smoke()) {
            bench_length(8, 2, second);
        } else {
            bench_length(16, 5, second);
            if (!second)
                bench_length(18, 3, false);
        }
        bench_all_points(second);
    }
    bench_largest();
    bench_two_threads();
    return 0;
}
