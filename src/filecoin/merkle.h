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

/* The n nodes above n times `arity` children; out may be children. SHA-256 has arity 2. */
void merkle_nodes(struct scalar *out, const struct scalar *children, size_t n, unsigned arity,
                  enum por_hash hash);
/* nodes: n leaves, which become the nodes that the first `levels` levels of the n paths lead to. */
void merkle_climb(struct scalar *nodes, const struct merkle_path *paths, size_t n,
                  const struct tree_shape *tree, enum por_hash hash, unsigned levels);
/* All levels of one path. */
struct scalar merkle_root(const struct merkle_path *path, const struct tree_shape *tree,
                          enum por_hash hash, const struct scalar *leaf);

/* ---- circuit --------------------------------------------------------------------------------- */

struct por_tree por_tree_of(const struct tree_shape *shape, enum por_hash hash);

/* por_gadget along the path. */
void merkle_inclusion(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const struct merkle_path *path, num_t root);
/* The same in each of n <= SINKS_MAX sinks. */
void merkle_inclusions(struct sink *sinks, unsigned n, const struct por_tree *tree,
                       const num_t *leaf, const struct merkle_path *const *path, const num_t *root);

#endif
