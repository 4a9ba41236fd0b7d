#include "filecoin/merkle.h"

#include <assert.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "circuit/tree_node.h"
#include "filecoin/seal.h"

static void sha256_parent(struct scalar *out, const struct scalar children[2])
{
    uint8_t left[32], right[32];

    scalar_to_bytes(left, &children[0]);
    scalar_to_bytes(right, &children[1]);
    sha256_node(left, left, right);
    *out = scalar_from_bytes(left);
}

void merkle_nodes(struct scalar *out, const struct scalar *children, size_t n, unsigned arity,
                  enum por_hash hash)
{
    if (hash == POR_POSEIDON)
        poseidon_hash_plain(poseidon_of_arity(arity), out, children, n);
    else
        for (size_t i = 0; i < n; i++)
            sha256_parent(&out[i], &children[2 * i]);
}

enum { ARITY_MAX = 8, AT_ONCE = 16 };

/* The running node among its siblings. */
static void put_children(struct scalar *children, const struct scalar *siblings, unsigned arity,
                         size_t place, const struct scalar *node)
{
    memcpy(children, siblings, place * sizeof(*node));
    children[place] = *node;
    memcpy(children + place + 1, siblings + place, (arity - 1 - place) * sizeof(*node));
}

static void climb_some(struct scalar *nodes, const struct merkle_path *paths, size_t n,
                       const struct tree_shape *tree, enum por_hash hash, unsigned levels)
{
    struct scalar children[AT_ONCE * ARITY_MAX];
    size_t n_siblings = 0;
    unsigned n_bits = 0;

    for (unsigned level = 0; level < levels; level++) {
        const unsigned bits = tree_level_bits(tree, level), arity = 1u << bits;

        for (size_t i = 0; i < n; i++)
            put_children(&children[i * arity], paths[i].siblings + n_siblings, arity,
                         paths[i].index >> n_bits & (arity - 1), &nodes[i]);
        merkle_nodes(nodes, children, n, arity, hash);
        n_siblings += arity - 1;
        n_bits += bits;
    }
}

void merkle_climb(struct scalar *nodes, const struct merkle_path *paths, size_t n,
                  const struct tree_shape *tree, enum por_hash hash, unsigned levels)
{
    for (size_t i = 0; i < n; i += AT_ONCE)
        climb_some(nodes + i, paths + i, n - i < AT_ONCE ? n - i : AT_ONCE, tree, hash, levels);
}

struct scalar merkle_root(const struct merkle_path *path, const struct tree_shape *tree,
                          enum por_hash hash, const struct scalar *leaf)
{
    struct scalar node = *leaf;

    merkle_climb(&node, path, 1, tree, hash, tree_levels(tree));
    return node;
}

/* ---- circuit --------------------------------------------------------------------------------- */

struct por_tree por_tree_of(const struct tree_shape *shape, enum por_hash hash)
{
    struct por_tree tree = {.hash = hash, .levels = tree_levels(shape)};

    for (unsigned level = 0; level < tree.levels; level++)
        tree.lg_arity[level] = (uint8_t)tree_level_bits(shape, level);
    return tree;
}

void merkle_inclusions(struct sink *sinks, unsigned n, const struct por_tree *tree,
                       const num_t *leaf, const struct merkle_path *const *path, const num_t *root)
{
    struct por_path por_paths[SINKS_MAX];

    assert(n <= SINKS_MAX);
    for (unsigned i = 0; i < n; i++)
        por_paths[i] = (struct por_path){.siblings = path[i]->siblings, .index = path[i]->index};
    por_gadgets(sinks, n, tree, leaf, por_paths, root);
}

void merkle_inclusion(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const struct merkle_path *path, num_t root)
{
    merkle_inclusions(sink, 1, tree, &leaf, &path, &root);
}
