#include "filecoin/sample_post.h"

#include <stdlib.h>

#include "circuit/poseidon.h"
#include "filecoin/sample_tree.h"

size_t sample_post_bytes(const struct post_config *config)
{
    return region_bytes(sample_tree_bytes(&config->shape.tree, post_sector_challenges(config)));
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Random leaves at `nodes`, one value elsewhere. */
static enum cuzk_status make_tree(struct sample_tree *tree, const struct post_config *config,
                                  const uint64_t *nodes, struct rng *rng, struct arena *memory,
                                  struct cuzk_error *err)
{
    const struct scalar rest = sample_scalar(rng);
    unsigned n = post_sector_challenges(config);
    uint64_t sorted[WINNING_CHALLENGES];

    for (unsigned j = 0; j < n; j++)
        sorted[j] = nodes[j];
    qsort(sorted, n, sizeof(*sorted), by_size);
    TRY(sample_tree_new(tree, &config->shape.tree, POR_POSEIDON, n, &rest, memory, err));
    for (unsigned j = 0; j < n; j++) {
        struct scalar leaf = sample_scalar(rng);

        if (j == 0 || sorted[j] != sorted[j - 1])
            sample_tree_add(tree, sorted[j], &leaf);
    }
    sample_tree_build(tree);
    return CUZK_OK;
}

/* Sector number i, whose id is set. */
static enum cuzk_status make_sector(struct vanilla_post *v, size_t i, struct rng *rng,
                                    struct arena *memory, struct cuzk_error *err)
{
    const struct post_config *config = &v->post.config;
    struct vanilla_sector *proof = &v->sectors[i];
    unsigned n = post_sector_challenges(config);
    uint64_t nodes[WINNING_CHALLENGES];
    struct sample_tree tree;
    struct scalar roots[2];

    for (unsigned j = 0; j < n; j++)
        nodes[j] = post_challenge(&v->post, i, j);
    TRY(make_tree(&tree, config, nodes, rng, memory, err));
    for (unsigned j = 0; j < n; j++)
        sample_tree_path(&tree, nodes[j], &proof->paths[j]);
    roots[0] = proof->comm_c = sample_scalar(rng);
    roots[1] = proof->comm_r_last = sample_tree_root(&tree);
    poseidon_hash_plain(POSEIDON_2, &v->post.sectors[i].comm_r, roots);
    return CUZK_OK;
}

enum cuzk_status sample_post(struct vanilla_post *ret, const struct post_config *config,
                             size_t n_sectors, uint64_t seed, struct budget *budget,
                             struct cuzk_error *err)
{
    struct vanilla_post v = {0};
    struct arena memory = {0};
    uint8_t randomness[32];
    enum cuzk_status st;
    struct rng rng;

    rng_seed(&rng, seed);
    rng_bytes(&rng, randomness, sizeof(randomness));
    randomness[31] &= 0x3f;
    TRY(vanilla_post_new(&v, config, randomness, n_sectors, budget, err));
    TRY_GOTO(st, out, arena_init(&memory, budget, MEM_SCRATCH, sample_post_bytes(config), err));
    for (size_t i = 0; i < n_sectors; i++) {
        size_t mark = arena_mark(&memory);

        v.post.sectors[i].id = seed + i;
        TRY_GOTO(st, out, make_sector(&v, i, &rng, &memory, err));
        arena_rewind(&memory, mark);
    }
    *ret = v;
    v = (struct vanilla_post){0};
out:
    arena_done(&memory);
    vanilla_post_done(&v);
    return st;
}
