/* The sum of the points whose bit is set: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/lists.inc.h and what it asks for come
 * before. Names defined: entries of struct group_kernels: g1_bulk_sum_bytes, g1_bulk_sum.
 *
 * A few lists (msm/lists.inc.h) a worker: n - 1 additions of 5M + 1S for n points. One list would be
 * enough, but its last rounds would have few pairs to share an inversion. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)
#define G_CELL_T G(cell_t)

#define SUM_LISTS 32
#define SUM_POINTS (LISTS_REFS - SUM_LISTS) /* that a worker takes at a time */

struct G(sum_worker) {
    G_CELL_T sum[SUM_LISTS]; /* of what this worker has seen */
    G_CELL_T cell[SUM_POINTS];
    uint32_t index[SUM_POINTS];
    struct G(lists) lists;
};

struct G(sum) {
    const struct points_view *points;
    const uint64_t *select;
    struct G(sum_worker) * workers;
    _Atomic size_t bad;
};

static size_t G(bulk_sum_bytes)(size_t n, unsigned n_threads)
{
    (void)n;
    return n_threads * sizeof(struct G(sum_worker));
}

/* Points [begin, end), at most SUM_POINTS of them. */
static void G(sum_range)(void *ctx, size_t begin, size_t end, unsigned worker_index)
{
    struct G(sum) *sum = ctx;
    struct G(sum_worker) *worker = &sum->workers[worker_index];
    size_t n = 0, good;

    for (size_t i = begin; i < end; i++)
        if (sum->select[i / 64] >> (i % 64) & 1)
            worker->index[n++] = (uint32_t)i;
    good = G(cells_load)(worker->cell, sum->points, worker->index, 0, n, NULL);
    if (good < n) {
        size_t bad = atomic_load(&sum->bad);

        while (worker->index[good] < bad &&
               !atomic_compare_exchange_weak(&sum->bad, &bad, worker->index[good]))
            continue;
        return;
    }
    for (size_t l = 0; l < SUM_LISTS; l++) {
        G(lists_open)(&worker->lists, &worker->sum[l]);
        for (size_t i = n * l / SUM_LISTS; i < n * (l + 1) / SUM_LISTS; i++)
            G(lists_put)(&worker->lists, G(ref)(&worker->cell[i], false));
    }
    G(lists_close)(&worker->lists);
}

static enum cuzk_status G(bulk_sum)(void *out, const struct points_view *points,
                                    const uint64_t *select, size_t n, void *scratch,
                                    struct pool *pool, struct cuzk_error *err)
{
    struct G(sum) sum = {.points = points, .select = select, .workers = scratch};
    G_T total = G(infinity);
    G_AFFINE_T affine;
    size_t bad;

    atomic_init(&sum.bad, SIZE_MAX);
    for (unsigned t = 0; t < pool_size(pool); t++) {
        G(cells_clear)(sum.workers[t].sum, SUM_LISTS);
        G(lists_init)(&sum.workers[t].lists, pool);
    }
    pool_for(pool, n, SUM_POINTS, G(sum_range), &sum);
    if (pool_cancelled(pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    bad = atomic_load(&sum.bad);
    if (bad != SIZE_MAX)
        return error_set(err, CUZK_BAD_INPUT, "point %zu: %s", bad,
                         point_fault_name(G(decode_one)(&affine, points, bad)));
    for (unsigned t = 0; t < pool_size(pool); t++)
        for (size_t l = 0; l < SUM_LISTS; l++) {
            G(cell_to_affine)(&affine, &sum.workers[t].sum[l]);
            G(add_mixed)(&total, &total, &affine);
        }
    G(to_affine)(&affine, &total);
    G(affine_to_plain)(out, &affine);
    return CUZK_OK;
}

#undef G
#undef G_T
#undef G_AFFINE_T
#undef G_CELL_T
#undef SUM_LISTS
#undef SUM_POINTS
