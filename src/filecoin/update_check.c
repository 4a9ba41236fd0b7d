#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "circuit/tree_node.h"
#include "filecoin/seal.h"
#include "filecoin/vanilla_update.h"

/* What is being looked at. */
struct check {
    const struct vanilla_update *vanilla;
    const struct update_partition *partition;
    unsigned k, challenge;
    struct cuzk_error *err;
};

static bool equal(const struct scalar *a, const struct scalar *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static enum cuzk_status wrong(const struct check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum cuzk_status wrong(const struct check *c, const char *format, ...)
{
    char sentence[256];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return error_set(c->err, CUZK_BAD_INPUT, "partition %u challenge %u: %s", c->k, c->challenge,
                     sentence);
}

/* ---- public facts ---------------------------------------------------------------------------- */

static enum cuzk_status check_path(const struct check *c, const struct merkle_path *path,
                                   const char *name, const struct scalar *root,
                                   const char *root_name, uint64_t node)
{
    if (!equal(&path->root, root))
        return wrong(c, "%s: the root is not %s", name, root_name);
    if (path->index != node)
        return wrong(c,
                     "%s: the path leads to node %" PRIu64 ", expected %" PRIu64 " from comm_r_new",
                     name, path->index, node);
    return CUZK_OK;
}

/* The circuit has one path from the partition to the root of TreeD. */
static enum cuzk_status check_challenge(const struct check *c, uint64_t node)
{
    const struct update *update = &c->vanilla->update;
    const struct update_challenge *first = c->partition->challenges;
    const struct update_challenge *v = &first[c->challenge];
    unsigned top = update_random_bits(&update->shape);

    TRY(check_path(c, &v->replica_old, "proof_r_old", &first->replica_old.root,
                   "that of the first challenge", node));
    TRY(check_path(c, &v->data_new, "proof_d_new", &update->comm_d_new, "comm_d_new", node));
    TRY(check_path(c, &v->replica_new, "proof_r_new", &first->replica_new.root,
                   "that of the first challenge", node));
    if (memcmp(v->data_new.siblings + top, first->data_new.siblings + top,
               update->shape.lg_partitions * sizeof(struct scalar)) != 0)
        return wrong(c, "proof_d_new: the path above the partition is not that of the first "
                        "challenge");
    return CUZK_OK;
}

static enum cuzk_status check_comm_r(const struct check *c, const struct scalar *root,
                                     const struct scalar *comm_r, const char *name)
{
    const struct scalar children[2] = {c->partition->comm_c, *root};
    struct scalar hash;

    poseidon_hash_plain(POSEIDON_2, &hash, children, 1);
    if (!equal(&hash, comm_r))
        return error_set(c->err, CUZK_BAD_INPUT,
                         "partition %u: %s is not the hash of comm_c and the root of its proofs",
                         c->k, name);
    return CUZK_OK;
}

static struct check check_of(const struct vanilla_update *vanilla, unsigned k,
                             struct cuzk_error *err)
{
    return (struct check){
        .vanilla = vanilla, .partition = &vanilla->partitions[k], .k = k, .err = err};
}

enum cuzk_status update_check(const struct vanilla_update *vanilla, unsigned k,
                              struct cuzk_error *err)
{
    struct check c = check_of(vanilla, k, err);
    const struct update *update = &vanilla->update;
    const struct update_challenge *first = c.partition->challenges;
    uint64_t nodes[UPDATE_CHALLENGES_MAX];

    TRY(check_comm_r(&c, &first->replica_old.root, &update->comm_r_old, "comm_r_old"));
    TRY(check_comm_r(&c, &first->replica_new.root, &update->comm_r_new, "comm_r_new"));
    update_challenges(nodes, update, k);
    for (; c.challenge < update->shape.challenges; c.challenge++)
        TRY(check_challenge(&c, nodes[c.challenge]));
    return CUZK_OK;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static enum cuzk_status deep_path(const struct check *c, const struct merkle_path *path,
                                  const char *name, const struct tree_shape *tree,
                                  enum por_hash hash)
{
    struct scalar root = merkle_root(path, tree, hash, &path->leaf);

    return equal(&root, &path->root) ? CUZK_OK
                                     : wrong(c, "%s: the path does not lead to its root", name);
}

/* Apex leafs that no challenge meets are checked by what they lead to. */
static enum cuzk_status deep_apex(const struct check *c)
{
    const struct update *update = &c->vanilla->update;
    const struct tree_shape above = tree_binary(update->shape.lg_partitions);
    const struct merkle_path path = {
        .siblings =
            c->partition->challenges->data_new.siblings + update_random_bits(&update->shape),
        .index = c->k,
    };
    uint8_t nodes[1 << UPDATE_LG_APEX_MAX][32];
    struct scalar root;

    for (size_t i = 0; i < (size_t)1 << update->shape.lg_apex; i++)
        scalar_to_bytes(nodes[i], &c->partition->apex[i]);
    for (size_t n = (size_t)1 << update->shape.lg_apex; n > 1; n /= 2)
        for (size_t i = 0; i < n / 2; i++)
            sha256_node(nodes[i], nodes[2 * i], nodes[2 * i + 1]);
    root = scalar_from_bytes(nodes[0]);
    root = merkle_root(&path, &above, POR_SHA256, &root);
    if (!equal(&root, &update->comm_d_new))
        return error_set(c->err, CUZK_BAD_INPUT,
                         "partition %u: the apex leafs do not lead to comm_d_new", c->k);
    return CUZK_OK;
}

static enum cuzk_status deep_challenge(const struct check *c, const struct scalar *phi)
{
    const struct update *update = &c->vanilla->update;
    const struct update_shape *shape = &update->shape;
    const struct update_challenge *v = &c->partition->challenges[c->challenge];
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    unsigned low = update_low_levels(shape);
    size_t apex = v->data_new.index >> low & (((size_t)1 << shape->lg_apex) - 1);
    struct scalar node;

    TRY(deep_path(c, &v->replica_old, "proof_r_old", &shape->tree, POR_POSEIDON));
    TRY(deep_path(c, &v->data_new, "proof_d_new", &tree_d, POR_SHA256));
    TRY(deep_path(c, &v->replica_new, "proof_r_new", &shape->tree, POR_POSEIDON));
    node = v->data_new.leaf;
    merkle_climb(&node, &v->data_new, 1, &tree_d, POR_SHA256, low);
    if (!equal(&node, &c->partition->apex[apex]))
        return wrong(c, "proof_d_new: the path does not lead through apex leaf %zu", apex);
    node = update_encode(update, phi, v->data_new.index, &v->replica_old.leaf, &v->data_new.leaf);
    if (!equal(&node, &v->replica_new.leaf))
        return wrong(c, "the new leaf is not old + data * rho");
    return CUZK_OK;
}

enum cuzk_status update_check_deep(const struct vanilla_update *vanilla, unsigned k,
                                   struct cuzk_error *err)
{
    struct check c = check_of(vanilla, k, err);
    const struct scalar phi = update_phi(&vanilla->update);

    TRY(update_check(vanilla, k, err));
    for (; c.challenge < vanilla->update.shape.challenges; c.challenge++)
        TRY(deep_challenge(&c, &phi));
    return deep_apex(&c);
}
