/* Vanilla update proofs. They come in bincode, one PartitionProof a partition (docs/filecoin.md,
 * 7.7):
 *
 *     comm_c             32 bytes
 *     apex_leafs         a list: 8 or 128 nodes of TreeD
 *     challenge_proofs   a list: for each challenge its paths in the old TreeRLast, in TreeD of the
 *                        new data, and in the new TreeRLast
 *
 * What the reader lets through has reduced numbers and paths of the trees' shapes; update_check
 * looks at the rest. */
#ifndef FILECOIN_VANILLA_UPDATE_H
#define FILECOIN_VANILLA_UPDATE_H

#include <stdio.h>

#include "base/mem.h"
#include "base/reader.h"
#include "filecoin/merkle.h"
#include "filecoin/update.h"

struct update_challenge {
    struct merkle_path replica_old, data_new, replica_new;
};

struct update_partition {
    struct scalar comm_c;
    struct scalar *apex;                 /* 2^lg_apex */
    struct update_challenge *challenges; /* shape.challenges */
};

struct vanilla_update {
    struct update update;
    struct update_partition *partitions;

    struct arena memory; /* MEM_REQUEST; what the pointers above lead to */
};

/* Bytes that vanilla_update_new takes from the budget: 9 MB for a 32 GiB sector. */
size_t vanilla_update_bytes(const struct update_shape *shape);

/* Room for all partitions, to be read (those that are to be proven). */
MUST_CHECK enum cuzk_status vanilla_update_new(struct vanilla_update *ret,
                                               const struct update *update, struct budget *budget,
                                               struct cuzk_error *err);
void vanilla_update_done(struct vanilla_update *vanilla); /* accepts a zeroed one */

/* Reads the proof of partition k: all that `r` holds. */
MUST_CHECK enum cuzk_status vanilla_update_read(struct vanilla_update *vanilla, unsigned k,
                                                struct reader *r, struct cuzk_error *err);

/* Writes the proof of partition k; a failed write shows in ferror(out). */
void vanilla_update_write(FILE *out, const struct vanilla_update *vanilla, unsigned k);

/* ---- is a partition what it should be? ---- */

/* The public facts: comm_r_old and comm_r_new are hashes of comm_c and the roots, all challenges
 * have the same roots and the same path from the partition to comm_d_new, and open the nodes that
 * comm_r_new asks for. CUZK_BAD_INPUT names the first thing that is wrong. */
MUST_CHECK enum cuzk_status update_check(const struct vanilla_update *vanilla, unsigned k,
                                         struct cuzk_error *err);

/* Besides, all hashes: paths lead to their roots and through the apex leafs, these to comm_d_new,
 * and new = old + data * rho. What is accepted satisfies the circuit. */
MUST_CHECK enum cuzk_status update_check_deep(const struct vanilla_update *vanilla, unsigned k,
                                              struct cuzk_error *err);

#endif
