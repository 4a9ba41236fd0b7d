#include "filecoin/sample_update.h"

#include "circuit/poseidon.h"
#include "filecoin/sample_tree.h"

enum { LG_REGIONS_MAX = 10 }; /* as many as the largest choice of top bits has values */

unsigned sample_update_lg_regions(const struct update_shape *shape)
{
    unsigned lg = shape->tree.lg_nodes;

    return lg < LG_REGIONS_MAX ? lg : LG_REGIONS_MAX;
}

static size_t n_regions(const struct update_shape *shape)
{
    return (size_t)1 << sample_update_lg_regions(shape);
}

/* The trees of an update. */
struct trees {
    const struct update_shape *shape;
    const struct sample_update_source *source;
    struct sample_tree old, data, new;
};

static size_t source_bytes(const struct update_shape *shape)
{
    return arena_piece(n_regions(shape) * sizeof(struct scalar));
}

static size_t trees_bytes(const struct update_shape *shape)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);
    unsigned lg = sample_update_lg_regions(shape);

    return 2 * sample_tree_regions_bytes(&shape->tree, lg) + sample_tree_regions_bytes(&tree_d, lg);
}

size_t sample_update_bytes(const struct update_shape *shape)
{
    return region_bytes(2 * source_bytes(shape)) + region_bytes(trees_bytes(shape));
}

/* ---- trees and commitments ------------------------------------------------------------------- */

static uint64_t first_node(const struct update_shape *shape, size_t region)
{
    return (uint64_t)region << (shape->tree.lg_nodes - sample_update_lg_regions(shape));
}

static enum cuzk_status make_tree(struct sample_tree *tree, const struct tree_shape *tree_shape,
                                  enum por_hash hash, const struct update_shape *shape,
                                  const struct scalar *leaves, struct arena *memory,
                                  struct cuzk_error *err)
{
    TRY(sample_tree_new_regions(tree, tree_shape, hash, sample_update_lg_regions(shape), memory,
                                err));
    for (size_t i = 0; i < n_regions(shape); i++)
        sample_tree_add(tree, first_node(shape, i), &leaves[i]);
    sample_tree_build(tree);
    return CUZK_OK;
}

static struct scalar comm_r_of(const struct scalar *comm_c, const struct sample_tree *tree)
{
    const struct scalar children[2] = {*comm_c, sample_tree_root(tree)};
    struct scalar comm_r;

    poseidon_hash_plain(POSEIDON_2, &comm_r, children, 1);
    return comm_r;
}

static enum cuzk_status make_old_and_data(struct trees *t, struct update *update,
                                          struct arena *memory, struct cuzk_error *err)
{
    const struct tree_shape *tree = &t->shape->tree, tree_d = tree_binary(tree->lg_nodes);

    TRY(make_tree(&t->old, tree, POR_POSEIDON, t->shape, t->source->old, memory, err));
    TRY(make_tree(&t->data, &tree_d, POR_SHA256, t->shape, t->source->data, memory, err));
    update->comm_r_old = comm_r_of(&t->source->comm_c, &t->old);
    update->comm_d_new = sample_tree_root(&t->data);
    return CUZK_OK;
}

/* What a region becomes depends on its top bits alone. */
static enum cuzk_status make_new(struct trees *t, struct update *update, struct arena *memory,
                                 struct cuzk_error *err)
{
    const struct scalar phi = update_phi(update);

    TRY(sample_tree_new_regions(&t->new, &t->shape->tree, POR_POSEIDON,
                                sample_update_lg_regions(t->shape), memory, err));
    for (size_t i = 0; i < n_regions(t->shape); i++) {
        uint64_t node = first_node(t->shape, i);
        struct scalar value =
            update_encode(update, &phi, node, &t->source->old[i], &t->source->data[i]);

        sample_tree_add(&t->new, node, &value);
    }
    sample_tree_build(&t->new);
    update->comm_r_new = comm_r_of(&t->source->comm_c, &t->new);
    return CUZK_OK;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static void prove_partition(struct vanilla_update *v, const struct trees *t, unsigned k)
{
    const struct update_shape *shape = t->shape;
    struct update_partition *p = &v->partitions[k];
    uint64_t nodes[UPDATE_CHALLENGES_MAX], apex = (uint64_t)k << shape->lg_apex;

    p->comm_c = t->source->comm_c;
    for (unsigned i = 0; i < 1u << shape->lg_apex; i++)
        p->apex[i] = sample_tree_node(&t->data, update_low_levels(shape), apex + i);
    update_challenges(nodes, &v->update, k);
    for (unsigned i = 0; i < shape->challenges; i++) {
        sample_tree_path(&t->old, nodes[i], &p->challenges[i].replica_old);
        sample_tree_path(&t->data, nodes[i], &p->challenges[i].data_new);
        sample_tree_path(&t->new, nodes[i], &p->challenges[i].replica_new);
    }
}

enum cuzk_status sample_update_of(struct vanilla_update *ret, const struct update_shape *shape,
                                  const struct sample_update_source *source, struct budget *budget,
                                  struct cuzk_error *err)
{
    struct trees t = {.shape = shape, .source = source};
    struct update update = {.shape = *shape};
    struct vanilla_update v = {0};
    struct arena memory;
    enum cuzk_status st;

    TRY(arena_init(&memory, budget, MEM_SCRATCH, trees_bytes(shape), err));
    TRY_GOTO(st, out, make_old_and_data(&t, &update, &memory, err));
    TRY_GOTO(st, out, make_new(&t, &update, &memory, err));
    TRY_GOTO(st, out, vanilla_update_new(&v, &update, budget, err));
    for (unsigned k = 0; k < update_partitions(shape); k++)
        prove_partition(&v, &t, k);
    *ret = v;
out:
    arena_done(&memory);
    return st;
}

static void draw(struct scalar *out, size_t n, struct rng *rng)
{
    for (size_t i = 0; i < n; i++)
        out[i] = sample_scalar(rng);
}

enum cuzk_status sample_update(struct vanilla_update *ret, const struct update_shape *shape,
                               struct rng *rng, struct budget *budget, struct cuzk_error *err)
{
    struct sample_update_source source = {.comm_c = sample_scalar(rng)};
    size_t n = n_regions(shape);
    struct arena memory;
    enum cuzk_status st;
    void *old, *data;

    TRY(arena_init(&memory, budget, MEM_SCRATCH, 2 * source_bytes(shape), err));
    TRY_GOTO(st, out, arena_take(&memory, n * sizeof(struct scalar), &old, err));
    TRY_GOTO(st, out, arena_take(&memory, n * sizeof(struct scalar), &data, err));
    draw(old, n, rng);
    draw(data, n, rng);
    source.old = old;
    source.data = data;
    st = sample_update_of(ret, shape, &source, budget, err);
out:
    arena_done(&memory);
    return st;
}
