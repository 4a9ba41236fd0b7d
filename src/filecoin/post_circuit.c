#include "filecoin/post_circuit.h"

#include <assert.h>

#include "circuit/poseidon_gadget.h"
#include "filecoin/record.h"

/* What a slot is filled with. */
struct slot {
    struct scalar comm_r, comm_c, comm_r_last;
    const struct merkle_path *paths; /* `challenges` of them */
};

/* A slot is a row of parts, head, challenge 0, challenge 1 ...; all use the variable comm_r_last of
 * the head, in a witness its value alone, so that every part can be made by itself. The same part
 * of n <= SINKS_MAX slots is made side by side, a sink each. */

static void head_part(struct sink *sinks, unsigned n, const struct slot *slots, num_t *comm_r_last)
{
    num_t comm_r[SINKS_MAX], children[SINKS_MAX][2], hash[SINKS_MAX];

    for (unsigned i = 0; i < n; i++) {
        comm_r_last[i] = num_alloc_plain(&sinks[i], &slots[i].comm_r_last);
        children[i][0] = num_alloc_plain(&sinks[i], &slots[i].comm_c);
        children[i][1] = comm_r_last[i];
        comm_r[i] = num_alloc_input(&sinks[i], &slots[i].comm_r);
    }
    poseidon_gadgets(sinks, n, POSEIDON_2, children[0], hash);
    for (unsigned i = 0; i < n; i++)
        num_enforce_equal(&sinks[i], comm_r[i], hash[i]);
}

static void challenge_part(struct sink *sinks, unsigned n, const struct por_tree *tree,
                           const struct slot *slots, unsigned j, const num_t *comm_r_last)
{
    const struct merkle_path *paths[SINKS_MAX];
    num_t leaves[SINKS_MAX];

    for (unsigned i = 0; i < n; i++) {
        sink_scope_index(&sinks[i], "challenge", j);
        paths[i] = &slots[i].paths[j];
        leaves[i] = num_alloc_plain(&sinks[i], &paths[i]->leaf);
    }
    merkle_inclusions(sinks, n, tree, leaves, paths, comm_r_last);
    for (unsigned i = 0; i < n; i++)
        sink_scope_end(&sinks[i]);
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
    while (recorder_block(rec)) {
        num_t comm_r_last;

        recorder_mark(rec);
        head_part(&sink, 1, &slot, &comm_r_last);
        for (unsigned j = 0; j < shape->challenges; j++) {
            recorder_mark(rec);
            challenge_part(&sink, 1, &tree, &slot, j, &comm_r_last);
        }
    }
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
    unsigned first_group; /* of SINKS_MAX slots, of the loop that runs */
};

/* The groups are taken in loops, after each of which is told how far the witness is made. With less
 * in a loop its end, where threads wait for each other, would show. */
enum { LOOPS_MAX = 8, LOOP_GROUPS_MIN = 16 };

static unsigned loops_for(unsigned n_groups)
{
    const unsigned n = n_groups / LOOP_GROUPS_MIN;

    return n < 1 ? 1 : n < LOOPS_MAX ? n : LOOPS_MAX;
}

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

/* One part of SINKS_MAX slots, or of what is left of them: at least one. */
static void witness_part(void *ctx, size_t item, unsigned worker)
{
    const struct witness_job *job = ctx;
    const struct post_shape *shape = &job->vanilla->post.config.shape;
    const unsigned n_parts = 1 + shape->challenges, part = (unsigned)(item % n_parts);
    const unsigned group = job->first_group + (unsigned)(item / n_parts);
    const unsigned first = group * SINKS_MAX, left = shape->slots - first;
    const unsigned n = left < SINKS_MAX ? left : SINKS_MAX;
    struct slot slots[SINKS_MAX];
    struct sink sinks[SINKS_MAX];
    num_t comm_r_last[SINKS_MAX];

    (void)worker;
    assert(n > 0);
    for (unsigned i = 0; i < n; i++) {
        slots[i] = slot_of(job->vanilla, job->partition, first + i);
        comm_r_last[i] = (num_t){.value = fr_of_scalar(&slots[i].comm_r_last)};
        sink_witness_init(&sinks[i], job->room, witness_part_place(job->repeat, first + i, part));
    }
    if (part == 0)
        head_part(sinks, n, slots, comm_r_last);
    else
        challenge_part(sinks, n, &job->tree, slots, part - 1, comm_r_last);
    for (unsigned i = 0; i < n; i++)
        sink_witness_done(&sinks[i]);
}

void post_witness(struct packed_witness *w, const struct r1cs *cs,
                  const struct vanilla_post *vanilla, size_t partition, struct pool *pool)
{
    const struct post_shape *shape = &vanilla->post.config.shape;
    const unsigned n_groups = (shape->slots - 1) / SINKS_MAX + 1, n_loops = loops_for(n_groups);
    struct witness_job job = {.room = &w->room,
                              .repeat = cs->repeats,
                              .vanilla = vanilla,
                              .tree = por_tree_of(&shape->tree, POR_POSEIDON),
                              .partition = partition};
    struct sink sink;

    sink_witness_init(&sink, &w->room, (struct witness_place){0}); /* ONE */
    sink_witness_done(&sink);
    for (unsigned i = 0; i < n_loops; i++) {
        const unsigned end = (i + 1) * n_groups / n_loops;

        pool_run(pool, (size_t)(end - job.first_group) * (1 + shape->challenges), witness_part,
                 &job);
        job.first_group = end;
        if (w->made.f && end < n_groups)
            w->made.f(w->made.ctx, witness_block_place(cs->repeats, end * SINKS_MAX).aux);
    }
}
