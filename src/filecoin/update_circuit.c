#include "filecoin/update_circuit.h"

#include <assert.h>
#include <string.h>

#include "circuit/insert.h"
#include "circuit/lc.h"
#include "circuit/packing.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/tree_node.h"
#include "filecoin/record.h"

enum {
    APEX_MAX = 1 << UPDATE_LG_APEX_MAX,
    RANDOM_BITS_MAX = 32,
    NODE_BITS_MAX = RANDOM_BITS_MAX + UPDATE_LG_PARTITIONS_MAX,
    SIBLINGS_MAX = 128,
};

/* The variables of the fixed parts, and the trees. */
struct update_parts {
    const struct update_shape *shape;
    struct por_tree tree, tree_d_low, tree_d_top; /* TreeRLast; TreeD below the apex leafs, and
                                                     above the partition */
    num_t partition, comm_d_new, comm_r_new, phi, root_r_old, root_r_new;
    bool_t partition_bits[UPDATE_LG_PARTITIONS_MAX];
    num_t select_h[UPDATE_H_CHOICES]; /* bits */
    num_t apex[APEX_MAX];
    num_t partition_path[UPDATE_LG_PARTITIONS_MAX];
    bool_t random_bits[UPDATE_CHALLENGES_MAX * RANDOM_BITS_MAX]; /* challenge after challenge */
};

static void parts_begin(struct update_parts *u, const struct update_shape *shape)
{
    const struct tree_shape low = tree_binary(update_low_levels(shape));
    const struct tree_shape top = tree_binary(shape->lg_partitions);

    assert(update_random_bits(shape) <= RANDOM_BITS_MAX &&
           tree_siblings(&shape->tree) <= SIBLINGS_MAX);
    u->shape = shape;
    u->tree = por_tree_of(&shape->tree, POR_POSEIDON);
    u->tree_d_low = por_tree_of(&low, POR_SHA256);
    u->tree_d_top = por_tree_of(&top, POR_SHA256);
}

/* ---- first fixed part ------------------------------------------------------------------------ */

static num_t num_of_bit(bool_t bit)
{
    return (num_t){.var = bit.var, .value = bit.value ? fr_one : fr_zero};
}

static void alloc_k_and_h_select(struct sink *sink, struct update_parts *u, unsigned k)
{
    const struct scalar value = {{update_k_and_h_select(u->shape, k)}};
    const num_t number = num_alloc_input(sink, &value);
    const unsigned lg = u->shape->lg_partitions, n = lg + UPDATE_H_CHOICES;
    bool_t bits[UPDATE_LG_PARTITIONS_MAX + UPDATE_H_CHOICES];

    bits_alloc_u64(sink, value.w[0], bits, n);
    num_enforce_packed(sink, bits, n, number);
    memcpy(u->partition_bits, bits, lg * sizeof(*bits));
    for (unsigned h = 0; h < UPDATE_H_CHOICES; h++)
        u->select_h[h] = num_of_bit(bits[lg + h]);
    u->partition = num_pack(sink, bits, lg);
}

/* values may be NULL in a shape sink. */
static void alloc_numbers(struct sink *sink, num_t *out, const struct scalar *values, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = num_alloc_plain(sink, values ? &values[i] : NULL);
}

/* comm_r = H2(comm_c, root) */
static void enforce_comm_r(struct sink *sink, num_t comm_c, num_t root, num_t comm_r)
{
    const num_t children[2] = {comm_c, root};

    num_enforce_equal(sink, poseidon_gadget(sink, POSEIDON_2, children), comm_r);
}

static num_t gen_randomness(struct sink *sink, num_t a, num_t b)
{
    const num_t preimage[2] = {a, b};

    return poseidon_gadget(sink, POSEIDON_GEN_RANDOMNESS, preimage);
}

/* The partition's path to comm_d_new is the upper part of every challenge's, the first one's too.
 */
static void commitments(struct sink *sink, struct update_parts *u, const struct update *update,
                        const struct update_partition *p, unsigned k)
{
    const struct update_challenge *first = p->challenges;
    const struct scalar *path = first->data_new.siblings;
    num_t comm_r_old, comm_c;

    sink_scope(sink, "commitments");
    alloc_k_and_h_select(sink, u, k);
    comm_r_old = num_alloc_input(sink, &update->comm_r_old);
    u->comm_d_new = num_alloc_input(sink, &update->comm_d_new);
    u->comm_r_new = num_alloc_input(sink, &update->comm_r_new);
    u->phi = gen_randomness(sink, u->comm_d_new, comm_r_old);
    comm_c = num_alloc_plain(sink, &p->comm_c);
    u->root_r_old = num_alloc_plain(sink, &first->replica_old.root);
    u->root_r_new = num_alloc_plain(sink, &first->replica_new.root);
    alloc_numbers(sink, u->apex, p->apex, 1u << u->shape->lg_apex);
    alloc_numbers(sink, u->partition_path, path ? path + update_random_bits(u->shape) : NULL,
                  u->shape->lg_partitions);
    enforce_comm_r(sink, comm_c, u->root_r_old, comm_r_old);
    enforce_comm_r(sink, comm_c, u->root_r_new, u->comm_r_new);
    sink_scope_end(sink);
}

/* ---- second fixed part ----------------------------------------------------------------------- */

/* The number of a digest: D * partition + j. */
static num_t digest_index(struct sink *sink, const struct update_parts *u, unsigned j)
{
    const fr_t d = fr_of_u64(update_digests(u->shape)), j_value = fr_of_u64(j);
    fr_t value;
    num_t index;

    fr_mul(&value, &d, &u->partition.value);
    fr_add(&value, &value, &j_value);
    index = num_alloc(sink, &value);
    if (sink_is_shape(sink)) {
        struct term terms[2];
        struct lc lc;

        lc_init(&lc, terms, 2);
        lc_add_term(&lc, u->partition.var, coef_of(sink, &d));
        lc_add_constant(sink, &lc, j, 0);
        row_lc_is(sink, &lc, index.var);
    }
    return index;
}

static void challenge_bits(struct sink *sink, struct update_parts *u)
{
    const unsigned n = u->shape->challenges, of_digest = update_digest_challenges(u->shape);
    const unsigned n_bits = update_random_bits(u->shape);
    bool_t bits[FR_BITS];

    for (unsigned i = 0; i < n; i++) {
        if (i % of_digest == 0) {
            num_t digest;

            sink_scope_index(sink, "digest", i / of_digest);
            digest = gen_randomness(sink, u->comm_r_new, digest_index(sink, u, i / of_digest));
            num_alloc_bits(sink, digest, bits);
            num_enforce_packed(sink, bits, FR_BITS, digest);
            sink_scope_end(sink);
        }
        memcpy(u->random_bits + (size_t)i * n_bits, bits + i % of_digest * n_bits,
               n_bits * sizeof(*bits));
    }
}

static void partition_root(struct sink *sink, const struct update_parts *u, num_t root)
{
    sink_scope(sink, "partition");
    por_gadget_given(sink, &u->tree_d_top, root, u->partition_bits, u->partition_path,
                     u->comm_d_new);
    sink_scope_end(sink);
}

/* ---- a challenge ----------------------------------------------------------------------------- */

/* The top bits of the node, as many as the selected h says. */
static num_t top_bits(struct sink *sink, const struct update_parts *u, const bool_t *node)
{
    num_t choices[UPDATE_H_CHOICES];

    for (unsigned h = 0; h < UPDATE_H_CHOICES; h++) {
        const unsigned n = u->shape->top_bits[h];
        const num_t top = num_pack(sink, node + u->shape->tree.lg_nodes - n, n);

        choices[h] = num_mul(sink, top, u->select_h[h]);
    }
    return num_sum(sink, choices, UPDATE_H_CHOICES);
}

static void inclusion(struct sink *sink, const char *name, const struct por_tree *tree,
                      unsigned n_siblings, num_t leaf, const bool_t *node,
                      const struct merkle_path *path, num_t root)
{
    num_t siblings[SIBLINGS_MAX];

    sink_scope(sink, name);
    alloc_numbers(sink, siblings, path->siblings, n_siblings);
    por_gadget_given(sink, tree, leaf, node, siblings, root);
    sink_scope_end(sink);
}

/* random: bits of the place in the partition. */
static void challenge(struct sink *sink, const struct update_parts *u, const bool_t *random,
                      const struct update_challenge *c)
{
    const unsigned n_random = update_random_bits(u->shape), low = update_low_levels(u->shape);
    const unsigned n_siblings = tree_siblings(&u->shape->tree);
    bool_t node[NODE_BITS_MAX];
    num_t apex[APEX_MAX], rho, old, data, new, under;

    memcpy(node, random, n_random * sizeof(*node));
    memcpy(node + n_random, u->partition_bits, u->shape->lg_partitions * sizeof(*node));
    sink_scope(sink, "encoding");
    rho = gen_randomness(sink, u->phi, top_bits(sink, u, node));
    old = num_alloc_plain(sink, &c->replica_old.leaf);
    data = num_alloc_plain(sink, &c->data_new.leaf);
    new = num_add(sink, old, num_mul(sink, data, rho));
    sink_scope_end(sink);
    inclusion(sink, "replica_old", &u->tree, n_siblings, old, node, &c->replica_old, u->root_r_old);
    inclusion(sink, "replica_new", &u->tree, n_siblings, new, node, &c->replica_new, u->root_r_new);
    memcpy(apex, u->apex, sizeof(*apex) << u->shape->lg_apex);
    under = select_gadget(sink, u->shape->lg_apex, apex, node + low);
    inclusion(sink, "data_new", &u->tree_d_low, low, data, node, &c->data_new, under);
}

/* ---- recording ------------------------------------------------------------------------------- */

/* One row of the apex tree: n nodes become n / 2. */
static void record_apex_row(struct sink *sink, struct recorder *rec, num_t *nodes, unsigned n)
{
    const num_t left = {.var = recorder_port(0)}, right = {.var = recorder_port(1)};
    const uint64_t first = recorder_n_aux(rec);
    uint64_t place = UINT64_MAX, stride; /* of a node in its block, and of the blocks */
    var_t imports[APEX_MAX];

    for (unsigned i = 0; i < n; i++)
        imports[i] = nodes[i].var;
    recorder_repeat_begin(rec, "apex node", n / 2, 2, imports);
    while (recorder_block(rec)) {
        const num_t node = sha256_node_gadget(sink, left, right);

        if (place == UINT64_MAX)
            place = node.var - first;
    }
    stride = (recorder_n_aux(rec) - first) / (n / 2);
    for (unsigned i = 0; i < n / 2; i++)
        nodes[i] = (num_t){.var = (var_t)(first + i * stride + place)};
}

static void record_challenges(struct sink *sink, struct recorder *rec, const struct update_parts *u,
                              const struct update_challenge *blank)
{
    const unsigned n_bits = update_random_bits(u->shape), n = u->shape->challenges;
    var_t imports[UPDATE_CHALLENGES_MAX * RANDOM_BITS_MAX];
    bool_t ports[RANDOM_BITS_MAX];

    for (unsigned i = 0; i < n * n_bits; i++)
        imports[i] = u->random_bits[i].var;
    for (unsigned p = 0; p < n_bits; p++)
        ports[p] = (bool_t){.var = recorder_port(p), .kind = BOOL_IS};
    recorder_repeat_begin(rec, "challenge", n, n_bits, imports);
    while (recorder_block(rec))
        challenge(sink, u, ports, blank);
}

/* A shape sink does not look at values: blank ones stand for all. */
static enum cuzk_status record(struct recorder *rec, const void *update_shape,
                               struct cuzk_error *err)
{
    struct update_challenge blank_challenge = {0};
    const struct update_partition blank = {.challenges = &blank_challenge};
    const struct update blank_update = {0};
    struct update_parts u;
    num_t nodes[APEX_MAX];
    struct sink sink;

    parts_begin(&u, update_shape);
    TRY(sink_shape_init(&sink, rec, err));
    commitments(&sink, &u, &blank_update, &blank, 0);
    memcpy(nodes, u.apex, sizeof(*nodes) << u.shape->lg_apex);
    for (unsigned n = 1u << u.shape->lg_apex; n > 1; n /= 2)
        record_apex_row(&sink, rec, nodes, n);
    partition_root(&sink, &u, nodes[0]);
    challenge_bits(&sink, &u);
    record_challenges(&sink, rec, &u, &blank_challenge);
    return sink_shape_done(&sink, err);
}

enum cuzk_status update_record(struct r1cs *ret, const struct update_shape *shape,
                               struct budget *budget, struct cuzk_error *err)
{
    return record_circuit(ret, record, shape, budget, err);
}

enum cuzk_status update_row_path(char *out, size_t n, const struct update_shape *shape,
                                 uint64_t row, struct budget *budget, struct cuzk_error *err)
{
    return record_row_path(out, n, record, shape, row, budget, err);
}

/* ---- values ---------------------------------------------------------------------------------- */

struct witness_job {
    const struct witness_room *room;
    const struct r1cs_repeat *repeat;
    const struct update_parts *parts;
    const struct update_challenge *challenges;
    const num_t *below; /* a row of the apex tree */
    num_t *above;       /* the next */
};

static void witness_apex_node(void *ctx, size_t i, unsigned worker)
{
    const struct witness_job *job = ctx;
    struct sink sink;

    (void)worker;
    sink_witness_init(&sink, job->room, witness_block_place(job->repeat, (uint32_t)i));
    job->above[i] = sha256_node_gadget(&sink, job->below[2 * i], job->below[2 * i + 1]);
    sink_witness_done(&sink);
}

static void witness_challenge(void *ctx, size_t i, unsigned worker)
{
    const struct witness_job *job = ctx;
    const struct update_parts *u = job->parts;
    struct sink sink;

    (void)worker;
    sink_witness_init(&sink, job->room, witness_block_place(job->repeat, (uint32_t)i));
    challenge(&sink, u, u->random_bits + i * update_random_bits(u->shape), &job->challenges[i]);
    sink_witness_done(&sink);
}

/* Returns the apex root; *repeat steps over the rows of the apex tree. */
static num_t witness_apex(struct witness_job *job, unsigned lg_apex, struct pool *pool)
{
    num_t rows[2][APEX_MAX];
    unsigned from = 0;

    memcpy(rows[0], job->parts->apex, sizeof(num_t) << lg_apex);
    for (unsigned n = 1u << lg_apex; n > 1; n /= 2, job->repeat++, from ^= 1) {
        job->below = rows[from];
        job->above = rows[from ^ 1];
        pool_run(pool, n / 2, witness_apex_node, job);
    }
    return rows[from][0];
}

void update_witness(struct packed_witness *w, const struct r1cs *cs,
                    const struct vanilla_update *vanilla, unsigned k, struct pool *pool)
{
    const struct update_partition *p = &vanilla->partitions[k];
    const struct update_shape *shape = &vanilla->update.shape;
    struct update_parts u;
    struct witness_job job = {
        .room = &w->room, .repeat = cs->repeats, .parts = &u, .challenges = p->challenges};
    const struct r1cs_repeat *last;
    struct sink sink;
    num_t root;

    parts_begin(&u, shape);
    sink_witness_init(&sink, &w->room, (struct witness_place){0});
    commitments(&sink, &u, &vanilla->update, p, k);
    sink_witness_done(&sink);

    root = witness_apex(&job, shape->lg_apex, pool);
    last = job.repeat - 1;
    sink_witness_init(&sink, &w->room, witness_block_place(last, last->count));
    partition_root(&sink, &u, root);
    challenge_bits(&sink, &u);
    sink_witness_done(&sink);
    pool_run(pool, shape->challenges, witness_challenge, &job);
}
