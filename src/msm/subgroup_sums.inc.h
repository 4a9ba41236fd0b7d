/* Are the points of an array in the subgroup of order r? The template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/lists.inc.h and what it asks for come
 * before, g1_in_subgroup (curve/subgroup.inc.h) is declared. Names defined: entries of struct
 * group_kernels: g1_bulk_subgroup_bytes, g1_bulk_subgroup_check.
 *
 * One point takes 30 us. Many are looked at through sums over random halves of them: all sums are
 * in the subgroup G if all points are. If point j is not, then for any choice of the others the sum
 * with it and the sum without it differ by a point outside G, so one of the two is outside: a
 * random half fails to show a bad array with probability 1/2 at most, whatever the order of what is
 * outside. (That is why the coefficients are single bits. Longer ones do not help where it is
 * small: the cofactors begin with 3 and 11 on G1 of BLS12-381, with 13 and 23 on its G2, and one
 * combination with 64-bit coefficients misses a component of order 3 in a third of the cases.)
 *
 * SUBGROUP_DIGIT halves are had for one addition a point: each point goes to the bucket of a random
 * digit, and sum k is that of the buckets whose number has bit k, made by folding the upper half of
 * the buckets onto the lower one, from the top bit down. SUBGROUP_PASSES such passes: a bad array
 * passes with probability 2^-66. The digits come from the kernel's randomness after the points are
 * fixed, so nobody can search for points that pass. An array that does not pass, or is short, is
 * looked at point by point. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_AFFINE_T G(affine_t)
#define G_CELL_T G(cell_t)

#ifndef SUBGROUP_DIGIT
#define SUBGROUP_DIGIT 11
#define SUBGROUP_PASSES 6
#define SUBGROUP_BUCKETS (1 << SUBGROUP_DIGIT)
/* Points that share a set of sums: the buckets cost 2 * SUBGROUP_BUCKETS additions a pass. */
#define SUBGROUP_BATCH ((size_t)1 << 14)
/* Fewer are as fast one by one. */
#define SUBGROUP_FEW ((size_t)256)
#endif

struct G(subgroup_worker) {
    G_CELL_T cell[SUBGROUP_BATCH]; /* the points */
    G_CELL_T bucket[SUBGROUP_BUCKETS];
    G_CELL_T sum[SUBGROUP_DIGIT];
    uint16_t digit[SUBGROUP_BATCH];
    uint32_t by_digit[SUBGROUP_BATCH];    /* the points, sorted by digit */
    uint32_t begin[SUBGROUP_BUCKETS + 1]; /* of each digit in by_digit */
    struct G(lists) lists;
};

struct G(subgroup_search) {
    const G_AFFINE_T *points;
    struct G(subgroup_worker) * workers;
    struct pool *pool;
    _Atomic size_t first;
};

static size_t G(bulk_subgroup_bytes)(size_t n, unsigned n_threads)
{
    return n < SUBGROUP_FEW ? 0 : n_threads * sizeof(struct G(subgroup_worker));
}

static void G(subgroup_sort)(struct G(subgroup_worker) * w, size_t n)
{
    uint32_t next[SUBGROUP_BUCKETS];

    rng_secret(w->digit, n * sizeof w->digit[0]);
    memset(w->begin, 0, sizeof w->begin);
    for (size_t i = 0; i < n; i++) {
        w->digit[i] %= SUBGROUP_BUCKETS;
        w->begin[w->digit[i] + 1]++;
    }
    for (size_t d = 0; d < SUBGROUP_BUCKETS; d++)
        w->begin[d + 1] += w->begin[d];
    memcpy(next, w->begin, sizeof next);
    for (size_t i = 0; i < n; i++)
        w->by_digit[next[w->digit[i]]++] = (uint32_t)i;
}

static void G(subgroup_fill_buckets)(struct G(subgroup_worker) * w)
{
    G(cells_clear)(w->bucket, SUBGROUP_BUCKETS);
    for (size_t d = 0; d < SUBGROUP_BUCKETS; d++) {
        if (w->begin[d] == w->begin[d + 1])
            continue;
        G(lists_open)(&w->lists, &w->bucket[d]);
        for (size_t i = w->begin[d]; i < w->begin[d + 1]; i++)
            G(lists_put)(&w->lists, G(ref)(&w->cell[w->by_digit[i]], false));
    }
    G(lists_close)(&w->lists);
}

/* sum[k] = the buckets with bit k, for all k; the buckets are used up. */
static void G(subgroup_fold)(struct G(subgroup_worker) * w)
{
    for (unsigned k = SUBGROUP_DIGIT; k-- > 0;) {
        const size_t half = (size_t)1 << k;

        G(cells_clear)(&w->sum[k], 1);
        G(lists_open)(&w->lists, &w->sum[k]);
        for (size_t d = 0; d < half; d++)
            G(lists_put)(&w->lists, G(ref)(&w->bucket[half + d], false));
        for (size_t d = 0; d < half; d++) {
            G(lists_open)(&w->lists, &w->bucket[d]);
            G(lists_put)(&w->lists, G(ref)(&w->bucket[half + d], false));
        }
        G(lists_close)(&w->lists);
    }
}

static bool G(subgroup_sums_pass)(struct G(subgroup_worker) * w, const G_AFFINE_T *points, size_t n,
                                  struct pool *pool)
{
    const struct points_view view = {POINTS_NATIVE, points, n};
    G_AFFINE_T sum;

    G(cells_load)(w->cell, &view, NULL, 0, n, NULL);
    G(lists_init)(&w->lists, pool);
    for (unsigned pass = 0; pass < SUBGROUP_PASSES; pass++) {
        G(subgroup_sort)(w, n);
        G(subgroup_fill_buckets)(w);
        G(subgroup_fold)(w);
        for (unsigned k = 0; k < SUBGROUP_DIGIT; k++) {
            G(cell_to_affine)(&sum, &w->sum[k]);
            if (!G(in_subgroup)(&sum))
                return false;
        }
    }
    return true;
}

static void G(subgroup_note)(struct G(subgroup_search) * search, size_t bad)
{
    size_t first = atomic_load(&search->first);

    while (bad < first && !atomic_compare_exchange_weak(&search->first, &first, bad))
        continue;
}

static void G(subgroup_range)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    struct G(subgroup_search) *search = ctx;

    if (begin > atomic_load(&search->first) ||
        (end - begin >= SUBGROUP_FEW &&
         G(subgroup_sums_pass)(&search->workers[worker], search->points + begin, end - begin,
                               search->pool)))
        return;
    for (size_t i = begin; i < end; i++) {
        pool_may_go_on(search->pool);
        if (!G(in_subgroup)(&search->points[i])) {
            G(subgroup_note)(search, i);
            return;
        }
    }
}

static size_t G(bulk_subgroup_check)(const void *native, size_t n, void *scratch, struct pool *pool)
{
    struct G(subgroup_search) search = {
        .points = native, .workers = scratch, .pool = pool, .first = n};

    pool_for(pool, n, n < SUBGROUP_FEW ? 16 : SUBGROUP_BATCH, G(subgroup_range), &search);
    return atomic_load(&search.first);
}

#undef G
#undef G_AFFINE_T
#undef G_CELL_T
