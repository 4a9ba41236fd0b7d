/* Merkle trees of any size over leaves of which few are different, in the memory of the few. Two
 * kinds:
 *
 *     few leaves   all leaves have one value, but for a few of their own. At every level the nodes
 *                  above those are kept, ascending; all others of the level have one value, `rest`
 *     regions      2^k equal regions, in each of which all leaves have one value. A level keeps one
 *                  value for all nodes that lie in one region, and one for each node that spans
 *                  several. With as many regions as leaves it is any tree */
#ifndef FILECOIN_SAMPLE_TREE_H
#define FILECOIN_SAMPLE_TREE_H

#include "base/mem.h"
#include "base/rng.h"
#include "filecoin/merkle.h"

struct sample_level {
    size_t n;
    struct scalar *value;

    uint64_t *index;    /* few leaves: ascending, no number twice; NULL in trees of regions */
    struct scalar rest; /* few leaves */
    unsigned lg_shared; /* regions: log2 of the nodes that one value stands for */
};

struct sample_tree {
    struct tree_shape shape;
    enum por_hash hash;
    size_t leaves_max;                              /* that may be added */
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

/* A tree of 2^lg_regions regions, lg_regions <= lg_nodes. One leaf of each follows by
 * sample_tree_add, ascending, and stands for all of the region; then sample_tree_build. */
size_t sample_tree_regions_bytes(const struct tree_shape *shape, unsigned lg_regions);
MUST_CHECK enum cuzk_status sample_tree_new_regions(struct sample_tree *ret,
                                                    const struct tree_shape *shape,
                                                    enum por_hash hash, unsigned lg_regions,
                                                    struct arena *arena, struct cuzk_error *err);

void sample_tree_add(struct sample_tree *tree, uint64_t leaf, const struct scalar *value);
void sample_tree_build(struct sample_tree *tree);

/* Of a tree that is built. Level 0 are the leaves. */
struct scalar sample_tree_node(const struct sample_tree *tree, unsigned level, uint64_t index);
struct scalar sample_tree_root(const struct sample_tree *tree);
struct scalar sample_tree_leaf(const struct sample_tree *tree, uint64_t leaf);
/* Fills all fields; path->siblings has room for tree_siblings(). */
void sample_tree_path(const struct sample_tree *tree, uint64_t leaf, struct merkle_path *path);

/* A random number below 2^254, hence reduced. */
struct scalar sample_scalar(struct rng *rng);

#endif
