#include "groth16/row_parts.h"

static size_t count_of(uint64_t n, size_t each)
{
    return (size_t)(n / each) + (n % each != 0);
}

/* Words of one part in one table. */
static size_t words_of(size_t n_windows)
{
    return n_windows / 64 + 1;
}

static size_t table_bytes(size_t n_parts, size_t n_windows)
{
    return n_parts > 1 ? 3 * n_parts * words_of(n_windows) * sizeof(uint64_t) : 0;
}

size_t row_parts_bytes(const struct r1cs *cs, size_t part, size_t window)
{
    return region_bytes(table_bytes(count_of(cs->a.n_rows, part), count_of(cs->n_aux, window)));
}

static uint64_t *bits_of(const struct row_parts *parts, unsigned matrix, size_t part)
{
    return (uint64_t *)(void *)parts->bits.base +
           (matrix * parts->n_parts + part) * words_of(parts->n_windows);
}

bool row_parts_meet(const struct row_parts *parts, unsigned matrix, size_t part, size_t window)
{
    return parts->n_parts == 1 ||
           (bits_of(parts, matrix, part)[window / 64] >> (window % 64) & 1) != 0;
}

/* ---- making the table ------------------------------------------------------------------------ */

/* The windows of terms [begin, end) of a segment, in one copy. */
static void mark_terms(uint64_t *bits, size_t window, const struct matrix_segment *s, uint32_t copy,
                       size_t begin, size_t end)
{
    uint64_t first = UINT64_MAX / 2; /* of the window met last; none begins here */

    for (size_t t = begin; t < end; t++) {
        const var_t var = matrix_resolve(s, copy, s->var[t]);

        if ((var & VAR_INPUT) || var - first < window)
            continue;
        first = var / window * window;
        bits[first / window / 64] |= UINT64_C(1) << (first / window % 64);
    }
}

static size_t term_of_row(const struct matrix_segment *s, uint64_t row)
{
    return row ? s->row_end[row - 1] : 0;
}

/* Rows [begin, end) of a segment, all copies counted. */
static void mark_rows(uint64_t *bits, size_t window, const struct matrix_segment *s, uint64_t begin,
                      uint64_t end)
{
    while (begin < end) {
        const uint64_t copy = begin / s->n_rows, row = begin % s->n_rows;
        const uint64_t left = end - begin, there = s->n_rows - row, n = left < there ? left : there;

        mark_terms(bits, window, s, (uint32_t)copy, term_of_row(s, row), term_of_row(s, row + n));
        begin += n;
    }
}

struct marking {
    const struct row_parts *parts;
    const struct r1cs *cs;
    const atomic_bool *cancel;
};

static void mark_part(void *ctx, size_t i, unsigned worker)
{
    const struct marking *m = ctx;
    const struct row_parts *parts = m->parts;
    const unsigned which = (unsigned)(i / parts->n_parts);
    const struct matrix *const matrices[] = {&m->cs->a, &m->cs->b, &m->cs->c};
    const struct matrix *const matrix = matrices[which];
    const uint64_t begin = i % parts->n_parts * parts->part, end = begin + parts->part;
    uint64_t *bits = bits_of(parts, which, i % parts->n_parts);
    uint64_t row = 0;

    (void)worker;
    if (m->cancel && atomic_load(m->cancel))
        return;
    for (size_t k = 0; k < matrix->n_segments && row < end; k++) {
        const struct matrix_segment *s = &matrix->segments[k];
        const uint64_t n = s->n_rows * s->count;

        if (row + n > begin)
            mark_rows(bits, parts->window, s, begin > row ? begin - row : 0,
                      end - row < n ? end - row : n);
        row += n;
    }
}

enum cuzk_status row_parts_init(struct row_parts *ret, const struct r1cs *cs, size_t part,
                                size_t window, struct pool *pool, struct budget *budget,
                                const atomic_bool *cancel, struct cuzk_error *err)
{
    struct marking marking = {ret, cs, cancel};

    *ret = (struct row_parts){.part = part,
                              .window = window,
                              .n_parts = count_of(cs->a.n_rows, part),
                              .n_windows = count_of(cs->n_aux, window)};
    if (ret->n_parts == 1)
        return CUZK_OK;
    TRY(region_map(&ret->bits, budget, MEM_SCRATCH, table_bytes(ret->n_parts, ret->n_windows),
                   err));
    pool_run(pool, 3 * ret->n_parts, mark_part, &marking);
    if (!pool_cancelled(pool) && !(cancel && atomic_load(cancel)))
        return CUZK_OK;
    row_parts_done(ret);
    return error_set(err, CUZK_CANCELLED, "cancelled");
}

void row_parts_done(struct row_parts *parts)
{
    region_unmap(&parts->bits);
    *parts = (struct row_parts){0};
}
