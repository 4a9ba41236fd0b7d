/* Labels, as sealing makes them: the values that the label part of the PoRep circuit repeats. */
#ifndef FILECOIN_LABEL_H
#define FILECOIN_LABEL_H

#include "filecoin/vanilla.h"

/* SHA-256(replica_id, layer u32 BE, node u64 BE, 20 zero bytes, 37 parent labels), top two bits
 * cleared. `parents`: 6 labels in layer 1, 14 above (DRG of this layer, expander of the layer
 * below), repeated cyclically; n_parents == 0 for node 0, which hashes none. layer >= 1. */
struct scalar label_make(const struct scalar *replica_id, uint32_t layer, uint64_t node,
                         const struct scalar *parents, unsigned n_parents);

/* Those parents' labels, from the 14 columns of a node's parents in graph order. Returns how many
 * there are, 6 or 14: `out` has room for N_PARENTS. layer in [1, layers]. */
unsigned label_parents(struct scalar *out, const struct vanilla_column *parents, uint32_t layer);

/* Compares what a proof says of a challenge's parents with the columns of these, which are there:
 * `found` are the LABEL_PARENTS labels, 32 bytes each, of place number `label` (struct
 * label_place). The first that differs goes to challenge->odd, unless an earlier place has one. */
void label_compare(struct vanilla_challenge *challenge, const uint8_t *found, unsigned label,
                   unsigned layers);

#endif
