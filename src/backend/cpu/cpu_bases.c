/* The points of a key as a view of the caller's memory, and dense sums over them. Nothing is copied
 * or decoded here: the group kernels do that tile by tile. Points that are to come have room behind
 * the handle. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

/* ---- maps ------------------------------------------------------------------------------------ */

size_t map_count(const uint64_t *map, size_t n)
{
    size_t count = 0;

    for (size_t w = 0; w < n / 64; w++)
        count += (size_t)__builtin_popcountll(map[w]);
    if (n % 64)
        count += (size_t)__builtin_popcountll(map[n / 64] << (64 - n % 64));
    return count;
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* handle | points to come | ranks */
static size_t points_room(const struct curve *curve, const struct bases_source *source)
{
    return source->to_come ? source->points.n * group_of(curve, source->group)->point_bytes : 0;
}

static size_t bases_room(const struct curve *curve, const struct bases_source *source)
{
    size_t ranks = source->aux_map ? witness_rank_entries(source->n_aux) * sizeof(uint32_t) : 0;

    return HANDLE_ROOM(struct bases) + points_room(curve, source) + ranks;
}

size_t cpu_bases_bytes(const struct curve *curve, const struct bases_source *source)
{
    return device_piece(bases_room(curve, source));
}

enum cuzk_status cpu_bases_new(struct device *device, const struct bases_source *source,
                               struct bases **ret, struct cuzk_error *err)
{
    size_t n_aux_points = source->n_aux, n_named;
    void *memory;
    uint8_t *behind;
    struct bases *bases;

    TRY(device_take(device, bases_room(device->curve, source), &memory, err));
    bases = memory;
    behind = (uint8_t *)memory + HANDLE_ROOM(struct bases);
    *bases = (struct bases){.device = device, .source = *source};
    if (source->to_come) {
        bases->points = behind;
        bases->source.points.form = POINTS_NATIVE;
        bases->source.points.data = behind;
        behind += points_room(device->curve, source);
    }
    if (source->input_map)
        bases->n_input_points = map_count(source->input_map, source->n_inputs);
    if (source->aux_map) {
        bases->aux_rank = (uint32_t *)(void *)behind;
        n_aux_points = witness_rank_fill(bases->aux_rank, source->aux_map, source->n_aux);
    }
    n_named = bases->n_input_points + n_aux_points;
    if (source->n_inputs + source->n_aux > 0 && n_named != source->points.n) {
        device_give(device, memory);
        return error_set(err, CUZK_BAD_INPUT, "a key with %zu points for %zu variables",
                         source->points.n, n_named);
    }
    *ret = bases;
    return CUZK_OK;
}

void cpu_bases_free(struct bases *bases)
{
    if (bases)
        device_give(bases->device, bases);
}

void cpu_bases_put(struct stream *stream, struct bases *bases, size_t at, const struct buf *points,
                   size_t n)
{
    size_t bytes = element_bytes(stream->device->curve, bases->source.group);

    if (!stream_begin(stream, "bases_put"))
        return;
    assert(bases->points && points->element == bases->source.group && n <= points->n &&
           at <= bases->source.points.n && n <= bases->source.points.n - at);
    memcpy(bases->points + at * bytes, points->data, n * bytes);
    stream_end(stream);
}

/* ---- dense sums ------------------------------------------------------------------------------ */

size_t cpu_msm_bytes(const struct curve *curve, enum element group, size_t n, unsigned n_threads)
{
    return device_piece(group_of(curve, group)->msm_bytes(n, n_threads));
}

static void msm(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, void *out)
{
    struct device *device = stream->device;
    const struct group_kernels *group = group_of(device->curve, bases->source.group);
    size_t room = group->msm_bytes(n, pool_size(device->pool));
    struct cuzk_error err = {CUZK_OK, ""};
    void *scratch = stream_scratch(stream, room);
    enum cuzk_status st;

    assert(at <= scalars->n && n <= scalars->n - at && n <= bases->source.points.n);
    if (!stream_is_ok(stream))
        return;
    buf_make_plain(scalars);
    st = group->msm(out, &bases->source.points, NULL, buf_at(scalars, at), n, scratch, device->pool,
                    &err);
    if (st != CUZK_OK)
        stream_fail(stream, st, "%s", err.message);
    device_give(device, scratch);
}

void cpu_msm_g1(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, struct g1_point *out)
{
    assert(bases->source.group == ELEMENT_G1);
    if (!stream_begin(stream, "msm_g1"))
        return;
    *out = (struct g1_point){{0}};
    msm(stream, bases, scalars, at, n, out);
    stream_end(stream);
}

void cpu_msm_g2(struct stream *stream, const struct bases *bases, const struct buf *scalars,
                size_t at, size_t n, struct g2_point *out)
{
    assert(bases->source.group == ELEMENT_G2);
    if (!stream_begin(stream, "msm_g2"))
        return;
    *out = (struct g2_point){{0}};
    msm(stream, bases, scalars, at, n, out);
    stream_end(stream);
}
