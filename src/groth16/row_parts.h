/* Rows in parts and aux variables in windows, and which parts name which windows.
 *
 *                    part 0   part 1   part 2   part 3
 *       window 0       x        x        x        x       what all blocks import
 *       window 1       x
 *       window 2       x        x
 *       window 3                x        x
 *       window 4                         x        x
 *
 * A sum over the rows for one window of variables needs those parts only that name one of them.
 * Circuits make variables where they use them, so the table is nearly a diagonal, and who goes
 * through all windows comes through the rows a few times instead of once a window. Where it is full
 * (every part names every window) nothing is lost but time.
 *
 * The table is made by reading all terms once, on all threads: a bit a part, window and matrix. */
#ifndef GROTH16_ROW_PARTS_H
#define GROTH16_ROW_PARTS_H

#include <stdatomic.h>

#include "base/mem.h"
#include "base/pool.h"
#include "r1cs/r1cs.h"

struct row_parts {
    size_t part;   /* rows of one; the last may have fewer */
    size_t window; /* aux of one */
    size_t n_parts, n_windows;
    struct region bits; /* three tables; empty if there is one part, which names everything */
};

/* Bytes of MEM_SCRATCH that row_parts_init takes. part, window > 0 */
size_t row_parts_bytes(const struct r1cs *cs, size_t part, size_t window);
MUST_CHECK enum cuzk_status row_parts_init(struct row_parts *ret, const struct r1cs *cs,
                                           size_t part, size_t window, struct pool *pool,
                                           struct budget *budget, const atomic_bool *cancel,
                                           struct cuzk_error *err);
void row_parts_done(struct row_parts *parts); /* accepts a zeroed one */

/* Does a row of the part name a variable of the window in matrix 0, 1, 2 = A, B, C? */
bool row_parts_meet(const struct row_parts *parts, unsigned matrix, size_t part, size_t window);

#endif
