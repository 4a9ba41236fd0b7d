/* The EmptySectorUpdate circuit (SnapDeals): written once, recorded or given values.
 * docs/filecoin.md, 6.2.
 *
 *     fixed part      partition and choice of h, comm_r_old, comm_d_new, comm_r_new (inputs); the
 *                     roots of both replicas belong to comm_r_old and comm_r_new
 *     per apex node   a node of TreeD over two below it, row by row up to the partition's root
 *     fixed part      from there to comm_d_new; the bits of all challenges, from comm_r_new
 *     per challenge   rho from phi and the top bits; new = old + data * rho; old and new are under
 *                     their roots, data is under an apex leaf
 *
 * Each row of the apex tree is a repeat whose ports are the two nodes below; the challenge is one
 * whose ports are its bits. A 32 GiB partition has 81 M rows, 1.4 M of them recorded. */
#ifndef FILECOIN_UPDATE_CIRCUIT_H
#define FILECOIN_UPDATE_CIRCUIT_H

#include "base/pool.h"
#include "circuit/packed_witness.h"
#include "filecoin/vanilla_update.h"
#include "r1cs/r1cs.h"

/* Records the circuit. */
MUST_CHECK enum cuzk_status update_record(struct r1cs *ret, const struct update_shape *shape,
                                          struct budget *budget, struct cuzk_error *err);

/* Where row `row` is in the circuit: filecoin/record.h. */
MUST_CHECK enum cuzk_status update_row_path(char *out, size_t n, const struct update_shape *shape,
                                            uint64_t row, struct budget *budget,
                                            struct cuzk_error *err);

/* Values of all variables for partition k, apex nodes and challenges in parallel on the pool; the
 * same bits for every number of threads. `w` is new or cleared, `cs` from update_record for the
 * shape of the update. What the vanilla proof holds is taken as it is: one that is wrong gives an
 * unsatisfied witness. */
void update_witness(struct packed_witness *w, const struct r1cs *cs,
                    const struct vanilla_update *vanilla, unsigned k, struct pool *pool);

#endif
