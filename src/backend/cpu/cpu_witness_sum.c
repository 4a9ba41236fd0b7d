/* Sums over a packed witness: the points of its set bits, and a small dense sum over the rest.
 *
 *     witness:    bits 0 1 1 0 1 ...          inputs and full values v, v', ...
 *                   │ squeezed by aux_map        │ those with a point
 *                   ▼                    ones    ▼
 *                 select, a bit a point ◄──── terms (point, value)
 *                   │                            │
 *                  sum                          msm
 *
 * All of it is made in chunks of 2^16 aux on the pool. Two chunks may share a word of `select`, so
 * bits are set by atomic or; a term's place comes from counting the terms of each chunk first. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

#define LG_CHUNK 16u /* a multiple of WITNESS_RANK_STEP aux */

/* ---- scratch --------------------------------------------------------------------------------- */

struct witness_sum {
    const struct device *device;
    const struct bases *bases;
    const struct witness *witness;
    struct witness_part part;
    uint64_t *scalars;  /* of the terms */
    uint64_t *select;   /* over the points */
    uint32_t *index;    /* points of the terms */
    uint32_t *chunk_at; /* first term of each chunk of aux, and the end */
    void *kernel;       /* for msm or sum */
};

/* The same as offsets, and the length of two of them. */
struct layout {
    size_t select, index, chunk_at, kernel, end; /* scalars are at 0 */
    size_t select_bytes;
};

static size_t round_64(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t n_chunks(size_t n_aux)
{
    return (n_aux >> LG_CHUNK) + 1;
}

static struct layout layout_of(const struct curve *curve, const struct bases_source *source,
                               size_t n_full, unsigned n_threads)
{
    const struct group_kernels *group = group_of(curve, source->group);
    size_t n_inputs = source->input_map ? map_count(source->input_map, source->n_inputs) : 0;
    size_t n_terms = n_inputs + n_full;
    size_t msm_bytes = group->msm_bytes(n_terms, n_threads);
    size_t sum_bytes = group->sum_bytes(source->points.n, n_threads);
    struct layout l = {.select_bytes = witness_map_words(source->points.n) * sizeof(uint64_t)};

    l.select = round_64(n_terms * curve->fr_bytes);
    l.index = l.select + round_64(l.select_bytes);
    l.chunk_at = l.index + round_64(n_terms * sizeof(uint32_t));
    l.kernel = l.chunk_at + round_64((n_chunks(source->n_aux) + 1) * sizeof(uint32_t));
    l.end = l.kernel + (msm_bytes > sum_bytes ? msm_bytes : sum_bytes);
    return l;
}

size_t cpu_msm_witness_bytes(const struct curve *curve, const struct bases_source *source,
                             size_t n_full, unsigned n_threads)
{
    return device_piece(layout_of(curve, source, n_full, n_threads).end);
}

/* ---- set bits -------------------------------------------------------------------------------- */

/* The bits of x under the ones of mask, moved together at the low end; mask is not all ones.
 * Densities come in long runs, so a run at a time. */
static uint64_t squeeze(uint64_t x, uint64_t mask)
{
    uint64_t out = 0;

    for (unsigned at = 0; mask;) {
        unsigned skip = (unsigned)__builtin_ctzll(mask), run;

        mask >>= skip;
        x >>= skip;
        run = (unsigned)__builtin_ctzll(~mask);
        out |= (x & (((uint64_t)1 << run) - 1)) << at;
        at += run;
        mask >>= run;
        x >>= run;
    }
    return out;
}

/* Sets the bits of x in select, its lowest at place `at`. */
static void select_bits(uint64_t *select, size_t at, uint64_t x)
{
    if (x << (at % 64))
        __atomic_fetch_or(&select[at / 64], x << (at % 64), __ATOMIC_RELAXED);
    if (at % 64 && x >> (64 - at % 64))
        __atomic_fetch_or(&select[at / 64 + 1], x >> (64 - at % 64), __ATOMIC_RELAXED);
}

/* The point of the first aux of a word, if that has one. */
static size_t point_of(const struct bases *bases, size_t word)
{
    size_t aux = bases->source.aux_map ? bases->aux_rank[word * 64 / WITNESS_RANK_STEP] : 64 * word;

    return bases->n_input_points + aux;
}

/* first_word: of a chunk, as below. */
static void chunk_bits(const struct witness_sum *s, size_t first_word, size_t end_word)
{
    const uint64_t *map = s->bases->source.aux_map, *bits = s->witness->bits;
    size_t at = point_of(s->bases, first_word);

    for (size_t w = first_word; w < end_word; w++) {
        uint64_t mask = map ? map[w] : ~(uint64_t)0;

        if (mask == ~(uint64_t)0)
            select_bits(s->select, at, bits[w]);
        else if (bits[w] & mask)
            select_bits(s->select, at, squeeze(bits[w], mask));
        at += (size_t)__builtin_popcountll(mask);
    }
}

/* ---- full values ----------------------------------------------------------------------------- */

/* 0 and 1 answer themselves; anything else answers 2. */
static unsigned small_value(const uint64_t *value, size_t n_words)
{
    for (size_t i = 1; i < n_words; i++)
        if (value[i])
            return 2;
    return value[0] < 2 ? (unsigned)value[0] : 2;
}

/* Walks the full values of a chunk that have a point: counts those that are terms, and when `place`
 * is not NULL writes them from *place on and selects the points of the ones. */
static uint32_t chunk_full(const struct witness_sum *s, size_t first_word, size_t end_word,
                           const uint32_t *place)
{
    const struct witness *w = s->witness;
    const struct bases *bases = s->bases;
    const uint64_t *map = bases->source.aux_map;
    size_t words = w->fr_bytes / 8;
    const uint64_t *value;
    size_t point = point_of(bases, first_word);
    uint32_t n_terms = 0;

    if (w->n_full == 0)
        return 0;
    value = w->full + w->full_rank[first_word * 64 / WITNESS_RANK_STEP] * words;

    for (size_t i = first_word; i < end_word; i++) {
        uint64_t mask = map ? map[i] : ~(uint64_t)0;

        for (uint64_t left = w->full_map[i]; left; left &= left - 1, value += words) {
            uint64_t bit = left & -left;
            size_t at = point + (size_t)__builtin_popcountll(mask & (bit - 1));
            unsigned small = mask & bit ? small_value(value, words) : 0;

            if (small == 2) {
                if (place) {
                    s->index[*place + n_terms] = (uint32_t)at;
                    memcpy(s->scalars + (*place + n_terms) * words, value, w->fr_bytes);
                }
                n_terms++;
            } else if (small == 1 && place) {
                select_bits(s->select, at, 1);
            }
        }
        point += (size_t)__builtin_popcountll(mask);
    }
    return n_terms;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Chunks are counted from the beginning of the part. */
static void chunk_words(const struct witness_sum *s, size_t chunk, size_t *first, size_t *end)
{
    const size_t n_words = witness_map_words(s->part.end), step = ((size_t)1 << LG_CHUNK) / 64;
    const size_t begin = s->part.first / 64 + chunk * step;

    *first = begin < n_words ? begin : n_words;
    *end = n_words - *first < step ? n_words : *first + step;
}

static void count_chunk(void *ctx, size_t chunk, unsigned worker)
{
    struct witness_sum *s = ctx;
    size_t first, end;

    (void)worker;
    chunk_words(s, chunk, &first, &end);
    s->chunk_at[chunk + 1] = first < end ? chunk_full(s, first, end, NULL) : 0;
}

static void write_chunk(void *ctx, size_t chunk, unsigned worker)
{
    struct witness_sum *s = ctx;
    size_t first, end;

    (void)worker;
    chunk_words(s, chunk, &first, &end);
    if (first == end)
        return;
    chunk_bits(s, first, end);
    chunk_full(s, first, end, &s->chunk_at[chunk]);
}

/* The inputs with points come first; returns how many of them are terms. */
static uint32_t input_terms(const struct witness_sum *s)
{
    const struct witness *w = s->witness;
    const uint64_t *map = s->bases->source.input_map, *value = w->inputs;
    size_t words = w->fr_bytes / 8, point = 0;
    uint32_t n_terms = 0;

    for (size_t i = 0; map && i < w->n_inputs; i++, value += words) {
        if (!witness_bit(map, i))
            continue;
        switch (small_value(value, words)) {
        case 0: break;
        case 1: select_bits(s->select, point, 1); break;
        default:
            s->index[n_terms] = (uint32_t)point;
            memcpy(s->scalars + n_terms * words, value, w->fr_bytes);
            n_terms++;
        }
        point++;
    }
    return n_terms;
}

/* Fills scalars, index and select; returns the number of terms. */
static size_t gather(struct witness_sum *s)
{
    const size_t chunks = n_chunks(s->part.end - s->part.first);

    s->chunk_at[0] = s->part.end == s->witness->n_aux ? input_terms(s) : 0;
    pool_run(s->device->pool, chunks, count_chunk, s);
    for (size_t i = 0; i < chunks; i++)
        s->chunk_at[i + 1] += s->chunk_at[i];
    pool_run(s->device->pool, chunks, write_chunk, s);
    return s->chunk_at[chunks];
}

/* *terms and *bits: plain points of the group. */
static enum cuzk_status sum_up(struct witness_sum *s, void *terms, void *bits,
                               struct cuzk_error *err)
{
    const struct bases *bases = s->bases;
    const struct group_kernels *group = group_of(s->device->curve, bases->source.group);
    const struct points_view *points = &bases->source.points;
    struct pool *pool = s->device->pool;
    size_t n_terms = gather(s);

    if (device_cancelled(s->device))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    TRY(group->msm(terms, points, s->index, s->scalars, n_terms, s->kernel, pool, err));
    return group->sum(bits, points, s->select, points->n, s->kernel, pool, err);
}

/* One witness; false if the stream has failed. */
static bool witness_sum(struct stream *stream, const struct bases *bases,
                        const struct witness *witness, struct witness_part part, void *terms,
                        void *bits)
{
    struct device *device = stream->device;
    const struct layout l =
        layout_of(device->curve, &bases->source, witness->n_full, pool_size(device->pool));
    struct cuzk_error err = {CUZK_OK, ""};
    uint8_t *scratch = stream_scratch(stream, l.end);
    enum cuzk_status st;

    assert(witness->n_aux == bases->source.n_aux);
    assert(!bases->source.input_map || witness->n_inputs == bases->source.n_inputs);
    assert(part.first <= part.end && part.end <= witness->n_aux);
    assert(part.first % WITNESS_RANK_STEP == 0);
    assert(part.end % WITNESS_RANK_STEP == 0 || part.end == witness->n_aux);
    if (!scratch)
        return false;
    struct witness_sum s = {
        .device = device,
        .bases = bases,
        .witness = witness,
        .part = part,
        .scalars = (uint64_t *)scratch,
        .select = (uint64_t *)(scratch + l.select),
        .index = (uint32_t *)(scratch + l.index),
        .chunk_at = (uint32_t *)(scratch + l.chunk_at),
        .kernel = scratch + l.kernel,
    };

    memset(s.select, 0, l.select_bytes);
    st = sum_up(&s, terms, bits, &err);
    if (st != CUZK_OK)
        stream_fail(stream, st, "%s", err.message);
    device_give(device, scratch);
    return st == CUZK_OK;
}

void cpu_msm_witness_g1(struct stream *stream, const struct bases *bases,
                        struct witness_handle *const *witnesses, size_t n_witnesses,
                        struct witness_part part, struct g1_point *out)
{
    assert(bases->source.group == ELEMENT_G1);
    if (!stream_begin(stream, "msm_witness_g1"))
        return;
    for (size_t i = 0; i < n_witnesses; i++) {
        struct g1_point terms = {{0}}, bits = {{0}};

        if (!witness_sum(stream, bases, &witnesses[i]->witness, part, &terms, &bits))
            break;
        stream->device->curve->g1_add(&out[i], &terms, &bits);
    }
    stream_end(stream);
}

void cpu_msm_witness_g2(struct stream *stream, const struct bases *bases,
                        struct witness_handle *const *witnesses, size_t n_witnesses,
                        struct witness_part part, struct g2_point *out)
{
    assert(bases->source.group == ELEMENT_G2);
    if (!stream_begin(stream, "msm_witness_g2"))
        return;
    for (size_t i = 0; i < n_witnesses; i++) {
        struct g2_point terms = {{0}}, bits = {{0}};

        if (!witness_sum(stream, bases, &witnesses[i]->witness, part, &terms, &bits))
            break;
        stream->device->curve->g2_add(&out[i], &terms, &bits);
    }
    stream_end(stream);
}
