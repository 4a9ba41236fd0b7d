/* The stream over expanded rows: three expanders and a cursor. The three matrices have the same
 * segments, rows and copies; only their terms differ. */
#include "r1cs/expander.h"
#include "r1cs/r1cs.h"

enum { N_MATRICES = 3 };

struct r1cs_rows {
    const struct matrix *matrices[N_MATRICES];
    struct expander expanders[N_MATRICES];
    size_t segment;
    uint32_t copy;
    uint64_t row;
};

enum cuzk_status r1cs_rows_new(struct r1cs_rows **ret, const struct r1cs *cs,
                               struct cuzk_error *err)
{
    struct r1cs_rows *rows = mem_new(sizeof *rows);
    enum cuzk_status st;

    if (!rows)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a stream of rows");
    rows->matrices[0] = &cs->a;
    rows->matrices[1] = &cs->b;
    rows->matrices[2] = &cs->c;
    for (size_t i = 0; i < N_MATRICES; i++)
        TRY_GOTO(st, out,
                 expander_init(&rows->expanders[i], rows->matrices[i], cs->curve, cs->budget, err));
    *ret = rows;
    return CUZK_OK;
out:
    r1cs_rows_free(rows);
    return st;
}

void r1cs_rows_free(struct r1cs_rows *rows)
{
    if (rows)
        for (size_t i = 0; i < N_MATRICES; i++)
            expander_done(&rows->expanders[i]);
    mem_free(rows);
}

/* Steps over the end of a block and of a segment (no segment is empty). */
static void settle(struct r1cs_rows *rows)
{
    const struct matrix *m = rows->matrices[0];
    const struct matrix_segment *seg = &m->segments[rows->segment];

    if (rows->row < seg->n_rows)
        return;
    rows->row = 0;
    if (++rows->copy < seg->count)
        return;
    rows->copy = 0;
    rows->segment++;
}

enum cuzk_status r1cs_rows_next(struct r1cs_rows *rows, struct r1cs_row ret[3], bool *ret_more,
                                struct cuzk_error *err)
{
    *ret_more = rows->segment < rows->matrices[0]->n_segments;
    if (!*ret_more)
        return CUZK_OK;
    for (size_t i = 0; i < N_MATRICES; i++)
        TRY(expander_row(&rows->expanders[i], &rows->matrices[i]->segments[rows->segment],
                         rows->copy, rows->row, &ret[i], err));
    rows->row++;
    settle(rows);
    return CUZK_OK;
}

const uint64_t *r1cs_rows_coef(const struct r1cs_rows *rows, unsigned matrix, uint32_t coef)
{
    return dictionary_words(&rows->expanders[matrix].coefs, coef);
}
