/* Labels, as sealing makes them: the values that the label part of the PoRep circuit repeats. */
#ifndef FILECOIN_LABEL_H
#define FILECOIN_LABEL_H

#include "curve/curve.h"
#include "filecoin/sector.h"

/* SHA-256(replica_id, layer u32 BE, node u64 BE, 20 zero bytes, 37 parent labels), top two bits
 * cleared. `parents`: 6 labels in layer 1, 14 above (DRG of this layer, expander of the layer
 * below), repeated cyclically; n_parents == 0 for node 0, which hashes none. layer >= 1. */
struct scalar label_make(const struct scalar *replica_id, uint32_t layer, uint64_t node,
                         const struct scalar *parents, unsigned n_parents);

#endif
