/* Paths in the Merkle trees of a sector: as proofs hold them, their roots, and the circuit that
 * checks one. */
#ifndef FILECOIN_MERKLE_H
#define FILECOIN_MERKLE_H

#include "circuit/por.h"
#include "filecoin/sector.h"

/* An inclusion proof. `siblings`: tree_siblings() values, level by level from the leaf, the
 * children of the level in order without the running node. `index`: the running node's place among
 * its siblings, level by level, lowest bits first, which is the number of the leaf. */
struct merkle_path {
    struct scalar root, leaf;
    struct scalar *siblings;
    uint64_t index;
};

/* The node above `arity` children, which may hold the result. SHA-256 has arity 2. */
void merkle_node(struct scalar *out, const struct scalar *children, unsigned arity,
                 enum por_hash hash);
/* The node that the first `levels` levels of the path lead to from `leaf`. */
struct scalar merkle_climb(const struct merkle_path *path, const struct tree_shape *tree,
                           enum por_hash hash, unsigned levels, const struct scalar *leaf);
/* All levels. */
struct scalar merkle_root(const struct merkle_path *path, const struct tree_shape *tree,
                          enum por_hash hash, const struct scalar *leaf);

/* ---- circuit --------------------------------------------------------------------------------- */

struct por_tree por_tree_of(const struct tree_shape *shape, enum por_hash hash);

/* por_gadget along the path. */
void merkle_inclusion(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const struct merkle_path *path, num_t root);

#endif
