/* Sums over points of the CUDA back end against the cpu back end, byte for byte: dense and over
 * packed witnesses, G1 and G2, with every kind of scalar and point that has broken such code
 * before. */
#include "backend/cuda/cuda_device.h"
#include "gpu/gpu_tests.h"
#include "gpu/gpu_check.h"
#include "msm/group_kernels.h"

static struct pool *pool;

static const struct group_kernels *kernels_of(enum element group)
{
    return group == ELEMENT_G1 ? curve->g1 : curve->g2;
}

static void *map_memory(struct region *region, size_t bytes)
{
    struct cuzk_error err = {0};

    gpu_must(region_map(region, NULL, MEM_SCRATCH, bytes, &err), &err);
    return region->base;
}

/* ---- points --------------------------------------------------------------------------------- */

enum points_kind {
    POINTS_RANDOM,
    POINTS_WITH_INFINITIES, /* a third, the first and the last among them */
    POINTS_EQUAL,
    POINTS_OPPOSITE, /* P, -P, P, -P, .. */
    POINTS_OF_A_FEW, /* 7 points and their doubles, over and over */
    POINTS_N_KINDS,
};

/* n native points; distinct ones are multiples of the generator by random scalars */
static void make_points(enum element group, uint8_t *out, size_t n, enum points_kind kind)
{
    const struct group_kernels *k = kernels_of(group);
    const size_t n_made = n < 4096 ? n : 4096;
    struct region table, scalars, scratch;
    struct scalar *s = map_memory(&scalars, (n_made + 1) * sizeof *s);
    const void *generator =
        group == ELEMENT_G1 ? (const void *)&curve->g1_generator : &curve->g2_generator;

    gpu_random_scalars(s, n_made, 0);
    if (kind == POINTS_EQUAL || kind == POINTS_OPPOSITE)
        for (size_t i = 1; i < n_made; i++) {
            s[i] = s[i - 1];
            if (kind == POINTS_OPPOSITE)
                curve->fr_sub(&s[i], &(struct scalar){{0}}, &s[i]);
        }
    if (kind == POINTS_OF_A_FEW)
        for (size_t i = 7; i < n_made; i++) {
            s[i] = s[i % 7];
            if (i % 2)
                curve->fr_add(&s[i], &s[i], &s[i]);
        }
    k->fixed_table_init(map_memory(&table, k->fixed_table_bytes()), generator, pool);
    k->fixed_mul(out, table.base, s->w, n_made,
                 map_memory(&scratch, k->fixed_mul_bytes(n_made, pool_size(pool))), pool);
    for (size_t i = n_made; i < n; i++)
        memcpy(out + i * k->point_bytes, out + i % n_made * k->point_bytes, k->point_bytes);
    if (kind == POINTS_WITH_INFINITIES)
        for (size_t i = 0; i < n; i++)
            if (i == 0 || i == n - 1 || gpu_random() % 3 == 0)
                memset(out + i * k->point_bytes, 0, k->point_bytes);
    region_unmap(&table);
    region_unmap(&scalars);
    region_unmap(&scratch);
}

/* ---- dense sums ----------------------------------------------------------------------------- */

enum scalars_kind {
    SCALARS_RANDOM,
    SCALARS_MIXED,
    SCALARS_BORDERS,
    SCALARS_EQUAL,
    SCALARS_POWERS,
    SCALARS_ZERO,
    SCALARS_N_KINDS
};

static void make_scalars(struct scalar *s, size_t n, enum scalars_kind kind)
{
    gpu_random_scalars(s, n, kind == SCALARS_MIXED ? 1 : kind == SCALARS_BORDERS ? 2 : 0);
    for (size_t i = 0; i < n; i++) {
        if (kind == SCALARS_EQUAL)
            s[i] = s[0];
        if (kind == SCALARS_ZERO)
            s[i] = (struct scalar){{0}};
        if (kind == SCALARS_POWERS) { /* 2^k - 1, 2^k, 2^k + 1: carries into every window */
            const unsigned bit = (unsigned)(gpu_random() % (curve->fr_bits - 1));
            const struct scalar one = {{1}};

            s[i] = (struct scalar){{0}};
            s[i].w[bit / 64] = (uint64_t)1 << (bit % 64);
            if (gpu_random() % 3 == 0)
                curve->fr_sub(&s[i], &s[i], &one);
            else if (gpu_random() % 2)
                curve->fr_add(&s[i], &s[i], &one);
        }
    }
}

static void dense(const struct backend *b, const struct bases_source *source,
                  const struct scalar *scalars, size_t n, struct g2_point *out)
{
    struct device_options options = {
        .curve = curve,
        .pool = pool,
        .arena_bytes = b->bases_bytes(curve, source) + b->buf_bytes(curve, ELEMENT_SCALAR, n + 1) +
                       b->msm_bytes(curve, source->group, n, pool_size(pool)),
    };
    struct cuzk_error err = {0};
    struct device *device = NULL;
    struct stream *stream = NULL;
    struct bases *bases = NULL;
    struct buf *buf = NULL;

    memset(out, 0, sizeof *out);
    gpu_must(b->open(&device, &options, &err), &err);
    gpu_must(b->stream_new(device, &stream, &err), &err);
    gpu_must(b->bases_new(device, source, &bases, &err), &err);
    gpu_must(b->buf_new(device, ELEMENT_SCALAR, n + 1, &buf, &err), &err);
    if (n)
        b->buf_put(stream, buf, 1, scalars, n);
    if (source->group == ELEMENT_G1)
        b->msm_g1(stream, bases, buf, 1, n, (struct g1_point *)(void *)out);
    else
        b->msm_g2(stream, bases, buf, 1, n, out);
    gpu_must(b->wait(stream, &err), &err);
    b->buf_free(buf);
    b->bases_free(bases);
    b->stream_free(stream);
    b->close(device);
}

static int compare_multiples(enum element group, size_t n, unsigned multiples,
                             enum points_kind points, enum scalars_kind kind)
{
    const size_t size = kernels_of(group)->point_bytes;
    struct region at, scalars;
    struct bases_source source = {
        .group = group,
        .multiples = multiples,
        .points = {.form = POINTS_NATIVE, .data = map_memory(&at, (n + 1) * size), .n = n}};
    struct scalar *s = map_memory(&scalars, (n + 1) * sizeof *s);
    struct g2_point expected, got;
    int wrong;

    if (n)
        make_points(group, at.base, n, points);
    make_scalars(s, n, kind);
    dense(&backend_cpu, &source, s, n, &expected);
    dense(&backend_cuda, &source, s, n, &got);
    wrong = memcmp(&expected, &got, sizeof got) != 0;
    if (wrong)
        printf("  group %d n %zu multiples %u points %d scalars %d: wrong\n", (int)group, n,
               multiples, (int)points, (int)kind);
    region_unmap(&at);
    region_unmap(&scalars);
    return wrong;
}

static int compare_dense(enum element group, size_t n, enum points_kind points,
                         enum scalars_kind kind)
{
    return compare_multiples(group, n, 1, points, kind);
}

static int compare_sizes(enum element group, const size_t *sizes, size_t n_sizes)
{
    int wrong = 0;

    for (size_t i = 0; i < n_sizes; i++) {
        for (int points = 0; points < POINTS_N_KINDS; points++)
            wrong += compare_dense(group, sizes[i], (enum points_kind)points, SCALARS_RANDOM);
        for (int kind = 1; kind < SCALARS_N_KINDS; kind++)
            wrong += compare_dense(group, sizes[i], (enum points_kind)(kind % POINTS_N_KINDS),
                                   (enum scalars_kind)kind);
    }
    return wrong;
}
static int msm_g1_equals_cpu(void)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 31, 32, 33, 127, 1000, 4097, 22529, 65536};

    return compare_sizes(ELEMENT_G1, sizes, sizeof sizes / sizeof *sizes);
}
static int msm_g2_equals_cpu(void)
{
    static const size_t sizes[] = {0, 1, 2, 33, 1000, 22529};

    return compare_sizes(ELEMENT_G2, sizes, sizeof sizes / sizeof *sizes);
}
/* a handle with so many multiples of its points */
static int msm_with_multiples_equals_cpu(void)
{
    static const unsigned multiples[] = {2, 3, 5, 13, 50};
    static const size_t sizes[] = {0, 1, 33, 1000, 22529};
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
        for (size_t k = 0; k < sizeof multiples / sizeof *multiples; k++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                wrong += compare_multiples(group, sizes[i], multiples[k],
                                           (enum points_kind)((i + k) % POINTS_N_KINDS),
                                           (enum scalars_kind)(i * k % SCALARS_N_KINDS));
    return wrong + compare_multiples(ELEMENT_G1, 1 << 20, 13, POINTS_RANDOM, SCALARS_RANDOM);
}
static int msm_g1_equals_cpu_2_20(void)
{
    return compare_dense(ELEMENT_G1, 1 << 20, POINTS_RANDOM, SCALARS_RANDOM) +
           compare_dense(ELEMENT_G1, (1 << 20) - 1, POINTS_RANDOM, SCALARS_EQUAL) +
           compare_dense(ELEMENT_G1, (1 << 20) + 1, POINTS_WITH_INFINITIES, SCALARS_MIXED);
}
static int msm_g2_equals_cpu_2_18(void)
{
    return compare_dense(ELEMENT_G2, 1 << 18, POINTS_RANDOM, SCALARS_RANDOM) +
           compare_dense(ELEMENT_G2, 1 << 18, POINTS_EQUAL, SCALARS_EQUAL);
}

/* Too large for the cpu back end: scalars of equal points are added up first. */
static int compare_large(enum element group, size_t n, unsigned multiples)
{
    enum { DISTINCT = 4096 };
    const size_t size = kernels_of(group)->point_bytes;
    struct region at, scalars, sums;
    struct bases_source source = {
        .group = group,
        .multiples = multiples,
        .points = {.form = POINTS_NATIVE, .data = map_memory(&at, n * size), .n = n}};
    struct scalar *s = map_memory(&scalars, n * sizeof *s);
    struct scalar *sum = map_memory(&sums, DISTINCT * sizeof *sum);
    struct g2_point expected, got;

    make_points(group, at.base, n, POINTS_RANDOM);
    make_scalars(s, n, SCALARS_RANDOM);
    for (size_t i = 0; i < n; i++)
        curve->fr_add(&sum[i % DISTINCT], &sum[i % DISTINCT], &s[i]);
    dense(&backend_cuda, &source, s, n, &got);
    source.points.n = DISTINCT;
    dense(&backend_cpu, &source, sum, DISTINCT, &expected);
    region_unmap(&at);
    region_unmap(&scalars);
    region_unmap(&sums);
    return memcmp(&expected, &got, sizeof got) != 0;
}
static int msm_g1_large(void)
{
    return compare_large(ELEMENT_G1, ((size_t)1 << 24) + 5, 1) +
           compare_large(ELEMENT_G1, 1 << 22, 1);
}
/* more entries in a set of buckets than are taken together */
static int msm_with_multiples_large(void)
{
    return compare_large(ELEMENT_G1, ((size_t)1 << 24) + 5, 12) +
           compare_large(ELEMENT_G1, ((size_t)1 << 24) + 5, 7);
}
static int msm_g2_large(void)
{
    return compare_large(ELEMENT_G2, ((size_t)1 << 22) + 5, 1);
}

/* ---- packed witnesses ----------------------------------------------------------------------- */

/* A random witness: densities in per cent. */
struct shape {
    size_t n_inputs, n_aux;
    unsigned full, ones, in_key;
    bool maps;
};

struct made {
    struct witness witness;
    struct bases_source source;
    struct region regions[8];
};

static uint64_t *random_map(struct region *region, size_t n, unsigned per_cent)
{
    uint64_t *map = map_memory(region, witness_map_words(n) * 8 + 8);

    for (size_t i = 0; i < n; i++)
        if (gpu_random() % 100 < per_cent)
            map[i / 64] |= (uint64_t)1 << (i % 64);
    return map;
}

static void make_witness(struct made *m, enum element group, const struct shape *s,
                         enum points_kind points)
{
    struct witness *w = &m->witness;
    uint64_t *full_map = random_map(&m->regions[0], s->n_aux, s->full);
    uint64_t *bits = random_map(&m->regions[1], s->n_aux, s->ones);
    uint32_t *rank = map_memory(&m->regions[2], witness_rank_entries(s->n_aux) * 4);
    struct scalar *values;
    size_t n_points = 0;

    for (size_t i = 0; i < witness_map_words(s->n_aux); i++)
        bits[i] &= ~full_map[i];
    *w = (struct witness){.n_inputs = s->n_inputs, .n_aux = s->n_aux, .fr_bytes = 32};
    w->n_full = witness_rank_fill(rank, full_map, s->n_aux);
    values = map_memory(&m->regions[3], (s->n_inputs + w->n_full + 1) * 32);
    gpu_random_scalars(values, s->n_inputs + w->n_full, 1);
    w->full_map = full_map;
    w->full_rank = rank;
    w->bits = bits;
    w->inputs = values->w;
    w->full = values[s->n_inputs].w;
    m->source = (struct bases_source){.group = group, .n_inputs = s->n_inputs, .n_aux = s->n_aux};
    if (s->maps) {
        m->source.input_map = random_map(&m->regions[4], s->n_inputs, s->in_key);
        m->source.aux_map = random_map(&m->regions[5], s->n_aux, s->in_key);
        for (size_t i = 0; i < s->n_inputs; i++)
            n_points += (size_t)witness_bit(m->source.input_map, i);
    }
    for (size_t i = 0; i < s->n_aux; i++)
        n_points += s->maps ? (size_t)witness_bit(m->source.aux_map, i) : 1;
    m->source.points = (struct points_view){
        .form = POINTS_NATIVE,
        .data = map_memory(&m->regions[6], (n_points + 1) * kernels_of(group)->point_bytes),
        .n = n_points};
    if (n_points)
        make_points(group, m->regions[6].base, n_points, points);
}

/* The whole twice, then two parts. */
enum { N_SUMS = 4 };
static void over_witness(const struct backend *b, const struct made *m, struct g2_point out[N_SUMS])
{
    struct device_options options = {
        .curve = curve,
        .pool = pool,
        .arena_bytes = b->bases_bytes(curve, &m->source) + b->witness_bytes(curve, &m->witness) +
                       b->msm_witness_bytes(curve, &m->source, m->witness.n_full, pool_size(pool)),
    };
    struct cuzk_error err = {0};
    struct device *device = NULL;
    struct stream *stream = NULL;
    struct bases *bases = NULL;
    struct witness_handle *handle = NULL;
    struct witness_handle *both[2];
    const size_t n_aux = m->witness.n_aux;
    const size_t cut = n_aux / 3 / WITNESS_RANK_STEP * WITNESS_RANK_STEP;
    const struct witness_part parts[] = {{0, cut}, {cut, n_aux}};

    memset(out, 0, N_SUMS * sizeof *out);
    gpu_must(b->open(&device, &options, &err), &err);
    gpu_must(b->stream_new(device, &stream, &err), &err);
    gpu_must(b->bases_new(device, &m->source, &bases, &err), &err);
    gpu_must(b->witness_new(device, &m->witness, &handle, &err), &err);
    for (size_t i = 0; i < 2; i++)
        b->witness_put(stream, handle, &m->witness, parts[i]);
    both[0] = both[1] = handle;
    if (m->source.group == ELEMENT_G1) {
        b->msm_witness_g1(stream, bases, both, 2, witness_whole(n_aux),
                          (struct g1_point *)(void *)out);
        for (size_t i = 0; i < 2; i++)
            b->msm_witness_g1(stream, bases, both, 1, parts[i],
                              (struct g1_point *)(void *)(out + 2 + i));
    } else {
        b->msm_witness_g2(stream, bases, both, 2, witness_whole(n_aux), out);
        for (size_t i = 0; i < 2; i++)
            b->msm_witness_g2(stream, bases, both, 1, parts[i], out + 2 + i);
    }
    gpu_must(b->wait(stream, &err), &err);
    b->witness_free(handle);
    b->bases_free(bases);
    b->stream_free(stream);
    b->close(device);
}

static int compare_witness(enum element group, const struct shape *s, enum points_kind points)
{
    struct made m = {0};
    struct g2_point expected[N_SUMS], got[N_SUMS];
    int wrong;

    make_witness(&m, group, s, points);
    over_witness(&backend_cpu, &m, expected);
    over_witness(&backend_cuda, &m, got);
    wrong = memcmp(expected, got, sizeof got) != 0;
    if (wrong)
        printf("  group %d inputs %zu aux %zu full %u ones %u key %u: wrong\n", (int)group,
               s->n_inputs, s->n_aux, s->full, s->ones, s->in_key);
    for (size_t i = 0; i < 8; i++)
        region_unmap(&m.regions[i]);
    return wrong;
}
static int msm_over_a_witness_equals_cpu(void)
{
    static const size_t sizes[] = {1, 63, 64, 65, 511, 512, 513, 5000, 100001};
    int wrong = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 6; k++) {
            const struct shape s = {
                .n_inputs = 1 + i * 3,
                .n_aux = sizes[i],
                .full = k == 0   ? 0
                        : k == 1 ? 100
                                 : 3,
                .ones = k == 2   ? 0
                        : k == 3 ? 100
                                 : 50,
                .in_key = k == 4 ? 0 : 70,
                .maps = k != 5,
            };

            wrong += compare_witness(ELEMENT_G1, &s, (enum points_kind)(k % POINTS_N_KINDS));
            if (i % 3 == 2)
                wrong += compare_witness(ELEMENT_G2, &s, (enum points_kind)(k % POINTS_N_KINDS));
        }
    return wrong;
}
/* small enough for compute-sanitizer */
static int tiny_sums_equal_cpu(void)
{
    static const size_t sizes[] = {1, 33, 300};
    const struct shape shape = {3, 513, 5, 50, 70, true};

    return compare_sizes(ELEMENT_G1, sizes, 3) +
           compare_dense(ELEMENT_G2, 33, POINTS_WITH_INFINITIES, SCALARS_MIXED) +
           compare_multiples(ELEMENT_G1, 100, 3, POINTS_WITH_INFINITIES, SCALARS_RANDOM) +
           compare_witness(ELEMENT_G1, &shape, POINTS_WITH_INFINITIES);
}
/* As the largest sums are made: so that windows of two widths come first. */
static int sums_a_window_at_a_time_equal_cpu(void)
{
    static const size_t sizes[] = {1, 33, 1000, 22529, 300000};
    const struct shape shape = {7, 5000, 60, 50, 70, true};
    int wrong;

    cuda_msm_together(1);
    wrong = compare_sizes(ELEMENT_G1, sizes, 5) + compare_sizes(ELEMENT_G2, sizes, 3) +
            compare_multiples(ELEMENT_G1, 22529, 3, POINTS_RANDOM, SCALARS_RANDOM) +
            compare_witness(ELEMENT_G1, &shape, POINTS_WITH_INFINITIES) +
            compare_witness(ELEMENT_G2, &shape, POINTS_WITH_INFINITIES);
    cuda_msm_together(0);
    return wrong;
}
static int msm_over_a_large_witness_equals_cpu(void)
{
    const struct shape s = {40, ((size_t)1 << 22) + 77, 1, 50, 80, true};

    return compare_witness(ELEMENT_G1, &s, POINTS_WITH_INFINITIES);
}

int gpu_sums(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"tiny_sums_equal_cpu", tiny_sums_equal_cpu, false},
        {"msm_g1_equals_cpu", msm_g1_equals_cpu, false},
        {"msm_g2_equals_cpu", msm_g2_equals_cpu, false},
        {"msm_g1_equals_cpu_2_20", msm_g1_equals_cpu_2_20, false},
        {"msm_g2_equals_cpu_2_18", msm_g2_equals_cpu_2_18, false},
        {"msm_with_multiples_equals_cpu", msm_with_multiples_equals_cpu, false},
        {"msm_g1_large", msm_g1_large, false},
        {"msm_with_multiples_large", msm_with_multiples_large, true},
        {"msm_g2_large", msm_g2_large, false},
        {"msm_over_a_witness_equals_cpu", msm_over_a_witness_equals_cpu, false},
        {"msm_over_a_large_witness_equals_cpu", msm_over_a_large_witness_equals_cpu, false},
        {"sums_a_window_at_a_time_equal_cpu", sums_a_window_at_a_time_equal_cpu, false},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
