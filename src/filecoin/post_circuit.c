#include "filecoin/post_circuit.h"

#include <assert.h>

#include "circuit/poseidon_gadget.h"
#include "filecoin/record.h"

/* What a slot is filled with. */
struct slot {
    struct scalar comm_r, comm_c, comm_r_last;
    const struct merkle_path *paths; /* `challenges` of them */
};

static void slot_circuit(struct sink *sink, const struct por_tree *tree, unsigned challenges,
                         const struct slot *slot)
{
    const num_t comm_r_last = num_alloc_plain(sink, &slot->comm_r_last);
    const num_t comm_c = num_alloc_plain(sink, &slot->comm_c);
    const num_t comm_r = num_alloc_input(sink, &slot->comm_r);
    const num_t children[2] = {comm_c, comm_r_last};

    num_enforce_equal(sink, comm_r, poseidon_gadget(sink, POSEIDON_2, children));
    for (unsigned j = 0; j < challenges; j++) {
        num_t leaf;

        sink_scope_index(sink, "challenge", j);
        leaf = num_alloc_plain(sink, &slot->paths[j].leaf);
        merkle_inclusion(sink, tree, leaf, &slot->paths[j], comm_r_last);
        sink_scope_end(sink);
    }
}

/* ---- recording ------------------------------------------------------------------------------- */

/* A shape sink does not look at values: blank ones stand for all. */
static enum cuzk_status record(struct recorder *rec, const void *post_shape, struct cuzk_error *err)
{
    static const struct merkle_path blank[WINNING_CHALLENGES];
    const struct post_shape *shape = post_shape;
    const struct por_tree tree = por_tree_of(&shape->tree, POR_POSEIDON);
    const struct slot slot = {.paths = blank};
    struct sink sink;

    assert(shape->challenges <= WINNING_CHALLENGES);
    TRY(sink_shape_init(&sink, rec, err));
    recorder_repeat_begin(rec, "slot", shape->slots, 0, NULL);
    while (recorder_block(rec))
        slot_circuit(&sink, &tree, shape->challenges, &slot);
    return sink_shape_done(&sink, err);
}

enum cuzk_status post_record(struct r1cs *ret, const struct post_shape *shape,
                             struct budget *budget, struct cuzk_error *err)
{
    return record_circuit(ret, record, shape, budget, err);
}

enum cuzk_status post_row_path(char *out, size_t n, const struct post_shape *shape, uint64_t row,
                               struct budget *budget, struct cuzk_error *err)
{
    return record_row_path(out, n, record, shape, row, budget, err);
}

/* ---- values ---------------------------------------------------------------------------------- */

struct witness_job {
    const struct witness_room *room;
    const struct r1cs_repeat *repeat;
    const struct vanilla_post *vanilla;
    struct por_tree tree;
    size_t partition;
};

static struct slot slot_of(const struct vanilla_post *v, size_t partition, unsigned s)
{
    const struct post_slot place = post_slot(&v->post, partition, s);
    const struct vanilla_sector *proof = &v->sectors[place.sector];

    return (struct slot){
        .comm_r = v->post.sectors[place.sector].comm_r,
        .comm_c = proof->comm_c,
        .comm_r_last = proof->comm_r_last,
        .paths = proof->paths + place.first_challenge,
    };
}

static void witness_slot(void *ctx, size_t i, unsigned worker)
{
    const struct witness_job *job = ctx;
    const struct slot slot = slot_of(job->vanilla, job->partition, (unsigned)i);
    struct sink sink;

    (void)worker;
    sink_witness_init(&sink, job->room, witness_block_place(job->repeat, (uint32_t)i));
    slot_circuit(&sink, &job->tree, job->vanilla->post.config.shape.challenges, &slot);
    sink_witness_done(&sink);
}

void post_witness(struct packed_witness *w, const struct r1cs *cs,
                  const struct vanilla_post *vanilla, size_t partition, struct pool *pool)
{
    const struct post_shape *shape = &vanilla->post.config.shape;
    struct witness_job job = {.room = &w->room,
                              .repeat = cs->repeats,
                              .vanilla = vanilla,
                              .tree = por_tree_of(&shape->tree, POR_POSEIDON),
                              .partition = partition};
    struct sink sink;

    sink_witness_init(&sink, &w->room, (struct witness_place){0}); /* ONE */
    sink_witness_done(&sink);
    pool_run(pool, shape->slots, witness_slot, &job);
}
