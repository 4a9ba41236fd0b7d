#include "filecoin/porep_circuit.h"

#include <string.h>

#include "circuit/num.h"
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "filecoin/label.h"
#include "filecoin/record.h"

/* What every challenge needs: the trees, and the variables of the fixed part. */
struct porep {
    unsigned layers;
    struct por_tree tree_d, tree;
    num_t comm_d, comm_r_last, comm_c;
    bool_t replica_id[256]; /* byte order */
};

static struct porep porep_begin(const struct porep_shape *shape)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);

    return (struct porep){
        .layers = shape->layers,
        .tree_d = por_tree_of(&tree_d, POR_SHA256),
        .tree = por_tree_of(&shape->tree, POR_POSEIDON),
    };
}

/* ---- fixed part ------------------------------------------------------------------------------ */

/* comm_r_last and comm_c come from the first challenge; vanilla_check saw that all agree. */
static void fixed_part(struct sink *sink, struct porep *p, const struct seal *seal,
                       const struct vanilla_challenge *first)
{
    num_t replica_id, comm_r, children[2], hash;

    sink_scope(sink, "fixed");
    replica_id = num_alloc_input(sink, &seal->replica_id);
    num_to_byte_bits(sink, replica_id, p->replica_id);
    p->comm_d = num_alloc_input(sink, &seal->comm_d);
    comm_r = num_alloc_input(sink, &seal->comm_r);
    p->comm_r_last = num_alloc_plain(sink, &first->replica.root);
    p->comm_c = num_alloc_plain(sink, &first->column.path.root);
    children[0] = p->comm_c;
    children[1] = p->comm_r_last;
    hash = poseidon_gadget(sink, POSEIDON_2, children);
    num_enforce_equal(sink, comm_r, hash);
    sink_scope_end(sink);
}

/* ---- a challenge ----------------------------------------------------------------------------- */

/* Columns of labels, one after the other, are in TreeC; a sink each. */
static void column_inclusions(struct sink *sinks, unsigned n, const struct porep *p,
                              const num_t *columns, const struct merkle_path *const *paths)
{
    num_t hash[SINKS_MAX], root[SINKS_MAX];

    poseidon_gadgets(sinks, n, poseidon_of_arity(p->layers), columns, hash);
    for (unsigned i = 0; i < n; i++)
        root[i] = p->comm_c;
    merkle_inclusions(sinks, n, &p->tree, hash, paths, root);
}

/* Values are decomposed anew for every layer that uses them: so the circuit is defined. */
static num_t label(struct sink *sink, const struct porep *p, unsigned layer,
                   const bool_t node_be[64], const num_t *parents, unsigned n_parents)
{
    enum { HEAD = 64 * 8, BITS = HEAD + 256 * LABEL_PARENTS };
    bool_t message[BITS], digest[256];

    memcpy(message, p->replica_id, sizeof(p->replica_id));
    bits_constant_be(layer, message + 256, 32);
    memcpy(message + 288, node_be, 64 * sizeof(bool_t));
    for (int i = 352; i < HEAD; i++)
        message[i] = bool_constant(false);
    for (unsigned i = 0; i < n_parents; i++)
        num_to_byte_bits(sink, parents[i], message + HEAD + 256 * i);
    for (unsigned i = n_parents; i < LABEL_PARENTS; i++)
        memcpy(message + HEAD + 256 * i, message + HEAD + 256 * (i % n_parents),
               256 * sizeof(bool_t));
    sha256_gadget(sink, message, BITS, digest);
    return num_pack_byte_bits(sink, digest);
}

/* A challenge is a row of parts. In the circuit a part uses the variables of those before it; in a
 * witness their values alone, so that every part can be made by itself.
 *
 *     data   parent 0 ... parent 13   node   label 1 ... label L   replica and column */
enum { PART_DATA, PART_PARENT, PART_NODE = PART_PARENT + N_PARENTS, PART_LABEL };

static unsigned n_parts(const struct porep *p)
{
    return PART_LABEL + p->layers + 1;
}

/* What the parts of a challenge have from each other. */
struct shared {
    num_t leaf, columns[N_PARENTS][LAYERS_MAX], labels[LAYERS_MAX];
    bool_t node_be[64];
};

static void data_part(struct sink *sink, const struct porep *p, const struct vanilla_challenge *c,
                      struct shared *s)
{
    sink_scope(sink, "data");
    s->leaf = num_alloc_plain(sink, &c->data.leaf);
    merkle_inclusion(sink, &p->tree_d, s->leaf, &c->data, p->comm_d);
    sink_scope_end(sink);
}

/* The parts of n <= SINKS_MAX parents from `first` on, side by side, a sink each. */
static void parent_parts(struct sink *sinks, unsigned n, const struct porep *p,
                         const struct vanilla_challenge *c, struct shared *s, unsigned first)
{
    num_t columns[SINKS_MAX * LAYERS_MAX];
    const struct merkle_path *paths[SINKS_MAX];

    for (unsigned i = 0; i < n; i++) {
        const struct vanilla_column *parent = &c->parents[first + i];
        num_t *column = columns + (size_t)i * p->layers;

        sink_scope_index(&sinks[i], "parent", first + i);
        for (unsigned layer = 0; layer < p->layers; layer++)
            column[layer] = num_alloc_plain(&sinks[i], &parent->rows[layer]);
        memcpy(s->columns[first + i], column, p->layers * sizeof(*column));
        paths[i] = &parent->path;
    }
    column_inclusions(sinks, n, p, columns, paths);
    for (unsigned i = 0; i < n; i++)
        sink_scope_end(&sinks[i]);
}

static void node_part(struct sink *sink, const struct vanilla_challenge *c, struct shared *s)
{
    bool_t node[64];

    sink_scope(sink, "node");
    bits_alloc_u64(sink, c->node, node, 64);
    pack_into_inputs(sink, node, 64);
    bits_reverse(s->node_be, node, 64);
    sink_scope_end(sink);
}

/* Parents of layer l: DRG parents' labels of layer l, expander parents' of layer l - 1. */
static void label_part(struct sink *sink, const struct porep *p, struct shared *s, unsigned layer)
{
    const unsigned n = layer == 1 ? DRG_PARENTS : N_PARENTS;
    num_t parents[N_PARENTS];

    for (unsigned i = 0; i < n; i++)
        parents[i] = s->columns[i][i < DRG_PARENTS ? layer - 1 : layer - 2];
    sink_scope_index(sink, "label", layer);
    s->labels[layer - 1] = label(sink, p, layer, s->node_be, parents, n);
    sink_scope_end(sink);
}

static void last_part(struct sink *sink, const struct porep *p, const struct vanilla_challenge *c,
                      const struct shared *s)
{
    const struct merkle_path *path = &c->column.path;
    num_t encoded;

    sink_scope(sink, "replica");
    encoded = num_add(sink, s->labels[p->layers - 1], s->leaf);
    merkle_inclusion(sink, &p->tree, encoded, &c->replica, p->comm_r_last);
    sink_scope_end(sink);

    sink_scope(sink, "column");
    column_inclusions(sink, 1, p, s->labels, &path);
    sink_scope_end(sink);
}

/* n parts from `part` on, a sink each; more than one only if all are parents. */
static void challenge_parts(struct sink *sinks, unsigned n, const struct porep *p,
                            const struct vanilla_challenge *c, struct shared *s, unsigned part)
{
    if (part == PART_DATA)
        data_part(sinks, p, c, s);
    else if (part < PART_NODE)
        parent_parts(sinks, n, p, c, s, part - PART_PARENT);
    else if (part == PART_NODE)
        node_part(sinks, c, s);
    else if (part < PART_LABEL + p->layers)
        label_part(sinks, p, s, part - PART_LABEL + 1);
    else
        last_part(sinks, p, c, s);
}

/* ---- recording ------------------------------------------------------------------------------- */

/* A shape sink does not look at values: one blank challenge stands for all. */
static enum cuzk_status record(struct recorder *rec, const void *porep_shape,
                               struct cuzk_error *err)
{
    enum cuzk_status st;
    const struct porep_shape *shape = porep_shape;
    struct porep p = porep_begin(shape);
    struct shared shared;
    const struct porep_shape one = {shape->tree, shape->layers, 1};
    struct vanilla_porep blank;
    struct sink sink = {0};

    TRY(vanilla_porep_new(&blank, &one, 1, NULL, err));
    TRY_GOTO(st, out, sink_shape_init(&sink, rec, err));
    fixed_part(&sink, &p, &blank.seal, blank.challenges);
    recorder_repeat_begin(rec, "challenge", shape->challenges, 0, NULL);
    while (recorder_block(rec))
        for (unsigned part = 0; part < n_parts(&p); part++) {
            recorder_mark(rec);
            challenge_parts(&sink, 1, &p, blank.challenges, &shared, part);
        }
    st = sink_shape_done(&sink, err);
out:
    vanilla_porep_done(&blank);
    return st;
}

enum cuzk_status porep_record(struct r1cs *ret, const struct porep_shape *shape,
                              struct budget *budget, struct cuzk_error *err)
{
    return record_circuit(ret, record, shape, budget, err);
}

enum cuzk_status porep_row_path(char *out, size_t n, const struct porep_shape *shape, uint64_t row,
                                struct budget *budget, struct cuzk_error *err)
{
    return record_row_path(out, n, record, shape, row, budget, err);
}

/* ---- values ---------------------------------------------------------------------------------- */

struct witness_job {
    const struct porep *porep;
    const struct witness_room *room;
    const struct r1cs_repeat *repeat;
    const struct scalar *replica_id;
    const struct vanilla_challenge *challenges;
};

static num_t num_of_value(const struct scalar *value)
{
    return (num_t){.value = fr_of_scalar(value)};
}

/* Values that label parts have from others. */
static void share_parents(struct shared *s, const struct porep *p,
                          const struct vanilla_challenge *c)
{
    for (unsigned i = 0; i < N_PARENTS; i++)
        for (unsigned layer = 0; layer < p->layers; layer++)
            s->columns[i][layer] = num_of_value(&c->parents[i].rows[layer]);
    for (unsigned i = 0; i < 64; i++)
        s->node_be[i] = (bool_t){.kind = BOOL_IS, .value = c->node >> (63 - i) & 1};
}

/* Values that the last part has from others. Labels are hashed once more for it: twenty blocks
 * each, without the values in between. */
static void share_labels(struct shared *s, const struct porep *p, const struct vanilla_challenge *c,
                         const struct scalar *replica_id)
{
    s->leaf = num_of_value(&c->data.leaf);
    for (unsigned layer = 1; layer <= p->layers; layer++) {
        struct scalar parents[N_PARENTS], value;
        unsigned n = label_parents(parents, c->parents, layer);

        value = label_make(replica_id, layer, c->node, parents, n);
        s->labels[layer - 1] = num_of_value(&value);
    }
}

/* The tasks of a challenge are its parts, but for the parents, of which several are one task. */
enum {
    PARENTS_AT_ONCE = N_PARENTS / 2,
    SAVED_TASKS = N_PARENTS - N_PARENTS / PARENTS_AT_ONCE,
};
_Static_assert(N_PARENTS % PARENTS_AT_ONCE == 0 && PARENTS_AT_ONCE <= (int)SINKS_MAX,
               "parents a task");

static unsigned n_tasks(const struct porep *p)
{
    return n_parts(p) - SAVED_TASKS;
}

static unsigned first_part(unsigned task)
{
    const unsigned part = PART_PARENT + (task - PART_PARENT) * PARENTS_AT_ONCE;

    if (task < PART_PARENT)
        return task;
    return part < PART_NODE ? part : task + SAVED_TASKS;
}

static void witness_task(void *ctx, size_t i, unsigned worker)
{
    const struct witness_job *job = ctx;
    const unsigned tasks = n_tasks(job->porep), task = (unsigned)(i % tasks);
    const unsigned part = first_part(task), n = first_part(task + 1) - part;
    const uint32_t k = (uint32_t)(i / tasks);
    const struct vanilla_challenge *c = &job->challenges[k];
    struct shared shared;
    struct sink sinks[SINKS_MAX];

    (void)worker;
    if (task == tasks - 1)
        share_labels(&shared, job->porep, c, job->replica_id);
    else if (part >= PART_LABEL)
        share_parents(&shared, job->porep, c);
    for (unsigned j = 0; j < n; j++)
        sink_witness_init(&sinks[j], job->room, witness_part_place(job->repeat, k, part + j));
    challenge_parts(sinks, n, job->porep, c, &shared, part);
    for (unsigned j = 0; j < n; j++)
        sink_witness_done(&sinks[j]);
}

void porep_witness(struct packed_witness *w, const struct r1cs *cs,
                   const struct vanilla_porep *vanilla, unsigned partition, struct pool *pool)
{
    const struct vanilla_challenge *challenges = vanilla_partition(vanilla, partition);
    struct porep p = porep_begin(&vanilla->shape);
    struct witness_job job = {&p, &w->room, cs->repeats, &vanilla->seal.replica_id, challenges};
    struct sink sink;

    sink_witness_init(&sink, &w->room, (struct witness_place){0});
    fixed_part(&sink, &p, &vanilla->seal, challenges);
    sink_witness_done(&sink);
    pool_run(pool, (size_t)vanilla->shape.challenges * n_tasks(&p), witness_task, &job);
}
