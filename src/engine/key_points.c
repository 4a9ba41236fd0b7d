#include "engine/key_points.h"

#include "backend/host.h"
#include "msm/group_kernels.h"

/* A window in work. Scratch belongs to tiles, not to threads, so that memory does not grow with the
 * machine. */
struct window {
    const struct points_view *points;
    const struct group_kernels *group;
    bool subgroup;
    size_t n_tiles;
    struct region room;
    uint8_t *native;  /* n_tiles tiles */
    uint8_t *scratch; /* of the subgroup check, scratch_bytes a tile */
    size_t scratch_bytes;
    size_t begin, end; /* in the query */
    _Atomic size_t first_bad;
};

static struct window window_of(const struct engine *engine, const struct key_points *points,
                               enum key_query query)
{
    const struct curve *curve = host_curve(points->key->vk.curve);
    struct window w = {.points = &points->key->query[query],
                       .group = key_query_group(query) == ELEMENT_G1 ? curve->g1 : curve->g2,
                       .subgroup = points->subgroup};
    size_t tiles = (w.points->n + KEY_POINTS_TILE - 1) / KEY_POINTS_TILE;
    size_t wanted = 2 * (size_t)pool_size(engine->pool);

    if (w.subgroup)
        w.scratch_bytes = arena_piece(w.group->subgroup_bytes(KEY_POINTS_TILE, 1));
    w.n_tiles = KEY_POINTS_BYTES / (KEY_POINTS_TILE * w.group->point_bytes + w.scratch_bytes);
    if (wanted < w.n_tiles)
        w.n_tiles = wanted;
    if (tiles < w.n_tiles)
        w.n_tiles = tiles;
    return w;
}

static size_t window_bytes(const struct window *w)
{
    return w->n_tiles * (KEY_POINTS_TILE * w->group->point_bytes + w->scratch_bytes);
}

size_t key_points_bytes(const struct engine *engine, const struct key_points *points,
                        enum key_query query)
{
    const struct window w = window_of(engine, points, query);

    return region_bytes(window_bytes(&w));
}

/* ---- one tile -------------------------------------------------------------------------------- */

static void note_bad(struct window *w, size_t index)
{
    size_t seen = atomic_load(&w->first_bad);

    while (index < seen && !atomic_compare_exchange_weak(&w->first_bad, &seen, index))
        ;
}

/* Why points [begin, end) are not decoded into `native`, or POINT_OK. */
static enum point_fault decode(const struct window *w, void *native, size_t begin, size_t end,
                               size_t *bad)
{
    struct points_fault fault;

    if (!w->group->decode(native, w->points, begin, end, &fault)) {
        *bad = fault.index;
        return fault.fault;
    }
    if (w->points->form == POINTS_NATIVE && !w->group->check(native, end - begin, &fault)) {
        *bad = begin + fault.index;
        return fault.fault;
    }
    return POINT_OK;
}

static void look_at_tile(void *ctx, size_t tile, unsigned worker)
{
    struct window *w = ctx;
    uint8_t *native = w->native + tile * KEY_POINTS_TILE * w->group->point_bytes;
    size_t begin = w->begin + tile * KEY_POINTS_TILE, end = begin + KEY_POINTS_TILE, bad;

    (void)worker;
    if (end > w->end)
        end = w->end;
    if (decode(w, native, begin, end, &bad) != POINT_OK) {
        note_bad(w, bad);
    } else if (w->subgroup) {
        bad = begin + w->group->subgroup_check(native, end - begin,
                                               w->scratch + tile * w->scratch_bytes, NULL);
        if (bad < end)
            note_bad(w, bad);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static enum cuzk_status name_bad_point(const struct window *w, const char *path, const char *query,
                                       struct cuzk_error *err)
{
    size_t i = atomic_load(&w->first_bad), bad;
    enum point_fault fault = decode(w, w->native, i, i + 1, &bad);
    enum cuzk_status st = CUZK_BAD_INPUT;

    if (fault == POINT_OK) {
        fault = POINT_NOT_IN_SUBGROUP;
        st = CUZK_INVALID;
    }
    return error_set(err, st, "%s: %s: point %zu: %s", path, query, i, point_fault_name(fault));
}

/* What a mapped file keeps in memory of the window. */
static void drop_source(const struct window *w, const struct file_map *map)
{
    const size_t bytes =
        w->points->form == POINTS_ZCASH ? w->group->encoded_bytes : w->group->point_bytes;
    const uint8_t *data = w->points->data;

    file_drop(map, data + w->begin * bytes, (w->end - w->begin) * bytes);
}

static enum cuzk_status walk(struct engine *engine, struct window *w,
                             const struct key_points *points, enum key_query query,
                             key_points_fn *take, void *ctx, struct cuzk_error *err)
{
    const size_t n = w->points->n, step = w->n_tiles * KEY_POINTS_TILE;

    for (w->begin = 0; w->begin < n; w->begin += step) {
        w->end = w->begin + step < n ? w->begin + step : n;
        atomic_store(&w->first_bad, SIZE_MAX);
        pool_run(engine->pool, (w->end - w->begin + KEY_POINTS_TILE - 1) / KEY_POINTS_TILE,
                 look_at_tile, w);
        if (pool_cancelled(engine->pool))
            return error_set(err, CUZK_CANCELLED, "cancelled in the points of %s",
                             key_query_name(query));
        if (atomic_load(&w->first_bad) != SIZE_MAX)
            return name_bad_point(w, points->path, key_query_name(query), err);
        if (take)
            TRY(take(ctx, query, w->begin, w->native, w->end - w->begin, err));
        drop_source(w, &points->key->map);
        engine_progress(engine, w->end, n);
    }
    return CUZK_OK;
}

enum cuzk_status key_points_walk(struct engine *engine, const struct key_points *points,
                                 enum key_query query, key_points_fn *take, void *ctx,
                                 struct cuzk_error *err)
{
    struct window w = window_of(engine, points, query);
    enum cuzk_status st;

    engine_stage(engine, "points of %s", key_query_name(query));
    if (w.points->n == 0)
        return CUZK_OK;
    TRY(region_map(&w.room, &engine->budget, MEM_SCRATCH, window_bytes(&w), err));
    w.native = w.room.base;
    w.scratch = w.room.base + w.n_tiles * KEY_POINTS_TILE * w.group->point_bytes;
    st = walk(engine, &w, points, query, take, ctx, err);
    region_unmap(&w.room);
    return st;
}
