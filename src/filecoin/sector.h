/* The sizes that sectors have, and what each size fixes: trees, layers, challenges, partitions.
 *
 * A sector of n nodes (32 bytes each) has two kinds of Merkle tree over its nodes:
 *
 *     TreeD     binary, SHA-256, log2(n) levels
 *     oct tree  Poseidon; `base_levels` levels of arity 8, then one level of the sub arity, then
 *               one of the top arity (each only where the shape has it): "8-8-2" and so on. TreeC
 *               (over the column hashes) and TreeRLast (over the encoded nodes) are of this kind.
 *
 * Numbers: docs/filecoin.md, 4.1 and 2.4. */
#ifndef FILECOIN_SECTOR_H
#define FILECOIN_SECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A tree of any of these kinds, bottom up; arities as their logarithms, 0 where a level is absent.
 */
struct tree_shape {
    unsigned lg_nodes; /* = base_bits * base_levels + sub_bits + top_bits */
    unsigned base_levels;
    unsigned base_bits, sub_bits, top_bits;
};

#define TREE_LEVELS_MAX 64u

/* The binary tree over 2^lg_nodes leaves. */
static inline struct tree_shape tree_binary(unsigned lg_nodes)
{
    return (struct tree_shape){.lg_nodes = lg_nodes, .base_levels = lg_nodes, .base_bits = 1};
}

static inline unsigned tree_levels(const struct tree_shape *tree)
{
    return tree->base_levels + (tree->sub_bits > 0) + (tree->top_bits > 0);
}

/* log2 of the arity of a level, level 0 at the leaves. */
static inline unsigned tree_level_bits(const struct tree_shape *tree, unsigned level)
{
    if (level < tree->base_levels)
        return tree->base_bits;
    return level == tree->base_levels && tree->sub_bits ? tree->sub_bits : tree->top_bits;
}

/* Siblings of a whole path: arity - 1 at each level. */
unsigned tree_siblings(const struct tree_shape *tree);

/* DRG and expander parents of a node. */
enum { DRG_PARENTS = 6, EXPANDER_PARENTS = 8, N_PARENTS = DRG_PARENTS + EXPANDER_PARENTS };
/* Parent labels in the preimage of a label: the parents repeated cyclically. */
enum { LABEL_PARENTS = 37 };
enum { LAYERS_MAX = 11 };

/* What the PoRep circuit depends on. Column hash: Poseidon of arity `layers`. */
struct porep_shape {
    struct tree_shape tree; /* TreeC and TreeRLast; TreeD is tree_binary(tree.lg_nodes) */
    unsigned layers;        /* 2 or 11 */
    unsigned challenges;    /* of one partition */
};

struct sector_size {
    const char *name; /* "32GiB": in names of circuits and of registered proofs */
    uint64_t bytes;
    struct porep_shape porep;
    unsigned porep_partitions, porep_min_challenges; /* interactive and synthetic */
    unsigned ni_partitions, ni_min_challenges;       /* non-interactive */
    unsigned window_sectors;                         /* sectors of one Window PoSt partition */
};

#define N_SECTOR_SIZES 10u
extern const struct sector_size sector_sizes[N_SECTOR_SIZES]; /* ascending */

/* NULL if there is no such size. Names in any case, "32GiB" or "32g". */
const struct sector_size *sector_size_of_bytes(uint64_t bytes);
const struct sector_size *sector_size_of_name(const char *name);

#endif
