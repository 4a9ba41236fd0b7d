/* The FallbackPoSt circuit, for Winning and Window PoSt: written once, recorded or given values.
 * docs/filecoin.md, 5.1.
 *
 *     per slot    comm_r (input), comm_r_last, comm_c; comm_r = H2(comm_c, comm_r_last)
 *                 each challenged leaf is in TreeRLast under comm_r_last
 *
 * There is no fixed part: the slot is the block of a repeat. A Window partition of 32 GiB sectors
 * has 2,349 * 53,333 rows; Poseidon makes them dense in A, 6.9 terms a row. */
#ifndef FILECOIN_POST_CIRCUIT_H
#define FILECOIN_POST_CIRCUIT_H

#include "circuit/packed_witness.h"
#include "filecoin/vanilla_post.h"
#include "r1cs/r1cs.h"

/* Records the circuit. */
MUST_CHECK enum cuzk_status post_record(struct r1cs *ret, const struct post_shape *shape,
                                        struct budget *budget, struct cuzk_error *err);

/* Where row `row` is in the circuit: filecoin/record.h. */
MUST_CHECK enum cuzk_status post_row_path(char *out, size_t n, const struct post_shape *shape,
                                          uint64_t row, struct budget *budget,
                                          struct cuzk_error *err);

/* Values of all variables for one partition, slots in parallel on the pool; the same bits for every
 * number of threads. `w` is new or cleared, `cs` from post_record for the shape of the proofs. What
 * the vanilla proofs hold is taken as it is: one that is wrong gives an unsatisfied witness. Tells
 * w->made of every eighth where there are many slots. */
void post_witness(struct packed_witness *w, const struct r1cs *cs,
                  const struct vanilla_post *vanilla, size_t partition, struct pool *pool);

#endif
