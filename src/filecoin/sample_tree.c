#include "filecoin/sample_tree.h"

#include <assert.h>

/* ---- few leaves ------------------------------------------------------------------------------ */

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

static const struct scalar *node_of_few(const struct sample_level *level, uint64_t index)
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

/* ---- regions --------------------------------------------------------------------------------- */

/* log2 of the nodes of a level. */
static unsigned lg_width(const struct tree_shape *shape, unsigned level)
{
    unsigned lg = shape->lg_nodes;

    for (unsigned k = 0; k < level; k++)
        lg -= tree_level_bits(shape, k);
    return lg;
}

static unsigned lg_shared(const struct tree_shape *shape, unsigned lg_regions, unsigned level)
{
    unsigned width = lg_width(shape, level);

    return width > lg_regions ? width - lg_regions : 0;
}

static size_t region_level_bytes(const struct tree_shape *shape, unsigned lg_regions,
                                 unsigned level)
{
    return sizeof(struct scalar) << (lg_width(shape, level) - lg_shared(shape, lg_regions, level));
}

size_t sample_tree_regions_bytes(const struct tree_shape *shape, unsigned lg_regions)
{
    size_t bytes = 0;

    for (unsigned k = 0; k <= tree_levels(shape); k++)
        bytes += arena_piece(region_level_bytes(shape, lg_regions, k));
    return bytes;
}

enum cuzk_status sample_tree_new_regions(struct sample_tree *ret, const struct tree_shape *shape,
                                         enum por_hash hash, unsigned lg_regions,
                                         struct arena *arena, struct cuzk_error *err)
{
    struct sample_tree tree = {
        .shape = *shape, .hash = hash, .leaves_max = (size_t)1 << lg_regions};

    assert(lg_regions <= shape->lg_nodes);
    for (unsigned k = 0; k <= tree_levels(shape); k++) {
        void *value;

        TRY(arena_take(arena, region_level_bytes(shape, lg_regions, k), &value, err));
        tree.level[k] =
            (struct sample_level){.value = value, .lg_shared = lg_shared(shape, lg_regions, k)};
    }
    *ret = tree;
    return CUZK_OK;
}

/* ---- both ------------------------------------------------------------------------------------ */

static const struct scalar *node_at(const struct sample_level *level, uint64_t index)
{
    return level->index ? node_of_few(level, index) : &level->value[index >> level->lg_shared];
}

static void append(struct sample_level *level, uint64_t index, const struct scalar *value)
{
    if (level->index)
        level->index[level->n] = index;
    level->value[level->n++] = *value;
}

void sample_tree_add(struct sample_tree *tree, uint64_t leaf, const struct scalar *value)
{
    struct sample_level *leaves = &tree->level[0];

    assert(leaves->n < tree->leaves_max && leaf >> tree->shape.lg_nodes == 0);
    if (leaves->index)
        assert(leaves->n == 0 || leaves->index[leaves->n - 1] < leaf);
    else
        assert(leaf >> leaves->lg_shared == leaves->n);
    append(leaves, leaf, value);
}

enum { ARITY_MAX = 8, AT_ONCE = 16 };

/* Nodes above the leaves of their own, and the rest, which comes last. */
static void build_few(struct sample_tree *tree, unsigned level)
{
    const struct sample_level *down = &tree->level[level - 1];
    struct sample_level *up = &tree->level[level];
    unsigned bits = tree_level_bits(&tree->shape, level - 1);
    struct scalar children[AT_ONCE * ARITY_MAX], nodes[AT_ONCE];

    for (size_t i = 0; i < down->n; i++)
        if (up->n == 0 || up->index[up->n - 1] != down->index[i] >> bits)
            up->index[up->n++] = down->index[i] >> bits;
    for (size_t begin = 0, n; begin <= up->n; begin += n) {
        struct scalar *next = children;

        n = up->n + 1 - begin < AT_ONCE ? up->n + 1 - begin : AT_ONCE;
        for (size_t k = begin; k < begin + n; k++)
            for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
                *next++ = k < up->n ? *node_at(down, (up->index[k] << bits) + i) : down->rest;
        merkle_nodes(nodes, children, n, 1u << bits, tree->hash);
        for (size_t k = begin; k < begin + n; k++)
            *(k < up->n ? &up->value[k] : &up->rest) = nodes[k - begin];
    }
}

static void build_regions(struct sample_tree *tree, unsigned level)
{
    const struct sample_level *down = &tree->level[level - 1];
    struct sample_level *up = &tree->level[level];
    unsigned bits = tree_level_bits(&tree->shape, level - 1);
    const size_t total = (size_t)(UINT64_C(1) << lg_width(&tree->shape, level) >> up->lg_shared);
    struct scalar children[AT_ONCE * ARITY_MAX];

    for (size_t n; up->n < total; up->n += n) {
        struct scalar *next = children;

        n = total - up->n < AT_ONCE ? total - up->n : AT_ONCE;
        for (size_t k = up->n; k < up->n + n; k++)
            for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
                *next++ = *node_at(down, ((uint64_t)k << up->lg_shared << bits) + i);
        merkle_nodes(&up->value[up->n], children, n, 1u << bits, tree->hash);
    }
}

void sample_tree_build(struct sample_tree *tree)
{
    for (unsigned level = 1; level <= tree_levels(&tree->shape); level++)
        if (tree->level[level].index)
            build_few(tree, level);
        else
            build_regions(tree, level);
}

struct scalar sample_tree_node(const struct sample_tree *tree, unsigned level, uint64_t index)
{
    return *node_at(&tree->level[level], index);
}

struct scalar sample_tree_root(const struct sample_tree *tree)
{
    return sample_tree_node(tree, tree_levels(&tree->shape), 0);
}

struct scalar sample_tree_leaf(const struct sample_tree *tree, uint64_t leaf)
{
    return sample_tree_node(tree, 0, leaf);
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
