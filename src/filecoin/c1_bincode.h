/* A C1 in bincode: the native SealCommitPhase1Output (docs/filecoin.md, 7.1 to 7.4).
 *
 *     vanilla_proofs   [partition][challenge] proof
 *     comm_r comm_d replica_id seed ticket     32 bytes each
 *
 * Lists carry their length as a u64 even where the shape fixes it; every one is compared. */
#ifndef FILECOIN_C1_BINCODE_H
#define FILECOIN_C1_BINCODE_H

#include "base/reader.h"
#include "filecoin/vanilla.h"

/* Reads all that `r` holds. `partitions` proofs of `shape` are expected. What vanilla.h asks of its
 * writers is checked here; the first thing that is not as it should be is named with its offset. */
MUST_CHECK enum cuzk_status c1_bincode_read(struct vanilla_porep *ret, struct reader *r,
                                            const struct porep_shape *shape, unsigned partitions,
                                            struct budget *budget, struct cuzk_error *err);

#endif
