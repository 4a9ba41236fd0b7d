#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/poseidon.h"
#include "filecoin/seal.h"
#include "filecoin/vanilla_post.h"

static bool equal(const struct scalar *a, const struct scalar *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static enum cuzk_status wrong(struct cuzk_error *err, const struct vanilla_post *v, size_t i,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum cuzk_status wrong(struct cuzk_error *err, const struct vanilla_post *v, size_t i,
                              const char *format, ...)
{
    char sentence[256];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return error_set(err, CUZK_BAD_INPUT, "proof %zu (sector %" PRIu64 "): %s", i,
                     v->post.sectors[i].id, sentence);
}

/* ---- public facts ---------------------------------------------------------------------------- */

static enum cuzk_status check_sector(const struct vanilla_post *v, size_t i, struct cuzk_error *err)
{
    const struct vanilla_sector *proof = &v->sectors[i];
    const struct scalar children[2] = {proof->comm_c, proof->comm_r_last};
    struct scalar comm_r;

    poseidon_hash_plain(POSEIDON_2, &comm_r, children, 1);
    if (!equal(&comm_r, &v->post.sectors[i].comm_r))
        return wrong(err, v, i, "comm_r is not the hash of comm_c and comm_r_last");
    for (unsigned j = 0; j < post_sector_challenges(&v->post.config); j++) {
        uint64_t node = post_challenge(&v->post, i, j);

        if (!equal(&proof->paths[j].root, &proof->comm_r_last))
            return wrong(err, v, i, "challenge %u: the root is not comm_r_last", j);
        if (proof->paths[j].index != node)
            return wrong(err, v, i,
                         "challenge %u: the path leads to node %" PRIu64 ", expected %" PRIu64
                         " from the randomness",
                         j, proof->paths[j].index, node);
    }
    return CUZK_OK;
}

struct numbered {
    uint64_t id;
    size_t i;
};

static int by_id(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

static enum cuzk_status check_distinct(const struct vanilla_post *v, struct cuzk_error *err)
{
    size_t n = v->post.n_sectors;
    enum cuzk_status st = CUZK_OK;
    struct region room;
    struct numbered *list;

    TRY(region_map(&room, v->memory.region.budget, MEM_SCRATCH, n * sizeof(*list), err));
    list = (struct numbered *)(void *)room.base;
    for (size_t i = 0; i < n; i++)
        list[i] = (struct numbered){v->post.sectors[i].id, i};
    qsort(list, n, sizeof(*list), by_id);
    for (size_t k = 1; k < n && st == CUZK_OK; k++)
        if (list[k].id == list[k - 1].id)
            st = wrong(err, v, list[k].i, "the same sector as proof %zu", list[k - 1].i);
    region_unmap(&room);
    return st;
}

enum cuzk_status post_check(const struct vanilla_post *vanilla, struct cuzk_error *err)
{
    const struct scalar randomness = scalar_from_bytes(vanilla->post.randomness);

    if (!curve_bls12_381.fr_is_reduced(&randomness))
        return error_set(err, CUZK_BAD_INPUT,
                         "the randomness is not below the field's modulus: callers clear the two "
                         "top bits of its last byte");
    TRY(check_distinct(vanilla, err));
    for (size_t i = 0; i < vanilla->post.n_sectors; i++)
        TRY(check_sector(vanilla, i, err));
    return CUZK_OK;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static enum cuzk_status deep_sector(const struct vanilla_post *v, size_t i, struct cuzk_error *err)
{
    const struct tree_shape *tree = &v->post.config.shape.tree;
    const struct merkle_path *paths = v->sectors[i].paths;
    const unsigned n = post_sector_challenges(&v->post.config);
    struct scalar nodes[WINNING_CHALLENGES];

    for (unsigned j = 0; j < n; j++)
        nodes[j] = paths[j].leaf;
    merkle_climb(nodes, paths, n, tree, POR_POSEIDON, tree_levels(tree));
    for (unsigned j = 0; j < n; j++)
        if (!equal(&nodes[j], &paths[j].root))
            return wrong(err, v, i, "challenge %u: the path does not lead to its root", j);
    return CUZK_OK;
}

struct deep {
    const struct vanilla_post *vanilla;
    atomic_size_t first_wrong; /* n_sectors: none yet */
};

static void deep_item(void *ctx, size_t i, unsigned worker)
{
    struct deep *deep = ctx;
    size_t first = atomic_load(&deep->first_wrong);

    (void)worker;
    if (i > first || deep_sector(deep->vanilla, i, NULL) == CUZK_OK)
        return;
    while (i < first && !atomic_compare_exchange_weak(&deep->first_wrong, &first, i))
        ;
}

/* The sentence is made afterwards, for the first that is wrong: the same for every number of
 * threads. */
enum cuzk_status post_check_deep(const struct vanilla_post *vanilla, struct pool *pool,
                                 struct cuzk_error *err)
{
    size_t n = vanilla->post.n_sectors;
    struct deep deep = {.vanilla = vanilla, .first_wrong = n};

    TRY(post_check(vanilla, err));
    pool_run(pool, n, deep_item, &deep);
    if (deep.first_wrong < n)
        return deep_sector(vanilla, deep.first_wrong, err);
    return pool_cancelled(pool) ? error_set(err, CUZK_CANCELLED, "cancelled") : CUZK_OK;
}
