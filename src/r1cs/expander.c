#include "r1cs/expander.h"

#include <string.h>

#include "r1cs/terms.h"

static size_t longest_row(const struct matrix *m)
{
    size_t longest = 0;

    for (size_t s = 0; s < m->n_segments; s++) {
        const struct matrix_segment *seg = &m->segments[s];

        for (uint64_t row = 0; row < seg->n_rows; row++) {
            size_t n = seg->row_end[row] - segment_row_begin(seg, row);

            longest = n > longest ? n : longest;
        }
    }
    return longest;
}

enum cuzk_status expander_init(struct expander *e, const struct matrix *m,
                               const struct curve *curve, struct budget *budget,
                               struct cuzk_error *err)
{
    size_t n = longest_row(m) + 1; /* never empty */

    *e = (struct expander){.curve = curve, .terms_max = n};
    TRY(region_map(&e->room, budget, MEM_SCRATCH,
                   n * (2 * sizeof *e->keys + sizeof *e->var + sizeof *e->coef), err));
    e->keys = (uint64_t *)(void *)e->room.base;
    e->var = (var_t *)(void *)(e->keys + 2 * n);
    e->coef = e->var + n;
    dictionary_init(&e->coefs, curve, budget, m->coefs, m->n_coefs);
    return CUZK_OK;
}

void expander_done(struct expander *e)
{
    dictionary_done(&e->coefs);
    region_unmap(&e->room);
}

/* Where the inputs of a row without ports begin: as written they follow the aux. */
static size_t first_input(const var_t *var, size_t n)
{
    while (n > 0 && var[n - 1] & VAR_INPUT)
        n--;
    return n;
}

static void expand_in_order(struct expander *e, const struct matrix_segment *seg, uint32_t k,
                            size_t begin, size_t n)
{
    const var_t *var = n ? seg->var + begin : NULL; /* a matrix may have no terms at all */
    size_t n_aux = first_input(var, n), n_inputs = n - n_aux;

    for (size_t i = 0; i < n_inputs; i++) {
        e->var[i] = matrix_resolve(seg, k, var[n_aux + i]);
        e->coef[i] = matrix_coef(seg, begin + n_aux + i);
    }
    for (size_t i = 0; i < n_aux; i++) {
        e->var[n_inputs + i] = matrix_resolve(seg, k, var[i]);
        e->coef[n_inputs + i] = matrix_coef(seg, begin + i);
    }
}

static enum cuzk_status expand_ports(struct expander *e, const struct matrix_segment *seg,
                                     uint32_t k, size_t begin, size_t *n, struct cuzk_error *err)
{
    for (size_t i = 0; i < *n; i++) /* with the top bit turned, inputs come first */
        e->keys[i] = term_key(matrix_resolve(seg, k, seg->var[begin + i]) ^ VAR_INPUT,
                              matrix_coef(seg, begin + i));
    terms_sort(e->keys, *n, e->keys + e->terms_max);
    TRY(terms_merge(e->keys, *n, &e->coefs, e->curve, n, err));
    for (size_t i = 0; i < *n; i++) {
        e->var[i] = term_var(e->keys[i]) ^ VAR_INPUT;
        e->coef[i] = term_coef(e->keys[i]);
    }
    return CUZK_OK;
}

enum cuzk_status expander_row(struct expander *e, const struct matrix_segment *seg, uint32_t k,
                              uint64_t row, struct r1cs_row *ret, struct cuzk_error *err)
{
    size_t begin = segment_row_begin(seg, row), n = seg->row_end[row] - begin;

    if (segment_row_has_ports(seg, row))
        TRY(expand_ports(e, seg, k, begin, &n, err));
    else
        expand_in_order(e, seg, k, begin, n);
    *ret = (struct r1cs_row){.n = n, .var = e->var, .coef = e->coef};
    return CUZK_OK;
}
