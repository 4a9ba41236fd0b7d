#include "filecoin/c1_bincode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The reader, and where it is in the tree of proofs. */
struct c1 {
    struct reader *r;
    const struct porep_shape *shape;
    unsigned partition, challenge;
    char section[80];
};

static void enter(struct c1 *c, const char *name)
{
    snprintf(c->section, sizeof(c->section), "partition %u challenge %u %s", c->partition,
             c->challenge, name);
    c->r->section = c->section;
}

static void enter_parent(struct c1 *c, const char *name, int i)
{
    snprintf(c->section, sizeof(c->section), "partition %u challenge %u %s[%d]", c->partition,
             c->challenge, name, i);
    c->r->section = c->section;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static enum cuzk_status read_length(struct c1 *c, uint64_t expected, const char *of,
                                    struct cuzk_error *err)
{
    uint64_t n;

    TRY(read_u64_le(c->r, &n, err));
    if (n != expected)
        return reader_error(c->r, err, "%s: expected %" PRIu64 " entries, found %" PRIu64, of,
                            expected, n);
    return CUZK_OK;
}

static enum cuzk_status read_scalar(struct c1 *c, struct scalar *out, struct cuzk_error *err)
{
    const uint8_t *bytes;
    struct scalar a;

    TRY(read_bytes(c->r, 32, &bytes, err));
    a = scalar_from_bytes(bytes);
    if (!curve_bls12_381.fr_is_reduced(&a))
        return reader_error(c->r, err, "expected a number below the field's modulus");
    *out = a;
    return CUZK_OK;
}

static enum cuzk_status read_scalars(struct c1 *c, struct scalar *out, uint64_t n, const char *of,
                                     struct cuzk_error *err)
{
    TRY(read_length(c, n, of, err));
    for (uint64_t i = 0; i < n; i++)
        TRY(read_scalar(c, &out[i], err));
    return CUZK_OK;
}

/* Levels [begin, end) of a path: a list of (siblings, index). */
static enum cuzk_status read_levels(struct c1 *c, struct merkle_path *path,
                                    const struct tree_shape *tree, unsigned begin, unsigned end,
                                    struct scalar **siblings, unsigned *bits,
                                    struct cuzk_error *err)
{
    TRY(read_length(c, end - begin, "path", err));
    for (unsigned level = begin; level < end; level++) {
        unsigned level_bits = tree_level_bits(tree, level), n = (1u << level_bits) - 1;
        uint64_t index;

        TRY(read_scalars(c, *siblings, n, "hashes", err));
        TRY(read_u64_le(c->r, &index, err));
        if (index > n)
            return reader_error(c->r, err, "index: expected at most %u, found %" PRIu64, n, index);
        path->index |= index << *bits;
        *siblings += n;
        *bits += level_bits;
    }
    return CUZK_OK;
}

/* MerkleProof: Single = root, leaf, path; Sub and Top = two or three paths, root, leaf. */
static enum cuzk_status read_proof(struct c1 *c, struct merkle_path *path,
                                   const struct tree_shape *tree, struct cuzk_error *err)
{
    uint32_t tag, kind = (tree->sub_bits ? 1u : 0u) + (tree->top_bits ? 1u : 0u);
    struct scalar *siblings = path->siblings;
    unsigned bits = 0, base = tree->base_levels;

    TRY(read_u32_le(c->r, &tag, err));
    if (tag != kind)
        return reader_error(c->r, err, "kind of Merkle proof: expected %" PRIu32 ", found %" PRIu32,
                            kind, tag);
    path->index = 0;
    if (kind == 0) {
        TRY(read_scalar(c, &path->root, err));
        TRY(read_scalar(c, &path->leaf, err));
        return read_levels(c, path, tree, 0, base, &siblings, &bits, err);
    }
    TRY(read_levels(c, path, tree, 0, base, &siblings, &bits, err));
    for (unsigned level = base; level < base + kind; level++)
        TRY(read_levels(c, path, tree, level, level + 1, &siblings, &bits, err));
    TRY(read_scalar(c, &path->root, err));
    return read_scalar(c, &path->leaf, err);
}

/* ColumnProof: index, rows, inclusion proof. */
static enum cuzk_status read_column(struct c1 *c, struct vanilla_column *column,
                                    struct cuzk_error *err)
{
    TRY(read_u32_le(c->r, &column->index, err));
    TRY(read_scalars(c, column->rows, c->shape->layers, "rows", err));
    return read_proof(c, &column->path, &c->shape->tree, err);
}

static enum cuzk_status read_columns(struct c1 *c, struct vanilla_column *columns, int n,
                                     const char *name, struct cuzk_error *err)
{
    enter(c, name);
    TRY(read_length(c, (uint64_t)n, name, err));
    for (int i = 0; i < n; i++) {
        enter_parent(c, name, i);
        TRY(read_column(c, &columns[i], err));
    }
    return CUZK_OK;
}

/* LabelingProof and EncodingProof: parents, layer, node. Only the numbers are of interest. */
static enum cuzk_status read_label(struct c1 *c, uint32_t layer, uint64_t *node,
                                   struct cuzk_error *err)
{
    const uint8_t *parents;
    uint32_t found;

    TRY(read_length(c, LABEL_PARENTS, "parents", err));
    TRY(read_bytes(c->r, 32 * LABEL_PARENTS, &parents, err));
    TRY(read_u32_le(c->r, &found, err));
    if (found != layer)
        return reader_error(c->r, err, "layer: expected %" PRIu32 ", found %" PRIu32, layer, found);
    return read_u64_le(c->r, node, err);
}

static enum cuzk_status read_labels(struct c1 *c, struct vanilla_challenge *challenge,
                                    struct cuzk_error *err)
{
    uint32_t layers = c->shape->layers;
    uint64_t node;

    enter(c, "labeling_proofs");
    TRY(read_length(c, layers, "labeling_proofs", err));
    TRY(read_label(c, 1, &challenge->node, err));
    for (uint32_t layer = 2; layer <= layers + 1; layer++) {
        if (layer > layers)
            enter(c, "encoding_proof");
        TRY(read_label(c, layer > layers ? layers : layer, &node, err));
        if (node != challenge->node)
            return reader_error(c->r, err, "node: expected %" PRIu64 ", found %" PRIu64,
                                challenge->node, node);
    }
    return CUZK_OK;
}

static enum cuzk_status read_challenge(struct c1 *c, struct vanilla_challenge *challenge,
                                       struct cuzk_error *err)
{
    const struct tree_shape tree_d = tree_binary(c->shape->tree.lg_nodes);

    enter(c, "comm_d_proofs");
    TRY(read_proof(c, &challenge->data, &tree_d, err));
    enter(c, "comm_r_last_proof");
    TRY(read_proof(c, &challenge->replica, &c->shape->tree, err));
    enter(c, "c_x");
    TRY(read_column(c, &challenge->column, err));
    TRY(read_columns(c, challenge->parents, DRG_PARENTS, "drg_parents", err));
    TRY(read_columns(c, challenge->parents + DRG_PARENTS, EXPANDER_PARENTS, "exp_parents", err));
    return read_labels(c, challenge, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum cuzk_status read_seal(struct c1 *c, struct seal *seal, struct cuzk_error *err)
{
    const uint8_t *seed, *ticket;

    c->r->section = "comm_r";
    TRY(read_scalar(c, &seal->comm_r, err));
    c->r->section = "comm_d";
    TRY(read_scalar(c, &seal->comm_d, err));
    c->r->section = "replica_id";
    TRY(read_scalar(c, &seal->replica_id, err));
    c->r->section = "seed";
    TRY(read_bytes(c->r, 32, &seed, err));
    c->r->section = "ticket";
    TRY(read_bytes(c->r, 32, &ticket, err));
    memcpy(seal->seed, seed, 32);
    memcpy(seal->ticket, ticket, 32);
    return read_end(c->r, err);
}

enum cuzk_status c1_bincode_read(struct vanilla_porep *ret, struct reader *r,
                                 const struct porep_shape *shape, unsigned partitions,
                                 struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct c1 c = {.r = r, .shape = shape};
    struct vanilla_porep v;
    struct vanilla_challenge *next;

    TRY(vanilla_porep_new(&v, shape, partitions, budget, err));
    next = v.challenges;
    r->section = "vanilla_proofs";
    TRY_GOTO(st, fail, read_length(&c, partitions, "partitions", err));
    for (c.partition = 0; c.partition < partitions; c.partition++) {
        c.challenge = 0;
        enter(&c, "(first)");
        TRY_GOTO(st, fail, read_length(&c, shape->challenges, "challenges", err));
        for (; c.challenge < shape->challenges; c.challenge++)
            TRY_GOTO(st, fail, read_challenge(&c, next++, err));
    }
    TRY_GOTO(st, fail, read_seal(&c, &v.seal, err));
    r->section = "end";
    *ret = v;
    return CUZK_OK;
fail:
    if (r->section == c.section) /* on our stack */
        r->section = "vanilla_proofs";
    vanilla_porep_done(&v);
    return st;
}
