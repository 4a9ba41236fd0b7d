#include "groth16/query_slices.h"

#include <string.h>

#include "msm/group_kernels.h"

void query_slices_outline(struct query_slices *ret, const struct curve *curve,
                          const struct bases_source *whole)
{
    *ret = (struct query_slices){.whole = *whole, .curve = curve};
}

enum cuzk_status query_slices_begin(struct query_slices *ret, const struct curve *curve,
                                    const struct bases_source *whole, struct budget *budget,
                                    struct cuzk_error *err)
{
    query_slices_outline(ret, curve, whole);
    if (whole->n_aux == 0)
        return CUZK_OK;
    return region_map(&ret->map, budget, MEM_SCRATCH, query_slices_map_bytes(whole->n_aux), err);
}

void query_slices_end(struct query_slices *s)
{
    region_unmap(&s->map);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t ones_of(const uint64_t *map, size_t n)
{
    size_t count = 0;

    for (size_t w = 0; map && w < witness_map_words(n); w++)
        count += (size_t)__builtin_popcountll(map[w]);
    return count;
}

/* Word w of the map of aux. */
static uint64_t word_of(const struct bases_source *whole, size_t w)
{
    if (whole->aux_map)
        return whole->aux_map[w];
    return whole->n_aux - 64 * w < 64 ? ((uint64_t)1 << (whole->n_aux % 64)) - 1 : ~(uint64_t)0;
}

/* Words [first, end) into the map, all others zero; how many ones they have. */
static size_t take_words(struct query_slices *s, size_t first, size_t end)
{
    uint64_t *map = (uint64_t *)(void *)s->map.base;
    size_t count = 0;

    if (map)
        memset(map, 0, query_slices_map_bytes(s->whole.n_aux));
    for (size_t w = first; w < end; w++) {
        const uint64_t word = word_of(&s->whole, w);

        count += (size_t)__builtin_popcountll(word);
        if (map)
            map[w] = word;
    }
    return count;
}

/* Points without variables: H. */
static size_t take_points(struct query_slices *s)
{
    const size_t n = s->whole.points.n;

    return smaller((n + QUERY_SLICES - 1) / QUERY_SLICES, n - s->point);
}

/* The next variables, and their points. */
static size_t take_variables(struct query_slices *s, struct bases_source *ret)
{
    static const uint64_t unread = 0;
    const size_t n_words = witness_map_words(s->whole.n_aux), first = s->variable / 64;
    const size_t step = (n_words + QUERY_SLICES - 1) / QUERY_SLICES;
    const size_t end = smaller(first + step, n_words);
    size_t n = take_words(s, first, end);

    if (s->variable == 0 && s->point == 0)
        n += ones_of(s->whole.input_map, s->whole.n_inputs);
    else
        ret->input_map = NULL;
    ret->aux_map = s->map.base ? (const uint64_t *)(const void *)s->map.base : &unread;
    s->variable = 64 * end;
    return n;
}

bool query_slices_next(struct query_slices *s, struct bases_source *ret)
{
    const struct bases_source *whole = &s->whole;
    const struct group_kernels *group = whole->group == ELEMENT_G1 ? s->curve->g1 : s->curve->g2;
    const size_t size =
        whole->points.form == POINTS_ZCASH ? group->encoded_bytes : group->point_bytes;

    while (s->point < whole->points.n) {
        *ret = *whole;
        ret->points.n = whole->n_aux ? take_variables(s, ret) : take_points(s);
        if (whole->points.data)
            ret->points.data = (const uint8_t *)whole->points.data + s->point * size;
        s->point += ret->points.n;
        if (ret->points.n)
            return true;
    }
    return false;
}
