#include "circuit/por.h"

#include "circuit/insert.h"
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/tree_node.h"

/* One level up: the parent of `element` and its siblings. */
static num_t climb(struct sink *sink, const struct por_tree *tree, unsigned level, num_t element,
                   const bool_t *index, const num_t *siblings)
{
    const unsigned lg_arity = tree->lg_arity[level];
    num_t children[8];

    insert_gadget(sink, lg_arity, element, index, siblings, children);
    if (tree->hash == POR_SHA256)
        return sha256_node_gadget(sink, children[0], children[1]);
    return poseidon_gadget(sink, poseidon_of_arity(1u << lg_arity), children);
}

void por_gadget(struct sink *sink, const struct por_tree *tree, num_t leaf,
                const struct por_path *path, num_t root)
{
    bool_t index[POR_LEVELS_MAX];
    unsigned n_bits = 0;
    const struct scalar *values = path->siblings;
    num_t node = leaf;

    sink_scope(sink, "inclusion");
    for (unsigned level = 0; level < tree->levels; level++) {
        const unsigned lg_arity = tree->lg_arity[level], n_siblings = (1u << lg_arity) - 1;
        num_t siblings[7];

        sink_scope_index(sink, "level", level);
        bits_alloc_u64(sink, path->index >> n_bits, index + n_bits, lg_arity);
        for (unsigned i = 0; i < n_siblings; i++)
            siblings[i] = num_alloc_plain(sink, values ? values++ : NULL);
        node = climb(sink, tree, level, node, index + n_bits, siblings);
        n_bits += lg_arity;
        sink_scope_end(sink);
    }
    pack_into_inputs(sink, index, n_bits);
    num_enforce_equal(sink, node, root);
    sink_scope_end(sink);
}

void por_gadget_given(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const bool_t *index, const num_t *siblings, num_t root)
{
    num_t node = leaf;

    sink_scope(sink, "inclusion");
    for (unsigned level = 0; level < tree->levels; level++) {
        sink_scope_index(sink, "level", level);
        node = climb(sink, tree, level, node, index, siblings);
        index += tree->lg_arity[level];
        siblings += (1u << tree->lg_arity[level]) - 1;
        sink_scope_end(sink);
    }
    num_enforce_equal(sink, node, root);
    sink_scope_end(sink);
}
