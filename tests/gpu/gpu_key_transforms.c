/* What turns a key's points into another basis, of the CUDA back end against the cpu back end, byte
 * for byte: transforms with points for elements, matrices times points. */
#include "gpu/gpu_tests.h"
#include "gpu/gpu_machine.h"
#include "support/random_system.h"

/* n plain multiples of the generator by scalars of a kind (gpu_random_scalars): kind 1 has points
 * at infinity, 2 few different ones and their opposites */
static void make_points(enum element group, uint8_t *out, size_t n, int kind)
{
    const struct backend *b = &backend_cpu;
    struct region region;
    struct scalar *s = map_memory(&region, n * sizeof *s);
    struct fixed_base *fixed = NULL;
    struct cuzk_error err = {0};
    struct machine m;

    gpu_random_scalars(s, n, kind);
    machine_open(&m, b,
                 b->fixed_base_bytes(curve, group) + b->buf_bytes(curve, group, n) +
                     b->buf_bytes(curve, ELEMENT_SCALAR, n) +
                     b->fixed_base_mul_bytes(curve, group, n, pool_size(pool)));
    struct buf *scalars = buf_of(&m, ELEMENT_SCALAR, n, s), *points = buf_of(&m, group, n, NULL);

    gpu_must(b->fixed_base_new(m.device, group, generator(group), &fixed, &err), &err);
    b->fixed_base_mul(m.stream, fixed, points, scalars, 0, n);
    b->buf_get(m.stream, points, 0, out, n);
    machine_wait(&m);
    b->fixed_base_free(fixed);
    b->buf_free(points);
    b->buf_free(scalars);
    machine_close(&m);
    region_unmap(&region);
}

/* ---- transforms ------------------------------------------------------------------------------ */

static void transform(const struct backend *b, enum element group, unsigned lg_n, bool inverse,
                      bool coset, const uint8_t *plain, uint8_t *out)
{
    const size_t n = (size_t)1 << lg_n;
    struct cuzk_error err = {0};
    struct domain *domain = NULL;
    struct machine m;

    machine_open(&m, b,
                 b->buf_bytes(curve, group, n) + b->domain_bytes(curve, lg_n, TABLES_FAST) +
                     b->group_ntt_bytes(curve, group, lg_n, pool_size(pool)));
    struct buf *points = buf_of(&m, group, n, plain);

    gpu_must(b->domain_new(m.device, lg_n, 7, TABLES_FAST, &domain, &err), &err);
    b->group_ntt(m.stream, domain, points, inverse, coset);
    b->buf_get(m.stream, points, 0, out, n);
    machine_wait(&m);
    b->domain_free(domain);
    b->buf_free(points);
    machine_close(&m);
}

static int compare_transforms(enum element group, unsigned lg_n, int kind)
{
    const size_t bytes = point_bytes(group) << lg_n;
    struct region regions[3];
    uint8_t *plain = map_memory(&regions[0], bytes), *expected = map_memory(&regions[1], bytes);
    uint8_t *got = map_memory(&regions[2], bytes);
    int wrong = 0;

    make_points(group, plain, (size_t)1 << lg_n, kind);
    for (int k = 0; k < 4; k++) {
        const bool inverse = k & 1, coset = k & 2;

        transform(&backend_cpu, group, lg_n, inverse, coset, plain, expected);
        transform(&backend_cuda, group, lg_n, inverse, coset, plain, got);
        if (memcmp(expected, got, bytes) != 0) {
            printf("  group %d, 2^%u, %s%s, points %d: wrong\n", (int)group, lg_n,
                   inverse ? "inverse" : "forward", coset ? ", coset" : "", kind);
            wrong++;
        }
    }
    for (int i = 0; i < 3; i++)
        region_unmap(&regions[i]);
    return wrong;
}
static int group_ntt_equals_cpu(void)
{
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
        for (unsigned lg_n = 0; lg_n <= 9; lg_n++)
            wrong += compare_transforms(group, lg_n, (int)(lg_n % 3));
    return wrong + compare_transforms(ELEMENT_G1, 12, 0);
}
static int tiny_group_ntt_equals_cpu(void)
{
    return compare_transforms(ELEMENT_G1, 4, 1) + compare_transforms(ELEMENT_G2, 2, 1);
}

/* ---- points times powers --------------------------------------------------------------------- */

static void scale(const struct backend *b, enum element group, size_t n, const uint8_t *plain,
                  const struct scalar *first, const struct scalar *base, uint8_t *out)
{
    struct machine m;

    machine_open(&m, b,
                 b->buf_bytes(curve, group, n) +
                     b->scale_points_bytes(curve, group, n, pool_size(pool)));
    struct buf *points = buf_of(&m, group, n, plain);

    b->scale_points(m.stream, points, first, base, n);
    b->buf_get(m.stream, points, 0, out, n);
    machine_wait(&m);
    b->buf_free(points);
    machine_close(&m);
}

static int compare_scaled(enum element group, size_t n, int kind)
{
    const struct scalar first = {{gpu_random(), 3}}, base = {{gpu_random(), gpu_random()}};
    const size_t bytes = n * point_bytes(group);
    struct region regions[3];
    uint8_t *plain = map_memory(&regions[0], bytes), *expected = map_memory(&regions[1], bytes);
    uint8_t *got = map_memory(&regions[2], bytes);
    int wrong;

    make_points(group, plain, n, kind);
    scale(&backend_cpu, group, n, plain, &first, &base, expected);
    scale(&backend_cuda, group, n, plain, &first, &base, got);
    wrong = memcmp(expected, got, bytes) != 0;
    if (wrong)
        printf("  group %d, %zu points %d: wrong\n", (int)group, n, kind);
    for (int i = 0; i < 3; i++)
        region_unmap(&regions[i]);
    return wrong;
}
static int scaled_points_equal_cpu(void)
{
    int wrong = 0;

    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
        for (int kind = 0; kind < 3; kind++)
            wrong += compare_scaled(group, 1000 + (size_t)kind, kind);
    return wrong + compare_scaled(ELEMENT_G1, ((size_t)1 << 19) + 77, 0); /* more than together */
}

/* ---- matrices times points ------------------------------------------------------------------- */

static void multiply(const struct backend *b, enum element group, const struct matrix *matrix,
                     const uint8_t *plain, bool inputs, uint64_t first, size_t n, uint8_t *out)
{
    struct cuzk_error err = {0};
    struct matrix_handle *h = NULL;
    struct machine m;

    machine_open(&m, b,
                 b->matrix_bytes(curve, matrix) + b->buf_bytes(curve, group, matrix->n_rows) +
                     b->buf_bytes(curve, group, n) +
                     b->point_spmv_bytes(curve, matrix, group, n, pool_size(pool)));
    struct buf *points = buf_of(&m, group, matrix->n_rows, plain),
               *sums = buf_of(&m, group, n, NULL);
    uint8_t *again = out + n * point_bytes(group); /* points are what they were */

    gpu_must(b->matrix_new(m.device, matrix, &h, &err), &err);
    b->point_spmv(m.stream, sums, h, points, inputs, first, n);
    b->buf_get(m.stream, sums, 0, out, n);
    b->buf_get(m.stream, points, 0, again, matrix->n_rows);
    machine_wait(&m);
    b->matrix_free(h);
    b->buf_free(sums);
    b->buf_free(points);
    machine_close(&m);
}

static int compare_products(enum element group, const struct matrix *m, int kind)
{
    const size_t rows = m->n_rows * point_bytes(group), third = m->n_aux / 3;
    const size_t most = m->n_aux > m->n_inputs ? m->n_aux : m->n_inputs;
    const size_t room = rows + most * point_bytes(group);
    struct region regions[3];
    uint8_t *plain = map_memory(&regions[0], rows), *expected = map_memory(&regions[1], room);
    uint8_t *got = map_memory(&regions[2], room);
    int wrong = 0;

    make_points(group, plain, m->n_rows, kind);
    for (int part = 0; part < 3; part++) { /* all aux; some of them; the inputs */
        const bool inputs = part == 2;
        const uint64_t first = part == 1 ? third : 0;
        const size_t n = inputs ? m->n_inputs : part ? m->n_aux - 2 * third : m->n_aux;

        memset(expected, 0, room);
        memset(got, 0, room);
        multiply(&backend_cpu, group, m, plain, inputs, first, n, expected);
        multiply(&backend_cuda, group, m, plain, inputs, first, n, got);
        if (memcmp(expected, got, room) != 0) {
            printf("  group %d, %zu %s from %zu, points %d: wrong\n", (int)group, n,
                   inputs ? "inputs" : "aux", (size_t)first, kind);
            wrong++;
        }
    }
    for (int i = 0; i < 3; i++)
        region_unmap(&regions[i]);
    return wrong;
}
static int products_up_to(unsigned n)
{
    struct cuzk_error err = {0};
    int wrong = 0;

    for (unsigned k = 0; k < n; k++) {
        const struct random_system system = {
            .seed = gpu_random(),
            .n_repeats = 1 + k % 3,
            .count = 2 + k * k,
            .n_ports = k % 5,
            .rows = 3 + k * 10,
            .terms = k % 2 ? 4 : 90,
        };
        struct r1cs cs = {0};

        gpu_must(random_system_load(&system, &cs, curve, NULL, false, &err), &err);
        wrong += compare_products(ELEMENT_G1, &cs.a, (int)k % 3);
        wrong += compare_products(ELEMENT_G1, &cs.c, (int)k % 3);
        wrong += compare_products(ELEMENT_G2, &cs.b, (int)k % 3);
        r1cs_done(&cs);
    }
    return wrong;
}
static int point_spmv_equals_cpu(void)
{
    return products_up_to(6);
}
static int tiny_point_spmv_equals_cpu(void)
{
    return products_up_to(1);
}

int gpu_key_transforms(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"tiny_group_ntt_equals_cpu", tiny_group_ntt_equals_cpu, false},
        {"tiny_point_spmv_equals_cpu", tiny_point_spmv_equals_cpu, false},
        {"group_ntt_equals_cpu", group_ntt_equals_cpu, false},
        {"scaled_points_equal_cpu", scaled_points_equal_cpu, false},
        {"point_spmv_equals_cpu", point_spmv_equals_cpu, false},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
