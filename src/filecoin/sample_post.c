#include "filecoin/sample_post.h"

#include <stdlib.h>

#include "circuit/poseidon.h"

/* Of one thread. */
static size_t tree_bytes(const struct post_config *config)
{
    return sample_tree_bytes(&config->shape.tree, post_sector_challenges(config));
}

size_t sample_post_bytes(const struct post_config *config, unsigned n_threads)
{
    return region_bytes(n_threads * tree_bytes(config));
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

static void prove_sector(struct vanilla_post *v, size_t i, const struct sample_tree *tree_r_last,
                         const struct scalar *comm_c)
{
    const struct scalar roots[2] = {*comm_c, sample_tree_root(tree_r_last)};
    struct vanilla_sector *proof = &v->sectors[i];

    for (unsigned j = 0; j < post_sector_challenges(&v->post.config); j++)
        sample_tree_path(tree_r_last, post_challenge(&v->post, i, j), &proof->paths[j]);
    proof->comm_c = roots[0];
    proof->comm_r_last = roots[1];
    poseidon_hash_plain(POSEIDON_2, &v->post.sectors[i].comm_r, roots, 1);
}

void sample_post_sector(struct vanilla_post *vanilla, size_t i, const struct sample_sector *sector)
{
    const struct scalar comm_c = sample_tree_root(&sector->tree_c);

    vanilla->post.sectors[i].id = sector->facts.number;
    prove_sector(vanilla, i, &sector->tree_r_last, &comm_c);
}

struct job {
    struct vanilla_post *vanilla;
    uint64_t number, seed; /* of the first sector */
    struct region room;    /* tree_bytes() a thread */
    _Atomic enum cuzk_status status;
};

static enum cuzk_status make_sector(const struct job *job, size_t i, struct arena *memory)
{
    struct vanilla_post *v = job->vanilla;
    unsigned n = post_sector_challenges(&v->post.config);
    uint64_t nodes[WINNING_CHALLENGES];
    struct sample_tree tree;
    struct scalar comm_c;
    struct rng rng;

    rng_seed(&rng, job->seed + i);
    v->post.sectors[i].id = job->number + i;
    for (unsigned j = 0; j < n; j++)
        nodes[j] = post_challenge(&v->post, i, j);
    TRY(make_tree(&tree, &v->post.config, nodes, &rng, memory, NULL));
    comm_c = sample_scalar(&rng);
    prove_sector(v, i, &tree, &comm_c);
    return CUZK_OK;
}

/* Each thread has its piece of the room. */
static void make_item(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const size_t bytes = tree_bytes(&job->vanilla->post.config);
    struct arena memory = {.region = {.base = job->room.base + worker * bytes, .bytes = bytes}};
    enum cuzk_status st = make_sector(job, i, &memory);

    if (st != CUZK_OK)
        job->status = st;
}

enum cuzk_status sample_post(struct vanilla_post *ret, const struct post_config *config,
                             size_t n_sectors, const uint8_t randomness[32],
                             const struct sample_facts *facts, struct pool *pool,
                             struct budget *budget, struct cuzk_error *err)
{
    struct rng rng = facts->rng;
    struct vanilla_post v;
    struct job job = {.vanilla = &v, .number = facts->number, .seed = rng_u64(&rng)};
    enum cuzk_status st;

    TRY(vanilla_post_new(&v, config, randomness, n_sectors, budget, err));
    TRY_GOTO(st, fail,
             region_map(&job.room, budget, MEM_SCRATCH, sample_post_bytes(config, pool_size(pool)),
                        err));
    pool_run(pool, n_sectors, make_item, &job);
    region_unmap(&job.room);
    st = job.status;
    if (pool_cancelled(pool))
        st = error_set(err, CUZK_CANCELLED, "cancelled");
    else if (st != CUZK_OK)
        st = error_set(err, st, "no room for the tree of a sample");
    if (st == CUZK_OK) {
        *ret = v;
        return CUZK_OK;
    }
fail:
    vanilla_post_done(&v);
    return st;
}
