/* What is expected of a recorded circuit: a line of shapes.tsv with its checkpoints, or the circuit
 * of a set. */
#ifndef SUPPORT_SHAPE_ROW_H
#define SUPPORT_SHAPE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "r1cs/r1cs.h"
#include "support/json.h"

struct shape_row {
    char name[32]; /* "porep-2k" */
    uint64_t constraints, inputs, aux, a_aux, b_aux, b_inputs, nnz[3], structural;
    uint8_t coefficient[32];
};

/* The line `name` of shapes.tsv, or of the object "circuit" in a meta.json. A line that does not
 * exist ends the test. */
struct shape_row shape_row_read(const char *name);
struct shape_row shape_row_of_json(const char *name, const struct json *circuit);

/* cmocka assertions: counts, densities, nonzeros, both digests; and the running digests of the file
 * `checkpoints` (its path; may be NULL), of which the first that differs is named. */
void assert_r1cs_is(const struct r1cs *cs, const struct shape_row *expected,
                    const char *checkpoints, struct pool *pool);
/* The same against the object "circuit" of an index or a meta.json, with all that it lists. */
void assert_r1cs_is_listed(const struct r1cs *cs, const struct json *circuit);

#endif
