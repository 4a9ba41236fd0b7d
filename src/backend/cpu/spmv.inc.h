/* The loops of spmv.h for one curve: the template.
 *
 * Parameters: the constants of params/<curve>.h, and CURVE. Defines spmv_<CURVE>. */
#include <string.h>

#include "backend/cpu/spmv.h"

#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"

/* ---- a place in the rows --------------------------------------------------------------------- */

/* Rows [begin, end) are visited segment by segment, copy by copy. */
struct place {
    const struct matrix_segment *segment;
    size_t index; /* of the segment */
    uint32_t copy;
    uint64_t row; /* within the copy */
};

static struct place place_of(const struct spmv_matrix *m, uint64_t row)
{
    struct place at = {.index = spmv_segment_of(m, row)};

    at.segment = &m->matrix->segments[at.index];
    row -= m->segment_row[at.index];
    at.copy = (uint32_t)(row / at.segment->n_rows);
    at.row = row % at.segment->n_rows;
    return at;
}

/* Called before another row is visited: skips to the next copy or segment that has one. */
static void place_settle(struct place *at, const struct spmv_matrix *m)
{
    if (at->row < at->segment->n_rows)
        return;
    at->row = 0;
    if (++at->copy < at->segment->count)
        return;
    at->copy = 0;
    do
        at->segment = &m->matrix->segments[++at->index];
    while (m->segment_row[at->index] == m->segment_row[at->index + 1]);
}

/* ---- rows times witness ---------------------------------------------------------------------- */

/* A row being summed up: ones + native + (plain, converted). */
struct row_sum {
    int64_t ones;
    fr_t native, plain;
    bool has_native, has_plain;
};

static inline void add_bit(struct row_sum *sum, const struct spmv_matrix *m, uint32_t coef)
{
    switch (m->kinds[coef]) {
    case COEF_KIND_ONE: sum->ones++; return;
    case COEF_KIND_MINUS_ONE: sum->ones--; return;
    }
    fr_add(&sum->native, &sum->native, (const fr_t *)m->coefs + coef);
    sum->has_native = true;
}

static inline void add_full(struct row_sum *sum, const struct spmv_matrix *m, uint32_t coef,
                            const uint64_t *words)
{
    fr_t value;

    memcpy(&value, words, sizeof value);
    sum->has_plain = true;
    switch (m->kinds[coef]) {
    case COEF_KIND_ONE: fr_add(&sum->plain, &sum->plain, &value); return;
    case COEF_KIND_MINUS_ONE: fr_sub(&sum->plain, &sum->plain, &value); return;
    }
    fr_mul(&value, &value, (const fr_t *)m->coefs + coef);
    fr_add(&sum->plain, &sum->plain, &value);
}

static inline void add_term(struct row_sum *sum, const struct spmv_matrix *m,
                            const struct witness *w, var_t var, uint32_t coef)
{
    size_t aux = var;

    if (var == VAR_ONE)
        add_bit(sum, m, coef);
    else if (var & VAR_INPUT)
        add_full(sum, m, coef, w->inputs + (size_t)(var & ~VAR_INPUT) * FR_LIMBS);
    else if (witness_bit(w->bits, aux))
        add_bit(sum, m, coef);
    else if (witness_bit(w->full_map, aux))
        add_full(sum, m, coef, w->full + witness_rank(w->full_map, w->full_rank, aux) * FR_LIMBS);
}

static inline void add_ones(fr_t *out, int64_t ones)
{
    fr_t x = fr_one;

    if (ones == 0)
        return;
    if (ones != 1 && ones != -1)
        fr_from_u64(&x, (uint64_t)(ones < 0 ? -ones : ones));
    if (ones < 0)
        fr_sub(out, out, &x);
    else
        fr_add(out, out, &x);
}

static void row_times_witness(fr_t *out, const struct spmv_matrix *m, const struct witness *w,
                              const struct place *at)
{
    const struct matrix_segment *s = at->segment;
    struct row_sum sum = {.ones = 0};

    for (size_t t = spmv_row_begin(s, at->row), end = s->row_end[at->row]; t < end; t++)
        add_term(&sum, m, w, matrix_resolve(s, at->copy, s->var[t]), matrix_coef(s, t));
    *out = fr_zero;
    if (sum.has_plain)
        fr_from_plain(out, &sum.plain);
    if (sum.has_native)
        fr_add(out, out, &sum.native);
    add_ones(out, sum.ones);
}

static void rows_times_witness(void *out, const struct spmv_matrix *m, const struct witness *w,
                               uint64_t first, size_t n)
{
    fr_t *o = out;
    struct place at;

    if (n == 0)
        return;
    at = place_of(m, first);
    for (size_t i = 0; i < n; i++, at.row++) {
        place_settle(&at, m);
        row_times_witness(&o[i], m, w, &at);
    }
}

/* ---- transposed ------------------------------------------------------------------------------ */

static inline void accumulate(fr_t *acc, const struct spmv_matrix *m, uint32_t coef,
                              const fr_t *value)
{
    fr_t product;

    switch (m->kinds[coef]) {
    case COEF_KIND_ONE: fr_add(acc, acc, value); return;
    case COEF_KIND_MINUS_ONE: fr_sub(acc, acc, value); return;
    }
    fr_mul(&product, value, (const fr_t *)m->coefs + coef);
    fr_add(acc, acc, &product);
}

static void inputs_times_rows(void *acc, const struct spmv_matrix *m, const void *values,
                              uint64_t begin, uint64_t end, uint64_t first, size_t n)
{
    fr_t *a = acc;
    const fr_t *v = values;
    struct place at;

    if (begin == end)
        return;
    at = place_of(m, begin);
    for (uint64_t row = begin; row < end; row++, at.row++) {
        place_settle(&at, m);
        const struct matrix_segment *s = at.segment;

        for (size_t t = spmv_row_begin(s, at.row); t < s->row_end[at.row]; t++) {
            var_t var = matrix_resolve(s, at.copy, s->var[t]);

            if ((var & VAR_INPUT) && (var & ~VAR_INPUT) - first < n)
                accumulate(&a[(var & ~VAR_INPUT) - first], m, matrix_coef(s, t), &v[row - begin]);
        }
    }
}

/* Rows [row, row_end) of copies [copy, copy_end) of a segment: whole copies, or a part of one. */
struct stretch {
    const struct matrix_segment *segment;
    uint32_t copy, copy_end;
    uint64_t row, row_end;
    const fr_t *values; /* of the rows, copy after copy */
};

/* From `at` on, within its segment; at most `left` rows. */
static struct stretch stretch_of(const struct place *at, uint64_t left, const fr_t *values)
{
    const struct matrix_segment *s = at->segment;
    struct stretch ret = {s, at->copy, at->copy + 1, at->row, s->n_rows, values};

    if (at->row == 0 && left >= s->n_rows) {
        const uint64_t whole = left / s->n_rows, there = s->count - at->copy;

        ret.copy_end = at->copy + (uint32_t)(whole < there ? whole : there);
    } else if (left < s->n_rows - at->row) {
        ret.row_end = at->row + left;
    }
    return ret;
}

/* All terms of one copy. */
static void copy_times_rows(fr_t *acc, const struct spmv_matrix *m, const struct stretch *x,
                            uint64_t first, size_t n)
{
    const struct matrix_segment *s = x->segment;
    size_t t = spmv_row_begin(s, x->row);

    for (uint64_t row = x->row; row < x->row_end; row++)
        for (; t < s->row_end[row]; t++) {
            const var_t var = matrix_resolve(s, x->copy, s->var[t]);

            if ((var & VAR_INPUT) == 0 && var - first < n)
                accumulate(&acc[var - first], m, matrix_coef(s, t), &x->values[row - x->row]);
        }
}

/* Is `var`, as written in a repeat, an aux of the block itself? */
static inline bool is_own_aux(var_t var)
{
    return (var & VAR_RELATIVE_INPUT) == VAR_RELATIVE;
}

/* How many aux a block has: one more than the largest that its terms name. */
static uint64_t own_aux_end(const struct matrix_segment *s)
{
    uint64_t end = 0;

    for (uint64_t t = 0; t < s->n_terms; t++)
        if (is_own_aux(s->var[t]) && (s->var[t] & ~VAR_RELATIVE) >= end)
            end = (s->var[t] & ~VAR_RELATIVE) + 1;
    return end;
}

/* The terms of one copy whose variable is the block's own. */
static void own_times_rows(fr_t *acc, const struct spmv_matrix *m, const struct matrix_segment *s,
                           uint32_t copy, const fr_t *values, uint64_t first, size_t n)
{
    size_t t = 0;

    for (uint64_t row = 0; row < s->n_rows; row++)
        for (; t < s->row_end[row]; t++) {
            var_t var = s->var[t];

            if (!is_own_aux(var))
                continue;
            var = matrix_resolve(s, copy, var);
            if (var - first < n)
                accumulate(&acc[var - first], m, matrix_coef(s, t), &values[row]);
        }
}

/* The other terms (ports, and variables that are the same in every copy), all copies. */
static void others_times_rows(fr_t *acc, const struct spmv_matrix *m, const struct stretch *x,
                              uint64_t first, size_t n)
{
    const struct matrix_segment *s = x->segment;
    size_t t = 0;

    for (uint64_t row = 0; row < s->n_rows; row++)
        for (; t < s->row_end[row]; t++) {
            bool is_port = (s->var[t] & VAR_PORT) == VAR_PORT;

            if (is_own_aux(s->var[t]) || (!is_port && s->var[t] - first >= n))
                continue;
            for (uint32_t copy = x->copy; copy < x->copy_end; copy++) {
                var_t var = matrix_resolve(s, copy, s->var[t]);

                if ((var & VAR_INPUT) == 0 && var - first < n)
                    accumulate(&acc[var - first], m, matrix_coef(s, t),
                               &x->values[(copy - x->copy) * s->n_rows + row]);
            }
        }
}

/* The blocks' own aux of whole copies meet [first, first + n) in few of them only. */
static void copies_times_rows(fr_t *acc, const struct spmv_matrix *m, const struct stretch *x,
                              uint64_t first, size_t n)
{
    const struct matrix_segment *s = x->segment;
    const uint64_t own_end = own_aux_end(s);

    for (uint32_t copy = x->copy; copy < x->copy_end; copy++) {
        const uint64_t base = s->aux_base + copy * s->aux_stride;

        if (base < first + n && first < base + own_end)
            own_times_rows(acc, m, s, copy, x->values + (copy - x->copy) * s->n_rows, first, n);
    }
    others_times_rows(acc, m, x, first, n);
}

static void aux_times_rows(void *acc, const struct spmv_matrix *m, const void *values,
                           uint64_t begin, uint64_t end, uint64_t first, size_t n)
{
    const fr_t *v = values;
    struct place at;

    if (begin == end)
        return;
    at = place_of(m, begin);
    for (uint64_t row = begin; row < end;) {
        place_settle(&at, m);
        const struct stretch x = stretch_of(&at, end - row, v + (row - begin));

        if (x.copy_end - x.copy == 1)
            copy_times_rows(acc, m, &x, first, n);
        else
            copies_times_rows(acc, m, &x, first, n);
        row += (x.copy_end - x.copy) * (x.row_end - x.row);
        at.copy = x.copy_end - 1;
        at.row = x.row_end;
    }
}

static void classify(uint8_t *kinds, const void *coefs, size_t n)
{
    const fr_t *c = coefs;
    fr_t minus_one;

    fr_neg(&minus_one, &fr_one);
    for (size_t i = 0; i < n; i++)
        kinds[i] = fr_is_one(&c[i])           ? COEF_KIND_ONE
                   : fr_eq(&c[i], &minus_one) ? COEF_KIND_MINUS_ONE
                                              : COEF_KIND_ANY;
}

const struct spmv_kernels TEMPLATE_JOIN(spmv, CURVE) = {
    .classify = classify,
    .rows = rows_times_witness,
    .transposed_inputs = inputs_times_rows,
    .transposed_aux = aux_times_rows,
};
