/* Matrix times witness, and the transposed product, of the CUDA back end against the cpu back end,
 * byte for byte: random systems with repeats, ports and large coefficients, and a real circuit. */
#include "gpu/gpu_tests.h"
#include "filecoin/circuit.h"
#include "gpu/gpu_check.h"
#include "support/random_system.h"

static struct pool *pool;

/* Any values will do: classes at random, and in the circuit's own way. */
struct values {
    struct witness witness;
    struct region regions[4];
};

static void *map_memory(struct region *region, size_t bytes)
{
    struct cuzk_error err = {0};

    gpu_must(region_map(region, NULL, MEM_SCRATCH, bytes, &err), &err);
    return region->base;
}

static void make_values(struct values *v, const struct r1cs *cs, unsigned full)
{
    const size_t n_words = witness_map_words(cs->n_aux);
    uint64_t *full_map = map_memory(&v->regions[0], n_words * 8 + 8);
    uint64_t *bits = map_memory(&v->regions[1], n_words * 8 + 8);
    uint32_t *rank = map_memory(&v->regions[2], witness_rank_entries(cs->n_aux) * 4);
    struct scalar *values;
    struct witness *w = &v->witness;

    for (size_t i = 0; i < cs->n_aux; i++) {
        const uint64_t bit = (uint64_t)1 << (i % 64);
        const bool is_full = full > 100 ? witness_bit(cs->full_map, i) : gpu_random() % 100 < full;

        if (is_full)
            full_map[i / 64] |= bit;
        else if (gpu_random() & 1)
            bits[i / 64] |= bit;
    }
    *w = (struct witness){.n_inputs = cs->n_inputs, .n_aux = cs->n_aux, .fr_bytes = 32};
    w->n_full = witness_rank_fill(rank, full_map, cs->n_aux);
    values = map_memory(&v->regions[3], (w->n_inputs + w->n_full + 1) * 32);
    gpu_random_scalars(values, w->n_inputs + w->n_full, 1);
    values[0] = (struct scalar){{1}};
    w->full_map = full_map;
    w->full_rank = rank;
    w->bits = bits;
    w->inputs = values->w;
    w->full = values[w->n_inputs].w;
}

static void multiply(const struct backend *b, const struct matrix *m, const struct witness *w,
                     struct scalar *out, uint64_t first, size_t n)
{
    struct device_options options = {
        .curve = curve,
        .pool = pool,
        .arena_bytes = b->matrix_bytes(curve, m) + b->witness_bytes(curve, w) +
                       b->buf_bytes(curve, ELEMENT_SCALAR, n),
    };
    const size_t cut = w->n_aux / 2 / WITNESS_RANK_STEP * WITNESS_RANK_STEP;
    struct cuzk_error err = {0};
    struct device *device = NULL;
    struct stream *stream = NULL;
    struct matrix_handle *matrix = NULL;
    struct witness_handle *witness = NULL;
    struct buf *buf = NULL;

    gpu_must(b->open(&device, &options, &err), &err);
    gpu_must(b->stream_new(device, &stream, &err), &err);
    gpu_must(b->matrix_new(device, m, &matrix, &err), &err);
    gpu_must(b->witness_new(device, w, &witness, &err), &err);
    b->witness_put(stream, witness, w, (struct witness_part){0, cut});
    b->witness_put(stream, witness, w, (struct witness_part){cut, w->n_aux});
    gpu_must(b->buf_new(device, ELEMENT_SCALAR, n, &buf, &err), &err);
    b->spmv(stream, buf, matrix, witness, first, n);
    b->buf_get(stream, buf, 0, out, n);
    gpu_must(b->wait(stream, &err), &err);
    b->buf_free(buf);
    b->witness_free(witness);
    b->matrix_free(matrix);
    b->stream_free(stream);
    b->close(device);
}

static int compare_matrix(const struct matrix *m, const struct witness *w, uint64_t first, size_t n)
{
    struct region regions[2];
    struct scalar *expected = map_memory(&regions[0], n * 32);
    struct scalar *got = map_memory(&regions[1], n * 32);
    size_t bad = 0, where = 0;

    multiply(&backend_cpu, m, w, expected, first, n);
    multiply(&backend_cuda, m, w, got, first, n);
    for (size_t i = n; i-- > 0;)
        if (memcmp(&expected[i], &got[i], 32) != 0) {
            bad++;
            where = i;
        }
    if (bad)
        printf("  rows %zu from %zu: %zu wrong, first %zu\n", n, (size_t)first, bad, where);
    region_unmap(&regions[0]);
    region_unmap(&regions[1]);
    return bad != 0;
}

/* ---- transposed ----------------------------------------------------------------------------- */

struct part {
    bool inputs;
    uint64_t first;
    size_t n;
};

static void transpose(const struct backend *b, const struct matrix *m, const struct scalar *rows,
                      const struct part *part, struct scalar *out)
{
    struct device_options options = {
        .curve = curve,
        .pool = pool,
        .arena_bytes = b->matrix_bytes(curve, m) + b->buf_bytes(curve, ELEMENT_SCALAR, m->n_rows) +
                       b->buf_bytes(curve, ELEMENT_SCALAR, part->n) +
                       b->spmv_transposed_bytes(curve, m, part->inputs, part->n, pool_size(pool)),
    };
    struct cuzk_error err = {0};
    struct device *device = NULL;
    struct stream *stream = NULL;
    struct matrix_handle *matrix = NULL;
    struct buf *values = NULL, *sums = NULL;

    gpu_must(b->open(&device, &options, &err), &err);
    gpu_must(b->stream_new(device, &stream, &err), &err);
    gpu_must(b->matrix_new(device, m, &matrix, &err), &err);
    gpu_must(b->buf_new(device, ELEMENT_SCALAR, m->n_rows, &values, &err), &err);
    gpu_must(b->buf_new(device, ELEMENT_SCALAR, part->n, &sums, &err), &err);
    b->buf_put(stream, values, 0, rows, m->n_rows);
    b->buf_zero(stream, sums, 0, part->n);
    b->spmv_transposed(stream, sums, matrix, values, 0, m->n_rows / 3, part->inputs, part->first,
                       part->n);
    b->buf_put(stream, values, 0, rows + m->n_rows / 3, m->n_rows - m->n_rows / 3);
    b->spmv_transposed(stream, sums, matrix, values, m->n_rows / 3, m->n_rows - m->n_rows / 3,
                       part->inputs, part->first, part->n);
    b->buf_get(stream, sums, 0, out, part->n);
    gpu_must(b->wait(stream, &err), &err);
    b->buf_free(sums);
    b->buf_free(values);
    b->matrix_free(matrix);
    b->stream_free(stream);
    b->close(device);
}

static int compare_part(const struct matrix *m, const struct scalar *rows, const struct part *part)
{
    struct region regions[2];
    struct scalar *expected = map_memory(&regions[0], (part->n + 1) * 32);
    struct scalar *got = map_memory(&regions[1], (part->n + 1) * 32);
    size_t bad = 0, where = 0;

    transpose(&backend_cpu, m, rows, part, expected);
    transpose(&backend_cuda, m, rows, part, got);
    for (size_t i = part->n; i-- > 0;)
        if (memcmp(&expected[i], &got[i], 32) != 0) {
            bad++;
            where = i;
        }
    if (bad)
        printf("  transposed, %s %zu from %zu: %zu wrong, first %zu\n",
               part->inputs ? "inputs" : "aux", part->n, (size_t)part->first, bad, where);
    region_unmap(&regions[0]);
    region_unmap(&regions[1]);
    return bad != 0;
}

/* kind: of the values, as in gpu_random_scalars */
static int compare_transposed(const struct matrix *m, int kind)
{
    const size_t n_aux = m->n_aux, third = n_aux / 3;
    const struct part parts[] = {{true, 0, m->n_inputs},
                                 {true, m->n_inputs / 2, m->n_inputs - m->n_inputs / 2},
                                 {false, 0, n_aux},
                                 {false, third, n_aux - 2 * third}};
    struct region region;
    struct scalar *rows = map_memory(&region, m->n_rows * 32);
    int wrong = 0;

    gpu_random_scalars(rows, m->n_rows, kind);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        wrong += compare_part(m, rows, &parts[i]);
    region_unmap(&region);
    return wrong;
}

static int compare_system(const struct r1cs *cs, unsigned full)
{
    const struct matrix *const matrices[3] = {&cs->a, &cs->b, &cs->c};
    struct values v;
    int wrong = 0;

    make_values(&v, cs, full);
    for (int i = 0; i < 3; i++) {
        const size_t n = matrices[i]->n_rows, third = n / 3;

        wrong += compare_matrix(matrices[i], &v.witness, 0, n);
        wrong += compare_matrix(matrices[i], &v.witness, third, n - 2 * third + 1);
        wrong += compare_transposed(matrices[i], (int)full % 3);
    }
    for (int i = 0; i < 4; i++)
        region_unmap(&v.regions[i]);
    return wrong;
}

static int products_equal_cpu_on_random_systems_up_to(unsigned n)
{
    struct cuzk_error err = {0};
    int wrong = 0;

    for (unsigned k = 0; k < n; k++) {
        const struct random_system system = {
            .seed = gpu_random(),
            .n_repeats = 1 + k % 3,
            .count = 2 + k * k,
            .n_ports = k % 5,
            .rows = 3 + k * 40,
            .terms = k % 2 ? 4 : 90,
        };
        struct r1cs cs = {0};

        gpu_must(random_system_load(&system, &cs, curve, NULL, false, &err), &err);
        wrong += compare_system(&cs, k * 9);
        r1cs_done(&cs);
    }
    return wrong;
}

static int products_equal_cpu_on_random_systems(void)
{
    return products_equal_cpu_on_random_systems_up_to(12);
}
/* small enough for compute-sanitizer */
static int tiny_products_equal_cpu(void)
{
    return products_equal_cpu_on_random_systems_up_to(3);
}

static int products_equal_cpu_on_a_circuit(void)
{
    struct cuzk_error err = {0};
    struct circuit_name name = {0};
    struct r1cs cs = {0};
    int wrong;

    gpu_must(circuit_name_parse(&name, "porep-2KiB", &err), &err);
    gpu_must(circuit_record(&cs, name, NULL, &err), &err);
    wrong = compare_system(&cs, 101);
    r1cs_done(&cs);
    return wrong;
}

int gpu_matrices(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"tiny_products_equal_cpu", tiny_products_equal_cpu, false},
        {"products_equal_cpu_on_random_systems", products_equal_cpu_on_random_systems, false},
        {"products_equal_cpu_on_a_circuit", products_equal_cpu_on_a_circuit, true},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
