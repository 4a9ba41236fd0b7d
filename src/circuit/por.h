/* Proof of inclusion: a leaf is in the Merkle tree with a root. */
#ifndef CIRCUIT_POR_H
#define CIRCUIT_POR_H

#include "circuit/num.h"

enum por_hash { POR_SHA256, POR_POSEIDON };

enum { POR_LEVELS_MAX = 64 };

struct por_tree {
    enum por_hash hash; /* SHA-256: binary levels only */
    unsigned levels;
    uint8_t lg_arity[POR_LEVELS_MAX]; /* bottom up: 1, 2 or 3 each; 64 in all at most */
};

/* A path to a leaf. In a shape sink `siblings` may be NULL. */
struct por_path {
    const struct scalar *siblings; /* plain; level by level, bottom up, arity - 1 each, in order */
    uint64_t index;                /* of the leaf: the index bits of the levels, bottom up */
};

/* Allocates index bits and siblings level by level, hashes, makes the index a public input, and
 * demands that the result equals root. */
void por_gadget(struct sink *sink, const struct por_tree *tree, num_t leaf,
                const struct por_path *path, num_t root);
/* The same in each of n <= SINKS_MAX sinks. */
void por_gadgets(struct sink *sinks, unsigned n, const struct por_tree *tree, const num_t *leaf,
                 const struct por_path *path, const num_t *root);

/* The same with the index bits (all levels, bottom up, least significant first) and siblings given:
 * allocates neither, and makes no input. */
void por_gadget_given(struct sink *sink, const struct por_tree *tree, num_t leaf,
                      const bool_t *index, const num_t *siblings, num_t root);

#endif
