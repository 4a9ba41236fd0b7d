/* Transforms and scalar operations of the CUDA back end against the portable kernels, byte for
 * byte. */
#include "gpu/gpu_tests.h"
#include "backend/cuda/cuda_domain.h"
#include "gpu/gpu_check.h"
#include "ntt/scalar_kernels.h"

static struct pool *pool;

static struct device *open_device(size_t bytes)
{
    struct device_options options = {.curve = curve, .pool = pool, .arena_bytes = bytes};
    struct cuzk_error err = {0};
    struct device *device = NULL;

    gpu_must(backend_cuda.open(&device, &options, &err), &err);
    return device;
}

/* Everything a transform test needs, for one size. */
struct bench_of_transforms {
    size_t n;
    struct device *device;
    struct stream *stream;
    struct domain *domain;
    struct buf *a, *b;
    struct region host[5];
    void *table;
    struct region table_region;
};

static struct scalar *vector(struct bench_of_transforms *t, int i)
{
    return (struct scalar *)(void *)t->host[i].base;
}

/* of the domains of the tests */
static enum domain_tables tables = TABLES_FAST;

static void set_up(struct bench_of_transforms *t, unsigned lg_n, uint64_t g)
{
    struct cuzk_error err = {0};
    const size_t bytes = (size_t)32 << lg_n;

    memset(t, 0, sizeof *t);
    t->n = (size_t)1 << lg_n;
    t->device = open_device(backend_cuda.domain_bytes(curve, lg_n, tables) +
                            backend_cuda.quotient_bytes(curve, lg_n, H_POWERS) +
                            2 * backend_cuda.buf_bytes(curve, ELEMENT_SCALAR, t->n));
    gpu_must(backend_cuda.stream_new(t->device, &t->stream, &err), &err);
    gpu_must(backend_cuda.buf_new(t->device, ELEMENT_SCALAR, t->n, &t->a, &err), &err);
    gpu_must(backend_cuda.buf_new(t->device, ELEMENT_SCALAR, t->n, &t->b, &err), &err);
    gpu_must(backend_cuda.domain_new(t->device, lg_n, g, tables, &t->domain, &err), &err);
    for (int i = 0; i < 5; i++)
        gpu_must(region_map(&t->host[i], NULL, MEM_SCRATCH, bytes, &err), &err);
    gpu_must(
        region_map(&t->table_region, NULL, MEM_SCRATCH, curve->fr->ntt_table_bytes(lg_n), &err),
        &err);
    t->table = t->table_region.base;
    if (!curve->fr->ntt_table_init(t->table, lg_n, g, pool))
        exit(2);
}

static void tear_down(struct bench_of_transforms *t)
{
    for (int i = 0; i < 5; i++)
        region_unmap(&t->host[i]);
    region_unmap(&t->table_region);
    backend_cuda.domain_free(t->domain);
    backend_cuda.buf_free(t->b);
    backend_cuda.buf_free(t->a);
    backend_cuda.stream_free(t->stream);
    backend_cuda.close(t->device);
}

/* ---- single transforms ---- */

/* modes: bit 2 c + i for coset c, inverse i */
static int compare_ntt(struct bench_of_transforms *t, int kind, unsigned modes)
{
    struct cuzk_error err = {0};
    struct scalar *in = vector(t, 0), *expected = vector(t, 1), *got = vector(t, 2);
    int wrong = 0;

    gpu_random_scalars(in, t->n, kind);
    for (int mode = 0; mode < 4; mode++) {
        const bool inverse = mode & 1, coset = mode >> 1;

        if (!(modes >> mode & 1))
            continue;
        curve->fr->from_plain(expected, in, t->n);
        curve->fr->ntt(expected, t->table, inverse ? NTT_INVERSE : NTT_FORWARD,
                       coset ? NTT_COSET : NTT_SUBGROUP, pool);
        curve->fr->to_plain(expected, expected, t->n);
        backend_cuda.buf_put(t->stream, t->a, 0, in, t->n);
        backend_cuda.ntt(t->stream, t->domain, t->a, inverse, coset);
        backend_cuda.buf_get(t->stream, t->a, 0, got, t->n);
        gpu_must(backend_cuda.wait(t->stream, &err), &err);
        if (memcmp(expected, got, t->n * 32) != 0) {
            size_t bad = 0, first = t->n;

            for (size_t i = 0; i < t->n; i++)
                if (memcmp(&expected[i], &got[i], 32) != 0) {
                    bad++;
                    if (first == t->n)
                        first = i;
                }
            printf("  n %zu inverse %d coset %d values %d: %zu wrong, first %zu\n", t->n, inverse,
                   coset, kind, bad, first);
            wrong++;
        }
    }
    return wrong;
}

static int compare_sizes(unsigned from, unsigned to, uint64_t g)
{
    int wrong = 0;

    for (unsigned lg_n = from; lg_n <= to; lg_n++) {
        struct bench_of_transforms t;

        set_up(&t, lg_n, g);
        for (int kind = 0; kind < 3; kind++)
            wrong += compare_ntt(&t, kind, 15);
        tear_down(&t);
    }
    return wrong;
}
static int ntt_equals_portable_for_every_size_to_2_20(void)
{
    return compare_sizes(0, 20, 7);
}
static int ntt_equals_portable_for_the_root_of_5(void)
{
    return compare_sizes(0, 12, 5);
}
static int compare_quotients(unsigned lg_n);

/* The tables that only the largest domains have otherwise. */
static int transforms_with_compact_tables_equal_portable(void)
{
    const unsigned usual = cuda_compact_from;
    int wrong;

    cuda_compact_from = 0;
    wrong = compare_sizes(3, 17, 7) + compare_quotients(10) + compare_quotients(19);
    cuda_compact_from = usual;
    return wrong;
}
static int transforms_with_small_tables_equal_portable(void)
{
    int wrong;

    tables = TABLES_SMALL;
    wrong = compare_sizes(3, 20, 7) + compare_sizes(3, 12, 5) + compare_quotients(10) +
            compare_quotients(19);
    tables = TABLES_FAST;
    return wrong;
}
static int ntt_equals_portable_2_24(void)
{
    return compare_sizes(24, 24, 7);
}

static int ntt_equals_portable_2_27(void)
{
    struct bench_of_transforms t;
    int wrong;

    set_up(&t, 27, 7);
    wrong = compare_ntt(&t, 1, 1 << 1 | 1 << 2);
    tear_down(&t);
    return wrong;
}
static int ntt_equals_portable_2_27_with_small_tables(void)
{
    int wrong;

    tables = TABLES_SMALL;
    wrong = ntt_equals_portable_2_27();
    tables = TABLES_FAST;
    return wrong;
}
static int ntt_inverse_undoes_forward_2_28(void)
{
    struct cuzk_error err = {0};
    struct bench_of_transforms t;
    int wrong;

    set_up(&t, 28, 7);
    gpu_random_scalars(vector(&t, 0), t.n, 1);
    backend_cuda.buf_put(t.stream, t.a, 0, vector(&t, 0), t.n);
    backend_cuda.ntt(t.stream, t.domain, t.a, false, true);
    backend_cuda.ntt(t.stream, t.domain, t.a, true, true);
    backend_cuda.buf_get(t.stream, t.a, 0, vector(&t, 1), t.n);
    gpu_must(backend_cuda.wait(t.stream, &err), &err);
    wrong = memcmp(vector(&t, 0), vector(&t, 1), t.n * 32) != 0;
    tear_down(&t);
    return wrong;
}

/* ---- the quotient ---- */

/* The definition, step by step, with the portable kernels. */
static void quotient_portable(struct bench_of_transforms *t, struct scalar *a, struct scalar *b,
                              struct scalar *c, enum h_basis basis)
{
    const struct scalar_kernels *fr = curve->fr;
    const enum ntt_coset coset = basis == H_ODD_COSET ? NTT_ODD_COSET : NTT_COSET;
    struct scalar *const v[3] = {a, b, c};
    struct scalar z;

    fr->from_plain(a, a, t->n);
    fr->from_plain(b, b, t->n);
    fr->mul(c, a, b, t->n);
    for (int i = 0; i < 3; i++) {
        fr->ntt(v[i], t->table, NTT_INVERSE, NTT_SUBGROUP, pool);
        fr->ntt(v[i], t->table, NTT_FORWARD, coset, pool);
    }
    fr->mul(a, a, b, t->n);
    if (basis != H_COSET_FOLDED)
        fr->sub(a, a, c, t->n);
    if (basis == H_POWERS) {
        fr->ntt_vanishing(&z, t->table, coset);
        curve->fr_inv(&z, &z);
        fr->scale(a, a, &z, t->n);
        fr->ntt(a, t->table, NTT_INVERSE, coset, pool);
    }
    fr->to_plain(a, a, t->n);
}

/* c = a∘b, plain; room: n elements. */
static void products(const struct bench_of_transforms *t, struct scalar *c, const struct scalar *a,
                     const struct scalar *b, struct scalar *room)
{
    const struct scalar_kernels *fr = curve->fr;

    fr->from_plain(c, a, t->n);
    fr->from_plain(room, b, t->n);
    fr->mul(c, c, room, t->n);
    fr->to_plain(c, c, t->n);
}

/* h from the card; c NULL: as one operation, else as two, the rows of C being c. */
static void quotient_on_card(const struct bench_of_transforms *t, const struct scalar *a,
                             const struct scalar *b, const struct scalar *c, enum h_basis basis,
                             struct scalar *h)
{
    struct buf *from = t->a;
    struct cuzk_error err = {0};

    backend_cuda.buf_put(t->stream, t->a, 0, a, t->n);
    backend_cuda.buf_put(t->stream, t->b, 0, b, t->n);
    if (!c) {
        backend_cuda.quotient(t->stream, t->domain, t->a, t->b, basis);
    } else {
        backend_cuda.quotient_ab(t->stream, t->domain, t->a, t->b, basis);
        backend_cuda.buf_put(t->stream, t->b, 0, c, t->n);
        if (basis != H_COSET_FOLDED) {
            backend_cuda.quotient_c(t->stream, t->domain, t->a, t->b, basis);
            from = t->b;
        }
    }
    backend_cuda.buf_get(t->stream, from, 0, h, t->n);
    gpu_must(backend_cuda.wait(t->stream, &err), &err);
}

static int compare_quotients(unsigned lg_n)
{
    static const enum h_basis bases[] = {H_POWERS, H_ODD_COSET, H_COSET, H_COSET_FOLDED};
    struct bench_of_transforms t;
    int wrong = 0;

    set_up(&t, lg_n, 7);
    for (int k = 0; k < 4; k++)
        for (int kind = 0; kind < 3; kind++) {
            struct scalar *a = vector(&t, 0), *b = vector(&t, 1), *c = vector(&t, 2);
            struct scalar *in_one = vector(&t, 3), *in_two = vector(&t, 4);

            gpu_random_scalars(a, t.n, kind);
            gpu_random_scalars(b, t.n, kind);
            products(&t, c, a, b, in_two);
            quotient_on_card(&t, a, b, NULL, bases[k], in_one);
            quotient_on_card(&t, a, b, c, bases[k], in_two);
            quotient_portable(&t, a, b, c, bases[k]);
            for (int two = 0; two < 2; two++)
                if (memcmp(a, two ? in_two : in_one, t.n * 32) != 0) {
                    printf("  n %zu basis %d values %d, in %s: wrong\n", t.n, (int)bases[k], kind,
                           two ? "two" : "one");
                    wrong++;
                }
        }
    tear_down(&t);
    return wrong;
}
static int quotient_equals_its_definition_to_2_18(void)
{
    int wrong = 0;

    for (unsigned lg_n = 0; lg_n <= 18; lg_n++)
        wrong += compare_quotients(lg_n);
    return wrong;
}
static int quotient_equals_its_definition_2_23(void)
{
    return compare_quotients(23);
}

/* ---- the rest ---- */

static int pointwise_equals_portable(void)
{
    struct cuzk_error err = {0};
    struct bench_of_transforms t;
    struct scalar factor, *in[2], *expected, *got;
    int wrong = 0;

    set_up(&t, 13, 7);
    in[0] = vector(&t, 0), in[1] = vector(&t, 1), expected = vector(&t, 2), got = vector(&t, 3);
    for (int kind = 0; kind < 3; kind++)
        for (size_t n = t.n - 3; n <= t.n; n += 3)
            for (int op = 0; op < 5; op++) {
                gpu_random_scalars(in[0], t.n, kind);
                gpu_random_scalars(in[1], t.n, kind);
                gpu_random_scalars(&factor, 1, kind);
                backend_cuda.buf_put(t.stream, t.a, 0, in[0], n);
                backend_cuda.buf_put(t.stream, t.b, 0, in[1], n);
                if (op < 4)
                    backend_cuda.pointwise(t.stream, (enum pointwise_op)op, t.a, op < 2 ? t.a : t.b,
                                           op < 2 ? t.b : NULL, &factor, n);
                else
                    backend_cuda.powers(t.stream, t.a, &in[0][0], &factor, n);
                backend_cuda.buf_get(t.stream, t.a, 0, got, n);
                gpu_must(backend_cuda.wait(t.stream, &err), &err);
                for (size_t i = 0; i < n; i++) {
                    struct scalar scaled;

                    curve->fr_mul(&scaled, &in[1][i], &factor);
                    if (op == POINTWISE_MUL)
                        curve->fr_mul(&expected[i], &in[0][i], &in[1][i]);
                    if (op == POINTWISE_SUB)
                        curve->fr_sub(&expected[i], &in[0][i], &in[1][i]);
                    if (op == POINTWISE_AXPY)
                        curve->fr_add(&expected[i], &in[0][i], &scaled);
                    if (op == POINTWISE_SCALE)
                        expected[i] = scaled;
                    if (op == 4) {
                        if (i)
                            curve->fr_mul(&expected[i], &expected[i - 1], &factor);
                        else
                            expected[0] = in[0][0];
                    }
                }
                if (memcmp(expected, got, n * 32) != 0) {
                    printf("  op %d values %d: wrong\n", op, kind);
                    wrong++;
                }
            }
    tear_down(&t);
    return wrong;
}

/* ... with the tables that are asked for */
static int arena_is_as_planned(unsigned lg_n)
{
    struct device *device = open_device(backend_cuda.domain_bytes(curve, lg_n, tables));
    struct domain *domain = NULL;
    struct buf *buf = NULL;
    struct cuzk_error err = {0};
    int wrong = backend_cuda.domain_new(device, lg_n, 7, tables, &domain, &err) != CUZK_OK;

    backend_cuda.domain_free(domain);
    backend_cuda.close(device);
    device = open_device(backend_cuda.domain_bytes(curve, lg_n, tables) - 256);
    wrong += backend_cuda.domain_new(device, lg_n, 7, tables, &domain, &err) != CUZK_NO_MEMORY;
    wrong += backend_cuda.buf_new(device, ELEMENT_SCALAR, 1, &buf, &err) != CUZK_OK;
    backend_cuda.buf_free(buf);
    backend_cuda.close(device);
    return wrong;
}
static int arena_takes_what_the_plan_says(void)
{
    int wrong = 0;

    for (unsigned lg_n = 3; lg_n < 20; lg_n++)
        for (int small = 0; small < 2; small++) {
            tables = small ? TABLES_SMALL : TABLES_FAST;
            wrong += arena_is_as_planned(lg_n);
        }
    tables = TABLES_FAST;
    return wrong;
}

int gpu_transforms(int argc, char **argv)
{
    static const struct gpu_test tests[] = {
        {"arena_takes_what_the_plan_says", arena_takes_what_the_plan_says, false},
        {"pointwise_equals_portable", pointwise_equals_portable, false},
        {"ntt_equals_portable_for_every_size_to_2_20", ntt_equals_portable_for_every_size_to_2_20,
         false},
        {"ntt_equals_portable_for_the_root_of_5", ntt_equals_portable_for_the_root_of_5, false},
        {"transforms_with_compact_tables_equal_portable",
         transforms_with_compact_tables_equal_portable, false},
        {"transforms_with_small_tables_equal_portable", transforms_with_small_tables_equal_portable,
         false},
        {"ntt_equals_portable_2_24", ntt_equals_portable_2_24, false},
        {"ntt_equals_portable_2_27", ntt_equals_portable_2_27, true},
        {"ntt_equals_portable_2_27_with_small_tables", ntt_equals_portable_2_27_with_small_tables,
         true},
        {"ntt_inverse_undoes_forward_2_28", ntt_inverse_undoes_forward_2_28, true},
        {"quotient_equals_its_definition_to_2_18", quotient_equals_its_definition_to_2_18, false},
        {"quotient_equals_its_definition_2_23", quotient_equals_its_definition_2_23, false},
    };
    struct cuzk_error err = {0};
    int status;

    gpu_must(pool_new(&pool, 0, &err), &err);
    status = gpu_run(tests, sizeof tests / sizeof *tests, argc, argv);
    pool_free(pool);
    return status;
}
