#include "filecoin/sample_porep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"
#include "filecoin/sample_tree.h"

enum { DATA_NODES = 64 }; /* so many nodes of the data are random */

/* A node with a column of its own. */
struct node {
    uint64_t number;
    bool challenged;
    struct scalar rows[LAYERS_MAX];
};

struct sector {
    const struct porep_config *config;
    struct graph graph;
    struct rng rng;
    struct seal seal;

    size_t n_challenges;
    uint64_t *challenges;

    size_t n_nodes;     /* challenged ones and their parents */
    struct node *nodes; /* ascending, no number twice */

    struct sample_tree tree_d, tree_c, tree_r_last;
    struct arena memory;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t n_challenges(const struct porep_config *config)
{
    return (size_t)config->partitions * config->shape.challenges;
}

/* Before those that are there twice are dropped. */
static size_t nodes_max(const struct porep_config *config)
{
    return n_challenges(config) * (1 + N_PARENTS);
}

static size_t data_nodes(const struct porep_config *config)
{
    unsigned lg_nodes = config->shape.tree.lg_nodes;

    return lg_nodes < 6 ? (size_t)1 << lg_nodes : DATA_NODES;
}

size_t sample_porep_bytes(const struct porep_config *config)
{
    const struct tree_shape *tree = &config->shape.tree;
    const struct tree_shape tree_d = tree_binary(tree->lg_nodes);

    return region_bytes(arena_piece(n_challenges(config) * sizeof(uint64_t)) +
                        arena_piece(nodes_max(config) * sizeof(struct node)) +
                        sample_tree_bytes(&tree_d, data_nodes(config)) +
                        sample_tree_bytes(tree, nodes_max(config)) +
                        sample_tree_bytes(tree, n_challenges(config)));
}

/* ---- data, replica id, challenges ------------------------------------------------------------ */

static enum cuzk_status make_data(struct sector *s, struct cuzk_error *err)
{
    const struct tree_shape shape = tree_binary(s->config->shape.tree.lg_nodes);
    const struct scalar rest = sample_scalar(&s->rng);
    size_t n = data_nodes(s->config);

    TRY(sample_tree_new(&s->tree_d, &shape, POR_SHA256, n, &rest, &s->memory, err));
    for (size_t i = 0; i < n; i++) {
        struct scalar value = sample_scalar(&s->rng);

        sample_tree_add(&s->tree_d, i, &value);
    }
    sample_tree_build(&s->tree_d);
    return CUZK_OK;
}

static void make_identity(struct sector *s, uint64_t seed)
{
    uint8_t prover_id[32];

    rng_bytes(&s->rng, s->seal.seed, 32);
    rng_bytes(&s->rng, s->seal.ticket, 32);
    s->seal.comm_d = sample_tree_root(&s->tree_d);
    prover_id_of_miner(prover_id, SAMPLE_MINER);
    s->seal.replica_id =
        replica_id_make(prover_id, seed, s->seal.ticket, &s->seal.comm_d, s->config->porep_id);
}

static enum cuzk_status draw_challenges(struct sector *s, struct cuzk_error *err)
{
    const struct challenges challenges = challenges_of(s->config, &s->seal);
    void *room;

    TRY(arena_take(&s->memory, s->n_challenges * sizeof(*s->challenges), &room, err));
    s->challenges = room;
    for (size_t i = 0; i < s->n_challenges; i++)
        s->challenges[i] = challenge_number(&challenges, (uint32_t)i);
    return CUZK_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static struct node *node_get(const struct sector *s, uint64_t number)
{
    const struct node key = {.number = number};

    return bsearch(&key, s->nodes, s->n_nodes, sizeof(key), by_number);
}

static void list_nodes(struct sector *s)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < s->n_challenges; i++) {
        uint32_t parents[N_PARENTS];

        graph_parents(&s->graph, s->challenges[i], parents);
        s->nodes[n++].number = s->challenges[i];
        for (int p = 0; p < N_PARENTS; p++)
            s->nodes[n++].number = parents[p];
    }
    qsort(s->nodes, n, sizeof(*s->nodes), by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || s->nodes[i].number != s->nodes[kept - 1].number)
            s->nodes[kept++].number = s->nodes[i].number;
    s->n_nodes = kept;
    for (size_t i = 0; i < s->n_challenges; i++)
        node_get(s, s->challenges[i])->challenged = true;
}

static void draw_column(struct sector *s, struct node *node)
{
    for (unsigned i = 0; i < s->config->shape.layers; i++)
        node->rows[i] = sample_scalar(&s->rng);
}

/* The label of `layer`, from the parents' labels. */
static void label_node(const struct sector *s, struct node *node, unsigned layer)
{
    struct vanilla_column columns[N_PARENTS];
    struct scalar labels[N_PARENTS];
    uint32_t parents[N_PARENTS];
    unsigned n;

    graph_parents(&s->graph, node->number, parents);
    for (int p = 0; p < N_PARENTS; p++)
        columns[p].rows = node_get(s, parents[p])->rows;
    n = label_parents(labels, columns, layer);
    node->rows[layer - 1] = label_make(&s->seal.replica_id, layer, node->number, labels, n);
}

/* Layer by layer and ascending: DRG parents come before a node in its layer, expander parents are
 * in the layer below, so what a label hashes is final. */
static enum cuzk_status make_columns(struct sector *s, struct cuzk_error *err)
{
    void *room;

    TRY(arena_take(&s->memory, nodes_max(s->config) * sizeof(*s->nodes), &room, err));
    s->nodes = room;
    list_nodes(s);
    for (size_t i = 0; i < s->n_nodes; i++)
        if (!s->nodes[i].challenged)
            draw_column(s, &s->nodes[i]);
    for (unsigned layer = 1; layer <= s->config->shape.layers; layer++)
        for (size_t i = 0; i < s->n_nodes; i++)
            if (s->nodes[i].challenged)
                label_node(s, &s->nodes[i], layer);
    return CUZK_OK;
}

/* ---- trees over the columns ------------------------------------------------------------------ */

static enum cuzk_status make_tree_c(struct sector *s, struct cuzk_error *err)
{
    const struct porep_shape *shape = &s->config->shape;
    const enum poseidon_kind column_hash = poseidon_of_arity(shape->layers);
    const struct scalar rest = sample_scalar(&s->rng);

    TRY(sample_tree_new(&s->tree_c, &shape->tree, POR_POSEIDON, nodes_max(s->config), &rest,
                        &s->memory, err));
    for (size_t i = 0; i < s->n_nodes; i++) {
        struct scalar hash;

        poseidon_hash_plain(column_hash, &hash, s->nodes[i].rows);
        sample_tree_add(&s->tree_c, s->nodes[i].number, &hash);
    }
    sample_tree_build(&s->tree_c);
    return CUZK_OK;
}

static enum cuzk_status make_tree_r_last(struct sector *s, struct cuzk_error *err)
{
    const struct porep_shape *shape = &s->config->shape;
    const struct scalar rest = sample_scalar(&s->rng);

    TRY(sample_tree_new(&s->tree_r_last, &shape->tree, POR_POSEIDON, s->n_challenges, &rest,
                        &s->memory, err));
    for (size_t i = 0; i < s->n_nodes; i++) {
        const struct node *node = &s->nodes[i];
        struct scalar data = sample_tree_leaf(&s->tree_d, node->number), encoded;

        if (!node->challenged)
            continue;
        curve_bls12_381.fr_add(&encoded, &data, &node->rows[shape->layers - 1]);
        sample_tree_add(&s->tree_r_last, node->number, &encoded);
    }
    sample_tree_build(&s->tree_r_last);
    return CUZK_OK;
}

static struct scalar make_comm_r(const struct sector *s)
{
    const struct scalar roots[2] = {sample_tree_root(&s->tree_c),
                                    sample_tree_root(&s->tree_r_last)};
    struct scalar comm_r;

    poseidon_hash_plain(POSEIDON_2, &comm_r, roots);
    return comm_r;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static void prove_column(const struct sector *s, struct vanilla_column *column, uint64_t number)
{
    memcpy(column->rows, node_get(s, number)->rows,
           s->config->shape.layers * sizeof(struct scalar));
    column->index = (uint32_t)number;
    sample_tree_path(&s->tree_c, number, &column->path);
}

static void prove_challenge(const struct sector *s, struct vanilla_challenge *c, uint64_t number)
{
    uint32_t parents[N_PARENTS];

    graph_parents(&s->graph, number, parents);
    c->node = number;
    sample_tree_path(&s->tree_d, number, &c->data);
    sample_tree_path(&s->tree_r_last, number, &c->replica);
    prove_column(s, &c->column, number);
    for (int p = 0; p < N_PARENTS; p++)
        prove_column(s, &c->parents[p], parents[p]);
}

/* ---- the sector ------------------------------------------------------------------------------ */

static enum cuzk_status make_sector(struct sector *s, uint64_t seed, struct cuzk_error *err)
{
    TRY(make_data(s, err));
    make_identity(s, seed);
    TRY(draw_challenges(s, err));
    TRY(make_columns(s, err));
    TRY(make_tree_c(s, err));
    TRY(make_tree_r_last(s, err));
    s->seal.comm_r = make_comm_r(s);
    return CUZK_OK;
}

enum cuzk_status sample_porep(struct vanilla_porep *ret, const struct porep_config *config,
                              uint64_t seed, struct budget *budget, struct cuzk_error *err)
{
    struct sector s = {
        .config = config,
        .graph = graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id),
        .n_challenges = n_challenges(config),
    };
    struct vanilla_porep v = {0};
    enum cuzk_status st;

    assert(config->challenges == CHALLENGES_INTERACTIVE);
    rng_seed(&s.rng, seed);
    TRY(vanilla_porep_new(&v, &config->shape, config->partitions, budget, err));
    TRY_GOTO(st, out, arena_init(&s.memory, budget, MEM_SCRATCH, sample_porep_bytes(config), err));
    TRY_GOTO(st, out, make_sector(&s, seed, err));
    for (size_t i = 0; i < s.n_challenges; i++)
        prove_challenge(&s, &v.challenges[i], s.challenges[i]);
    v.seal = s.seal;
    *ret = v;
    v = (struct vanilla_porep){0};
out:
    arena_done(&s.memory);
    vanilla_porep_done(&v);
    return st;
}
