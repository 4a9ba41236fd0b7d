/* Operations on points against the same operations on their logarithms: every point is k G with k
 * known, so a sum of points is one product. */
#include "support/random_matrix.h"
#include "support/waist.h"

/* ---- points with known logarithms ------------------------------------------------------------ */

struct points {
    const struct curve *curve;
    enum element group;
    size_t n, bytes;
    uint64_t *logs;  /* plain */
    uint64_t *plain; /* points */
    void *other;     /* native or encoded */
    struct points_view view;
};

static const void *generator(const struct curve *curve, enum element group)
{
    return group == ELEMENT_G1 ? (const void *)&curve->g1_generator
                               : (const void *)&curve->g2_generator;
}

/* out: room for a struct g2_point, zeroed beyond the point */
static void multiple(const struct curve *curve, enum element group, const struct scalar *k,
                     uint8_t out[sizeof(struct g2_point)])
{
    memset(out, 0, sizeof(struct g2_point));
    if (group == ELEMENT_G1) {
        struct g1_point p;

        curve->g1_mul(&p, &curve->g1_generator, k);
        memcpy(out, &p, curve->g1_bytes);
    } else {
        struct g2_point p;

        curve->g2_mul(&p, &curve->g2_generator, k);
        memcpy(out, &p, curve->g2_bytes);
    }
}

/* logs[i] * generator. Not by fixed_base_mul: its table is worth 2000 multiples, and it is tested
 * against this. */
static struct buf *multiples(struct waist *w, enum element group, const struct buf *logs, size_t n)
{
    const struct group_kernels *kernels = group_of(w->curve, group);
    struct buf *out = waist_buf(w, group, n, NULL);
    uint64_t *plain = waist_get(w, logs, n);

    for (size_t i = 0; i < n; i++)
        w->be->buf_put(w->stream, out, i, generator(w->curve, group), 1);
    kernels->mul_each(out->data, out->data, plain, n, w->pool);
    mem_free(plain);
    return out;
}

/* Point i is logs[i] times the generator. */
static void assert_multiples(struct waist *w, enum element group, const struct buf *points,
                             const struct buf *logs, size_t n)
{
    struct buf *expected = multiples(w, group, logs, n);
    uint64_t *x = waist_get(w, points, n), *y = waist_get(w, expected, n);

    assert_memory_equal(x, y, n * element_bytes(w->curve, group));
    mem_free(x);
    mem_free(y);
    w->be->buf_free(expected);
}

static void encode(struct points *p)
{
    const struct curve *curve = p->curve;
    size_t bytes = group_of(curve, p->group)->encoded_bytes;
    uint8_t *out = mem_new(p->n * bytes);

    for (size_t i = 0; i < p->n; i++) {
        if (p->group == ELEMENT_G1) {
            struct g1_point x = {{0}};

            memcpy(&x, (uint8_t *)p->plain + i * p->bytes, p->bytes);
            curve->g1_encode(out + i * bytes, &x, false);
        } else {
            struct g2_point x = {{0}};

            memcpy(&x, (uint8_t *)p->plain + i * p->bytes, p->bytes);
            curve->g2_encode(out + i * bytes, &x, false);
        }
    }
    p->other = out;
}

static void points_init(struct points *p, struct waist *w, enum element group, size_t n,
                        enum points_form form, struct rng *rng)
{
    const struct curve *curve = w->curve;

    *p = (struct points){.curve = curve, .group = group, .n = n};
    p->bytes = element_bytes(curve, group);
    p->logs = mem_new(n * curve->fr_bytes + 8);
    for (size_t i = 0; i < n; i++) {
        struct scalar k;
        const struct scalar zero = {{0}};

        do
            k = random_scalar(curve, rng);
        while (form == POINTS_ZCASH && memcmp(&k, &zero, sizeof k) == 0);
        scalar_store(curve, p->logs, i, &k);
    }
    struct buf *logs = waist_buf(w, ELEMENT_SCALAR, n, p->logs);
    struct buf *points = multiples(w, group, logs, n);

    p->plain = waist_get(w, points, n);
    w->be->buf_free(points);
    w->be->buf_free(logs);
    p->view = (struct points_view){.form = form, .data = p->plain, .n = n};
    if (form == POINTS_NATIVE) {
        p->other = mem_new(n * p->bytes);
        group_of(curve, group)->from_plain(p->other, p->plain, n);
        p->view.data = p->other;
    } else if (form == POINTS_ZCASH) {
        encode(p);
        p->view.data = p->other;
    }
}

static void points_done(struct points *p)
{
    mem_free(p->logs);
    mem_free(p->plain);
    mem_free(p->other);
}

/* sum += log of point i times value */
static void add_log(const struct points *p, struct scalar *sum, size_t i,
                    const struct scalar *value)
{
    struct scalar k = scalar_load(p->curve, p->logs, i);

    p->curve->fr_mul(&k, &k, value);
    p->curve->fr_add(sum, sum, &k);
}

static void assert_point_is(const struct points *p, const void *got, const struct scalar *log)
{
    uint8_t expected[sizeof(struct g2_point)];

    multiple(p->curve, p->group, log, expected);
    assert_memory_equal(got, expected, p->bytes);
}

/* ---- fixed base ------------------------------------------------------------------------------ */

static void check_fixed_base(struct waist *w, enum element group, struct rng *rng)
{
    struct points p;
    struct fixed_base *fixed;

    points_init(&p, w, group, 300, POINTS_PLAIN, rng);
    for (size_t i = 0; i<p.n; i += w->curve->fr_bytes> 8 ? 30 : 1) {
        const struct scalar k = scalar_load(w->curve, p.logs, i);

        assert_point_is(&p, (uint8_t *)p.plain + i * p.bytes, &k);
    }
    struct buf *logs = waist_buf(w, ELEMENT_SCALAR, p.n, p.logs);
    struct buf *out = waist_buf(w, group, p.n, NULL);
    size_t before = w->device->arena.used;

    assert_int_equal(
        w->be->fixed_base_new(w->device, group, generator(w->curve, group), &fixed, NULL), CUZK_OK);
    assert_int_equal(w->device->arena.used - before, w->be->fixed_base_bytes(w->curve, group));
    waist_measure_begin(w);
    w->be->fixed_base_mul(w->stream, fixed, out, logs, 0, p.n);
    waist_measure_end(w, w->be->fixed_base_mul_bytes(w->curve, group, p.n, pool_size(w->pool)));
    uint64_t *got = waist_get(w, out, p.n);

    assert_memory_equal(got, p.plain, p.n * p.bytes);
    mem_free(got);
    w->be->fixed_base_mul(w->stream, fixed, out, logs, 7, 100);
    got = waist_get(w, out, 100);
    assert_memory_equal(got, (uint8_t *)p.plain + 7 * p.bytes, 100 * p.bytes);
    mem_free(got);
    w->be->fixed_base_free(fixed);
    w->be->buf_free(out);
    w->be->buf_free(logs);
    points_done(&p);
}

static void test_fixed_base_gives_multiples(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
            struct waist w;

            waist_open(&w, waist_curves[c], 1 + (unsigned)c);
            check_fixed_base(&w, group, &rng);
            waist_close(&w);
        }
}

/* ---- dense sums ------------------------------------------------------------------------------ */

/* The points of a handle that holds them itself, in two parts. */
static void put_bases(struct waist *w, const struct points *p, struct bases *bases)
{
    const size_t first = p->n / 3;
    struct buf *points = waist_buf(w, p->group, p->n, p->plain);

    w->be->bases_put(w->stream, bases, 0, points, first);
    w->be->buf_put(w->stream, points, 0, (const uint8_t *)p->plain + first * p->bytes,
                   p->n - first);
    w->be->bases_put(w->stream, bases, first, points, p->n - first);
    waist_wait(w);
    w->be->buf_free(points);
}

static void check_msm(struct waist *w, const struct points *p, size_t n, bool to_come,
                      struct rng *rng)
{
    const struct bases_source source = {.group = p->group, .to_come = to_come, .points = p->view};
    uint64_t *values = mem_new((n + 5) * w->curve->fr_bytes);
    struct scalar sum = {{0}};
    struct bases *bases;
    struct g1_point g1;
    struct g2_point g2;

    for (size_t i = 0; i < n + 5; i++) {
        const struct scalar x = random_scalar(w->curve, rng);

        scalar_store(w->curve, values, i, &x);
        if (i >= 3 && i < n + 3)
            add_log(p, &sum, i - 3, &x);
    }
    struct buf *scalars = waist_buf(w, ELEMENT_SCALAR, n + 5, values);

    size_t before = w->device->arena.used;
    assert_int_equal(w->be->bases_new(w->device, &source, &bases, NULL), CUZK_OK);
    assert_int_equal(w->device->arena.used - before, w->be->bases_bytes(w->curve, &source));
    if (to_come)
        put_bases(w, p, bases);
    waist_measure_begin(w);
    if (p->group == ELEMENT_G1)
        w->be->msm_g1(w->stream, bases, scalars, 3, n, &g1);
    else
        w->be->msm_g2(w->stream, bases, scalars, 3, n, &g2);
    waist_measure_end(w, w->be->msm_bytes(w->curve, p->group, n, pool_size(w->pool)));
    waist_wait(w);
    assert_point_is(p, p->group == ELEMENT_G1 ? (void *)&g1 : (void *)&g2, &sum);

    uint64_t *after = waist_get(w, scalars, n + 5); /* the form changed, the value did not */

    assert_memory_equal(after, values, (n + 5) * w->curve->fr_bytes);
    mem_free(after);
    mem_free(values);
    w->be->bases_free(bases);
    w->be->buf_free(scalars);
}

static void test_msm_is_the_sum_of_the_products(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 31, 32, 33, 150};
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
            for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
                struct waist w;
                struct points p;

                waist_open(&w, waist_curves[c], n_threads);
                points_init(&p, &w, group, 150, (enum points_form)(n_threads % 3), &rng);
                for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                    check_msm(&w, &p, sizes[i], i % 2 == n_threads % 2, &rng);
                points_done(&p);
                waist_close(&w);
            }
}

/* ---- sums over a packed witness -------------------------------------------------------------- */

struct key {
    size_t n_inputs, n_aux;
    uint64_t *input_map, *aux_map; /* NULL as in bases_source */
};

static size_t key_points(const struct key *k)
{
    return (k->input_map ? map_count(k->input_map, k->n_inputs) : 0) +
           (k->aux_map ? map_count(k->aux_map, k->n_aux) : k->n_aux);
}

static struct scalar expected_log(const struct points *p, const struct key *k,
                                  const struct witness *w, struct witness_part part)
{
    struct scalar sum = {{0}};
    size_t point = 0;

    for (size_t i = 0; k->input_map && i < k->n_inputs; i++)
        if (witness_bit(k->input_map, i)) {
            const struct scalar x = scalar_load(p->curve, w->inputs, i);

            if (part.end == k->n_aux)
                add_log(p, &sum, point, &x);
            point++;
        }
    for (size_t v = 0; v < k->n_aux; v++)
        if (!k->aux_map || witness_bit(k->aux_map, v)) {
            struct scalar x = {{0}};

            witness_value(x.w, w, 0, v);
            if (v >= part.first && v < part.end)
                add_log(p, &sum, point, &x);
            point++;
        }
    assert_int_equal(point, p->n);
    return sum;
}

enum { N_WITNESSES = 2 };

/* Over a part of each witness. */
static void check_part(struct waist *w, const struct points *p, const struct key *k,
                       const struct bases *bases, struct witness *const *witness,
                       struct witness_handle *const *handle, struct witness_part part)
{
    struct g1_point g1[N_WITNESSES];
    struct g2_point g2[N_WITNESSES];

    if (p->group == ELEMENT_G1)
        w->be->msm_witness_g1(w->stream, bases, handle, N_WITNESSES, part, g1);
    else
        w->be->msm_witness_g2(w->stream, bases, handle, N_WITNESSES, part, g2);
    waist_wait(w);
    for (int i = 0; i < N_WITNESSES; i++) {
        const struct scalar log = expected_log(p, k, witness[i], part);

        assert_point_is(p, p->group == ELEMENT_G1 ? (void *)&g1[i] : (void *)&g2[i], &log);
    }
}

static void check_witness_sum(struct waist *w, enum element group, const struct key *k,
                              enum points_form form, struct rng *rng)
{
    const size_t cut = k->n_aux / 3 / WITNESS_RANK_STEP * WITNESS_RANK_STEP;
    struct witness *witness[N_WITNESSES];
    struct witness_handle *handle[N_WITNESSES];
    struct points p;
    struct bases *bases;
    size_t most = 0;

    points_init(&p, w, group, key_points(k), form, rng);
    const struct bases_source source = {.group = group,
                                        .points = p.view,
                                        .n_inputs = k->n_inputs,
                                        .n_aux = k->n_aux,
                                        .input_map = k->input_map,
                                        .aux_map = k->aux_map};

    size_t before = w->device->arena.used;
    assert_int_equal(w->be->bases_new(w->device, &source, &bases, NULL), CUZK_OK);
    assert_int_equal(w->device->arena.used - before, w->be->bases_bytes(w->curve, &source));
    for (int i = 0; i < N_WITNESSES; i++) {
        witness[i] = random_witness_new(w->curve, k->n_inputs, k->n_aux, rng);
        assert_int_equal(w->be->witness_new(w->device, witness[i], &handle[i], NULL), CUZK_OK);
        w->be->witness_put(w->stream, handle[i], witness[i], (struct witness_part){0, cut});
        w->be->witness_put(w->stream, handle[i], witness[i], (struct witness_part){cut, k->n_aux});
        if (witness[i]->n_full > most)
            most = witness[i]->n_full;
    }
    waist_measure_begin(w);
    check_part(w, &p, k, bases, witness, handle, witness_whole(k->n_aux));
    waist_measure_end(w, w->be->msm_witness_bytes(w->curve, &source, most, pool_size(w->pool)));
    check_part(w, &p, k, bases, witness, handle, (struct witness_part){0, cut});
    check_part(w, &p, k, bases, witness, handle, (struct witness_part){cut, k->n_aux});
    for (int i = N_WITNESSES - 1; i >= 0; i--) {
        w->be->witness_free(handle[i]);
        random_witness_free(witness[i]);
    }
    w->be->bases_free(bases);
    points_done(&p);
}

static void test_witness_sum_is_the_sum_over_all_variables(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (unsigned kind = 0; kind < 5; kind++) {
            bool toy = c >= 2;
            struct key k = {.n_inputs = 1 + kind * 9, .n_aux = toy ? 140000 + kind : 200 + kind};
            struct waist w;

            if (kind == 4)
                k.n_aux = kind % 2; /* none at all */
            k.input_map = random_map_new(k.n_inputs, kind, &rng);
            k.aux_map = random_map_new(k.n_aux, kind, &rng);
            waist_open(&w, waist_curves[c], 1 + kind % 4);
            for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
                check_witness_sum(&w, group, &k, (enum points_form)((kind + c) % 3), &rng);
            mem_free(k.input_map);
            mem_free(k.aux_map);
            k.input_map = k.aux_map = NULL;
            check_witness_sum(&w, ELEMENT_G1, &k, POINTS_PLAIN, &rng);
            waist_close(&w);
        }
}

static void test_bases_that_do_not_match_the_circuit_are_refused(void **state)
{
    struct waist w;
    struct points p;
    struct rng rng;
    struct bases *bases = NULL;
    struct cuzk_error err;
    const uint64_t map = 7;

    (void)state;
    rng_seed(&rng, test_seed());
    waist_open(&w, &curve_toy_bn, 1);
    points_init(&p, &w, ELEMENT_G1, 4, POINTS_PLAIN, &rng);
    const struct bases_source source = {.group = ELEMENT_G1,
                                        .points = p.view,
                                        .n_inputs = 2,
                                        .n_aux = 3,
                                        .input_map = &map,
                                        .aux_map = &map};

    assert_int_equal(w.be->bases_new(w.device, &source, &bases, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "4 points for 5 variables"));
    assert_null(bases);
    points_done(&p);
    waist_close(&w);
}

/* A point of an aux is numbered from the start of the key, inputs included. */
static void test_a_bad_point_fails_the_witness_sum_and_names_it(void **state)
{
    struct waist w;
    struct points p;
    struct rng rng;
    struct bases *bases;
    struct witness_handle *handle;
    struct cuzk_error err;
    struct g1_point sum;
    const uint64_t map = 7, full_map = 0, bits = 63, inputs[12] = {1};
    uint32_t rank[2];

    (void)state;
    rng_seed(&rng, test_seed());
    waist_open(&w, &curve_bls12_381, 1);
    points_init(&p, &w, ELEMENT_G1, 9, POINTS_ZCASH, &rng);
    ((uint8_t *)p.other)[7 * 96 + 95] ^= 1;
    const struct bases_source source = {
        .group = ELEMENT_G1, .points = p.view, .n_inputs = 3, .n_aux = 6, .input_map = &map};
    struct witness witness = {.n_inputs = 3,
                              .n_aux = 6,
                              .fr_bytes = 32,
                              .inputs = inputs,
                              .full_map = &full_map,
                              .full_rank = rank,
                              .bits = &bits};

    witness.n_full = witness_rank_fill(rank, &full_map, 6);
    assert_int_equal(w.be->bases_new(w.device, &source, &bases, NULL), CUZK_OK);
    assert_int_equal(w.be->witness_new(w.device, &witness, &handle, NULL), CUZK_OK);
    w.be->witness_put(w.stream, handle, &witness, witness_whole(6));
    w.be->msm_witness_g1(w.stream, bases, &handle, 1, witness_whole(6), &sum);
    assert_int_equal(w.be->wait(w.stream, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "msm_witness_g1: point 7: "));
    w.be->witness_free(handle);
    w.be->bases_free(bases);
    points_done(&p);
    waist_close(&w);
}

static void test_a_bad_point_fails_the_sum_and_names_it(void **state)
{
    struct waist w;
    struct points p;
    struct rng rng;
    struct bases *bases;
    struct cuzk_error err;
    struct g1_point sum;
    uint64_t values[9 * 4] = {1, 0, 0, 0, 2};

    (void)state;
    rng_seed(&rng, test_seed());
    waist_open(&w, &curve_bls12_381, 2);
    points_init(&p, &w, ELEMENT_G1, 9, POINTS_ZCASH, &rng);
    ((uint8_t *)p.other)[5 * 96 + 95] ^= 1;
    for (size_t i = 0; i < 9; i++)
        values[4 * i] = i + 2;
    const struct bases_source source = {.group = ELEMENT_G1, .points = p.view};
    struct buf *scalars = waist_buf(&w, ELEMENT_SCALAR, 9, values);

    assert_int_equal(w.be->bases_new(w.device, &source, &bases, NULL), CUZK_OK);
    w.be->msm_g1(w.stream, bases, scalars, 0, 9, &sum);
    assert_int_equal(w.be->wait(w.stream, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "msm_g1"));
    assert_non_null(strstr(err.message, "5"));
    w.be->msm_g1(w.stream, bases, scalars, 0, 5, &sum);
    waist_wait(&w);
    w.be->bases_free(bases);
    w.be->buf_free(scalars);
    points_done(&p);
    waist_close(&w);
}

/* ---- key transforms -------------------------------------------------------------------------- */

static void check_group_ntt(struct waist *w, enum element group, unsigned lg_n, struct rng *rng)
{
    const uint64_t g = w->curve->fr_generator.w[0];
    size_t n = (size_t)1 << lg_n;
    struct domain *domain;

    assert_int_equal(w->be->domain_new(w->device, lg_n, g, TABLES_FAST, &domain, NULL), CUZK_OK);
    for (int mode = 0; mode < 4; mode++) {
        struct points p;

        points_init(&p, w, group, n, POINTS_PLAIN, rng);
        struct buf *points = waist_buf(w, group, n, p.plain);
        struct buf *logs = waist_buf(w, ELEMENT_SCALAR, n, p.logs);

        waist_measure_begin(w);
        w->be->group_ntt(w->stream, domain, points, mode & 1, mode & 2);
        waist_measure_end(w, w->be->group_ntt_bytes(w->curve, group, lg_n, pool_size(w->pool)));
        w->be->ntt(w->stream, domain, logs, mode & 1, mode & 2);
        assert_multiples(w, group, points, logs, n);
        w->be->buf_free(logs);
        w->be->buf_free(points);
        points_done(&p);
    }
    w->be->domain_free(domain);
}

static void test_group_ntt_is_the_ntt_of_the_logarithms(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
            for (unsigned lg_n = 0; lg_n <= 4; lg_n++) {
                struct waist w;

                waist_open(&w, waist_curves[c], 1 + lg_n % 4);
                check_group_ntt(&w, group, lg_n, &rng);
                waist_close(&w);
            }
}

static void check_scale_points(struct waist *w, enum element group, size_t n, struct rng *rng)
{
    const struct scalar first = random_scalar(w->curve, rng), base = random_scalar(w->curve, rng);
    struct points p;

    points_init(&p, w, group, n, POINTS_PLAIN, rng);
    struct buf *points = waist_buf(w, group, n, p.plain);
    struct buf *logs = waist_buf(w, ELEMENT_SCALAR, n, p.logs);
    struct buf *powers = waist_buf(w, ELEMENT_SCALAR, n, NULL);

    waist_measure_begin(w);
    w->be->scale_points(w->stream, points, &first, &base, n);
    waist_measure_end(w, w->be->scale_points_bytes(w->curve, group, n, pool_size(w->pool)));
    w->be->powers(w->stream, powers, &first, &base, n);
    w->be->pointwise(w->stream, POINTWISE_MUL, logs, logs, powers, NULL, n);
    assert_multiples(w, group, points, logs, n);
    w->be->buf_free(powers);
    w->be->buf_free(logs);
    w->be->buf_free(points);
    points_done(&p);
}

static void test_scaled_points_are_those_of_the_scaled_logarithms(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
            struct waist w;

            waist_open(&w, waist_curves[c], 1 + (unsigned)c);
            check_scale_points(&w, group, 1, &rng);
            check_scale_points(&w, group, c < 2 ? 21 : 5000, &rng); /* more than a batch */
            waist_close(&w);
        }
}

static void check_point_spmv(struct waist *w, enum element group, uint32_t count, bool inputs,
                             struct rng *rng)
{
    struct random_matrix *rm = random_matrix_new(w->curve, count, rng);
    const struct matrix *m = &rm->matrix;
    struct matrix_handle *matrix;
    struct points p;
    const uint64_t first = inputs ? 0 : 5;
    size_t n = inputs ? m->n_inputs : m->n_aux - first - 1;

    points_init(&p, w, group, m->n_rows, POINTS_PLAIN, rng);
    struct buf *points = waist_buf(w, group, m->n_rows, p.plain);
    struct buf *logs = waist_buf(w, ELEMENT_SCALAR, m->n_rows, p.logs);
    struct buf *out = waist_buf(w, group, n, NULL), *sums = waist_buf(w, ELEMENT_SCALAR, n, NULL);

    assert_int_equal(w->be->matrix_new(w->device, m, &matrix, NULL), CUZK_OK);
    waist_measure_begin(w);
    w->be->point_spmv(w->stream, out, matrix, points, inputs, first, n);
    waist_measure_end(w, w->be->point_spmv_bytes(w->curve, m, group, n, pool_size(w->pool)));
    w->be->buf_zero(w->stream, sums, 0, n);
    w->be->spmv_transposed(w->stream, sums, matrix, logs, 0, m->n_rows, inputs, first, n);
    assert_multiples(w, group, out, sums, n);
    w->be->matrix_free(matrix);
    w->be->buf_free(sums);
    w->be->buf_free(out);
    w->be->buf_free(logs);
    w->be->buf_free(points);
    points_done(&p);
    random_matrix_free(rm);
}

static void test_point_spmv_is_the_transposed_product_of_the_logarithms(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (size_t c = 0; c < N_WAIST_CURVES; c++)
        for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
            struct waist w;

            waist_open(&w, waist_curves[c], 1 + (unsigned)c);
            for (int inputs = 0; inputs < 2; inputs++)
                check_point_spmv(&w, group, c < 2 ? 2 : 300, inputs, &rng);
            waist_close(&w);
        }
}

static int run(const char *backend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_base_gives_multiples),
        cmocka_unit_test(test_msm_is_the_sum_of_the_products),
        cmocka_unit_test(test_witness_sum_is_the_sum_over_all_variables),
        cmocka_unit_test(test_bases_that_do_not_match_the_circuit_are_refused),
        cmocka_unit_test(test_a_bad_point_fails_the_sum_and_names_it),
        cmocka_unit_test(test_a_bad_point_fails_the_witness_sum_and_names_it),
        cmocka_unit_test(test_group_ntt_is_the_ntt_of_the_logarithms),
        cmocka_unit_test(test_scaled_points_are_those_of_the_scaled_logarithms),
        cmocka_unit_test(test_point_spmv_is_the_transposed_product_of_the_logarithms),
    };
    char name[64];

    snprintf(name, sizeof name, "backend sums %s", backend);
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return waist_run_group(run);
}
