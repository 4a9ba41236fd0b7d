/* Multi-scalar multiplication: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/lists.inc.h and what it asks for come
 * before. Names defined: entries of struct group_kernels: g1_bulk_msm_bytes, g1_bulk_msm.
 *
 * Pippenger's buckets with signed digits (msm/digits.h). Points come in tiles; each point is
 * decoded once, and all windows take what they need from the tile:
 *
 *     for each tile:   decode points, recode scalars                       parallel over points
 *                      for each window: sort the tile's points by bucket    parallel over windows
 *                      add each bucket's list to the bucket                 .. and slices of them
 *     for each window: sum of (i + 1) * bucket i                           parallel over windows
 *     result           sum of 2^(c w) * window w
 *
 * A window is sorted in one piece, whatever the slices are: where digits are looked at for one half
 * of the buckets, every second look is mispredicted, which costs as much as a third of an addition
 * in lanes.
 *
 * Buckets stay affine, and lists are added with shared inversions (msm/lists.inc.h): no additions
 * wait for each other, and an unlucky distribution (all scalars equal) costs no more than a good
 * one.
 *
 * Buckets are summed by halving. With S(B) = sum of i B_i over i in [0, N):
 *
 *     S(B) = 2 S(B') + (sum of B_i, i odd),   B'_i = B_2i + B_2i+1
 *
 * B' overwrites the even places; the odd places are summed by a tree of their own while B' goes on.
 * That takes 2N additions, as many as running sums would, but in log N rounds of independent ones.
 */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)
#define G_CELL_T G(cell_t)

struct G(msm_worker) {
    struct G(lists) lists;
    int32_t *digit; /* of the tile's terms in the window that is sorted */
};

struct G(msm) {
    /* what is asked */
    const struct points_view *points;
    const uint32_t *index;
    const uint64_t *scalars;
    size_t n;
    struct pool *pool;

    /* how it is done */
    struct digits digits;
    unsigned n_slices, n_sort_slices; /* of a window's buckets: tasks that add, that sort */
    size_t n_buckets;                 /* of a window */
    size_t tile_max;

    /* scratch */
    G_CELL_T *tile;
    uint64_t *recoded;
    uint32_t *entry;   /* all windows: 2 * place in the tile + (1 for the negative), by bucket */
    uint32_t *end;     /* all windows: where each bucket's entries end */
    G_CELL_T *buckets; /* all windows */
    G_T *window_sums;
    struct G(msm_worker) * workers;

    /* the tile at work */
    size_t at, n_tile;
    _Atomic size_t bad; /* first term of the tile whose point is bad */
};

/* Chooses everything that depends on (n, n_threads), lays the scratch out and returns its size;
 * scratch may be NULL when only the size is asked. */
static size_t G(msm_plan)(struct G(msm) * msm, size_t n, unsigned n_threads, void *scratch)
{
    const unsigned window = msm_window(n, FR_BITS, sizeof(G_CELL_T));
    struct layout layout = {.base = scratch};

    digits_init(&msm->digits, fr_modulus_words.l, FR_LIMBS, FR_BITS, window);
    msm->n = n;
    msm->n_buckets = (size_t)1 << (window - 1);
    msm->tile_max = msm_tile(n, window);
    msm->n_slices = msm_slices(msm->digits.n_windows, window, msm->tile_max, n_threads);
    msm->n_sort_slices = msm_sort_slices(msm->digits.n_windows, window, n_threads);
    msm->tile = layout_take(&layout, msm->tile_max * sizeof(G_CELL_T));
    msm->recoded = layout_take(&layout, msm->tile_max * sizeof(fr_t));
    msm->entry = layout_take(&layout, msm->digits.n_windows * msm->tile_max * sizeof(uint32_t));
    msm->end = layout_take(&layout, msm->digits.n_windows * msm->n_buckets * sizeof(uint32_t));
    msm->buckets = layout_take(&layout, msm->digits.n_windows * msm->n_buckets * sizeof(G_CELL_T));
    msm->window_sums = layout_take(&layout, msm->digits.n_windows * sizeof(G_T));
    msm->workers = layout_take(&layout, n_threads * sizeof(struct G(msm_worker)));
    for (unsigned t = 0; t < n_threads; t++) {
        int32_t *digit = layout_take(&layout, msm->tile_max * sizeof(int32_t));

        if (scratch)
            msm->workers[t].digit = digit;
    }
    return layout.used;
}

static size_t G(bulk_msm_bytes)(size_t n, unsigned n_threads)
{
    struct G(msm) msm;

    return G(msm_plan)(&msm, n, n_threads, NULL);
}

enum {
    G(MSM_GRAIN) = 512,    /* points loaded by one task */
    G(MSM_LOOK) = 1 << 15, /* terms sorted between two looks at the pool */
};

/* ---- a tile ---------------------------------------------------------------------------------- */

static void G(msm_load)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    struct G(msm) *msm = ctx;
    const size_t term = msm->at + begin, n = end - begin;
    bool negative[G(MSM_GRAIN)] = {false};
    size_t good;

    (void)worker;
    for (size_t i = 0; i < n; i++)
        negative[i] = digits_recode(&msm->digits, &msm->recoded[(begin + i) * FR_LIMBS],
                                    &msm->scalars[(term + i) * FR_LIMBS]);
    good = G(cells_load)(&msm->tile[begin], msm->points, msm->index ? msm->index + term : NULL,
                         term, n, negative);
    if (good < n) {
        size_t bad = atomic_load(&msm->bad);

        while (term + good < bad && !atomic_compare_exchange_weak(&msm->bad, &bad, term + good))
            continue;
    }
}

/* Task: a window's slice of buckets for sorting. Counting sort of the tile's terms that belong
 * there; entries of the slices before come first. */
static void G(msm_sort)(void *ctx, size_t task, unsigned worker_index)
{
    struct G(msm) *msm = ctx;
    int32_t *digits = msm->workers[worker_index].digit;
    const unsigned w = (unsigned)(task / msm->n_sort_slices);
    const uint32_t n_slice = (uint32_t)(msm->n_buckets / msm->n_sort_slices);
    const uint32_t first = (uint32_t)(task % msm->n_sort_slices) * n_slice;
    uint32_t *entry = msm->entry + w * msm->tile_max, *end = msm->end + w * msm->n_buckets + first;
    uint32_t sum = 0;

    memset(end, 0, n_slice * sizeof *end);
    for (size_t i = 0; i < msm->n_tile; i++) {
        const int32_t digit = digits_get(&msm->digits, &msm->recoded[i * FR_LIMBS], w);
        /* the largest of all for zero */
        const uint32_t bucket = (uint32_t)(digit < 0 ? -digit : digit) - 1;

        if (i % G(MSM_LOOK) == 0)
            pool_may_go_on(msm->pool);
        digits[i] = digit;
        if (bucket - first < n_slice)
            end[bucket - first]++;
        else
            sum += bucket < first;
    }
    for (uint32_t b = 0; b < n_slice; b++) {
        const uint32_t n = end[b];

        end[b] = sum;
        sum += n;
    }
    for (size_t i = 0; i < msm->n_tile; i++) {
        const int32_t digit = digits[i];
        const uint32_t bucket = (uint32_t)(digit < 0 ? -digit : digit) - 1 - first;

        if (i % G(MSM_LOOK) == 0)
            pool_may_go_on(msm->pool);
        if (bucket < n_slice)
            entry[end[bucket]++] = (uint32_t)(2 * i + (digit < 0));
    }
}

/* Task: a window's slice of buckets for adding. */
static void G(msm_accumulate)(void *ctx, size_t task, unsigned worker_index)
{
    struct G(msm) *msm = ctx;
    struct G(lists) *lists = &msm->workers[worker_index].lists;
    const unsigned w = (unsigned)(task / msm->n_slices);
    const size_t n_slice = msm->n_buckets / msm->n_slices;
    const size_t first = (task % msm->n_slices) * n_slice;
    const uint32_t *entry = msm->entry + w * msm->tile_max, *end = msm->end + w * msm->n_buckets;
    G_CELL_T *buckets = msm->buckets + w * msm->n_buckets;
    uint32_t at = first ? end[first - 1] : 0;

    G(lists_init)(lists, msm->pool);
    for (size_t b = first; b < first + n_slice; b++) {
        if (at == end[b])
            continue;
        G(lists_open)(lists, &buckets[b]);
        for (; at < end[b]; at++)
            G(lists_put)(lists, G(ref)(&msm->tile[entry[at] / 2], entry[at] % 2));
    }
    G(lists_close)(lists);
}

/* ---- the buckets ----------------------------------------------------------------------------- */

/* Pairs (first + 2 i step, first + (2 i + 1) step) below n, each sum in the place of the left one.
 */
static void G(msm_halve)(struct G(adder) * adder, G_CELL_T *points, size_t n, size_t first,
                         size_t step)
{
    for (size_t i = first; i + step < n; i += 2 * step)
        G(adder_push)
    (adder, G(ref)(&points[i], false), G(ref)(&points[i + step], false), &points[i]);
}

/* window_sums[w] = sum over b of (b + 1) * bucket b. */
static void G(msm_add_up)(void *ctx, size_t w, unsigned worker)
{
    struct G(msm) *msm = ctx;
    struct G(adder) *adder = &msm->workers[worker].lists.adder;
    const size_t n = msm->n_buckets;
    const unsigned levels = msm->digits.window - 1; /* n = 2^levels */
    G_CELL_T *buckets = msm->buckets + w * n;
    G_AFFINE_T part;
    G_T sum;

    G(adder_init)(adder, msm->pool);
    for (unsigned round = 0; round < levels; round++) {
        G(msm_halve)(adder, buckets, n, 0, (size_t)1 << round);
        /* The odd places of level l are 2^l (2 i + 1): step 2^(l+1), doubled with every round. */
        for (unsigned l = 0; l < round; l++)
            G(msm_halve)(adder, buckets, n, (size_t)1 << l, (size_t)1 << round);
        G(adder_flush)(adder);
    }
    sum = G(infinity);
    for (unsigned l = levels; l-- > 0;) {
        G(dbl)(&sum, &sum);
        G(cell_to_affine)(&part, &buckets[(size_t)1 << l]);
        G(add_mixed)(&sum, &sum, &part);
    }
    G(cell_to_affine)(&part, &buckets[0]);
    G(add_mixed)(&msm->window_sums[w], &sum, &part);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum cuzk_status G(msm_refuse)(const struct G(msm) * msm, struct cuzk_error *err)
{
    const size_t term = atomic_load(&msm->bad), point = msm->index ? msm->index[term] : term;
    G_AFFINE_T ignored;

    return error_set(err, CUZK_BAD_INPUT, "point %zu: %s", point,
                     point_fault_name(G(decode_one)(&ignored, msm->points, point)));
}

static void G(msm_finish)(const struct G(msm) * msm, G_AFFINE_T *out)
{
    G_T sum = G(infinity);
    G_AFFINE_T affine;

    for (unsigned w = msm->digits.n_windows; w-- > 0;) {
        for (unsigned i = 0; i < msm->digits.window; i++)
            G(dbl)(&sum, &sum);
        G(add)(&sum, &sum, &msm->window_sums[w]);
    }
    G(to_affine)(&affine, &sum);
    G(affine_to_plain)(out, &affine);
}

static enum cuzk_status G(bulk_msm)(void *out, const struct points_view *points,
                                    const uint32_t *index, const uint64_t *scalars, size_t n,
                                    void *scratch, struct pool *pool, struct cuzk_error *err)
{
    struct G(msm) msm;

    G(msm_plan)(&msm, n, pool_size(pool), scratch);
    msm.points = points;
    msm.index = index;
    msm.scalars = scalars;
    msm.pool = pool;
    atomic_init(&msm.bad, SIZE_MAX);
    G(cells_clear)(msm.buckets, msm.digits.n_windows * msm.n_buckets);
    for (msm.at = 0; msm.at < n; msm.at += msm.n_tile) {
        msm.n_tile = n - msm.at < msm.tile_max ? n - msm.at : msm.tile_max;
        pool_for(pool, msm.n_tile, G(MSM_GRAIN), G(msm_load), &msm);
        if (atomic_load(&msm.bad) != SIZE_MAX)
            return G(msm_refuse)(&msm, err);
        pool_run(pool, (size_t)msm.digits.n_windows * msm.n_sort_slices, G(msm_sort), &msm);
        pool_run(pool, (size_t)msm.digits.n_windows * msm.n_slices, G(msm_accumulate), &msm);
        if (pool_cancelled(pool))
            return error_set(err, CUZK_CANCELLED, "cancelled");
    }
    pool_run(pool, msm.digits.n_windows, G(msm_add_up), &msm);
    if (pool_cancelled(pool))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    G(msm_finish)(&msm, out);
    return CUZK_OK;
}

#undef G
#undef G_T
#undef G_AFFINE_T
#undef G_CELL_T
