/* Merkle trees over leaves that are all the same but for a few: of any size, in the memory of the
 * few. At every level the nodes above a leaf of its own are kept, ascending; all others of the
 * level have one value, `rest`. */
#ifndef FILECOIN_SAMPLE_TREE_H
#define FILECOIN_SAMPLE_TREE_H

#include "base/mem.h"
#include "base/rng.h"
#include "filecoin/merkle.h"

struct sample_level {
    size_t n;
    uint64_t *index; /* ascending, no number twice */
    struct scalar *value;
    struct scalar rest;
};

struct sample_tree {
    struct tree_shape shape;
    enum por_hash hash;
    size_t leaves_max;
    struct sample_level level[TREE_LEVELS_MAX + 1]; /* 0: the leaves */
};

/* What a tree with at most `leaves_max` leaves of their own takes from its arena. */
size_t sample_tree_bytes(const struct tree_shape *shape, size_t leaves_max);

/* A tree whose leaves are all `rest`. Leaves of their own follow by sample_tree_add, numbers
 * ascending, at most leaves_max of them; then sample_tree_build makes the nodes above. */
MUST_CHECK enum cuzk_status sample_tree_new(struct sample_tree *ret, const struct tree_shape *shape,
                                            enum por_hash hash, size_t leaves_max,
                                            const struct scalar *rest, struct arena *arena,
                                            struct cuzk_error *err);
void sample_tree_add(struct sample_tree *tree, uint64_t leaf, const struct scalar *value);
void sample_tree_build(struct sample_tree *tree);

/* Of a tree that is built. */
struct scalar sample_tree_root(const struct sample_tree *tree);
struct scalar sample_tree_leaf(const struct sample_tree *tree, uint64_t leaf);
/* Fills all fields; path->siblings has room for tree_siblings(). */
void sample_tree_path(const struct sample_tree *tree, uint64_t leaf, struct merkle_path *path);

/* A random number below 2^254, hence reduced. */
struct scalar sample_scalar(struct rng *rng);

#endif
