/* Many multiples of one base: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; cells and an adder of them come before.
 * Names defined: entries of struct group_kernels: g1_bulk_fixed_table_bytes,
 * g1_bulk_fixed_table_init, g1_bulk_fixed_mul_bytes, g1_bulk_fixed_mul.
 *
 * The table holds, for each window w of c bits, j 2^(c w) base for j = 1 .. 2^(c-1). A multiple is
 * then one addition a window, and many multiples advance window by window together, sharing
 * inversions (msm/adder.inc.h). */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)
#define G_CELL_T G(cell_t)

/* 17 additions a multiple on 254 and 255 bits. The table takes 26 MiB in G1 of BLS12-381, 52 in G2;
 * a window more or less gains or costs 6 % and doubles or halves it. */
#ifndef FIXED_WINDOW
#define FIXED_WINDOW (FR_BITS < 15 ? FR_BITS : 15)
#endif
#define FIXED_HALF ((size_t)1 << (FIXED_WINDOW - 1))
#define FIXED_WINDOWS ((FR_BITS + FIXED_WINDOW - 1) / FIXED_WINDOW)

static size_t G(bulk_fixed_table_bytes)(void)
{
    return FIXED_WINDOWS * FIXED_HALF * sizeof(G_CELL_T);
}

struct G(fixed_table) {
    G_CELL_T *table;
    struct pool *pool;
    G_AFFINE_T first[FIXED_WINDOWS]; /* 2^(c w) base */
};

/* Row w of the table, by running sums in batches. */
static void G(fixed_window)(void *ctx, size_t w, unsigned worker)
{
    const struct G(fixed_table) *fixed = ctx;
    G_CELL_T *row = fixed->table + w * FIXED_HALF;
    enum { BATCH = 64 };
    const size_t n = FIXED_HALF;
    G_T sum[BATCH], last;
    G_AFFINE_T affine[BATCH];
    TEMPLATE_JOIN(BASE, t) scratch[2 * BATCH];

    (void)worker;
    G(from_affine)(&last, &fixed->first[w]);
    for (size_t at = 0; at < n; at += BATCH) {
        const size_t m = n - at < BATCH ? n - at : BATCH;

        pool_may_go_on(fixed->pool);
        for (size_t i = 0; i < m; i++) {
            sum[i] = last;
            G(add_mixed)(&last, &last, &fixed->first[w]);
        }
        G(to_affine_batch)(affine, sum, m, scratch);
        G(cells_load)(row + at, &(struct points_view){POINTS_NATIVE, affine, m}, NULL, 0, m, NULL);
    }
}

static void G(bulk_fixed_table_init)(void *table, const void *base_plain, struct pool *pool)
{
    struct G(fixed_table) fixed = {.table = table, .pool = pool};
    G_AFFINE_T base;
    G_T power;

    G(affine_from_plain)(&base, base_plain);
    G(from_affine)(&power, &base);
    for (unsigned w = 0; w < FIXED_WINDOWS; w++) {
        G(to_affine)(&fixed.first[w], &power);
        for (unsigned i = 0; i < FIXED_WINDOW; i++)
            G(dbl)(&power, &power);
    }
    pool_run(pool, FIXED_WINDOWS, G(fixed_window), &fixed);
}

struct G(fixed_worker) {
    G_CELL_T product[ADDER_PAIRS];
    struct G(adder) adder;
    uint64_t recoded[ADDER_PAIRS][FR_LIMBS];
    bool negative[ADDER_PAIRS];
};

struct G(fixed_mul) {
    struct digits digits;
    const G_CELL_T *table;
    const uint64_t *scalars;
    G_AFFINE_T *out;
    struct G(fixed_worker) * workers;
    struct pool *pool;
};

static size_t G(bulk_fixed_mul_bytes)(size_t n, unsigned n_threads)
{
    (void)n;
    return n_threads * sizeof(struct G(fixed_worker));
}

static void G(fixed_mul_range)(void *ctx, size_t begin, size_t end, unsigned worker_index)
{
    struct G(fixed_mul) *mul = ctx;
    struct G(fixed_worker) *worker = &mul->workers[worker_index];
    G_CELL_T *product = worker->product;

    G(adder_init)(&worker->adder, mul->pool);
    G(cells_clear)(product, end - begin);
    for (size_t i = begin; i < end; i++)
        worker->negative[i - begin] =
            digits_recode(&mul->digits, worker->recoded[i - begin], &mul->scalars[i * FR_LIMBS]);
    for (unsigned w = 0; w < FIXED_WINDOWS; w++) {
        const G_CELL_T *row = mul->table + w * FIXED_HALF - 1; /* from digit 1 on */

        for (size_t i = begin; i < end; i++) {
            const int32_t digit = digits_get(&mul->digits, worker->recoded[i - begin], w);
            const bool negative = (digit < 0) != worker->negative[i - begin];

            if (digit != 0)
                G(adder_push)
            (&worker->adder, G(ref)(&product[i - begin], false),
             G(ref)(&row[digit < 0 ? -digit : digit], negative), &product[i - begin]);
        }
        G(adder_flush)(&worker->adder);
    }
    G(cells_to_affine)(mul->out + begin, product, end - begin);
}

static void G(bulk_fixed_mul)(void *out, const void *table, const uint64_t *scalars, size_t n,
                              void *scratch, struct pool *pool)
{
    struct G(fixed_mul) mul = {
        .table = table, .scalars = scalars, .out = out, .workers = scratch, .pool = pool};

    digits_init(&mul.digits, fr_modulus_words.l, FR_LIMBS, FR_BITS, FIXED_WINDOW);
    pool_for(pool, n, ADDER_PAIRS, G(fixed_mul_range), &mul);
}

#undef G
#undef G_T
#undef G_AFFINE_T
#undef G_CELL_T
