#include "filecoin/sample_sector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"

enum { DATA_NODES = 64 }; /* so many nodes of a sparse sector's data are random */

struct sample_facts sample_facts_of(uint64_t seed)
{
    struct sample_facts facts = {.miner = SAMPLE_MINER, .number = seed};

    rng_seed(&facts.rng, seed);
    rng_bytes(&facts.rng, facts.seed, sizeof(facts.seed));
    rng_bytes(&facts.rng, facts.ticket, sizeof(facts.ticket));
    return facts;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t n_challenges(const struct porep_config *config)
{
    return (size_t)config->partitions * config->shape.challenges;
}

static size_t all_nodes(const struct porep_config *config)
{
    return (size_t)1 << config->shape.tree.lg_nodes;
}

/* Before those that are there twice are dropped. */
static size_t nodes_max(const struct porep_config *config, bool dense)
{
    return dense ? all_nodes(config) : n_challenges(config) * (1 + N_PARENTS);
}

static size_t data_nodes(const struct porep_config *config, bool dense)
{
    return dense || all_nodes(config) < DATA_NODES ? all_nodes(config) : DATA_NODES;
}

/* leaves: of their own, in a sparse sector. */
static size_t tree_bytes(const struct tree_shape *shape, size_t leaves, bool dense)
{
    return dense ? sample_tree_regions_bytes(shape, shape->lg_nodes)
                 : sample_tree_bytes(shape, leaves);
}

size_t sample_sector_bytes(const struct porep_config *config, bool dense)
{
    const struct tree_shape *tree = &config->shape.tree;
    const struct tree_shape tree_d = tree_binary(tree->lg_nodes);

    return region_bytes(arena_piece(n_challenges(config) * sizeof(uint64_t)) +
                        arena_piece(nodes_max(config, dense) * sizeof(struct sample_node)) +
                        tree_bytes(&tree_d, data_nodes(config, dense), dense) +
                        tree_bytes(tree, nodes_max(config, dense), dense) +
                        tree_bytes(tree, n_challenges(config), dense));
}

static enum cuzk_status new_tree(struct sample_sector *s, struct sample_tree *tree,
                                 const struct tree_shape *shape, enum por_hash hash, size_t leaves,
                                 struct cuzk_error *err)
{
    struct scalar rest;

    if (s->facts.dense)
        return sample_tree_new_regions(tree, shape, hash, shape->lg_nodes, &s->memory, err);
    rest = sample_scalar(&s->facts.rng);
    return sample_tree_new(tree, shape, hash, leaves, &rest, &s->memory, err);
}

/* ---- data, replica id, challenges ------------------------------------------------------------ */

static enum cuzk_status make_data(struct sample_sector *s, struct cuzk_error *err)
{
    const struct tree_shape shape = tree_binary(s->config->shape.tree.lg_nodes);
    size_t n = data_nodes(s->config, s->facts.dense);

    TRY(new_tree(s, &s->tree_d, &shape, POR_SHA256, n, err));
    for (size_t i = 0; i < n; i++) {
        struct scalar value = s->facts.data ? s->facts.data[i] : sample_scalar(&s->facts.rng);

        sample_tree_add(&s->tree_d, i, &value);
    }
    sample_tree_build(&s->tree_d);
    return CUZK_OK;
}

static void make_identity(struct sample_sector *s)
{
    const struct sample_facts *facts = &s->facts;
    uint8_t prover_id[32];

    memcpy(s->seal.seed, facts->seed, 32);
    memcpy(s->seal.ticket, facts->ticket, 32);
    s->seal.comm_d = sample_tree_root(&s->tree_d);
    prover_id_of_miner(prover_id, facts->miner);
    s->seal.replica_id = replica_id_make(prover_id, facts->number, facts->ticket, &s->seal.comm_d,
                                         s->config->porep_id);
}

static enum cuzk_status draw_challenges(struct sample_sector *s, struct cuzk_error *err)
{
    const struct challenges challenges = challenges_of(s->config, &s->seal);
    void *room;

    s->n_challenges = n_challenges(s->config);
    TRY(arena_take(&s->memory, s->n_challenges * sizeof(*s->challenges), &room, err));
    s->challenges = room;
    for (size_t i = 0; i < s->n_challenges; i++)
        s->challenges[i] = challenge_number(&challenges, (uint32_t)i);
    return CUZK_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct sample_node *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static struct sample_node *node_get(const struct sample_sector *s, uint64_t number)
{
    const struct sample_node key = {.number = number};

    return bsearch(&key, s->nodes, s->n_nodes, sizeof(key), by_number);
}

const struct scalar *sample_sector_column(const struct sample_sector *sector, uint64_t node)
{
    return node_get(sector, node)->rows;
}

static void list_all_nodes(struct sample_sector *s)
{
    s->n_nodes = all_nodes(s->config);
    for (size_t i = 0; i < s->n_nodes; i++)
        s->nodes[i] = (struct sample_node){.number = i, .labelled = true};
}

static void list_challenged_nodes(struct sample_sector *s)
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
        node_get(s, s->challenges[i])->labelled = true;
}

static void draw_column(struct sample_sector *s, struct sample_node *node)
{
    for (unsigned i = 0; i < s->config->shape.layers; i++)
        node->rows[i] = sample_scalar(&s->facts.rng);
}

/* The label of `layer`, from the parents' labels; node 0 has none. */
static void label_node(const struct sample_sector *s, struct sample_node *node, unsigned layer)
{
    struct vanilla_column columns[N_PARENTS];
    struct scalar labels[N_PARENTS];
    uint32_t parents[N_PARENTS];
    unsigned n = 0;

    if (node->number > 0) {
        graph_parents(&s->graph, node->number, parents);
        for (int p = 0; p < N_PARENTS; p++)
            columns[p].rows = node_get(s, parents[p])->rows;
        n = label_parents(labels, columns, layer);
    }
    node->rows[layer - 1] = label_make(&s->seal.replica_id, layer, node->number, labels, n);
}

/* Layer by layer and ascending: DRG parents come before a node in its layer, expander parents are
 * in the layer below, so what a label hashes is final. */
static enum cuzk_status make_columns(struct sample_sector *s, struct cuzk_error *err)
{
    void *room;

    TRY(arena_take(&s->memory, nodes_max(s->config, s->facts.dense) * sizeof(*s->nodes), &room,
                   err));
    s->nodes = room;
    if (s->facts.dense)
        list_all_nodes(s);
    else
        list_challenged_nodes(s);
    for (size_t i = 0; i < s->n_nodes; i++)
        if (!s->nodes[i].labelled)
            draw_column(s, &s->nodes[i]);
    for (unsigned layer = 1; layer <= s->config->shape.layers; layer++)
        for (size_t i = 0; i < s->n_nodes; i++)
            if (s->nodes[i].labelled)
                label_node(s, &s->nodes[i], layer);
    return CUZK_OK;
}

/* ---- trees over the columns ------------------------------------------------------------------ */

static enum cuzk_status make_tree_c(struct sample_sector *s, struct cuzk_error *err)
{
    const struct porep_shape *shape = &s->config->shape;
    const enum poseidon_kind column_hash = poseidon_of_arity(shape->layers);

    TRY(new_tree(s, &s->tree_c, &shape->tree, POR_POSEIDON, nodes_max(s->config, s->facts.dense),
                 err));
    for (size_t i = 0, n; i < s->n_nodes; i += n) {
        enum { AT_ONCE = 16 };
        struct scalar columns[AT_ONCE * LAYERS_MAX], hashes[AT_ONCE];

        n = s->n_nodes - i < AT_ONCE ? s->n_nodes - i : AT_ONCE;
        for (size_t k = 0; k < n; k++)
            memcpy(columns + k * shape->layers, s->nodes[i + k].rows,
                   shape->layers * sizeof(*columns));
        poseidon_hash_plain(column_hash, hashes, columns, n);
        for (size_t k = 0; k < n; k++)
            sample_tree_add(&s->tree_c, s->nodes[i + k].number, &hashes[k]);
    }
    sample_tree_build(&s->tree_c);
    return CUZK_OK;
}

static enum cuzk_status make_tree_r_last(struct sample_sector *s, struct cuzk_error *err)
{
    const struct porep_shape *shape = &s->config->shape;

    TRY(new_tree(s, &s->tree_r_last, &shape->tree, POR_POSEIDON, n_challenges(s->config), err));
    for (size_t i = 0; i < s->n_nodes; i++) {
        const struct sample_node *node = &s->nodes[i];
        struct scalar data = sample_tree_leaf(&s->tree_d, node->number), encoded;

        if (!node->labelled)
            continue;
        curve_bls12_381.fr_add(&encoded, &data, &node->rows[shape->layers - 1]);
        sample_tree_add(&s->tree_r_last, node->number, &encoded);
    }
    sample_tree_build(&s->tree_r_last);
    return CUZK_OK;
}

static struct scalar make_comm_r(const struct sample_sector *s)
{
    const struct scalar roots[2] = {sample_tree_root(&s->tree_c),
                                    sample_tree_root(&s->tree_r_last)};
    struct scalar comm_r;

    poseidon_hash_plain(POSEIDON_2, &comm_r, roots, 1);
    return comm_r;
}

/* ---- the sector ------------------------------------------------------------------------------ */

/* Which nodes a sparse sector has follows from the challenges; a dense one has all, and its
 * challenges may depend on comm_r. */
static enum cuzk_status make_sector(struct sample_sector *s, struct cuzk_error *err)
{
    TRY(make_data(s, err));
    make_identity(s);
    if (!s->facts.dense)
        TRY(draw_challenges(s, err));
    TRY(make_columns(s, err));
    TRY(make_tree_c(s, err));
    TRY(make_tree_r_last(s, err));
    s->seal.comm_r = make_comm_r(s);
    return s->facts.dense ? draw_challenges(s, err) : CUZK_OK;
}

enum cuzk_status sample_sector_new(struct sample_sector *ret, const struct porep_config *config,
                                   const struct sample_facts *facts, struct budget *budget,
                                   struct cuzk_error *err)
{
    struct sample_sector s = {
        .config = config,
        .facts = *facts,
        .graph = graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id),
    };
    enum cuzk_status st;

    assert(facts->dense ? config->shape.tree.lg_nodes <= SAMPLE_DENSE_LG_NODES_MAX
                        : config->challenges == CHALLENGES_INTERACTIVE && !facts->data);
    TRY(arena_init(&s.memory, budget, MEM_SCRATCH, sample_sector_bytes(config, facts->dense), err));
    st = make_sector(&s, err);
    if (st == CUZK_OK)
        *ret = s;
    else
        arena_done(&s.memory);
    return st;
}

void sample_sector_done(struct sample_sector *sector)
{
    arena_done(&sector->memory);
    memset(sector, 0, sizeof(*sector));
}

const struct scalar *sample_sector_data(const struct sample_sector *sector)
{
    assert(sector->facts.dense);
    return sector->tree_d.level[0].value;
}

const struct scalar *sample_sector_replica(const struct sample_sector *sector)
{
    assert(sector->facts.dense);
    return sector->tree_r_last.level[0].value;
}
