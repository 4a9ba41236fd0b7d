#include "filecoin/merkle.h"

#include <string.h>

#include "circuit/poseidon.h"
#include "circuit/tree_node.h"
#include "filecoin/seal.h"

void merkle_node(struct scalar *out, const struct scalar *children, unsigned arity,
                 enum por_hash hash)
{
    uint8_t left[32], right[32];

    if (hash == POR_POSEIDON) {
        poseidon_hash_plain(poseidon_of_arity(arity), out, children);
        return;
    }
    scalar_to_bytes(left, &children[0]);
    scalar_to_bytes(right, &children[1]);
    sha256_node(left, left, right);
    *out = scalar_from_bytes(left);
}

struct scalar merkle_climb(const struct merkle_path *path, const struct tree_shape *tree,
                           enum por_hash hash, unsigned levels, const struct scalar *leaf)
{
    const struct scalar *siblings = path->siblings;
    uint64_t index = path->index;
    struct scalar node = *leaf;

    for (unsigned level = 0; level < levels; level++) {
        unsigned bits = tree_level_bits(tree, level), arity = 1u << bits;
        size_t place = index & (arity - 1);
        struct scalar children[8];

        memcpy(children, siblings, place * sizeof(node));
        children[place] = node;
        memcpy(children + place + 1, siblings + place, (arity - 1 - place) * sizeof(node));
        merkle_node(&node, children, arity, hash);
        siblings += arity - 1;
        index >>= bits;
    }
    return node;
}

struct scalar merkle_root(const struct merkle_path *path, const struct tree_shape *tree,
                          enum por_hash hash, const struct scalar *leaf)
{
    return merkle_climb(path, tree, hash, tree_levels(tree), leaf);
}

/* ---- circuit --------------------------------------------------------------------------------- */

struct por_tree por_tree_of(const struct tree_shape *shape, enum por_hash hash)
{
    struct por_tree tree = {.hash = hash, .levels = tree_levels(shape)};

    for (unsigned level = 0; level < tree.levels; level++)
        tree.lg_arity[level] = (uint8_t)tree_level_bits(shape, level);
    return tree;
}

void merkle_inclusion(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const struct merkle_path *path, num_t root)
{
    const struct por_path por_path = {.siblings = path->siblings, .index = path->index};

    por_gadget(sink, tree, leaf, &por_path, root);
}
