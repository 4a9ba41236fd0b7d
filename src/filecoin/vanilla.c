#include "filecoin/vanilla.h"

#include <string.h>

/* Scalars that one challenge owns through pointers. */
static size_t challenge_scalars(const struct porep_shape *shape)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    size_t column = shape->layers + tree_siblings(&shape->tree);

    return tree_siblings(&tree_d) + tree_siblings(&shape->tree) + (1 + N_PARENTS) * column;
}

size_t vanilla_porep_bytes(const struct porep_shape *shape, unsigned partitions)
{
    size_t n = (size_t)partitions * shape->challenges;

    return region_bytes(arena_piece(n * sizeof(struct vanilla_challenge)) +
                        arena_piece(n * challenge_scalars(shape) * sizeof(struct scalar)));
}

static struct scalar *take(struct scalar **next, size_t n)
{
    struct scalar *ret = *next;

    *next += n;
    return ret;
}

static void challenge_point(struct vanilla_challenge *c, const struct porep_shape *shape,
                            struct scalar **next)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    unsigned siblings = tree_siblings(&shape->tree);

    c->data.siblings = take(next, tree_siblings(&tree_d));
    c->replica.siblings = take(next, siblings);
    c->column.rows = take(next, shape->layers);
    c->column.path.siblings = take(next, siblings);
    for (int i = 0; i < N_PARENTS; i++) {
        c->parents[i].rows = take(next, shape->layers);
        c->parents[i].path.siblings = take(next, siblings);
    }
}

enum cuzk_status vanilla_porep_new(struct vanilla_porep *ret, const struct porep_shape *shape,
                                   unsigned partitions, struct budget *budget,
                                   struct cuzk_error *err)
{
    enum cuzk_status st;
    struct vanilla_porep v = {.shape = *shape, .partitions = partitions};
    size_t n = (size_t)partitions * shape->challenges;
    void *challenges, *scalars;
    struct scalar *next;

    TRY(arena_init(&v.memory, budget, MEM_REQUEST, vanilla_porep_bytes(shape, partitions), err));
    TRY_GOTO(st, fail,
             arena_take(&v.memory, n * sizeof(struct vanilla_challenge), &challenges, err));
    TRY_GOTO(
        st, fail,
        arena_take(&v.memory, n * challenge_scalars(shape) * sizeof(struct scalar), &scalars, err));
    v.challenges = challenges;
    next = scalars;
    for (size_t i = 0; i < n; i++)
        challenge_point(&v.challenges[i], shape, &next);
    *ret = v;
    return CUZK_OK;
fail:
    arena_done(&v.memory);
    return st;
}

void vanilla_porep_done(struct vanilla_porep *vanilla)
{
    arena_done(&vanilla->memory);
    memset(vanilla, 0, sizeof(*vanilla));
}
