#include "support/c1_sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- random values --------------------------------------------------------------------------- */

static struct scalar random_scalar(struct rng *rng)
{
    struct scalar a;

    rng_bytes(rng, &a, sizeof a);
    a.w[3] >>= 2; /* below 2^254, hence below r */
    return a;
}

static void random_scalars(struct scalar *out, size_t n, struct rng *rng)
{
    for (size_t i = 0; i < n; i++)
        out[i] = random_scalar(rng);
}

static void random_path(struct merkle_path *path, const struct tree_shape *tree, struct rng *rng)
{
    path->root = random_scalar(rng);
    path->leaf = random_scalar(rng);
    random_scalars(path->siblings, tree_siblings(tree), rng);
    path->index = rng_below(rng, (uint64_t)1 << tree->lg_nodes);
}

static void random_column(struct vanilla_column *column, const struct porep_shape *shape,
                          struct rng *rng)
{
    random_scalars(column->rows, shape->layers, rng);
    column->index = (uint32_t)rng_below(rng, (uint64_t)1 << shape->tree.lg_nodes);
    random_path(&column->path, &shape->tree, rng);
}

void c1_sample(struct vanilla_porep *ret, const struct porep_shape *shape, unsigned partitions,
               struct rng *rng)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);

    if (vanilla_porep_new(ret, shape, partitions, NULL, NULL) != CUZK_OK)
        abort();
    for (size_t i = 0; i < (size_t)partitions * shape->challenges; i++) {
        struct vanilla_challenge *c = &ret->challenges[i];

        c->node = rng_below(rng, (uint64_t)1 << shape->tree.lg_nodes);
        random_path(&c->data, &tree_d, rng);
        random_path(&c->replica, &shape->tree, rng);
        random_column(&c->column, shape, rng);
        for (int p = 0; p < N_PARENTS; p++)
            random_column(&c->parents[p], shape, rng);
    }
    ret->seal.comm_r = random_scalar(rng);
    ret->seal.comm_d = random_scalar(rng);
    ret->seal.replica_id = random_scalar(rng);
    rng_bytes(rng, ret->seal.seed, 32);
    rng_bytes(rng, ret->seal.ticket, 32);
}

/* ---- the wrapper ----------------------------------------------------------------------------- */

void c1_write_wrapper(FILE *out, const char *text, size_t n, uint64_t sector_num,
                      uint64_t sector_size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = (const uint8_t *)text;

    fprintf(out, "{\"SectorNum\":%" PRIu64 ",\"Phase1Out\":\"", sector_num);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)b[i] << 16 | (i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0) |
                         (i + 2 < n ? b[i + 2] : 0);

        fputc(digits[group >> 18], out);
        fputc(digits[group >> 12 & 63], out);
        fputc(i + 1 < n ? digits[group >> 6 & 63] : '=', out);
        fputc(i + 2 < n ? digits[group & 63] : '=', out);
    }
    fprintf(out, "\",\"SectorSize\":%" PRIu64 "}\n", sector_size);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void digest_path(struct hash *h, const struct merkle_path *path,
                        const struct tree_shape *tree)
{
    hash_update(h, &path->root, sizeof path->root);
    hash_update(h, &path->leaf, sizeof path->leaf);
    hash_update(h, path->siblings, tree_siblings(tree) * sizeof *path->siblings);
    hash_update(h, &path->index, sizeof path->index);
}

static void digest_column(struct hash *h, const struct vanilla_column *column,
                          const struct porep_shape *shape)
{
    hash_update(h, column->rows, shape->layers * sizeof *column->rows);
    hash_update(h, &column->index, sizeof column->index);
    digest_path(h, &column->path, &shape->tree);
}

void c1_digest(uint8_t out[32], const struct vanilla_porep *vanilla)
{
    const struct tree_shape tree_d = tree_binary(vanilla->shape.tree.lg_nodes);
    struct hash *h = hash_new(HASH_SHA256);

    for (size_t i = 0; i < (size_t)vanilla->partitions * vanilla->shape.challenges; i++) {
        const struct vanilla_challenge *c = &vanilla->challenges[i];

        hash_update(h, &c->node, sizeof c->node);
        hash_update(h, &c->odd, sizeof c->odd);
        digest_path(h, &c->data, &tree_d);
        digest_path(h, &c->replica, &vanilla->shape.tree);
        digest_column(h, &c->column, &vanilla->shape);
        for (int p = 0; p < N_PARENTS; p++)
            digest_column(h, &c->parents[p], &vanilla->shape);
    }
    hash_update(h, &vanilla->seal, sizeof vanilla->seal);
    hash_final(h, out);
    hash_free(h);
}
