/* Speed of the CUDA back end's operations, through the waist: medians, warm, everything resident.
 *
 *     gpu_tests speed [bn254] [name]...     those whose name contains one of the arguments; all
 *                                           without. On BLS12-381, or on BN254 where it is named.
 *
 * A time is the host's clock over a few operations in a row, divided by their number. */
#include "filecoin/circuit.h"
#include "gpu/gpu_check.h"
#include "gpu/gpu_tests.h"
#include "groth16/setup.h"
#include "msm/group_kernels.h"

static struct device *device;
static struct stream *stream;

static void open_device(size_t bytes)
{
    struct device_options options = {.curve = curve, .arena_bytes = bytes};
    struct cuzk_error err = {0};

    gpu_must(backend_cuda.open(&device, &options, &err), &err);
    gpu_must(backend_cuda.stream_new(device, &stream, &err), &err);
}
static void close_device(void)
{
    backend_cuda.stream_free(stream);
    backend_cuda.close(device);
}
static void wait(void)
{
    struct cuzk_error err = {0};

    gpu_must(backend_cuda.wait(stream, &err), &err);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
/* Milliseconds of one call of f: median of 5 times `row` calls. */
static double median_ms(void (*f)(void *), void *context, int row)
{
    double t[5];

    f(context);
    wait();
    for (int i = 0; i < 5; i++) {
        double start = gpu_seconds();

        for (int k = 0; k < row; k++)
            f(context);
        wait();
        t[i] = (gpu_seconds() - start) * 1e3 / row;
    }
    qsort(t, 5, sizeof *t, compare_doubles);
    return t[2];
}

/* ---- transforms ---- */

struct transform {
    struct domain *domain;
    struct buf *a, *b;
    bool inverse;
    enum h_basis basis;
};
static void run_ntt(void *context)
{
    struct transform *t = context;

    backend_cuda.ntt(stream, t->domain, t->a, t->inverse, !t->inverse);
}
static void run_quotient(void *context)
{
    struct transform *t = context;

    backend_cuda.quotient(stream, t->domain, t->a, t->b, t->basis);
}

static void run_quotient_in_two(void *context)
{
    struct transform *t = context;

    backend_cuda.quotient_ab(stream, t->domain, t->a, t->b, H_POWERS);
    backend_cuda.quotient_c(stream, t->domain, t->a, t->b, H_POWERS);
}

static void bench_domain(unsigned lg_n, enum domain_tables tables)
{
    const size_t n = (size_t)1 << lg_n;
    const size_t domain_bytes = backend_cuda.domain_bytes(curve, lg_n, tables);
    const int row = lg_n < 24 ? 20 : 4;
    struct cuzk_error err = {0};
    struct transform t = {0};
    struct scalar first = {{12345, 6789}}, base = {{987654321}};
    double inverse, forward, folded, powers, in_two;

    open_device(domain_bytes + 2 * backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                backend_cuda.quotient_bytes(curve, lg_n, H_POWERS));
    gpu_must(backend_cuda.domain_new(device, lg_n, 7, tables, &t.domain, &err), &err);
    gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.a, &err), &err);
    gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.b, &err), &err);
    backend_cuda.powers(stream, t.a, &first, &base, n);
    backend_cuda.powers(stream, t.b, &base, &first, n);
    t.inverse = true;
    inverse = median_ms(run_ntt, &t, row);
    t.inverse = false;
    forward = median_ms(run_ntt, &t, row);
    t.basis = H_COSET_FOLDED;
    folded = median_ms(run_quotient, &t, row);
    t.basis = H_POWERS;
    powers = median_ms(run_quotient, &t, row);
    in_two = median_ms(run_quotient_in_two, &t, row);
    printf("2^%-6u %10.3f %10.3f %12.3f %12.3f %14.3f %12.3f %12.1f\n", lg_n, inverse, forward,
           folded, folded / 4, powers, in_two, (double)domain_bytes / 1e6);
    fflush(stdout);
    backend_cuda.buf_free(t.b);
    backend_cuda.buf_free(t.a);
    backend_cuda.domain_free(t.domain);
    close_device();
}

static void bench_transforms(void)
{
    printf("%-8s %10s %10s %12s %12s %14s %12s %12s\n", "size", "ntt inv", "ntt coset",
           "quotient 4", "of it, one", "quotient 6 (H)", "in two", "tables, MB");
    for (unsigned lg_n = 20; lg_n <= 27; lg_n++)
        bench_domain(lg_n, TABLES_FAST);
    printf("with small tables\n");
    for (unsigned lg_n = 24; lg_n <= 27; lg_n++)
        bench_domain(lg_n, TABLES_SMALL);
}

/* ---- sums ---- */

/* Distinct points cost the host too long, and the device does not care: 2^14 multiples of the
 * generator, over and over. */
static void make_points(enum element group, uint8_t *out, size_t n)
{
    enum { DISTINCT = 1 << 14 };
    const struct group_kernels *k = group == ELEMENT_G1 ? curve->g1 : curve->g2;
    const size_t n_made = n < DISTINCT ? n : DISTINCT;
    struct region table, scalars, scratch;
    struct cuzk_error err = {0};

    gpu_must(region_map(&table, NULL, MEM_SCRATCH, k->fixed_table_bytes(), &err), &err);
    gpu_must(region_map(&scalars, NULL, MEM_SCRATCH, 32 * n_made, &err), &err);
    gpu_must(region_map(&scratch, NULL, MEM_SCRATCH, k->fixed_mul_bytes(n_made, 1), &err), &err);
    gpu_random_scalars((struct scalar *)(void *)scalars.base, n_made, 0);
    k->fixed_table_init(
        table.base, group == ELEMENT_G1 ? (const void *)&curve->g1_generator : &curve->g2_generator,
        NULL);
    k->fixed_mul(out, table.base, (const uint64_t *)(void *)scalars.base, n_made, scratch.base,
                 NULL);
    for (size_t done = n_made; done < n; done *= 2)
        memcpy(out + done * k->point_bytes, out,
               (n - done < done ? n - done : done) * k->point_bytes);
    region_unmap(&table);
    region_unmap(&scalars);
    region_unmap(&scratch);
}

struct sum {
    enum element group;
    struct bases *bases;
    struct buf *scalars;
    struct witness_handle *witness;
    size_t n;
    struct g2_point out;
};
static void run_msm(void *context)
{
    struct sum *t = context;

    if (t->group == ELEMENT_G1)
        backend_cuda.msm_g1(stream, t->bases, t->scalars, 0, t->n,
                            (struct g1_point *)(void *)&t->out);
    else
        backend_cuda.msm_g2(stream, t->bases, t->scalars, 0, t->n, &t->out);
}
static void run_witness(void *context)
{
    struct sum *t = context;

    if (t->group == ELEMENT_G1)
        backend_cuda.msm_witness_g1(stream, t->bases, &t->witness, 1, witness_whole(t->n),
                                    (struct g1_point *)(void *)&t->out);
    else
        backend_cuda.msm_witness_g2(stream, t->bases, &t->witness, 1, witness_whole(t->n), &t->out);
}

/* A witness of bits, half of them set, 1.2 % full values or none, every variable in the key. */
static void make_witness(struct witness *w, struct region regions[4], size_t n_aux, bool any_full)
{
    struct cuzk_error err = {0};
    const size_t n_words = witness_map_words(n_aux);
    uint64_t *full_map, *bits;

    gpu_must(region_map(&regions[0], NULL, MEM_SCRATCH, n_words * 8, &err), &err);
    gpu_must(region_map(&regions[1], NULL, MEM_SCRATCH, n_words * 8, &err), &err);
    gpu_must(region_map(&regions[2], NULL, MEM_SCRATCH, witness_rank_entries(n_aux) * 4, &err),
             &err);
    full_map = (uint64_t *)(void *)regions[0].base;
    bits = (uint64_t *)(void *)regions[1].base;
    for (size_t i = 0; i < n_words; i++) {
        full_map[i] = any_full && i % 83 == 0 ? ~(uint64_t)0 : 0;
        bits[i] = gpu_random() & ~full_map[i];
    }
    if (n_aux % 64) {
        full_map[n_words - 1] &= ((uint64_t)1 << (n_aux % 64)) - 1;
        bits[n_words - 1] &= ((uint64_t)1 << (n_aux % 64)) - 1;
    }
    *w = (struct witness){.n_inputs = 1, .n_aux = n_aux, .fr_bytes = 32};
    w->n_full = witness_rank_fill((uint32_t *)(void *)regions[2].base, full_map, n_aux);
    gpu_must(region_map(&regions[3], NULL, MEM_SCRATCH, (w->n_full + 1) * 32, &err), &err);
    gpu_random_scalars((struct scalar *)(void *)regions[3].base, w->n_full + 1, 0);
    w->full_map = full_map;
    w->bits = bits;
    w->full_rank = (uint32_t *)(void *)regions[2].base;
    w->inputs = (uint64_t *)(void *)regions[3].base;
    w->full = w->inputs + 4;
}

/* One call at a time, for a profiler. */
static void run_once(enum element group, size_t n)
{
    const size_t point = group == ELEMENT_G1 ? curve->g1_bytes : curve->g2_bytes;
    struct cuzk_error err = {0};
    struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};
    struct sum t = {.group = group, .n = n};
    struct region points;
    struct bases_source source = {.group = group};

    gpu_must(region_map(&points, NULL, MEM_SCRATCH, n * point, &err), &err);
    make_points(group, points.base, n);
    source.points = (struct points_view){POINTS_NATIVE, points.base, n};
    open_device(backend_cuda.bases_bytes(curve, &source) +
                backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                backend_cuda.msm_bytes(curve, group, n, 1));
    gpu_must(backend_cuda.bases_new(device, &source, &t.bases, &err), &err);
    gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.scalars, &err), &err);
    backend_cuda.powers(stream, t.scalars, &first, &base, n);
    run_msm(&t);
    wait();
    backend_cuda.buf_free(t.scalars);
    backend_cuda.bases_free(t.bases);
    close_device();
    region_unmap(&points);
}
static void once_g1(void)
{
    run_once(ELEMENT_G1, (size_t)1 << 24);
}
static void once_g2(void)
{
    run_once(ELEMENT_G2, (size_t)1 << 22);
}

static void bench_sums(enum element group, unsigned from, unsigned to)
{
    const size_t point = group == ELEMENT_G1 ? curve->g1_bytes : curve->g2_bytes;

    printf("%-8s %12s %12s %14s %14s   (G%d, no table)\n", "size", "dense ms", "bits ms",
           "witness ms", "upload GB/s", group == ELEMENT_G1 ? 1 : 2);
    for (unsigned lg_n = from; lg_n <= to; lg_n += 2) {
        const size_t n = (size_t)1 << lg_n;
        struct cuzk_error err = {0};
        struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};
        struct sum t = {.group = group, .n = n};
        struct region points, parts[4], bit_parts[4];
        struct witness witness, bits;
        struct witness_handle *mixed;
        struct bases_source source = {.group = group, .n_aux = n};
        size_t scratch;
        double dense, over, over_bits, start, upload;

        gpu_must(region_map(&points, NULL, MEM_SCRATCH, n * point, &err), &err);
        make_points(group, points.base, n);
        source.points = (struct points_view){POINTS_NATIVE, points.base, n};
        make_witness(&witness, parts, n, true);
        make_witness(&bits, bit_parts, n, false);
        scratch = backend_cuda.msm_bytes(curve, group, n, 1);
        if (scratch < backend_cuda.msm_witness_bytes(curve, &source, witness.n_full, 1))
            scratch = backend_cuda.msm_witness_bytes(curve, &source, witness.n_full, 1);
        open_device(backend_cuda.bases_bytes(curve, &source) +
                    backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                    backend_cuda.witness_bytes(curve, &witness) +
                    backend_cuda.witness_bytes(curve, &bits) + scratch);
        start = gpu_seconds();
        gpu_must(backend_cuda.bases_new(device, &source, &t.bases, &err), &err);
        upload = gpu_seconds() - start;
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.scalars, &err), &err);
        gpu_must(backend_cuda.witness_new(device, &witness, &mixed, &err), &err);
        gpu_must(backend_cuda.witness_new(device, &bits, &t.witness, &err), &err);
        backend_cuda.witness_put(stream, mixed, &witness, witness_whole(n));
        backend_cuda.witness_put(stream, t.witness, &bits, witness_whole(n));
        backend_cuda.powers(stream, t.scalars, &first, &base, n);
        dense = median_ms(run_msm, &t, lg_n < 22 ? 10 : 2);
        over_bits = median_ms(run_witness, &t, lg_n < 22 ? 10 : 2);
        backend_cuda.witness_free(t.witness);
        t.witness = mixed;
        over = median_ms(run_witness, &t, lg_n < 22 ? 10 : 2);
        printf("2^%-6u %12.3f %12.3f %14.3f %14.2f   scratch %.2f GB\n", lg_n, dense, over_bits,
               over, (double)(n * point) / upload / 1e9, (double)scratch / 1e9);
        fflush(stdout);
        backend_cuda.witness_free(t.witness);
        backend_cuda.buf_free(t.scalars);
        backend_cuda.bases_free(t.bases);
        close_device();
        region_unmap(&points);
        for (int i = 0; i < 4; i++) {
            region_unmap(&parts[i]);
            region_unmap(&bit_parts[i]);
        }
    }
}
static void bench_sums_g1(void)
{
    bench_sums(ELEMENT_G1, 16, 26);
}
static void bench_sums_g2(void)
{
    bench_sums(ELEMENT_G2, 16, 24);
}
static void bench_sums_full_size(void)
{
    bench_sums(ELEMENT_G1, 27, 27);
    bench_sums(ELEMENT_G2, 26, 26);
}

/* Dense sums over a handle with multiples of its points, as many as 80 GB hold. */
static void bench_tables(enum element group, unsigned from, unsigned to)
{
    const size_t point = group == ELEMENT_G1 ? curve->g1_bytes : curve->g2_bytes;

    for (unsigned lg_n = from; lg_n <= to; lg_n += 2) {
        const size_t n = (size_t)1 << lg_n, most = ((size_t)80 << 30) / (n * point);
        const struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};
        struct bases_source source = {.group = group, .multiples = most < 16 ? (unsigned)most : 16};
        struct sum t = {.group = group, .n = n};
        struct cuzk_error err = {0};
        struct region points;
        double start, made;

        gpu_must(region_map(&points, NULL, MEM_SCRATCH, n * point, &err), &err);
        make_points(group, points.base, n);
        source.points = (struct points_view){POINTS_NATIVE, points.base, n};
        open_device(backend_cuda.bases_bytes(curve, &source) +
                    backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                    backend_cuda.msm_bytes(curve, group, n, 1));
        start = gpu_seconds();
        gpu_must(backend_cuda.bases_new(device, &source, &t.bases, &err), &err);
        made = gpu_seconds() - start;
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.scalars, &err), &err);
        backend_cuda.powers(stream, t.scalars, &first, &base, n);
        printf("2^%-6u %12.3f ms with multiples (G%d): %.1f GB made in %.2f s\n", lg_n,
               median_ms(run_msm, &t, lg_n < 22 ? 10 : 2), group == ELEMENT_G1 ? 1 : 2,
               (double)backend_cuda.bases_bytes(curve, &source) / 1e9, made);
        fflush(stdout);
        backend_cuda.buf_free(t.scalars);
        backend_cuda.bases_free(t.bases);
        close_device();
        region_unmap(&points);
    }
}
static void bench_tables_of_both(void)
{
    bench_tables(ELEMENT_G1, 16, 26);
    bench_tables(ELEMENT_G2, 16, 24);
}

/* ---- matrices ---- */

struct product {
    struct buf *out;
    struct matrix_handle *matrix;
    struct witness_handle *witness;
    uint64_t n_rows;
};
static void run_spmv(void *context)
{
    struct product *t = context;

    backend_cuda.spmv(stream, t->out, t->matrix, t->witness, 0, t->n_rows);
}

/* The circuit of a 32 GiB PoRep partition, with random bits. */
static void bench_spmv(void)
{
    struct cuzk_error err = {0};
    struct circuit_name name = {0};
    struct r1cs cs = {0};
    struct region bits_region, full_region;
    struct witness w;
    uint64_t *bits;
    double start = gpu_seconds();

    gpu_must(circuit_name_parse(&name, "porep-32GiB", &err), &err);
    gpu_must(circuit_record(&cs, name, NULL, &err), &err);
    printf("circuit recorded in %.2f s\n", gpu_seconds() - start);
    w = (struct witness){.n_inputs = cs.n_inputs,
                         .n_aux = cs.n_aux,
                         .n_full = cs.n_full,
                         .fr_bytes = 32,
                         .full_map = cs.full_map,
                         .full_rank = cs.full_rank};
    gpu_must(region_map(&bits_region, NULL, MEM_SCRATCH, witness_map_words(w.n_aux) * 8, &err),
             &err);
    gpu_must(region_map(&full_region, NULL, MEM_SCRATCH, (w.n_inputs + w.n_full) * 32, &err), &err);
    bits = (uint64_t *)(void *)bits_region.base;
    for (size_t i = 0; i < witness_map_words(w.n_aux); i++)
        bits[i] = gpu_random() & ~w.full_map[i];
    if (w.n_aux % 64)
        bits[witness_map_words(w.n_aux) - 1] &= ((uint64_t)1 << (w.n_aux % 64)) - 1;
    gpu_random_scalars((struct scalar *)(void *)full_region.base, w.n_inputs + w.n_full, 0);
    w.bits = bits;
    w.inputs = (uint64_t *)(void *)full_region.base;
    w.full = w.inputs + 4 * w.n_inputs;

    const struct matrix *const matrices[3] = {&cs.a, &cs.b, &cs.c};

    for (int i = 0; i < 3; i++) {
        struct product t = {.n_rows = matrices[i]->n_rows};
        const size_t bytes = backend_cuda.matrix_bytes(curve, matrices[i]);
        double put;

        open_device(bytes + backend_cuda.witness_bytes(curve, &w) +
                    backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, t.n_rows));
        start = gpu_seconds();
        gpu_must(backend_cuda.matrix_new(device, matrices[i], &t.matrix, &err), &err);
        put = gpu_seconds() - start;
        gpu_must(backend_cuda.witness_new(device, &w, &t.witness, &err), &err);
        start = gpu_seconds();
        backend_cuda.witness_put(stream, t.witness, &w, witness_whole(w.n_aux));
        wait();
        printf("%c w: %zu rows, matrix %.1f MB in %.0f ms, witness %.1f MB in %.1f ms, ", "ABC"[i],
               (size_t)t.n_rows, (double)bytes / 1e6, put * 1e3,
               (double)backend_cuda.witness_bytes(curve, &w) / 1e6, (gpu_seconds() - start) * 1e3);
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, t.n_rows, &t.out, &err), &err);
        printf("%.3f ms\n", median_ms(run_spmv, &t, 5));
        fflush(stdout);
        backend_cuda.buf_free(t.out);
        backend_cuda.witness_free(t.witness);
        backend_cuda.matrix_free(t.matrix);
        close_device();
    }
    region_unmap(&bits_region);
    region_unmap(&full_region);
    r1cs_done(&cs);
}

/* ---- set-up ---- */

struct multiples {
    struct fixed_base *fixed;
    struct buf *points, *scalars;
    size_t n;
};
static void run_multiples(void *context)
{
    struct multiples *t = context;

    backend_cuda.fixed_base_mul(stream, t->fixed, t->points, t->scalars, 0, t->n);
}
static void bench_multiples(void)
{
    printf("%-12s %12s %12s %12s   (15 additions a multiple)\n", "multiples", "table ms", "ms",
           "G adds/s");
    for (enum element group = ELEMENT_G1; group <= ELEMENT_G2; group++)
        for (unsigned lg_n = 16; lg_n <= 24; lg_n += 4) {
            const size_t n = (size_t)1 << lg_n;
            const struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};
            const void *generator =
                group == ELEMENT_G1 ? (const void *)&curve->g1_generator : &curve->g2_generator;
            struct cuzk_error err = {0};
            struct multiples t = {.n = n};
            double start, table, ms;

            open_device(backend_cuda.fixed_base_bytes(curve, group) +
                        backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
                        backend_cuda.buf_bytes(curve, group, n) +
                        backend_cuda.fixed_base_mul_bytes(curve, group, n, 1));
            start = gpu_seconds();
            gpu_must(backend_cuda.fixed_base_new(device, group, generator, &t.fixed, &err), &err);
            table = gpu_seconds() - start;
            gpu_must(backend_cuda.buf_new(device, group, n, &t.points, &err), &err);
            gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &t.scalars, &err), &err);
            backend_cuda.powers(stream, t.scalars, &first, &base, n);
            ms = median_ms(run_multiples, &t, 2);
            printf("G%d 2^%-7u %12.2f %12.3f %12.2f\n", group == ELEMENT_G1 ? 1 : 2, lg_n,
                   table * 1e3, ms, 15.0 * (double)n / ms / 1e6);
            fflush(stdout);
            backend_cuda.buf_free(t.scalars);
            backend_cuda.buf_free(t.points);
            backend_cuda.fixed_base_free(t.fixed);
            close_device();
        }
}

struct transposed {
    const struct matrix *matrix;
    struct matrix_handle *handle;
    struct buf *rows, *sums;
    size_t n;
    bool inputs;
};
static void run_transposed(void *context)
{
    struct transposed *t = context;

    backend_cuda.spmv_transposed(stream, t->sums, t->handle, t->rows, 0, t->matrix->n_rows,
                                 t->inputs, 0, t->n);
}
static void bench_transposed(const struct r1cs *cs)
{
    const struct matrix *const matrices[3] = {&cs->a, &cs->b, &cs->c};
    const struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};

    for (int i = 0; i < 3; i++) {
        struct transposed t = {.matrix = matrices[i], .n = (size_t)1 << 25};
        struct cuzk_error err = {0};
        double aux;

        open_device(backend_cuda.matrix_bytes(curve, t.matrix) +
                    backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, t.matrix->n_rows) +
                    backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, t.n) +
                    backend_cuda.spmv_transposed_bytes(curve, t.matrix, false, t.n, 1));
        gpu_must(backend_cuda.matrix_new(device, t.matrix, &t.handle, &err), &err);
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, t.matrix->n_rows, &t.rows, &err),
                 &err);
        gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, t.n, &t.sums, &err), &err);
        backend_cuda.powers(stream, t.rows, &first, &base, t.matrix->n_rows);
        aux = median_ms(run_transposed, &t, 2);
        t.inputs = true;
        t.n = cs->n_inputs;
        printf("%c transposed: 2^25 aux %.2f ms, %zu inputs %.2f ms\n", "ABC"[i], aux, t.n,
               median_ms(run_transposed, &t, 2));
        fflush(stdout);
        backend_cuda.buf_free(t.sums);
        backend_cuda.buf_free(t.rows);
        backend_cuda.matrix_free(t.handle);
        close_device();
    }
}

struct queries {
    double start;
};
/* The host's clock when the last of a query's points were ordered: what is ahead of the device is
 * at most a window. */
static void query_done(void *context, enum key_query query, size_t done, size_t total)
{
    struct queries *q = context;

    (void)query;
    if (done == total)
        printf(" %s %.2f", key_query_name(query), gpu_seconds() - q->start);
}

/* The whole key of a 32 GiB PoRep partition, from a trapdoor, in device memory. */
static void bench_setup(void)
{
    struct cuzk_error err = {0};
    struct circuit_name name = {0};
    struct r1cs cs = {0};
    struct qap qap = {0};
    struct trapdoor trapdoor;
    struct queries queries;
    const struct setup_options options = {.backend = &backend_cuda,
                                          .domain_generator = 7,
                                          .h_basis = H_COSET_FOLDED,
                                          .window = (size_t)1 << 25,
                                          .slice = (size_t)1 << 21,
                                          .progress = query_done,
                                          .progress_ctx = &queries};
    size_t bytes;
    double start = gpu_seconds();

    gpu_must(circuit_name_parse(&name, "porep-32GiB", &err), &err);
    gpu_must(circuit_record(&cs, name, NULL, &err), &err);
    printf("circuit recorded in %.2f s, ", gpu_seconds() - start);
    start = gpu_seconds();
    gpu_must(qap_init(&qap, &cs, NULL, &err), &err);
    printf("densities in %.2f s: L %zu, A %zu, B %zu points\n", gpu_seconds() - start,
           (size_t)cs.n_aux, qap.n_a_aux, qap.n_b_aux);
    gpu_must(trapdoor_from_label(&trapdoor, curve, "gpu-speed", &err), &err);
    bench_transposed(&cs);
    bytes = setup_resident_bytes(&qap, &options);
    open_device(bytes);
    for (int i = 0; i < 2; i++) {
        struct resident_key key = {0};

        printf("set-up:");
        queries.start = gpu_seconds();
        gpu_must(groth16_setup_resident(&qap, &trapdoor, &options, device, stream, &key, &err),
                 &err);
        printf(", all %.2f s; key %.1f GB, set-up %.1f GB\n", gpu_seconds() - queries.start,
               (double)resident_key_bytes(&backend_cuda, &qap, options.h_basis) / 1e9,
               (double)bytes / 1e9);
        fflush(stdout);
        resident_key_done(&key);
    }
    close_device();
    qap_done(&qap);
    r1cs_done(&cs);
}

/* ---- a key's points into another basis ---- */

struct points_work {
    struct domain *domain;
    struct matrix_handle *matrix;
    struct buf *points, *sums;
    size_t n;
};
static void run_group_ntt(void *context)
{
    struct points_work *t = context;

    backend_cuda.group_ntt(stream, t->domain, t->points, true, false);
}
static void run_point_spmv(void *context)
{
    struct points_work *t = context;

    backend_cuda.point_spmv(stream, t->sums, t->matrix, t->points, false, 0, t->n);
}

/* n multiples of the generator on the device */
static struct buf *points_on_device(enum element group, size_t n)
{
    const struct scalar first = {{12345, 6789, 77, 5}}, base = {{987654321, 1, 1, 1}};
    struct buf *points = NULL, *scalars = NULL;
    struct fixed_base *fixed = NULL;
    struct cuzk_error err = {0};

    gpu_must(backend_cuda.buf_new(device, group, n, &points, &err), &err);
    gpu_must(backend_cuda.fixed_base_new(device, group, &curve->g1_generator, &fixed, &err), &err);
    gpu_must(backend_cuda.buf_new(device, ELEMENT_SCALAR, n, &scalars, &err), &err);
    backend_cuda.powers(stream, scalars, &first, &base, n);
    backend_cuda.fixed_base_mul(stream, fixed, points, scalars, 0, n);
    wait();
    backend_cuda.buf_free(scalars);
    backend_cuda.fixed_base_free(fixed);
    return points;
}
static size_t points_bytes(enum element group, size_t n)
{
    return backend_cuda.buf_bytes(curve, group, n) + backend_cuda.fixed_base_bytes(curve, group) +
           backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, n) +
           backend_cuda.fixed_base_mul_bytes(curve, group, n, 1);
}

static void bench_group_ntt(void)
{
    for (unsigned lg_n = 14; lg_n <= 20; lg_n += 2) {
        struct points_work t = {0};
        struct cuzk_error err = {0};
        double ms, multiples;

        open_device(points_bytes(ELEMENT_G1, (size_t)1 << lg_n) +
                    backend_cuda.domain_bytes(curve, lg_n, TABLES_FAST) +
                    backend_cuda.group_ntt_bytes(curve, ELEMENT_G1, lg_n, 1));
        t.points = points_on_device(ELEMENT_G1, (size_t)1 << lg_n);
        gpu_must(backend_cuda.domain_new(device, lg_n, 7, TABLES_FAST, &t.domain, &err), &err);
        ms = median_ms(run_group_ntt, &t, 1);
        multiples = (double)((size_t)1 << lg_n) * (lg_n + 2) / 2; /* layers and 1 / n */
        printf("group ntt 2^%u: %.1f ms, %.2f M multiples/s\n", lg_n, ms, multiples / ms / 1e3);
        fflush(stdout);
        backend_cuda.domain_free(t.domain);
        backend_cuda.buf_free(t.points);
        close_device();
    }
}

/* C of a 32 GiB PoRep partition times a point a row, for 2^22 of its aux. */
static void bench_point_spmv(void)
{
    struct points_work t = {.n = (size_t)1 << 22};
    struct circuit_name name = {0};
    struct cuzk_error err = {0};
    struct r1cs cs = {0};

    gpu_must(circuit_name_parse(&name, "porep-32GiB", &err), &err);
    gpu_must(circuit_record(&cs, name, NULL, &err), &err);
    open_device(points_bytes(ELEMENT_G1, cs.c.n_rows) + backend_cuda.matrix_bytes(curve, &cs.c) +
                backend_cuda.buf_bytes(curve, ELEMENT_G1, t.n) +
                backend_cuda.point_spmv_bytes(curve, &cs.c, ELEMENT_G1, t.n, 1));
    t.points = points_on_device(ELEMENT_G1, cs.c.n_rows);
    gpu_must(backend_cuda.matrix_new(device, &cs.c, &t.matrix, &err), &err);
    gpu_must(backend_cuda.buf_new(device, ELEMENT_G1, t.n, &t.sums, &err), &err);
    printf("C times points, 2^22 of %zu aux: %.1f ms\n", (size_t)cs.n_aux,
           median_ms(run_point_spmv, &t, 1));
    backend_cuda.buf_free(t.sums);
    backend_cuda.matrix_free(t.matrix);
    backend_cuda.buf_free(t.points);
    close_device();
    r1cs_done(&cs);
}

int gpu_speed(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"transforms", bench_transforms},
        {"spmv", bench_spmv},
        {"sums_g1", bench_sums_g1},
        {"sums_g2", bench_sums_g2},
        {"full_size", bench_sums_full_size},
        {"tables", bench_tables_of_both},
        {"multiples", bench_multiples},
        {"setup", bench_setup},
        {"group_ntt", bench_group_ntt},
        {"point_spmv", bench_point_spmv},
        {"once_g1", once_g1},
        {"once_g2", once_g2},
    };

    if (argc > 1 && strcmp(argv[1], curve_bn254.name) == 0) {
        curve = &curve_bn254;
        argc--;
        argv++;
    }
    printf("%s\n", curve->name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool wanted = argc < 2;

        for (int k = 1; k < argc; k++)
            wanted |= strstr(parts[i].name, argv[k]) != NULL;
        if (wanted)
            parts[i].run();
    }
    return 0;
}
