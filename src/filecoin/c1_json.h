/* A C1 in JSON, as serde writes it (docs/filecoin.md, 7.1 to 7.4), in two forms:
 *
 *     of the API   {"registered_proof": "StackedDrg32GiBV1_1",
 *                   "vanilla_proofs": {"StackedDrg32GiBV1": [[{...}, ...], ...]},
 *                   "comm_r": [49, ...], "comm_d": ..., "replica_id": ..., "seed": ...,
 *                   "ticket": ...}
 *     native       {"vanilla_proofs": [[{...}, ...], ...], "comm_r": ..., ...}
 *
 * Read as a stream: any field order, no more memory than the result and SAX_ROOM_BYTES. */
#ifndef FILECOIN_C1_JSON_H
#define FILECOIN_C1_JSON_H

#include "filecoin/vanilla.h"
#include "format/byte_source.h"

/* Looks for the registered proof: *ret_proof is NULL in the native form. Reads up to it (at once
 * where serde puts it), so the source has to be opened again for c1_json_read. */
MUST_CHECK enum cuzk_status c1_json_find_proof(struct byte_source *source, void *room,
                                               const struct seal_proof **ret_proof,
                                               struct cuzk_error *err);

/* Reads all of the source. `partitions` proofs of `shape` are expected, and in the API's form the
 * names of `proof` (NULL: the native form). What vanilla.h asks of its writers is checked here; the
 * first thing that is not as it should be is named with its offset and path.
 * room: SAX_ROOM_BYTES. */
MUST_CHECK enum cuzk_status c1_json_read(struct vanilla_porep *ret, struct byte_source *source,
                                         const struct porep_shape *shape, unsigned partitions,
                                         const struct seal_proof *proof, void *room,
                                         struct budget *budget, struct cuzk_error *err);

#endif
