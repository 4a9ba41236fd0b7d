#include "filecoin/c1_bincode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filecoin/bincode.h"
#include "filecoin/label.h"

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

/* ColumnProof: index, rows, inclusion proof. */
static enum cuzk_status read_column(struct c1 *c, struct vanilla_column *column,
                                    struct cuzk_error *err)
{
    TRY(read_u32_le(c->r, &column->index, err));
    TRY(bincode_scalars(c->r, column->rows, c->shape->layers, "rows", err));
    return bincode_merkle(c->r, &column->path, &c->shape->tree, err);
}

static enum cuzk_status read_columns(struct c1 *c, struct vanilla_column *columns, int n,
                                     const char *name, struct cuzk_error *err)
{
    enter(c, name);
    TRY(bincode_length(c->r, (uint64_t)n, name, err));
    for (int i = 0; i < n; i++) {
        enter_parent(c, name, i);
        TRY(read_column(c, &columns[i], err));
    }
    return CUZK_OK;
}

/* LabelingProof (numbers 1 .. layers) and EncodingProof: parents, layer, node. */
static enum cuzk_status read_label(struct c1 *c, struct vanilla_challenge *challenge,
                                   unsigned number, uint64_t *node, struct cuzk_error *err)
{
    const uint32_t layer = number > c->shape->layers ? c->shape->layers : number;
    const uint8_t *parents;
    uint32_t found;

    TRY(bincode_length(c->r, LABEL_PARENTS, "parents", err));
    TRY(read_bytes(c->r, 32 * LABEL_PARENTS, &parents, err));
    label_compare(challenge, parents, number, c->shape->layers);
    TRY(read_u32_le(c->r, &found, err));
    if (found != layer)
        return reader_error(c->r, err, "layer: expected %" PRIu32 ", found %" PRIu32, layer, found);
    return read_u64_le(c->r, node, err);
}

static enum cuzk_status read_labels(struct c1 *c, struct vanilla_challenge *challenge,
                                    struct cuzk_error *err)
{
    unsigned layers = c->shape->layers;
    uint64_t node;

    enter(c, "labeling_proofs");
    TRY(bincode_length(c->r, layers, "labeling_proofs", err));
    TRY(read_label(c, challenge, 1, &challenge->node, err));
    for (unsigned number = 2; number <= layers + 1; number++) {
        if (number > layers)
            enter(c, "encoding_proof");
        TRY(read_label(c, challenge, number, &node, err));
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
    TRY(bincode_merkle(c->r, &challenge->data, &tree_d, err));
    enter(c, "comm_r_last_proof");
    TRY(bincode_merkle(c->r, &challenge->replica, &c->shape->tree, err));
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
    TRY(bincode_scalar(c->r, &seal->comm_r, err));
    c->r->section = "comm_d";
    TRY(bincode_scalar(c->r, &seal->comm_d, err));
    c->r->section = "replica_id";
    TRY(bincode_scalar(c->r, &seal->replica_id, err));
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
    TRY_GOTO(st, fail, bincode_length(r, partitions, "partitions", err));
    for (c.partition = 0; c.partition < partitions; c.partition++) {
        c.challenge = 0;
        enter(&c, "(first)");
        TRY_GOTO(st, fail, bincode_length(r, shape->challenges, "challenges", err));
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
