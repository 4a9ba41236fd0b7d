#include "support/c1_sample.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/reader.h"

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

/* ---- writing --------------------------------------------------------------------------------- */

/* One writer for both: in bincode names and brackets vanish, lists get a length. */
struct writer {
    FILE *out;
    bool json;
    bool first; /* nothing before in this object or list */
    struct rng rng;
};

static void separate(struct writer *w)
{
    if (w->json && !w->first)
        fputc(',', w->out);
    w->first = false;
}

static void name(struct writer *w, const char *key)
{
    separate(w);
    if (w->json)
        fprintf(w->out, "\"%s\":", key);
    w->first = true; /* the value follows without a comma */
}

static void begin(struct writer *w, char bracket)
{
    separate(w);
    if (w->json)
        fputc(bracket, w->out);
    w->first = true;
}

static void end(struct writer *w, char bracket)
{
    if (w->json)
        fputc(bracket, w->out);
    w->first = false;
}

static void number(struct writer *w, uint64_t value, size_t bytes)
{
    uint8_t le[8];

    separate(w);
    store_u64_le(le, value);
    if (w->json)
        fprintf(w->out, "%" PRIu64, value);
    else
        fwrite(le, 1, bytes, w->out);
}

static void list(struct writer *w, uint64_t n)
{
    begin(w, '[');
    if (!w->json) {
        number(w, n, 8);
        w->first = true;
    }
}

static void bytes32(struct writer *w, const uint8_t bytes[32])
{
    if (!w->json) {
        fwrite(bytes, 1, 32, w->out);
        return;
    }
    begin(w, '[');
    for (int i = 0; i < 32; i++)
        number(w, bytes[i], 1);
    end(w, ']');
}

static void scalar(struct writer *w, const struct scalar *a)
{
    uint8_t bytes[32];

    scalar_to_bytes(bytes, a);
    bytes32(w, bytes);
}

static void levels(struct writer *w, const struct merkle_path *path, const struct tree_shape *tree,
                   unsigned first, unsigned n)
{
    const struct scalar *siblings = path->siblings;
    unsigned shift = 0, level = 0;

    begin(w, '{');
    name(w, "path");
    list(w, n);
    for (; level < first + n; level++) {
        unsigned bits = tree_level_bits(tree, level), width = (1u << bits) - 1;

        if (level >= first) {
            begin(w, '{');
            name(w, "hashes");
            list(w, width);
            for (unsigned i = 0; i < width; i++)
                scalar(w, &siblings[i]);
            end(w, ']');
            name(w, "index");
            number(w, path->index >> shift & width, 8);
            end(w, '}');
        }
        siblings += width;
        shift += bits;
    }
    end(w, ']');
    end(w, '}');
}

static void root_and_leaf(struct writer *w, const struct merkle_path *path)
{
    name(w, "root");
    scalar(w, &path->root);
    name(w, "leaf");
    scalar(w, &path->leaf);
}

static void merkle_proof(struct writer *w, const struct merkle_path *path,
                         const struct tree_shape *tree)
{
    static const char *const variants[] = {"Single", "Sub", "Top"};
    unsigned kind = (tree->sub_bits ? 1u : 0u) + (tree->top_bits ? 1u : 0u);

    begin(w, '{');
    name(w, "data");
    begin(w, '{');
    name(w, variants[kind]);
    if (!w->json)
        number(w, kind, 4);
    w->first = true;
    begin(w, '{');
    if (kind == 0)
        root_and_leaf(w, path);
    name(w, kind ? "base_proof" : "path");
    levels(w, path, tree, 0, tree->base_levels);
    if (kind >= 1) {
        name(w, "sub_proof");
        levels(w, path, tree, tree->base_levels, 1);
    }
    if (kind == 2) {
        name(w, "top_proof");
        levels(w, path, tree, tree->base_levels + 1, 1);
    }
    if (kind)
        root_and_leaf(w, path);
    end(w, '}');
    end(w, '}');
    end(w, '}');
}

static void column_proof(struct writer *w, const struct vanilla_column *column,
                         const struct porep_shape *shape)
{
    begin(w, '{');
    name(w, "column");
    begin(w, '{');
    name(w, "index");
    number(w, column->index, 4);
    name(w, "rows");
    list(w, shape->layers);
    for (unsigned i = 0; i < shape->layers; i++)
        scalar(w, &column->rows[i]);
    end(w, ']');
    name(w, "_h");
    if (w->json)
        fputs("null", w->out);
    end(w, '}');
    name(w, "inclusion_proof");
    merkle_proof(w, &column->path, &shape->tree);
    end(w, '}');
}

static void label(struct writer *w, unsigned layer, uint64_t node)
{
    begin(w, '{');
    name(w, "parents");
    list(w, LABEL_PARENTS);
    for (int i = 0; i < LABEL_PARENTS; i++) {
        struct scalar a = random_scalar(&w->rng);

        scalar(w, &a);
    }
    end(w, ']');
    name(w, "layer_index");
    number(w, layer, 4);
    name(w, "node");
    number(w, node, 8);
    end(w, '}');
}

static void challenge(struct writer *w, const struct vanilla_challenge *c,
                      const struct porep_shape *shape)
{
    const struct tree_shape tree_d = tree_binary(shape->tree.lg_nodes);

    begin(w, '{');
    name(w, "comm_d_proofs");
    merkle_proof(w, &c->data, &tree_d);
    name(w, "comm_r_last_proof");
    merkle_proof(w, &c->replica, &shape->tree);
    name(w, "replica_column_proofs");
    begin(w, '{');
    name(w, "c_x");
    column_proof(w, &c->column, shape);
    name(w, "drg_parents");
    list(w, DRG_PARENTS);
    for (int i = 0; i < DRG_PARENTS; i++)
        column_proof(w, &c->parents[i], shape);
    end(w, ']');
    name(w, "exp_parents");
    list(w, EXPANDER_PARENTS);
    for (int i = DRG_PARENTS; i < N_PARENTS; i++)
        column_proof(w, &c->parents[i], shape);
    end(w, ']');
    end(w, '}');
    name(w, "labeling_proofs");
    list(w, shape->layers);
    for (unsigned i = 1; i <= shape->layers; i++)
        label(w, i, c->node);
    end(w, ']');
    name(w, "encoding_proof");
    label(w, shape->layers, c->node);
    end(w, '}');
}

static void partitions(struct writer *w, const struct vanilla_porep *v)
{
    list(w, v->partitions);
    for (unsigned k = 0; k < v->partitions; k++) {
        list(w, v->shape.challenges);
        for (unsigned i = 0; i < v->shape.challenges; i++)
            challenge(w, &vanilla_partition(v, k)[i], &v->shape);
        end(w, ']');
    }
    end(w, ']');
}

static void seal_fields(struct writer *w, const struct seal *seal)
{
    name(w, "comm_r");
    scalar(w, &seal->comm_r);
    name(w, "comm_d");
    scalar(w, &seal->comm_d);
    name(w, "replica_id");
    scalar(w, &seal->replica_id);
    name(w, "seed");
    bytes32(w, seal->seed);
    name(w, "ticket");
    bytes32(w, seal->ticket);
}

void c1_write_json(FILE *out, const struct vanilla_porep *vanilla, const struct seal_proof *proof)
{
    struct writer w = {.out = out, .json = true, .first = true};

    rng_seed(&w.rng, 1);
    begin(&w, '{');
    if (proof) {
        name(&w, "registered_proof");
        fprintf(out, "\"%s\"", proof->name);
        w.first = false;
    }
    name(&w, "vanilla_proofs");
    if (proof) {
        begin(&w, '{');
        name(&w, proof->variant_name);
    }
    partitions(&w, vanilla);
    if (proof)
        end(&w, '}');
    seal_fields(&w, &vanilla->seal);
    end(&w, '}');
}

void c1_write_bincode(FILE *out, const struct vanilla_porep *vanilla)
{
    struct writer w = {.out = out, .first = true};

    rng_seed(&w.rng, 1);
    partitions(&w, vanilla);
    seal_fields(&w, &vanilla->seal);
}

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
