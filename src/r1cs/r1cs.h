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

/* Where the variables of a repeat lie; what a witness maker needs to let blocks be made in
 * parallel. */
struct r1cs_repeat {
    uint32_t count;
    uint64_t aux_base, aux_stride;
    uint64_t full_base, full_stride; /* ranks among the full variables */
    uint32_t input_base, input_stride;
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

    void *memory; /* what all of the above lives in; r1cs_done gives it back */
};

void r1cs_done(struct r1cs *cs); /* accepts a zeroed one */

/* Smallest k with 2^k >= rows (input rows included). */
unsigned r1cs_lg_domain(const struct r1cs *cs);

/* Densities: which variables occur with a nonzero coefficient in a matrix. Bitmaps of
 * witness_map_words(n) words, from the caller. */
void r1cs_density(const struct matrix *m, uint64_t *input_map, uint64_t *aux_map);

/* ---- expanded rows ---- */

/* One row of one matrix, absolute variables, ascending (inputs first as the digests want them). */
struct r1cs_row {
    size_t n;
    const var_t *var;
    const uint32_t *coef; /* dictionary indices */
};

/* Streams over all rows in order: rows_next returns false after the last. */
struct r1cs_rows;
MUST_CHECK enum cuzk_status r1cs_rows_new(struct r1cs_rows **ret, const struct r1cs *cs,
                                          struct cuzk_error *err);
bool r1cs_rows_next(struct r1cs_rows *rows, struct r1cs_row *a, struct r1cs_row *b,
                    struct r1cs_row *c);
void r1cs_rows_free(struct r1cs_rows *rows);

/* ---- digests, as tests/vectors/README.md defines them ---- */
struct r1cs_digests {
    uint64_t structural;     /* FNV-1a over the structure */
    uint8_t coefficient[32]; /* SHA-256 over structure and coefficients */
};
/* Called every `step` rows (and at the end) with the digests so far; may be NULL. */
typedef void r1cs_checkpoint_fn(void *ctx, uint64_t rows, uint64_t structural,
                                const uint8_t coefficient_prefix[8]);
MUST_CHECK enum cuzk_status r1cs_digest(const struct r1cs *cs, struct r1cs_digests *ret,
                                        uint64_t step, r1cs_checkpoint_fn *checkpoint, void *ctx,
                                        struct cuzk_error *err);

/* ---- satisfaction ---- */
struct r1cs_check {
    bool satisfied;
    uint64_t first_bad_row;
    struct scalar a, b, c; /* its values, plain */
};
/* Evaluates all rows (C too) on the pool. */
MUST_CHECK enum cuzk_status r1cs_check(const struct r1cs *cs, const struct witness *witness,
                                       struct pool *pool, struct budget *budget,
                                       struct r1cs_check *ret, struct cuzk_error *err);

#endif
