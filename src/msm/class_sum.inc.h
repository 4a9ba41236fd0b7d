/* The sum of the points whose bit is set: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/lists.inc.h and convert.inc.h come
 * before. Names defined: entries of struct group_kernels: g1_bulk_sum_bytes, g1_bulk_sum.
 *
 * One list (msm/lists.inc.h) a worker: n - 1 additions of 5M + 1S for n points. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)

struct G(sum_worker) {
    G_AFFINE_T sum; /* of what this worker has seen */
    struct G(lists) lists;
    G_AFFINE_T point[LISTS_REFS];
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

/* Points [begin, end), at most LISTS_REFS of them. */
static void G(sum_range)(void *ctx, size_t begin, size_t end, unsigned worker_index)
{
    struct G(sum) *sum = ctx;
    struct G(sum_worker) *worker = &sum->workers[worker_index];
    size_t n = 0;

    G(lists_open)(&worker->lists, &worker->sum);
    for (size_t i = begin; i < end; i++) {
        if ((sum->select[i / 64] >> (i % 64) & 1) == 0)
            continue;
        if (G(decode_one)(&worker->point[n], sum->points, i) != POINT_OK) {
            size_t bad = atomic_load(&sum->bad);

            while (i < bad && !atomic_compare_exchange_weak(&sum->bad, &bad, i))
                continue;
            break;
        }
        G(lists_put)(&worker->lists, G(ref)(&worker->point[n++], false));
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
        sum.workers[t].sum = G(affine_infinity);
        G(lists_init)(&sum.workers[t].lists);
    }
    pool_for(pool, n, LISTS_REFS, G(sum_range), &sum);
    if (pool_cancelled(pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    bad = atomic_load(&sum.bad);
    if (bad != SIZE_MAX)
        return error_set(err, CUZK_BAD_INPUT, "point %zu: %s", bad,
                         point_fault_name(G(decode_one)(&affine, points, bad)));
    for (unsigned t = 0; t < pool_size(pool); t++)
        G(add_mixed)(&total, &total, &sum.workers[t].sum);
    G(to_affine)(&affine, &total);
    G(affine_to_plain)(out, &affine);
    return CUZK_OK;
}

#undef G
#undef G_T
#undef G_AFFINE_T
