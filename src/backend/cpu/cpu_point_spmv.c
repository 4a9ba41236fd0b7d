/* A transposed product with points for values: out[j] = sum of M[row][variable first + j] *
 * points[row].
 *
 * Terms are taken a batch at a time: their points are multiplied by the coefficients, sorted by
 * variable, and added pairwise until each variable has one, which is added to the result. A key is
 * transformed once, so this is plain. */
#include "backend/cpu/cpu_device.h"

#include <assert.h>
#include <string.h>

#define BATCH 4096u /* terms */

struct point_term {
    uint32_t var; /* - first */
    uint32_t coef;
    uint64_t row;
};

struct point_spmv {
    struct device *device;
    const struct group_kernels *group;
    const struct matrix *matrix;
    const uint8_t *points;
    uint8_t *out;
    uint64_t first; /* the variable's number in the matrix: of inputs VAR_INPUT is a part of it */
    size_t n;

    size_t n_terms; /* in the batch */
    struct point_term *terms;
    uint8_t *sums;         /* their points */
    uint8_t *left, *right; /* the pairs being added */
    uint64_t *factors;
    void *add;
};

static size_t fixed_room(const struct curve *curve, const struct group_kernels *group)
{
    return BATCH * (sizeof(struct point_term) + 3 * group->point_bytes + curve->fr_bytes);
}

static size_t point_spmv_room(const struct curve *curve, enum element group, unsigned n_threads)
{
    const struct group_kernels *kernels = group_of(curve, group);

    return fixed_room(curve, kernels) + kernels->add_batch_bytes(BATCH, n_threads);
}

size_t cpu_point_spmv_bytes(const struct curve *curve, const struct matrix *matrix,
                            enum element group, size_t n, unsigned n_threads)
{
    (void)matrix;
    (void)n;
    return device_piece(point_spmv_room(curve, group, n_threads));
}

/* ---- one batch ------------------------------------------------------------------------------- */

/* Shell's sort by variable with Knuth's gaps: a batch is small and nothing else is needed. */
static void sort_terms(struct point_term *terms, size_t n)
{
    size_t gap = 1;

    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < n; i++) {
            const struct point_term x = terms[i];
            size_t j = i;

            for (; j >= gap && terms[j - gap].var > x.var; j -= gap)
                terms[j] = terms[j - gap];
            terms[j] = x;
        }
}

/* sums[i] = coefficient * point of term i. */
static void multiply(const struct point_spmv *s)
{
    size_t bytes = s->group->point_bytes, words = s->device->curve->fr_bytes / 8;

    for (size_t i = 0; i < s->n_terms; i++) {
        memcpy(s->sums + i * bytes, s->points + s->terms[i].row * bytes, bytes);
        memcpy(s->factors + i * words, s->matrix->coefs + s->terms[i].coef * words, 8 * words);
    }
    s->group->mul_each(s->sums, s->sums, s->factors, s->n_terms, s->device->pool);
}

/* One round: neighbours with the same variable become one. False if there are none. */
static bool add_neighbours(struct point_spmv *s)
{
    size_t bytes = s->group->point_bytes, n_pairs = 0, kept = 0, pair = 0;

    for (size_t i = 0; i + 1 < s->n_terms; i++)
        if (s->terms[i].var == s->terms[i + 1].var) {
            memcpy(s->left + n_pairs * bytes, s->sums + i * bytes, bytes);
            memcpy(s->right + n_pairs * bytes, s->sums + (i + 1) * bytes, bytes);
            n_pairs++;
            i++;
        }
    if (n_pairs == 0)
        return false;
    s->group->add_batch(s->left, s->left, s->right, n_pairs, s->add, s->device->pool);
    for (size_t i = 0; i < s->n_terms; i++, kept++) {
        s->terms[kept] = s->terms[i];
        if (i + 1 < s->n_terms && s->terms[i].var == s->terms[i + 1].var) {
            memcpy(s->sums + kept * bytes, s->left + pair++ * bytes, bytes);
            i++;
        } else {
            memmove(s->sums + kept * bytes, s->sums + i * bytes, bytes);
        }
    }
    s->n_terms = kept;
    return true;
}

static void flush(struct point_spmv *s)
{
    size_t bytes = s->group->point_bytes;

    if (s->n_terms > 0 && !device_cancelled(s->device)) {
        sort_terms(s->terms, s->n_terms);
        multiply(s);
        while (add_neighbours(s))
            ;
        for (size_t i = 0; i < s->n_terms; i++)
            memcpy(s->left + i * bytes, s->out + s->terms[i].var * bytes, bytes);
        s->group->add_batch(s->left, s->left, s->sums, s->n_terms, s->add, s->device->pool);
        for (size_t i = 0; i < s->n_terms; i++)
            memcpy(s->out + s->terms[i].var * bytes, s->left + i * bytes, bytes);
    }
    s->n_terms = 0;
}

/* ---- all terms ------------------------------------------------------------------------------- */

static void take_segment(struct point_spmv *s, const struct matrix_segment *segment,
                         uint64_t row_base)
{
    for (uint32_t copy = 0; copy < segment->count; copy++, row_base += segment->n_rows) {
        size_t t = 0;

        for (uint64_t row = 0; row < segment->n_rows; row++)
            for (; t < segment->row_end[row]; t++) {
                var_t var = matrix_resolve(segment, copy, segment->var[t]);

                if (var < s->first || var - s->first >= s->n)
                    continue;
                s->terms[s->n_terms++] = (struct point_term){
                    .var = (uint32_t)(var - s->first),
                    .coef = matrix_coef(segment, t),
                    .row = row_base + row,
                };
                if (s->n_terms == BATCH)
                    flush(s);
            }
    }
}

void cpu_point_spmv(struct stream *stream, struct buf *out, const struct matrix_handle *matrix,
                    const struct buf *points, bool inputs, uint64_t first, size_t n)
{
    struct device *device = stream->device;
    const struct curve *curve = device->curve;
    const struct group_kernels *group = group_of(curve, out->element);
    uint8_t *scratch;

    if (!stream_begin(stream, "point_spmv"))
        return;
    assert(out->element == points->element && out->element != ELEMENT_SCALAR);
    assert(n <= out->n && points->n >= matrix->matrix->n_rows);
    scratch = stream_scratch(stream, point_spmv_room(curve, out->element, pool_size(device->pool)));
    if (scratch) {
        size_t bytes = BATCH * group->point_bytes;
        struct point_spmv s = {
            .device = device,
            .group = group,
            .matrix = matrix->matrix,
            .points = points->data,
            .out = out->data,
            .first = (inputs ? VAR_INPUT : 0) + first,
            .n = n,
            .terms = (struct point_term *)scratch,
            .sums = scratch + BATCH * sizeof(struct point_term),
        };

        s.left = s.sums + bytes;
        s.right = s.left + bytes;
        s.factors = (uint64_t *)(s.right + bytes);
        s.add = scratch + fixed_room(curve, group);
        memset(out->data, 0, n * group->point_bytes);
        for (size_t i = 0; i < matrix->matrix->n_segments; i++)
            take_segment(&s, &matrix->matrix->segments[i], matrix->prepared.segment_row[i]);
        flush(&s);
        device_give(device, scratch);
    }
    stream_end(stream);
}
