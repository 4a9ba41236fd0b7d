#include "filecoin/vanilla_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"

/* The place being looked at, for messages. */
struct check {
    const struct vanilla_porep *vanilla;
    const struct vanilla_challenge *first; /* of the partition */
    unsigned partition, challenge;
    char part[48]; /* "drg_parents[3]" */
    struct cuzk_error *err;
};

static enum cuzk_status wrong(const struct check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum cuzk_status wrong(const struct check *c, const char *format, ...)
{
    char sentence[256];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return error_set(c->err, CUZK_BAD_INPUT, "partition %u challenge %u: %s: %s", c->partition,
                     c->challenge, c->part, sentence);
}

static void enter(struct check *c, const char *part)
{
    snprintf(c->part, sizeof(c->part), "%s", part);
}

static void enter_parent(struct check *c, int i)
{
    if (i < DRG_PARENTS)
        snprintf(c->part, sizeof(c->part), "drg_parents[%d]", i);
    else
        snprintf(c->part, sizeof(c->part), "exp_parents[%d]", i - DRG_PARENTS);
}

static bool equal(const struct scalar *a, const struct scalar *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* ---- numbers and roots ----------------------------------------------------------------------- */

static enum cuzk_status check_path(const struct check *c, const struct merkle_path *path,
                                   const struct scalar *root, const char *root_name, uint64_t node)
{
    if (!equal(&path->root, root))
        return wrong(c, "the root is not %s", root_name);
    if (path->index != node)
        return wrong(c, "the path leads to node %" PRIu64 ", expected %" PRIu64, path->index, node);
    return CUZK_OK;
}

static enum cuzk_status check_column(const struct check *c, const struct vanilla_column *column,
                                     uint64_t node)
{
    if (column->index != node)
        return wrong(c, "column of node %" PRIu32 ", expected %" PRIu64, column->index, node);
    return check_path(c, &column->path, &c->first->column.path.root,
                      "the comm_c of the partition's first challenge", node);
}

static enum cuzk_status check_challenge(struct check *c, const struct vanilla_challenge *v,
                                        uint64_t node, const uint32_t parents[N_PARENTS])
{
    enter(c, "labeling_proofs");
    if (v->node != node)
        return wrong(c, "node %" PRIu64 ", expected %" PRIu64 " from replica id and seed", v->node,
                     node);
    enter(c, "comm_d_proofs");
    TRY(check_path(c, &v->data, &c->vanilla->seal.comm_d, "comm_d", node));
    enter(c, "comm_r_last_proof");
    TRY(check_path(c, &v->replica, &c->first->replica.root,
                   "the comm_r_last of the partition's first challenge", node));
    enter(c, "c_x");
    TRY(check_column(c, &v->column, node));
    for (int i = 0; i < N_PARENTS; i++) {
        enter_parent(c, i);
        TRY(check_column(c, &v->parents[i], parents[i]));
    }
    return CUZK_OK;
}

static enum cuzk_status check_commitments(const struct vanilla_porep *v,
                                          const struct vanilla_challenge *first, unsigned partition,
                                          struct cuzk_error *err)
{
    const struct scalar children[2] = {first->column.path.root, first->replica.root};
    struct scalar comm_r;

    TRY(seal_check(&v->seal, err));
    poseidon_hash_plain(POSEIDON_2, &comm_r, children, 1);
    if (!equal(&comm_r, &v->seal.comm_r))
        return error_set(err, CUZK_BAD_INPUT,
                         "partition %u: comm_r is not the hash of comm_c and comm_r_last",
                         partition);
    return CUZK_OK;
}

static enum cuzk_status check_shape(const struct vanilla_porep *v,
                                    const struct porep_config *config, unsigned partition,
                                    struct cuzk_error *err)
{
    const struct porep_shape *a = &v->shape, *b = &config->shape;

    if (v->partitions != config->partitions || a->challenges != b->challenges ||
        a->layers != b->layers || a->tree.lg_nodes != b->tree.lg_nodes)
        return error_set(err, CUZK_BAD_INPUT,
                         "%u partitions of %u challenges in 2^%u nodes with %u layers, expected %u "
                         "of %u in 2^%u with %u",
                         v->partitions, a->challenges, a->tree.lg_nodes, a->layers,
                         config->partitions, b->challenges, b->tree.lg_nodes, b->layers);
    if (partition >= v->partitions)
        return error_set(err, CUZK_USAGE, "no partition %u: there are %u", partition,
                         v->partitions);
    return CUZK_OK;
}

enum cuzk_status vanilla_check(const struct vanilla_porep *vanilla,
                               const struct porep_config *config, unsigned partition,
                               struct cuzk_error *err)
{
    const struct challenges challenges = challenges_of(config, &vanilla->seal);
    const struct graph graph =
        graph_make(config->shape.tree.lg_nodes, config->version, config->porep_id);
    struct check c = {.vanilla = vanilla, .partition = partition, .err = err};
    unsigned n = vanilla->shape.challenges;

    TRY(check_shape(vanilla, config, partition, err));
    c.first = vanilla_partition(vanilla, partition);
    TRY(check_commitments(vanilla, c.first, partition, err));
    for (c.challenge = 0; c.challenge < n; c.challenge++) {
        uint64_t node = challenge_number(&challenges, partition * n + c.challenge);
        uint32_t parents[N_PARENTS];

        graph_parents(&graph, node, parents);
        TRY(check_challenge(&c, &c.first[c.challenge], node, parents));
    }
    return CUZK_OK;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static enum cuzk_status deep_path(const struct check *c, const struct merkle_path *path,
                                  const struct scalar *leaf, enum por_hash hash)
{
    const struct tree_shape *oct = &c->vanilla->shape.tree;
    const struct tree_shape tree = hash == POR_SHA256 ? tree_binary(oct->lg_nodes) : *oct;
    struct scalar root = merkle_root(path, &tree, hash, leaf);

    if (!equal(leaf, &path->leaf))
        return wrong(c, "the leaf of the path is not the value it should be");
    if (!equal(&root, &path->root))
        return wrong(c, "the path does not lead to its root");
    return CUZK_OK;
}

static enum cuzk_status deep_column(const struct check *c, const struct vanilla_column *column)
{
    struct scalar hash;

    poseidon_hash_plain(poseidon_of_arity(c->vanilla->shape.layers), &hash, column->rows, 1);
    return deep_path(c, &column->path, &hash, POR_POSEIDON);
}

/* The column of the challenged node follows from its parents' columns. */
static enum cuzk_status deep_labels(const struct check *c, const struct vanilla_challenge *v)
{
    for (unsigned layer = 1; layer <= c->vanilla->shape.layers; layer++) {
        struct scalar parents[N_PARENTS], label;
        unsigned n = label_parents(parents, v->parents, layer);

        label = label_make(&c->vanilla->seal.replica_id, layer, v->node, parents, n);
        if (!equal(&label, &v->column.rows[layer - 1]))
            return wrong(c, "the label of layer %u does not follow from the parents", layer);
    }
    return CUZK_OK;
}

/* The labels of parents beside the columns, which the circuit does not use. */
static enum cuzk_status deep_label_parents(struct check *c, const struct label_place *odd)
{
    const unsigned layers = c->vanilla->shape.layers;
    const unsigned layer = odd->label > layers ? layers : odd->label;
    const unsigned n = layer == 1 ? DRG_PARENTS : N_PARENTS, parent = odd->parent % n;

    if (odd->label == 0)
        return CUZK_OK;
    if (odd->label > layers)
        snprintf(c->part, sizeof c->part, "encoding_proof.parents[%u]", odd->parent);
    else
        snprintf(c->part, sizeof c->part, "labeling_proofs[%u].parents[%u]", odd->label - 1u,
                 odd->parent);
    return parent < DRG_PARENTS
               ? wrong(c, "not the label of layer %u of drg_parents[%u]", layer, parent)
               : wrong(c, "not the label of layer %u of exp_parents[%u]", layer - 1,
                       parent - DRG_PARENTS);
}

static enum cuzk_status deep_challenge(struct check *c, const struct vanilla_challenge *v)
{
    struct scalar encoded;

    for (int i = 0; i < N_PARENTS; i++) {
        enter_parent(c, i);
        TRY(deep_column(c, &v->parents[i]));
    }
    enter(c, "c_x");
    TRY(deep_column(c, &v->column));
    TRY(deep_labels(c, v));
    TRY(deep_label_parents(c, &v->odd));
    enter(c, "comm_d_proofs");
    TRY(deep_path(c, &v->data, &v->data.leaf, POR_SHA256));
    enter(c, "comm_r_last_proof");
    curve_bls12_381.fr_add(&encoded, &v->data.leaf, &v->column.rows[c->vanilla->shape.layers - 1]);
    return deep_path(c, &v->replica, &encoded, POR_POSEIDON);
}

enum cuzk_status vanilla_check_deep(const struct vanilla_porep *vanilla,
                                    const struct porep_config *config, unsigned partition,
                                    struct cuzk_error *err)
{
    struct check c = {.vanilla = vanilla, .partition = partition, .err = err};

    TRY(vanilla_check(vanilla, config, partition, err));
    c.first = vanilla_partition(vanilla, partition);
    for (c.challenge = 0; c.challenge < vanilla->shape.challenges; c.challenge++)
        TRY(deep_challenge(&c, &c.first[c.challenge]));
    return CUZK_OK;
}
