#include "filecoin/c1_write.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/reader.h"
#include "filecoin/label.h"

/* One writer for both: in bincode names and brackets vanish, lists get a length. */
struct writer {
    FILE *out;
    bool json;
    bool first; /* nothing before in this object or list */
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
    char text[2 + 4 * 32], *next = text;

    separate(w);
    if (!w->json) {
        fwrite(bytes, 1, 32, w->out);
        return;
    }
    for (int i = 0; i < 32; i++) {
        *next++ = i ? ',' : '[';
        if (bytes[i] >= 100)
            *next++ = (char)('0' + bytes[i] / 100);
        if (bytes[i] >= 10)
            *next++ = (char)('0' + bytes[i] / 10 % 10);
        *next++ = (char)('0' + bytes[i] % 10);
    }
    *next++ = ']';
    fwrite(text, 1, (size_t)(next - text), w->out);
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

/* LabelingProof and EncodingProof. */
static void label(struct writer *w, const struct vanilla_challenge *c, unsigned layer)
{
    struct scalar parents[N_PARENTS];
    unsigned n = label_parents(parents, c->parents, layer);

    begin(w, '{');
    name(w, "parents");
    list(w, LABEL_PARENTS);
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        scalar(w, &parents[i % n]);
    end(w, ']');
    name(w, "layer_index");
    number(w, layer, 4);
    name(w, "node");
    number(w, c->node, 8);
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
        label(w, c, i);
    end(w, ']');
    name(w, "encoding_proof");
    label(w, c, shape->layers);
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

    partitions(&w, vanilla);
    seal_fields(&w, &vanilla->seal);
}
