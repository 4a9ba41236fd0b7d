/* The constants of Poseidon, made when first needed from their definition: round
 * constants by the Grain LFSR, the Cauchy matrix 1/(i + t + j), and from these the optimised form
 * of neptune: constants moved behind the s-boxes, sparse matrices for the partial rounds. */
#ifndef CIRCUIT_POSEIDON_CONSTANTS_H
#define CIRCUIT_POSEIDON_CONSTANTS_H

#include "circuit/poseidon.h"
#include "ntt/poseidon_rounds.h"

enum {
    POSEIDON_FULL_ROUNDS = 8,
    /* Matrix products are numbered from 0, one after each round: number 3 is `pre_sparse`, the next
     * `partial` ones are `sparse`, all others `mds`. */
    POSEIDON_PRE_SPARSE = POSEIDON_FULL_ROUNDS / 2 - 1,
};

struct poseidon_sparse {
    fr_t column[POSEIDON_WIDTH_MAX]; /* new state[0] = sum column[i] * state[i] */
    fr_t row[POSEIDON_WIDTH_MAX];    /* new state[j] = state[j] + row[j] * state[0], j >= 1 */
};

struct poseidon_matrix {
    fr_t at[POSEIDON_WIDTH_MAX][POSEIDON_WIDTH_MAX];
};

struct poseidon_constants {
    unsigned width, partial;
    /* What is added: `width` before the first s-box, then after each s-box in order of use (none
     * after those of the last round). */
    unsigned n_added;
    fr_t added[POSEIDON_FULL_ROUNDS * POSEIDON_WIDTH_MAX + POSEIDON_PARTIAL_MAX];
    struct poseidon_matrix mds, pre_sparse;
    struct poseidon_sparse sparse[POSEIDON_PARTIAL_MAX];
    fr_t tag; /* state[0] of a Merkle hash */
};

/* Thread-safe. POSEIDON_GEN_RANDOMNESS is POSEIDON_2 with another tag. */
const struct poseidon_constants *poseidon_constants(enum poseidon_kind kind);

#endif
