#include "support/sample_sector.h"

#include "circuit/poseidon.h"
#include "circuit/tree_node.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"
#include "support/testing.h"

static void *room(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    if (!memory)
        abort();
    return memory;
}

static struct scalar random_scalar(struct rng *rng)
{
    struct scalar a;

    rng_bytes(rng, &a, sizeof(a));
    a.w[3] &= UINT64_MAX >> 2;
    return a;
}

/* ---- trees with few leaves of their own ------------------------------------------------------ */

/* One level: the nodes that differ from the rest, ascending. */
struct level {
    size_t n;
    uint64_t *index;
    struct scalar *value;
    struct scalar rest;
};

struct sparse_tree {
    const struct tree_shape *shape;
    struct level level[TREE_LEVELS_MAX + 1]; /* 0 = leaves */
};

static const struct scalar *level_get(const struct level *level, uint64_t index)
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

/* The children of parent `index`, 2^bits of them. */
static void children_of(const struct level *level, uint64_t index, unsigned bits,
                        struct scalar *children)
{
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
        children[i] = *level_get(level, (index << bits) + i);
}

static void hash_children(struct scalar *out, const struct scalar *children, unsigned bits,
                          bool is_tree_d)
{
    uint8_t bytes[2][32];

    if (!is_tree_d) {
        poseidon_hash_plain(poseidon_of_arity(1u << bits), out, children);
        return;
    }
    scalar_to_bytes(bytes[0], &children[0]);
    scalar_to_bytes(bytes[1], &children[1]);
    sha256_node(bytes[0], bytes[0], bytes[1]);
    *out = scalar_from_bytes(bytes[0]);
}

static void level_above(struct level *up, const struct level *down, unsigned bits, bool is_tree_d)
{
    struct scalar children[8];

    up->index = room(down->n, sizeof(*up->index));
    up->value = room(down->n, sizeof(*up->value));
    for (size_t i = 0; i < down->n; i++) {
        uint64_t parent = down->index[i] >> bits;

        if (up->n && up->index[up->n - 1] == parent)
            continue;
        children_of(down, parent, bits, children);
        up->index[up->n] = parent;
        hash_children(&up->value[up->n++], children, bits, is_tree_d);
    }
    for (int i = 0; i < 8; i++)
        children[i] = down->rest;
    hash_children(&up->rest, children, bits, is_tree_d);
}

/* Takes over the leaves' arrays. */
static void tree_build(struct sparse_tree *tree, const struct tree_shape *shape,
                       struct level leaves, bool is_tree_d)
{
    memset(tree, 0, sizeof(*tree));
    tree->shape = shape;
    tree->level[0] = leaves;
    for (unsigned k = 0; k < tree_levels(shape); k++)
        level_above(&tree->level[k + 1], &tree->level[k], tree_level_bits(shape, k), is_tree_d);
}

static void tree_free(struct sparse_tree *tree)
{
    for (unsigned k = 0; k <= tree_levels(tree->shape); k++) {
        free(tree->level[k].index);
        free(tree->level[k].value);
    }
}

static struct scalar tree_root(const struct sparse_tree *tree)
{
    return *level_get(&tree->level[tree_levels(tree->shape)], 0);
}

static void tree_path(const struct sparse_tree *tree, uint64_t leaf, struct merkle_path *path)
{
    struct scalar *next = path->siblings;
    uint64_t index = leaf;

    path->index = leaf;
    path->leaf = *level_get(&tree->level[0], leaf);
    path->root = tree_root(tree);
    for (unsigned k = 0; k < tree_levels(tree->shape); k++) {
        unsigned bits = tree_level_bits(tree->shape, k);
        struct scalar children[8];

        children_of(&tree->level[k], index >> bits, bits, children);
        for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
            if (i != (index & ((1u << bits) - 1)))
                *next++ = children[i];
        index >>= bits;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A node with a column of its own. */
struct node {
    uint64_t number;
    bool challenged;
    struct scalar rows[LAYERS_MAX];
};

struct nodes {
    size_t n;
    struct node *at; /* ascending, no number twice */
};

static int by_number(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static struct node *node_get(const struct nodes *nodes, uint64_t number)
{
    const struct node key = {.number = number};

    return bsearch(&key, nodes->at, nodes->n, sizeof(key), by_number);
}

/* All challenged nodes and their parents, with random columns. */
static struct nodes nodes_of(const uint64_t *challenges, size_t n, const struct graph *graph,
                             struct rng *rng)
{
    struct nodes nodes = {.at = room(n * (1 + N_PARENTS), sizeof(struct node))};
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t parents[N_PARENTS];

        graph_parents(graph, challenges[i], parents);
        nodes.at[nodes.n++].number = challenges[i];
        for (int p = 0; p < N_PARENTS; p++)
            nodes.at[nodes.n++].number = parents[p];
    }
    qsort(nodes.at, nodes.n, sizeof(*nodes.at), by_number);
    for (size_t i = 0; i < nodes.n; i++)
        if (i == 0 || nodes.at[i].number != nodes.at[kept - 1].number)
            nodes.at[kept++] = nodes.at[i];
    nodes.n = kept;
    for (size_t i = 0; i < nodes.n; i++)
        for (int layer = 0; layer < LAYERS_MAX; layer++)
            nodes.at[i].rows[layer] = random_scalar(rng);
    for (size_t i = 0; i < n; i++)
        node_get(&nodes, challenges[i])->challenged = true;
    return nodes;
}

/* Labels of the challenged nodes. Layer by layer and ascending: DRG parents come before a node in
 * its layer, expander parents are in the layer below. */
static void label_nodes(const struct nodes *nodes, unsigned layers, const struct graph *graph,
                        const struct scalar *replica_id)
{
    for (unsigned layer = 1; layer <= layers; layer++)
        for (size_t i = 0; i < nodes->n; i++) {
            struct node *node = &nodes->at[i];
            unsigned n = layer == 1 ? DRG_PARENTS : N_PARENTS;
            uint32_t numbers[N_PARENTS];
            struct scalar parents[N_PARENTS];

            if (!node->challenged)
                continue;
            graph_parents(graph, node->number, numbers);
            for (unsigned p = 0; p < n; p++)
                parents[p] =
                    node_get(nodes, numbers[p])->rows[p < DRG_PARENTS ? layer - 1 : layer - 2];
            node->rows[layer - 1] = label_make(replica_id, layer, node->number, parents, n);
        }
}

/* ---- the sector ------------------------------------------------------------------------------ */

enum { DATA_NODES = 64 }; /* the first nodes hold random data, the others one value */

static void build_tree_d(struct sparse_tree *tree, const struct tree_shape *shape, struct rng *rng)
{
    size_t n = shape->lg_nodes < 6 ? (size_t)1 << shape->lg_nodes : DATA_NODES;
    struct level leaves = {.n = n,
                           .index = room(n, sizeof(uint64_t)),
                           .value = room(n, sizeof(struct scalar)),
                           .rest = random_scalar(rng)};

    for (size_t i = 0; i < n; i++) {
        leaves.index[i] = i;
        leaves.value[i] = random_scalar(rng);
    }
    tree_build(tree, shape, leaves, true);
}

static void build_tree_c(struct sparse_tree *tree, const struct porep_shape *shape,
                         const struct nodes *nodes, struct rng *rng)
{
    struct level leaves = {.n = nodes->n,
                           .index = room(nodes->n, sizeof(uint64_t)),
                           .value = room(nodes->n, sizeof(struct scalar)),
                           .rest = random_scalar(rng)};

    for (size_t i = 0; i < nodes->n; i++) {
        leaves.index[i] = nodes->at[i].number;
        poseidon_hash_plain(poseidon_of_arity(shape->layers), &leaves.value[i], nodes->at[i].rows);
    }
    tree_build(tree, &shape->tree, leaves, false);
}

static void build_tree_r_last(struct sparse_tree *tree, const struct porep_shape *shape,
                              const struct nodes *nodes, const struct sparse_tree *tree_d,
                              struct rng *rng)
{
    struct level leaves = {.index = room(nodes->n, sizeof(uint64_t)),
                           .value = room(nodes->n, sizeof(struct scalar)),
                           .rest = random_scalar(rng)};

    for (size_t i = 0; i < nodes->n; i++) {
        const struct node *node = &nodes->at[i];

        if (!node->challenged)
            continue;
        leaves.index[leaves.n] = node->number;
        curve_bls12_381.fr_add(&leaves.value[leaves.n++],
                               level_get(&tree_d->level[0], node->number),
                               &node->rows[shape->layers - 1]);
    }
    tree_build(tree, &shape->tree, leaves, false);
}

static void column_fill(struct vanilla_column *column, const struct sparse_tree *tree_c,
                        const struct nodes *nodes, uint64_t number, unsigned layers)
{
    memcpy(column->rows, node_get(nodes, number)->rows, layers * sizeof(struct scalar));
    column->index = (uint32_t)number;
    tree_path(tree_c, number, &column->path);
}

void sample_sector(struct vanilla_porep *ret, const struct porep_config *config, uint64_t seed)
{
    const struct porep_shape *shape = &config->shape;
    const struct tree_shape shape_d = tree_binary(shape->tree.lg_nodes);
    const struct graph graph = graph_make(shape->tree.lg_nodes, config->version, config->porep_id);
    size_t n = (size_t)config->partitions * shape->challenges;
    uint64_t *numbers = room(n, sizeof(uint64_t));
    struct sparse_tree tree_d, tree_c, tree_r_last;
    struct challenges challenges;
    struct scalar roots[2];
    struct nodes nodes;
    struct rng rng;
    uint8_t prover_id[32];

    if (config->challenges != CHALLENGES_INTERACTIVE ||
        vanilla_porep_new(ret, shape, config->partitions, NULL, NULL) != CUZK_OK)
        abort();
    rng_seed(&rng, seed);
    rng_bytes(&rng, ret->seal.seed, 32);
    rng_bytes(&rng, ret->seal.ticket, 32);
    build_tree_d(&tree_d, &shape_d, &rng);
    ret->seal.comm_d = tree_root(&tree_d);
    prover_id_of_miner(prover_id, 1000);
    ret->seal.replica_id =
        replica_id_make(prover_id, seed, ret->seal.ticket, &ret->seal.comm_d, config->porep_id);

    challenges = challenges_of(config, &ret->seal);
    for (size_t i = 0; i < n; i++)
        numbers[i] = challenge_number(&challenges, (uint32_t)i);
    nodes = nodes_of(numbers, n, &graph, &rng);
    label_nodes(&nodes, shape->layers, &graph, &ret->seal.replica_id);
    build_tree_c(&tree_c, shape, &nodes, &rng);
    build_tree_r_last(&tree_r_last, shape, &nodes, &tree_d, &rng);
    roots[0] = tree_root(&tree_c);
    roots[1] = tree_root(&tree_r_last);
    poseidon_hash_plain(POSEIDON_2, &ret->seal.comm_r, roots);

    for (size_t i = 0; i < n; i++) {
        struct vanilla_challenge *c = &ret->challenges[i];
        uint32_t parents[N_PARENTS];

        graph_parents(&graph, numbers[i], parents);
        c->node = numbers[i];
        tree_path(&tree_d, c->node, &c->data);
        tree_path(&tree_r_last, c->node, &c->replica);
        column_fill(&c->column, &tree_c, &nodes, c->node, shape->layers);
        for (int p = 0; p < N_PARENTS; p++)
            column_fill(&c->parents[p], &tree_c, &nodes, parents[p], shape->layers);
    }
    tree_free(&tree_d);
    tree_free(&tree_c);
    tree_free(&tree_r_last);
    free(nodes.at);
    free(numbers);
}
