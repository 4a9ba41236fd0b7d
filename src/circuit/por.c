#include "circuit/por.h"

#include <assert.h>
#include <string.h>

#include "circuit/insert.h"
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/tree_node.h"

enum { ARITY_MAX = 8 };

/* The parents of n sinks' children at a level. */
static void hash_level(struct sink *sinks, unsigned n, const struct por_tree *tree, unsigned level,
                       const num_t *children, num_t *parent)
{
    if (tree->hash == POR_POSEIDON)
        poseidon_gadgets(sinks, n, poseidon_of_arity(1u << tree->lg_arity[level]), children,
                         parent);
    else
        for (unsigned i = 0; i < n; i++)
            parent[i] = sha256_node_gadget(&sinks[i], children[2 * i], children[2 * i + 1]);
}

/* What one sink allocates for a level before the hash. values: siblings, plain; NULL if there are
 * none. */
static void open_level(struct sink *sink, unsigned lg_arity, uint64_t index_value, bool_t *index,
                       const struct scalar *values, num_t element, num_t *children)
{
    num_t siblings[ARITY_MAX - 1];

    bits_alloc_u64(sink, index_value, index, lg_arity);
    for (unsigned i = 0; i < (1u << lg_arity) - 1; i++)
        siblings[i] = num_alloc_plain(sink, values ? &values[i] : NULL);
    insert_gadget(sink, lg_arity, element, index, siblings, children);
}

void por_gadgets(struct sink *sinks, unsigned n, const struct por_tree *tree, const num_t *leaf,
                 const struct por_path *path, const num_t *root)
{
    bool_t index[SINKS_MAX][POR_LEVELS_MAX];
    num_t node[SINKS_MAX], children[SINKS_MAX * ARITY_MAX];
    unsigned n_bits = 0;
    size_t n_siblings = 0;

    assert(n <= SINKS_MAX);
    memcpy(node, leaf, n * sizeof *node);
    for (unsigned i = 0; i < n; i++)
        sink_scope(&sinks[i], "inclusion");
    for (unsigned level = 0; level < tree->levels; level++) {
        const unsigned lg_arity = tree->lg_arity[level];

        for (unsigned i = 0; i < n; i++) {
            sink_scope_index(&sinks[i], "level", level);
            open_level(&sinks[i], lg_arity, path[i].index >> n_bits, index[i] + n_bits,
                       path[i].siblings ? path[i].siblings + n_siblings : NULL, node[i],
                       children + ((size_t)i << lg_arity));
        }
        hash_level(sinks, n, tree, level, children, node);
        for (unsigned i = 0; i < n; i++)
            sink_scope_end(&sinks[i]);
        n_bits += lg_arity;
        n_siblings += (1u << lg_arity) - 1;
    }
    for (unsigned i = 0; i < n; i++) {
        pack_into_inputs(&sinks[i], index[i], n_bits);
        num_enforce_equal(&sinks[i], node[i], root[i]);
        sink_scope_end(&sinks[i]);
    }
}

void por_gadget(struct sink *sink, const struct por_tree *tree, num_t leaf,
                const struct por_path *path, num_t root)
{
    por_gadgets(sink, 1, tree, &leaf, path, &root);
}

void por_gadget_given(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const bool_t *index, const num_t *siblings, num_t root)
{
    num_t node = leaf;

    sink_scope(sink, "inclusion");
    for (unsigned level = 0; level < tree->levels; level++) {
        num_t children[ARITY_MAX];

        sink_scope_index(sink, "level", level);
        insert_gadget(sink, tree->lg_arity[level], node, index, siblings, children);
        hash_level(sink, 1, tree, level, children, &node);
        index += tree->lg_arity[level];
        siblings += (1u << tree->lg_arity[level]) - 1;
        sink_scope_end(sink);
    }
    num_enforce_equal(sink, node, root);
    sink_scope_end(sink);
}
