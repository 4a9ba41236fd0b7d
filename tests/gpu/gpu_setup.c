/* What set-up needs of the CUDA back end against the cpu back end, byte for byte: points in
 * buffers, multiples of one base, selections; then whole keys of a real circuit in every basis. */
#include "gpu/gpu_tests.h"
#include "filecoin/circuit.h"
#include "gpu/gpu_machine.h"
#include "groth16/setup.h"
#include "msm/group_kernels.h"

/* ---- multiples of one base ------------------------------------------------------------------ */

/* Scalars at the borders of the digits, then random ones. */
static void make_scalars(struct scalar *s, size_t n)
{
    const struct scalar one = {{1}};

    gpu_random_scalars(s, n, 0);
    for (size_t i = 0; i < n && i < 6 * 255; i += 6) {
        const unsigned bit = (unsigned)(i / 6);
        struct scalar power = {{0}};

        power.w[bit / 64] = (uint64_t)1 << (bit % 64);
        if (!curve->fr_is_reduced(&power))
            continue;
        s[i] = power;
        for (size_t k = 1; k < 6 && i + k < n; k++)
            s[i + k] = s[i];
        if (i + 5 < n) { /* 2^k, 2^k - 1, 2^k + 1, their opposites and 0 */
            curve->fr_sub(&s[i + 1], &power, &one);
            curve->fr_add(&s[i + 2], &power, &one);
            curve->fr_sub(&s[i + 3], &(struct scalar){{0}}, &power);
            curve->fr_sub(&s[i + 4], &(struct scalar){{0}}, &s[i + 1]);
            s[i + 5] = bit ? s[i + 5] : (struct scalar){{0}};
        }
    }
}

static void multiply(const struct backend *b, enum element group, const void *base,
                     const struct scalar *scalars, size_t n, void *out)
{
    struct machine m;
    struct fixed_base *fixed = NULL;
    struct cuzk_error err = {0};

    machine_open(&m, b,
                 b->fixed_base_bytes(curve, group) + b->buf_bytes(curve, group, n) +
                     b->buf_bytes(curve, ELEMENT_SCALAR, n + 3) +
                     b->fixed_base_mul_bytes(curve, group, n, pool_size(pool)));
    struct buf *s = buf_of(&m, ELEMENT_SCALAR, n + 3, NULL), *points = buf_of(&m, group, n, NULL);

    gpu_must(b->fixed_base_new(m.device, group, base, &fixed, &err), &err);
    if (n)
        b->buf_put(m.stream, s, 3, scalars, n);
    b->fixed_base_mul(m.stream, fixed, points, s, 3, n);
    b->buf_get(m.stream, points, 0, out, n);
    machine_wait(&m);
    b->fixed_base_free(fixed);
    b->buf_free(points);
    b->buf_free(s);
    machine_close(&m);
}

static int compare_multiples(enum element group, const void *base, size_t n)
{
    const size_t size = point_bytes(group);
    struct region regions[3];
    struct scalar *s = map_memory(&regions[0], n * sizeof *s);
    uint8_t *expected = map_memory(&regions[1], n * size), *got = map_memory(&regions[2], n * size);
    size_t bad = 0, where = 0;

    make_scalars(s, n);
    multiply(&backend_cpu, group, base, s, n, expected);
    multiply(&backend_cuda, group, base, s, n, got);
    for (size_t i = n; i-- > 0;)
        if (memcmp(expected + i * size, got + i * size, size) != 0) {
            bad++;
            where = i;
        }
    if (bad)
        printf("  group %d n %zu: %zu wrong, first %zu\n", (int)group, n, bad, where);
    for (int i = 0; i < 3; i++)
        region_unmap(&regions[i]);
    return bad != 0;
}
static int tiny_multiples_equal_cpu(void)
{
    return compare_multiples(ELEMENT_G1, generator(ELEMENT_G1), 40) +
           compare_multiples(ELEMENT_G2, generator(ELEMENT_G2), 5);
}
static int multiples_equal_cpu(void)
{
    static const size_t sizes[] = {0, 1, 2, 7, 33, 1540, 22529};
    const struct g2_point infinity = {{0}};
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            wrong += compare_multiples(group, generator(group), sizes[i]);
        wrong += compare_multiples(group, &infinity, 33);
    }
    return wrong;
}
/* more than are made together */
static int many_multiples_equal_cpu(void)
{
    return compare_multiples(ELEMENT_G1, generator(ELEMENT_G1), ((size_t)1 << 21) + 77) +
           compare_multiples(ELEMENT_G2, generator(ELEMENT_G2), ((size_t)1 << 20) + 77);
}

/* ---- buffers and bases ----------------------------------------------------------------------- */

/* n plain points, some at infinity */
static void make_points(enum element group, uint8_t *out, size_t n)
{
    struct region region;
    struct scalar *s = map_memory(&region, n * sizeof *s);

    gpu_random_scalars(s, n, 1);
    multiply(&backend_cpu, group, generator(group), s, n, out);
    region_unmap(&region);
}

static int points_survive_a_buffer(void)
{
    enum { N = 1000 };
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
        const size_t size = point_bytes(group);
        struct region regions[2];
        uint8_t *plain = map_memory(&regions[0], N * size);
        uint8_t *got = map_memory(&regions[1], N * size);
        struct machine m;

        make_points(group, plain, N);
        machine_open(&m, &backend_cuda, backend_cuda.buf_bytes(curve, group, N));
        struct buf *buf = buf_of(&m, group, N, plain);

        for (int twice = 0; twice < 2; twice++) {
            memset(got, 0xcc, N * size);
            m.b->buf_get(m.stream, buf, 0, got, 10);
            m.b->buf_get(m.stream, buf, 10, got + 10 * size, N - 10);
            machine_wait(&m);
            wrong += memcmp(plain, got, N * size) != 0;
        }
        m.b->buf_free(buf);
        machine_close(&m);
        region_unmap(&regions[0]);
        region_unmap(&regions[1]);
    }
    return wrong;
}

/* Sum of scalars times points, which came from the host or from a buffer in three parts. */
static void sum(const struct backend *b, enum element group, const uint8_t *plain,
                const struct scalar *scalars, size_t n, bool to_come, struct g2_point *out)
{
    const struct bases_source source = {
        .group = group,
        .to_come = to_come,
        .points = {.form = POINTS_PLAIN, .data = to_come ? NULL : plain, .n = n}};
    const size_t third = n / 3;
    struct cuzk_error err = {0};
    struct bases *bases = NULL;
    struct machine m;

    machine_open(&m, b,
                 b->bases_bytes(curve, &source) + b->buf_bytes(curve, ELEMENT_SCALAR, n) +
                     b->buf_bytes(curve, group, n) +
                     b->msm_bytes(curve, group, n, pool_size(pool)));
    gpu_must(b->bases_new(m.device, &source, &bases, &err), &err);
    struct buf *s = buf_of(&m, ELEMENT_SCALAR, n, scalars), *points = buf_of(&m, group, n, NULL);

    for (size_t at = 0; to_come && at < n; at += third) {
        const size_t part = n - at < third ? n - at : third;

        b->buf_put(m.stream, points, 0, plain + at * point_bytes(group), part);
        b->bases_put(m.stream, bases, at, points, part);
    }
    memset(out, 0, sizeof *out);
    if (group == ELEMENT_G1)
        b->msm_g1(m.stream, bases, s, 0, n, (struct g1_point *)(void *)out);
    else
        b->msm_g2(m.stream, bases, s, 0, n, out);
    machine_wait(&m);
    b->buf_free(points);
    b->buf_free(s);
    b->bases_free(bases);
    machine_close(&m);
}
static int bases_made_from_a_buffer_give_the_same_sums(void)
{
    enum { N = 1001 };
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++) {
        struct region regions[2];
        uint8_t *plain = map_memory(&regions[0], N * point_bytes(group));
        struct scalar *s = map_memory(&regions[1], N * sizeof *s);
        struct g2_point expected, got;

        make_points(group, plain, N);
        gpu_random_scalars(s, N, 0);
        sum(&backend_cpu, group, plain, s, N, false, &expected);
        sum(&backend_cuda, group, plain, s, N, true, &got);
        wrong += memcmp(&expected, &got, sizeof got) != 0;
        region_unmap(&regions[0]);
        region_unmap(&regions[1]);
    }
    return wrong;
}

/* ---- selections ------------------------------------------------------------------------------ */

static void select_and_find(const struct backend *b, const struct scalar *a, const uint64_t *map,
                            size_t first, size_t n, struct scalar *out, size_t *zero)
{
    const size_t select_bytes = b->select_bytes(curve, n), find_bytes = b->find_zero_bytes(curve);
    struct machine m;

    machine_open(&m, b,
                 2 * b->buf_bytes(curve, ELEMENT_SCALAR, n) +
                     (select_bytes > find_bytes ? select_bytes : find_bytes));
    struct buf *from = buf_of(&m, ELEMENT_SCALAR, n, a), *to = buf_of(&m, ELEMENT_SCALAR, n, NULL);

    b->buf_zero(m.stream, to, 0, n);
    b->select(m.stream, to, from, map, first, n);
    b->buf_get(m.stream, to, 0, out, n);
    b->find_zero(m.stream, from, n, zero);
    machine_wait(&m);
    b->buf_free(to);
    b->buf_free(from);
    machine_close(&m);
}
static int compare_selection(size_t first, size_t n, unsigned per_cent, int zeros)
{
    struct region regions[4];
    struct scalar *a = map_memory(&regions[0], n * sizeof *a);
    struct scalar *expected = map_memory(&regions[1], n * sizeof *a);
    struct scalar *got = map_memory(&regions[2], n * sizeof *a);
    uint64_t *map = map_memory(&regions[3], ((first + n) / 64 + 1) * 8);
    size_t zero_expected = 1, zero_got = 2;
    int wrong;

    gpu_random_scalars(a, n, 0);
    for (int k = 0; k < zeros && n; k++)
        a[gpu_random() % n] = (struct scalar){{0}};
    for (size_t i = 0; i < first + n; i++)
        if (gpu_random() % 100 < per_cent)
            map[i / 64] |= (uint64_t)1 << (i % 64);
    select_and_find(&backend_cpu, a, map, first, n, expected, &zero_expected);
    select_and_find(&backend_cuda, a, map, first, n, got, &zero_got);
    wrong = memcmp(expected, got, n * sizeof *a) != 0 || zero_expected != zero_got;
    if (wrong)
        printf("  n %zu from %zu: zero %zu, expected %zu\n", n, first, zero_got, zero_expected);
    for (int i = 0; i < 4; i++)
        region_unmap(&regions[i]);
    return wrong;
}
static int selections_equal_cpu(void)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 1000, 100000, 1000003};
    int wrong = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned per_cent = 0; per_cent <= 100; per_cent += 50)
            wrong += compare_selection(64 * i, sizes[i], per_cent, (int)(i % 3));
    return wrong;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A key's points one after the other. */
struct gathered {
    uint8_t *bytes;
    size_t n, room;
};
static enum cuzk_status gather(struct gathered *g, const void *from, size_t n,
                               struct cuzk_error *err)
{
    if (n > g->room - g->n)
        return error_set(err, CUZK_INTERNAL, "the key is longer than it should be");
    memcpy(g->bytes + g->n, from, n);
    g->n += n;
    return CUZK_OK;
}
static enum cuzk_status gather_vk(void *ctx, const struct verifying_key *vk, struct cuzk_error *err)
{
    return gather(ctx, vk->ic.base, vk->n_inputs * curve->g1_bytes, err);
}
static enum cuzk_status gather_query(void *ctx, enum key_query query, size_t n,
                                     struct cuzk_error *err)
{
    const uint64_t head[2] = {(uint64_t)query, n};

    return gather(ctx, head, sizeof head, err);
}
static enum cuzk_status gather_points(void *ctx, enum key_query query, void *plain, size_t n,
                                      struct cuzk_error *err)
{
    return gather(ctx, plain, n * point_bytes(key_query_group(query)), err);
}

struct circuit {
    struct r1cs cs;
    struct qap qap;
    struct trapdoor trapdoor;
};
static void circuit_make(struct circuit *c, const char *name)
{
    struct circuit_name parsed = {0};
    struct cuzk_error err = {0};

    memset(c, 0, sizeof *c);
    gpu_must(circuit_name_parse(&parsed, name, &err), &err);
    gpu_must(circuit_record(&c->cs, parsed, NULL, &err), &err);
    gpu_must(qap_init(&c->qap, &c->cs, NULL, &err), &err);
    gpu_must(trapdoor_from_label(&c->trapdoor, curve, name, &err), &err);
}
static void circuit_done(struct circuit *c)
{
    qap_done(&c->qap);
    r1cs_done(&c->cs);
}

static void stream_key(const struct backend *b, const struct circuit *c, enum h_basis basis,
                       struct gathered *g)
{
    const struct setup_options options = {.backend = b,
                                          .pool = pool,
                                          .domain_generator = 7,
                                          .h_basis = basis,
                                          .part = b == &backend_cuda ? 30000 : 0,
                                          .window = 100032,
                                          .slice = 70000};
    const struct key_sink sink = {g, gather_vk, gather_query, gather_points};
    struct cuzk_error err = {0};

    g->n = 0;
    gpu_must(groth16_setup(&c->qap, &c->trapdoor, &options, &sink, &err), &err);
}

static int streamed_keys_equal_cpus(void)
{
    static const enum h_basis bases[] = {H_POWERS, H_ODD_COSET, H_COSET_FOLDED};
    struct gathered expected = {0}, got = {0};
    struct region regions[2];
    struct circuit c;
    int wrong = 0;

    circuit_make(&c, "winning-2KiB");
    expected.room = got.room = 600 * (c.cs.n_aux + c.qap.n_domain);
    expected.bytes = map_memory(&regions[0], expected.room);
    got.bytes = map_memory(&regions[1], got.room);
    for (size_t k = 0; k < sizeof bases / sizeof *bases; k++) {
        stream_key(&backend_cpu, &c, bases[k], &expected);
        stream_key(&backend_cuda, &c, bases[k], &got);
        if (expected.n != got.n || memcmp(expected.bytes, got.bytes, got.n) != 0) {
            printf("  basis %d: %zu bytes, expected %zu\n", (int)bases[k], got.n, expected.n);
            wrong++;
        }
    }
    region_unmap(&regions[0]);
    region_unmap(&regions[1]);
    circuit_done(&c);
    return wrong;
}

/* Of every query of a resident key the sum of scalars times points. */
static void sum_queries(const struct backend *b, const struct circuit *c,
                        struct g2_point out[KEY_N_QUERIES])
{
    const struct setup_options options = {.backend = b,
                                          .pool = pool,
                                          .domain_generator = 7,
                                          .h_basis = H_COSET_FOLDED,
                                          .window = 100032,
                                          .slice = 70000};
    const struct scalar first = {{12345, 6789}}, base = {{987654321, 77}};
    const size_t most = c->qap.n_domain > c->cs.n_aux + c->cs.n_inputs
                            ? c->qap.n_domain
                            : c->cs.n_aux + c->cs.n_inputs;
    const size_t g1 = b->msm_bytes(curve, ELEMENT_G1, most, pool_size(pool));
    const size_t g2 = b->msm_bytes(curve, ELEMENT_G2, most, pool_size(pool));
    struct resident_key key = {0};
    struct cuzk_error err = {0};
    struct machine m;

    machine_open(&m, b,
                 setup_resident_bytes(&c->qap, &options) +
                     b->buf_bytes(curve, ELEMENT_SCALAR, most) + (g1 > g2 ? g1 : g2));
    gpu_must(
        groth16_setup_resident(&c->qap, &c->trapdoor, &options, m.device, m.stream, &key, &err),
        &err);
    struct buf *s = buf_of(&m, ELEMENT_SCALAR, most, NULL);

    b->powers(m.stream, s, &first, &base, most);
    memset(out, 0, KEY_N_QUERIES * sizeof *out);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const size_t n = key_query_outline(&c->qap, options.h_basis, q).points.n;

        if (key_query_group(q) == ELEMENT_G1)
            b->msm_g1(m.stream, key.bases[q], s, 0, n, (struct g1_point *)(void *)&out[q]);
        else
            b->msm_g2(m.stream, key.bases[q], s, 0, n, &out[q]);
    }
    machine_wait(&m);
    b->buf_free(s);
    resident_key_done(&key);
    machine_close(&m);
}
static int resident_keys_equal_cpus(void)
{
    struct g2_point expected[KEY_N_QUERIES], got[KEY_N_QUERIES];
    struct circuit c;
    int wrong = 0;

    circuit_make(&c, "winning-2KiB");
    sum_queries(&backend_cpu, &c, expected);
    sum_queries(&backend_cuda, &c, got);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        if (memcmp(&expected[q], &got[q], sizeof got[q]) != 0) {
            printf("  query %s differs\n", key_query_name(q));
            wrong++;
        }
    circuit_done(&c);
    return wrong;
}

int gpu_setup(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"tiny_multiples_equal_cpu", tiny_multiples_equal_cpu, false},
        {"points_survive_a_buffer", points_survive_a_buffer, false},
        {"bases_made_from_a_buffer_give_the_same_sums", bases_made_from_a_buffer_give_the_same_sums,
         false},
        {"selections_equal_cpu", selections_equal_cpu, false},
        {"multiples_equal_cpu", multiples_equal_cpu, false},
        {"many_multiples_equal_cpu", many_multiples_equal_cpu, false},
        {"streamed_keys_equal_cpus", streamed_keys_equal_cpus, true},
        {"resident_keys_equal_cpus", resident_keys_equal_cpus, true},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
