#include "filecoin/sample_tree.h"

#include <assert.h>

size_t sample_tree_bytes(const struct tree_shape *shape, size_t leaves_max)
{
    size_t level = arena_piece(leaves_max * sizeof(uint64_t)) +
                   arena_piece(leaves_max * sizeof(struct scalar));

    return (tree_levels(shape) + 1) * level;
}

enum cuzk_status sample_tree_new(struct sample_tree *ret, const struct tree_shape *shape,
                                 enum por_hash hash, size_t leaves_max, const struct scalar *rest,
                                 struct arena *arena, struct cuzk_error *err)
{
    struct sample_tree tree = {.shape = *shape, .hash = hash, .leaves_max = leaves_max};

    for (unsigned k = 0; k <= tree_levels(shape); k++) {
        void *index, *value;

        TRY(arena_take(arena, leaves_max * sizeof(uint64_t), &index, err));
        TRY(arena_take(arena, leaves_max * sizeof(struct scalar), &value, err));
        tree.level[k].index = index;
        tree.level[k].value = value;
    }
    tree.level[0].rest = *rest;
    *ret = tree;
    return CUZK_OK;
}

static void append(struct sample_level *level, uint64_t index, const struct scalar *value)
{
    level->index[level->n] = index;
    level->value[level->n++] = *value;
}

void sample_tree_add(struct sample_tree *tree, uint64_t leaf, const struct scalar *value)
{
    struct sample_level *leaves = &tree->level[0];

    assert(leaves->n < tree->leaves_max && leaf >> tree->shape.lg_nodes == 0);
    assert(leaves->n == 0 || leaves->index[leaves->n - 1] < leaf);
    append(leaves, leaf, value);
}

static const struct scalar *node_at(const struct sample_level *level, uint64_t index)
{
    size_t low = 0, high = level->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (level->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < level->n && level->index[low] == index ? &level->value[low] : &level->rest;
}

/* The 2^bits children of the node `parent` of the level above. */
static void children_of(const struct sample_level *level, uint64_t parent, unsigned bits,
                        struct scalar *children)
{
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
        children[i] = *node_at(level, (parent << bits) + i);
}

void sample_tree_build(struct sample_tree *tree)
{
    for (unsigned k = 0; k < tree_levels(&tree->shape); k++) {
        const struct sample_level *down = &tree->level[k];
        struct sample_level *up = &tree->level[k + 1];
        unsigned bits = tree_level_bits(&tree->shape, k);
        struct scalar children[8], node;

        for (size_t i = 0; i < down->n; i++) {
            uint64_t parent = down->index[i] >> bits;

            if (up->n && up->index[up->n - 1] == parent)
                continue;
            children_of(down, parent, bits, children);
            merkle_node(&node, children, 1u << bits, tree->hash);
            append(up, parent, &node);
        }
        for (unsigned i = 0; i < 1u << bits; i++)
            children[i] = down->rest;
        merkle_node(&up->rest, children, 1u << bits, tree->hash);
    }
}

struct scalar sample_tree_root(const struct sample_tree *tree)
{
    return *node_at(&tree->level[tree_levels(&tree->shape)], 0);
}

struct scalar sample_tree_leaf(const struct sample_tree *tree, uint64_t leaf)
{
    return *node_at(&tree->level[0], leaf);
}

void sample_tree_path(const struct sample_tree *tree, uint64_t leaf, struct merkle_path *path)
{
    struct scalar *next = path->siblings;
    uint64_t index = leaf;

    path->index = leaf;
    path->leaf = sample_tree_leaf(tree, leaf);
    path->root = sample_tree_root(tree);
    for (unsigned k = 0; k < tree_levels(&tree->shape); k++) {
        unsigned bits = tree_level_bits(&tree->shape, k);
        uint64_t first = index >> bits << bits;

        for (uint64_t i = first; i < first + (UINT64_C(1) << bits); i++)
            if (i != index)
                *next++ = *node_at(&tree->level[k], i);
        index >>= bits;
    }
}

struct scalar sample_scalar(struct rng *rng)
{
    struct scalar a;

    rng_bytes(rng, &a, sizeof(a));
    a.w[3] >>= 2;
    return a;
}
