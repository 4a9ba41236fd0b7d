/* Rows of a recorded matrix as they are in the whole system: one row of one copy of a segment, with
 * absolute variables, inputs first, then aux, each ascending.
 *
 * Without ports the order of a row survives expansion (relative variables lie above outer ones), so
 * expanding is a shift. Ports may land anywhere and on one another: such rows are sorted and merged
 * again, and sums that the dictionary does not know join one of the expander's own. */
#ifndef R1CS_EXPANDER_H
#define R1CS_EXPANDER_H

#include "r1cs/dictionary.h"
#include "r1cs/r1cs.h"

struct expander {
    const struct curve *curve;
    struct dictionary coefs; /* continues the matrix's */
    size_t terms_max;        /* of a stored row */
    struct region room;      /* terms_max of each of: */
    uint64_t *keys;          /* (twice) */
    var_t *var;
    uint32_t *coef;
};

/* Charges MEM_SCRATCH. */
MUST_CHECK enum cuzk_status expander_init(struct expander *e, const struct matrix *m,
                                          const struct curve *curve, struct budget *budget,
                                          struct cuzk_error *err);
void expander_done(struct expander *e); /* accepts a zeroed one */

/* Row `row` of copy k. The result lives in the expander. */
MUST_CHECK enum cuzk_status expander_row(struct expander *e, const struct matrix_segment *seg,
                                         uint32_t k, uint64_t row, struct r1cs_row *ret,
                                         struct cuzk_error *err);

static inline size_t segment_row_begin(const struct matrix_segment *seg, uint64_t row)
{
    return row ? seg->row_end[row - 1] : 0;
}

/* Does a stored row name a port? (The largest variable as written, so it is the last.) */
static inline bool segment_row_has_ports(const struct matrix_segment *seg, uint64_t row)
{
    size_t begin = segment_row_begin(seg, row), end = seg->row_end[row];

    return seg->n_ports > 0 && begin < end && seg->var[end - 1] >= VAR_PORT;
}

#endif
