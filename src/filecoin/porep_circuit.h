/* The StackedDRG PoRep circuit: written once, recorded or given values. docs/filecoin.md, 4.2.
 *
 *     fixed part      replica_id comm_d comm_r (inputs), comm_r_last, comm_c;
 *                     comm_r = H2(comm_c, comm_r_last)
 *     per challenge   the data leaf is in TreeD under comm_d
 *                     14 columns of parents are in TreeC under comm_c
 *                     labels of all layers follow from the parents' labels
 *                     data + last label is in TreeRLast under comm_r_last
 *                     the column of the labels is in TreeC under comm_c
 *
 * The challenge block is a repeat without ports: it names the variables of the fixed part as they
 * are. A 32 GiB partition has 571 + 18 * 7,237,665 rows. */
#ifndef FILECOIN_POREP_CIRCUIT_H
#define FILECOIN_POREP_CIRCUIT_H

#include "base/pool.h"
#include "circuit/packed_witness.h"
#include "filecoin/vanilla.h"
#include "r1cs/r1cs.h"

/* Records the circuit. */
MUST_CHECK enum cuzk_status porep_record(struct r1cs *ret, const struct porep_shape *shape,
                                         struct budget *budget, struct cuzk_error *err);

/* Where row `row` is in the circuit, such as "challenge 3/label 2/sha256", at most n - 1
 * characters: for messages. Records the circuit again. */
MUST_CHECK enum cuzk_status porep_row_path(char *out, size_t n, const struct porep_shape *shape,
                                           uint64_t row, struct budget *budget,
                                           struct cuzk_error *err);

/* Values of all variables for one partition, challenges and their paths, columns and layers in
 * parallel on the pool; the same bits for every number of threads. `w` is new or cleared, `cs` from
 * porep_record for vanilla->shape. What the vanilla proofs hold is taken as it is: one that is
 * wrong gives an unsatisfied witness. When the pool is cancelled meanwhile, parts are missing
 * (pool_cancelled tells). */
void porep_witness(struct packed_witness *w, const struct r1cs *cs,
                   const struct vanilla_porep *vanilla, unsigned partition, struct pool *pool);

#endif
