/* Sample SnapDeals: vanilla update proofs that satisfy the circuit, of a sector that nobody sealed
 * or encoded.
 *
 * Challenges depend on comm_r_new, hence on every leaf. So the sector is cut into equal regions, at
 * least one for every value of the top bits that rho depends on, and in each of them the old nodes
 * have one value and so has the new data: 1024 regions, or as many as there are nodes. What the
 * trees are is known at once (sample_tree.h). */
#ifndef FILECOIN_SAMPLE_UPDATE_H
#define FILECOIN_SAMPLE_UPDATE_H

#include "base/rng.h"
#include "filecoin/vanilla_update.h"

/* log2 of the regions. */
unsigned sample_update_lg_regions(const struct update_shape *shape);

/* The replica as it was and the data that goes into it. */
struct sample_update_source {
    struct scalar comm_c;
    const struct scalar *old, *data; /* a node each for every region, reduced, plain */
};

/* Bytes taken while a sample is made, besides those of the result: 1.4 MB for 32 GiB. */
size_t sample_update_bytes(const struct update_shape *shape);

/* All partitions of the update of that source. What it makes passes update_check_deep. */
MUST_CHECK enum cuzk_status sample_update_of(struct vanilla_update *ret,
                                             const struct update_shape *shape,
                                             const struct sample_update_source *source,
                                             struct budget *budget, struct cuzk_error *err);

/* The same of a random source. The same state of `rng` gives the same sample. */
MUST_CHECK enum cuzk_status sample_update(struct vanilla_update *ret,
                                          const struct update_shape *shape, struct rng *rng,
                                          struct budget *budget, struct cuzk_error *err);

#endif
