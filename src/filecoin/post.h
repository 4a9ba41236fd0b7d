/* The public side of a proof of spacetime: which sectors, which of their nodes, and the inputs of
 * the proofs. docs/filecoin.md, 5.2. */
#ifndef FILECOIN_POST_H
#define FILECOIN_POST_H

#include "curve/curve.h"
#include "filecoin/post_proof.h"

struct post_sector {
    uint64_t id;
    struct scalar comm_r; /* plain */
};

struct post {
    struct post_config config;
    uint8_t randomness[32];
    size_t n_before;  /* Window: sectors of the list before these, of whole partitions; often 0 */
    size_t n_sectors; /* Winning: 1 */
    struct post_sector *sectors; /* in the order that decides their slots */
};

/* Proofs that n sectors need: Winning 1; Window one for each `slots` of them, at least 1. */
size_t post_partitions(const struct post_config *config, size_t n_sectors);

/* A slot of a partition: one of the sectors, and the first of its challenges. Partitions are those
 * of the whole list; partition >= n_before / slots. */
struct post_slot {
    size_t sector;
    unsigned first_challenge; /* shape.challenges from here */
};
struct post_slot post_slot(const struct post *post, size_t partition, unsigned slot);

/* Leaf that challenge j of sector number i must open; j < post_sector_challenges(). */
uint64_t post_challenge(const struct post *post, size_t i, uint64_t j);

/* Which of `n` sectors Winning PoSt must prove: the number of its place. */
uint64_t winning_sector(const uint8_t prover_id[32], const uint8_t randomness[32], uint64_t n);

/* ---- public inputs --------------------------------------------------------------------------- */

/* Of one partition, without ONE: for every slot comm_r, then its challenges. */
static inline size_t post_n_inputs(const struct post_shape *shape)
{
    return (size_t)shape->slots * (1 + shape->challenges);
}

/* partition as in post_slot, < post_partitions() of the whole list; out: post_n_inputs() plain
 * scalars. */
void post_public_inputs(struct scalar *out, const struct post *post, size_t partition);

#endif
