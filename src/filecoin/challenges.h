/* Which nodes a seal proof must show: one sequence of numbers in [1, nodes), of which partition k
 * takes challenges k C to (k + 1) C - 1. docs/filecoin.md, 4.4.
 *
 *   interactive       from replica_id and the seed
 *   synthetic         a set of at most 2^18 nodes from replica_id and comm_r; of it, places chosen
 *                     by replica_id and the seed (repetitions possible)
 *   non-interactive   from replica_id and comm_r */
#ifndef FILECOIN_CHALLENGES_H
#define FILECOIN_CHALLENGES_H

#include "filecoin/seal.h"

/* A sequence, ready to be read at any place. */
struct challenges {
    enum challenge_kind kind;
    uint64_t nodes;
    struct seal seal;
    uint8_t generation_key[32], selection_key[32]; /* synthetic only */
};

struct challenges challenges_of(const struct porep_config *config, const struct seal *seal);
uint64_t challenge_number(const struct challenges *challenges, uint32_t j);

/* Synthetic: size of the set, its x-th number, and the place that number j of the sequence takes.
 */
uint64_t synthetic_set_size(const struct challenges *challenges);
uint64_t synthetic_set_number(const struct challenges *challenges, uint64_t x);
uint64_t synthetic_place(const struct challenges *challenges, uint32_t j);

#endif
