/* Vanilla PoRep proofs, compact: what a C1 holds and the circuit consumes.
 *
 * A vanilla proof says, for one challenged node: its data is in the sector (path in TreeD), its
 * replica is in TreeRLast, and its column of labels and those of its 14 parents are in TreeC. Of a
 * C1 we keep these; labels and encoding are recomputed from the parents' columns by whoever needs
 * them, so of labeling_proofs and encoding_proof stay the node number (labeling_proofs[0].node) and
 * whether the parents' labels are those of the columns.
 *
 * Whoever fills it (the C1 readers) guarantees:
 *   - every scalar is reduced, and every list has the length that the shape gives;
 *   - every path element's index is below its level's arity.
 * vanilla_check looks at the rest: agreement inside the partition, node numbers, challenges. */
#ifndef FILECOIN_VANILLA_H
#define FILECOIN_VANILLA_H

#include "base/mem.h"
#include "filecoin/merkle.h"
#include "filecoin/seal.h"

/* A column of labels and its place in TreeC; path.leaf is the column's hash. */
struct vanilla_column {
    struct scalar *rows; /* labels of layer 1 .. layers */
    uint32_t index;      /* the node, as the proof says */
    struct merkle_path path;
};

/* A parent's label in a proof. */
struct label_place {
    uint8_t label;  /* 1 .. layers: in labeling_proofs[label - 1]; layers + 1: in encoding_proof */
    uint8_t parent; /* of the LABEL_PARENTS there */
};

struct vanilla_challenge {
    uint64_t node;                            /* labeling_proofs[0].node */
    struct label_place odd;                   /* the first that is not in its column; or label 0 */
    struct merkle_path data;                  /* comm_d_proofs; in TreeD */
    struct merkle_path replica;               /* comm_r_last_proof; in TreeRLast */
    struct vanilla_column column;             /* replica_column_proofs.c_x */
    struct vanilla_column parents[N_PARENTS]; /* .drg_parents, then .exp_parents */
};

/* The content of a C1. */
struct vanilla_porep {
    struct porep_shape shape;
    unsigned partitions;
    struct vanilla_challenge *challenges; /* partitions * shape.challenges, partition 0 first */
    struct seal seal;

    struct arena memory; /* MEM_REQUEST; everything above lives in it */
};

/* Bytes that vanilla_porep_new takes from the budget: 8 MB for a 32 GiB sector. */
size_t vanilla_porep_bytes(const struct porep_shape *shape, unsigned partitions);

/* Room for all challenges with all pointers set, values zero; to be filled. */
MUST_CHECK enum cuzk_status vanilla_porep_new(struct vanilla_porep *ret,
                                              const struct porep_shape *shape, unsigned partitions,
                                              struct budget *budget, struct cuzk_error *err);
void vanilla_porep_done(struct vanilla_porep *vanilla); /* accepts a zeroed one */

static inline const struct vanilla_challenge *vanilla_partition(const struct vanilla_porep *vanilla,
                                                                unsigned partition)
{
    return vanilla->challenges + (size_t)partition * vanilla->shape.challenges;
}

#endif
