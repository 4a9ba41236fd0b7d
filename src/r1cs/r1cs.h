/* A constraint system: A w ∘ B w = C w, recorded with its repeats (backend/matrix.h). */
#ifndef R1CS_R1CS_H
#define R1CS_R1CS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "backend/matrix.h"
#include "backend/witness.h"
#include "base/mem.h"
#include "curve/curve.h"

/* Where a part of a block begins: variables of the block before it. */
struct r1cs_mark {
    uint64_t aux, full;
    uint32_t input;
};
enum { R1CS_MARKS_MAX = 32 };

/* Where the variables of a repeat lie; what a witness maker needs to let blocks, and the parts of
 * blocks that were marked, be made in parallel. */
struct r1cs_repeat {
    uint32_t count;
    uint64_t aux_base, aux_stride;
    uint64_t full_base, full_stride; /* ranks among the full variables */
    uint32_t input_base, input_stride;
    uint32_t n_marks;
    struct r1cs_mark marks[R1CS_MARKS_MAX];
};

struct r1cs {
    const struct curve *curve;
    struct matrix a, b, c;
    uint64_t n_constraints; /* without the input rows */
    uint64_t n_aux, n_full;
    uint32_t n_inputs;        /* with ONE */
    const uint64_t *full_map; /* class of each aux: backend/witness.h */
    const uint32_t *full_rank;
    size_t n_repeats;
    const struct r1cs_repeat *repeats;

    struct budget *budget; /* the recorder's; what works on the system charges its scratch to it */
    void *memory;          /* what all of the above lives in; r1cs_done gives it back */
};

void r1cs_done(struct r1cs *cs); /* accepts a zeroed one */

/* Smallest k with 2^k >= rows (input rows included). */
unsigned r1cs_lg_domain(const struct r1cs *cs);

/* Which variables occur in one of the matrices with a coefficient that is not zero after merging,
 * and how many terms there are (input rows included). Bitmaps of witness_map_words(n_inputs) and
 * (n_aux) words, overwritten; each may be NULL. Charges MEM_SCRATCH while it runs. */
MUST_CHECK enum cuzk_status r1cs_density(const struct r1cs *cs, const struct matrix *m,
                                         uint64_t *input_map, uint64_t *aux_map, uint64_t *ret_nnz,
                                         struct cuzk_error *err);

/* ---- expanded rows ---- */

/* One row of one matrix: absolute variables, inputs ascending, then aux ascending; merged, no
 * zeros. Valid until the next row is taken. */
struct r1cs_row {
    size_t n;
    const var_t *var;
    const uint32_t *coef; /* for r1cs_rows_coef of the same matrix */
};

/* Streams over all rows in order, A, B, C of each. *ret_more is false after the last. */
struct r1cs_rows;
MUST_CHECK enum cuzk_status r1cs_rows_new(struct r1cs_rows **ret, const struct r1cs *cs,
                                          struct cuzk_error *err);
MUST_CHECK enum cuzk_status r1cs_rows_next(struct r1cs_rows *rows, struct r1cs_row ret[3],
                                           bool *ret_more, struct cuzk_error *err);
/* The words (fr_bytes) of a coefficient in matrix 0, 1, 2 = A, B, C; valid until the next row. */
const uint64_t *r1cs_rows_coef(const struct r1cs_rows *rows, unsigned matrix, uint32_t coef);
void r1cs_rows_free(struct r1cs_rows *rows); /* accepts NULL */

/* ---- digests, as tests/vectors/filecoin/README.md defines them ---- */
struct r1cs_digests {
    uint64_t structural;     /* FNV-1a over the structure */
    uint8_t coefficient[32]; /* SHA-256 over structure and coefficients */
    uint64_t nnz[3];         /* terms of A, B, C */
};
/* Called every `step` rows and after the last one, with the digests so far. */
typedef void r1cs_checkpoint_fn(void *ctx, uint64_t rows, uint64_t structural,
                                const uint8_t coefficient_prefix[8]);
/* step 0, checkpoint NULL: only the result. With two threads one formats while the other hashes;
 * the second is SHA-256 at full speed (26 GB for a 32 GiB PoRep). */
MUST_CHECK enum cuzk_status r1cs_digest(const struct r1cs *cs, struct pool *pool, uint64_t step,
                                        r1cs_checkpoint_fn *checkpoint, void *ctx,
                                        struct r1cs_digests *ret, struct cuzk_error *err);
/* BLAKE2s as bellpepper-core's TestConstraintSystem::hash: for small systems. */
MUST_CHECK enum cuzk_status r1cs_testcs_hash(const struct r1cs *cs, uint8_t ret[32],
                                             struct cuzk_error *err);

/* ---- satisfaction ---- */
struct r1cs_check {
    bool satisfied;
    uint64_t first_bad_row;
    struct scalar a, b, c; /* its values, plain */
};
/* Does A w ∘ B w = C w hold in every row? Evaluates all three on the cpu back end, a window of rows
 * at a time. witness: of this system (its class map is the system's). Charges MEM_SCRATCH; looks at
 * the pool's cancel flag. An unsatisfied system is an answer, not a failure. */
MUST_CHECK enum cuzk_status r1cs_check(const struct r1cs *cs, const struct witness *witness,
                                       struct pool *pool, struct r1cs_check *ret,
                                       struct cuzk_error *err);

#endif
