/* Which variables a matrix names. Relative aux of a repeat are marked in copy 0 and the marks
 * copied (no row before the repeat can have marked them); relative inputs are few and marked one by
 * one, in every copy; rows with ports are expanded for every copy, since there terms can meet and
 * cancel. */
#include <string.h>

#include "r1cs/bitmap.h"
#include "r1cs/expander.h"
#include "r1cs/r1cs.h"

struct marks {
    uint64_t *inputs, *aux; /* NULL: not wanted */
};

static void mark(const struct marks *marks, var_t var)
{
    uint64_t *map = var & VAR_INPUT ? marks->inputs : marks->aux;

    if (map)
        bitmap_set(map, var & ~VAR_INPUT);
}

static bool is_relative_input(const struct matrix_segment *seg, var_t var)
{
    return seg->count > 1 && (var & VAR_PORT) == VAR_RELATIVE_INPUT;
}

/* A row without ports: relative aux of copy 0 stand for all. */
static void mark_plain_row(const struct marks *marks, const struct matrix_segment *seg,
                           uint64_t row, uint64_t *nnz)
{
    size_t begin = segment_row_begin(seg, row), end = seg->row_end[row];

    for (size_t i = begin; i < end; i++) {
        uint32_t copies = is_relative_input(seg, seg->var[i]) ? seg->count : 1;

        for (uint32_t k = 0; k < copies; k++)
            mark(marks, matrix_resolve(seg, k, seg->var[i]));
    }
    *nnz += (uint64_t)(end - begin) * seg->count;
}

static enum cuzk_status mark_port_row(const struct marks *marks, struct expander *e,
                                      const struct matrix_segment *seg, uint64_t row, uint64_t *nnz,
                                      struct cuzk_error *err)
{
    for (uint32_t k = 0; k < seg->count; k++) {
        struct r1cs_row expanded;

        TRY(expander_row(e, seg, k, row, &expanded, err));
        for (size_t i = 0; i < expanded.n; i++)
            mark(marks, expanded.var[i]);
        *nnz += expanded.n;
    }
    return CUZK_OK;
}

static void copy_aux_marks(const struct marks *marks, const struct matrix_segment *seg)
{
    for (uint32_t k = 1; marks->aux && k < seg->count; k++)
        bitmap_or_run(marks->aux, seg->aux_base + k * seg->aux_stride, seg->aux_base,
                      seg->aux_stride);
}

enum cuzk_status r1cs_density(const struct r1cs *cs, const struct matrix *m, uint64_t *input_map,
                              uint64_t *aux_map, uint64_t *ret_nnz, struct cuzk_error *err)
{
    const struct marks marks = {input_map, aux_map};
    struct expander e = {0};
    uint64_t nnz = 0;
    enum cuzk_status st;

    if (input_map)
        memset(input_map, 0, witness_map_words(m->n_inputs) * sizeof *input_map);
    if (aux_map)
        memset(aux_map, 0, witness_map_words(m->n_aux) * sizeof *aux_map);
    TRY(expander_init(&e, m, cs->curve, cs->budget, err));
    for (size_t s = 0; s < m->n_segments; s++) {
        const struct matrix_segment *seg = &m->segments[s];

        for (uint64_t row = 0; row < seg->n_rows; row++) {
            if (segment_row_has_ports(seg, row))
                TRY_GOTO(st, out, mark_port_row(&marks, &e, seg, row, &nnz, err));
            else
                mark_plain_row(&marks, seg, row, &nnz);
        }
        copy_aux_marks(&marks, seg);
    }
    if (ret_nnz)
        *ret_nnz = nnz;
    st = CUZK_OK;
out:
    expander_done(&e);
    return st;
}
