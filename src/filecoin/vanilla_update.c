#include "filecoin/vanilla_update.h"

#include <string.h>

#include "filecoin/bincode.h"
#include "filecoin/serde.h"

/* Of all partitions. */
struct layout {
    size_t partitions, challenges, scalars; /* bytes */
};

static size_t challenge_siblings(const struct update_shape *shape)
{
    return 2 * (size_t)tree_siblings(&shape->tree) + shape->tree.lg_nodes;
}

static struct layout layout_of(const struct update_shape *shape)
{
    size_t n = update_partitions(shape), challenges = n * shape->challenges;
    size_t scalars = (n << shape->lg_apex) + challenges * challenge_siblings(shape);

    return (struct layout){
        .partitions = n * sizeof(struct update_partition),
        .challenges = challenges * sizeof(struct update_challenge),
        .scalars = scalars * sizeof(struct scalar),
    };
}

size_t vanilla_update_bytes(const struct update_shape *shape)
{
    const struct layout l = layout_of(shape);

    return region_bytes(arena_piece(l.partitions) + arena_piece(l.challenges) +
                        arena_piece(l.scalars));
}

static struct scalar *take(struct scalar **next, size_t n)
{
    struct scalar *ret = *next;

    *next += n;
    return ret;
}

static void point_challenge(struct update_challenge *c, const struct update_shape *shape,
                            struct scalar **next)
{
    unsigned n = tree_siblings(&shape->tree);

    c->replica_old.siblings = take(next, n);
    c->data_new.siblings = take(next, shape->tree.lg_nodes);
    c->replica_new.siblings = take(next, n);
}

static enum cuzk_status take_pieces(struct vanilla_update *v, struct cuzk_error *err)
{
    const struct update_shape *shape = &v->update.shape;
    const struct layout l = layout_of(shape);
    void *partitions, *challenges, *scalars;
    struct update_challenge *challenge;
    struct scalar *next;

    TRY(arena_take(&v->memory, l.partitions, &partitions, err));
    TRY(arena_take(&v->memory, l.challenges, &challenges, err));
    TRY(arena_take(&v->memory, l.scalars, &scalars, err));
    v->partitions = partitions;
    challenge = challenges;
    next = scalars;
    for (unsigned k = 0; k < update_partitions(shape); k++) {
        v->partitions[k].apex = take(&next, (size_t)1 << shape->lg_apex);
        v->partitions[k].challenges = challenge;
        for (unsigned i = 0; i < shape->challenges; i++)
            point_challenge(challenge++, shape, &next);
    }
    return CUZK_OK;
}

enum cuzk_status vanilla_update_new(struct vanilla_update *ret, const struct update *update,
                                    struct budget *budget, struct cuzk_error *err)
{
    struct vanilla_update v = {.update = *update};
    enum cuzk_status st;

    TRY(arena_init(&v.memory, budget, MEM_REQUEST, vanilla_update_bytes(&update->shape), err));
    TRY_GOTO(st, fail, take_pieces(&v, err));
    *ret = v;
    return CUZK_OK;
fail:
    arena_done(&v.memory);
    return st;
}

void vanilla_update_done(struct vanilla_update *vanilla)
{
    arena_done(&vanilla->memory);
    memset(vanilla, 0, sizeof(*vanilla));
}

/* ---- reading --------------------------------------------------------------------------------- */

enum cuzk_status vanilla_update_read(struct vanilla_update *vanilla, unsigned k, struct reader *r,
                                     struct cuzk_error *err)
{
    const struct update_shape *shape = &vanilla->update.shape;
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    struct update_partition *p = &vanilla->partitions[k];

    r->section = "comm_c";
    TRY(bincode_scalar(r, &p->comm_c, err));
    r->section = "apex_leafs";
    TRY(bincode_scalars(r, p->apex, UINT64_C(1) << shape->lg_apex, "apex_leafs", err));
    r->section = "challenge_proofs";
    TRY(bincode_length(r, shape->challenges, "challenge_proofs", err));
    for (unsigned i = 0; i < shape->challenges; i++) {
        struct update_challenge *c = &p->challenges[i];

        r->section = "proof_r_old";
        TRY(bincode_merkle(r, &c->replica_old, &shape->tree, err));
        r->section = "proof_d_new";
        TRY(bincode_merkle(r, &c->data_new, &tree_d, err));
        r->section = "proof_r_new";
        TRY(bincode_merkle(r, &c->replica_new, &shape->tree, err));
    }
    r->section = "end";
    return read_end(r, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

void vanilla_update_write(FILE *out, const struct vanilla_update *vanilla, unsigned k)
{
    const struct update_shape *shape = &vanilla->update.shape;
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    const struct update_partition *p = &vanilla->partitions[k];
    struct serde_writer w = {.out = out, .first = true};
    unsigned n_apex = 1u << shape->lg_apex;

    serde_scalar(&w, &p->comm_c);
    serde_list(&w, n_apex);
    for (unsigned i = 0; i < n_apex; i++)
        serde_scalar(&w, &p->apex[i]);
    serde_list(&w, shape->challenges);
    for (unsigned i = 0; i < shape->challenges; i++) {
        const struct update_challenge *c = &p->challenges[i];

        serde_merkle_proof(&w, &c->replica_old, &shape->tree);
        serde_merkle_proof(&w, &c->data_new, &tree_d);
        serde_merkle_proof(&w, &c->replica_new, &shape->tree);
    }
}
