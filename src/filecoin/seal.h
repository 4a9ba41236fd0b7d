/* The public side of a sealed sector: ids, commitments, and the inputs of its proofs. */
#ifndef FILECOIN_SEAL_H
#define FILECOIN_SEAL_H

#include "curve/curve.h"
#include "filecoin/graph.h"
#include "filecoin/seal_proof.h"

/* What a seal proof is about. Numbers are reduced, plain. */
struct seal {
    struct scalar replica_id, comm_d, comm_r;
    uint8_t seed[32], ticket[32];
};

/* Upstream refuses zeros for comm_r, comm_d and the seed: CUZK_BAD_INPUT names the one. */
MUST_CHECK enum cuzk_status seal_check(const struct seal *seal, struct cuzk_error *err);

/* 32 bytes, least significant first, and the number they are (may be unreduced). */
struct scalar scalar_from_bytes(const uint8_t bytes[32]);
void scalar_to_bytes(uint8_t bytes[32], const struct scalar *a);

/* LEB128 of the miner's actor number, zero padded: 1000 is e8 07 00 ... */
void prover_id_of_miner(uint8_t out[32], uint64_t miner);

/* SHA-256(prover_id, sector_id as u64 BE, ticket, comm_d, porep_id), top two bits cleared. */
struct scalar replica_id_make(const uint8_t prover_id[32], uint64_t sector_id,
                              const uint8_t ticket[32], const struct scalar *comm_d,
                              const uint8_t porep_id[32]);

/* ---- public inputs --------------------------------------------------------------------------- */

/* Of one partition, without ONE: replica_id, comm_d, comm_r; then for every challenge its data
 * path, the column paths of its 14 parents, its number, its replica path, its column path. */
enum { POREP_CHALLENGE_INPUTS = N_PARENTS + 4 };
static inline size_t porep_n_inputs(const struct porep_shape *shape)
{
    return 3 + POREP_CHALLENGE_INPUTS * (size_t)shape->challenges;
}

/* Derives them all from the public facts, as a verifier does. partition < config->partitions;
 * `graph` is that of the config; out: porep_n_inputs() plain scalars. */
void porep_public_inputs(struct scalar *out, const struct porep_config *config,
                         const struct graph *graph, const struct seal *seal, unsigned partition);

#endif
