#include "filecoin/serde.h"

#include <inttypes.h>

#include "base/reader.h"
#include "filecoin/seal.h"

static void separate(struct serde_writer *w)
{
    if (w->json && !w->first)
        fputc(',', w->out);
    w->first = false;
}

void serde_name(struct serde_writer *w, const char *key)
{
    separate(w);
    if (w->json)
        fprintf(w->out, "\"%s\":", key);
    w->first = true; /* the value follows without a comma */
}

void serde_begin(struct serde_writer *w, char bracket)
{
    separate(w);
    if (w->json)
        fputc(bracket, w->out);
    w->first = true;
}

void serde_end(struct serde_writer *w, char bracket)
{
    if (w->json)
        fputc(bracket, w->out);
    w->first = false;
}

void serde_number(struct serde_writer *w, uint64_t value, size_t bytes)
{
    uint8_t le[8];

    separate(w);
    store_u64_le(le, value);
    if (w->json)
        fprintf(w->out, "%" PRIu64, value);
    else
        fwrite(le, 1, bytes, w->out);
}

void serde_list(struct serde_writer *w, uint64_t n)
{
    serde_begin(w, '[');
    if (!w->json) {
        serde_number(w, n, 8);
        w->first = true;
    }
}

void serde_bytes32(struct serde_writer *w, const uint8_t bytes[32])
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

void serde_scalar(struct serde_writer *w, const struct scalar *a)
{
    uint8_t bytes[32];

    scalar_to_bytes(bytes, a);
    serde_bytes32(w, bytes);
}

static void levels(struct serde_writer *w, const struct merkle_path *path,
                   const struct tree_shape *tree, unsigned first, unsigned n)
{
    const struct scalar *siblings = path->siblings;
    unsigned shift = 0, level = 0;

    serde_begin(w, '{');
    serde_name(w, "path");
    serde_list(w, n);
    for (; level < first + n; level++) {
        unsigned bits = tree_level_bits(tree, level), width = (1u << bits) - 1;

        if (level >= first) {
            serde_begin(w, '{');
            serde_name(w, "hashes");
            serde_list(w, width);
            for (unsigned i = 0; i < width; i++)
                serde_scalar(w, &siblings[i]);
            serde_end(w, ']');
            serde_name(w, "index");
            serde_number(w, path->index >> shift & width, 8);
            serde_end(w, '}');
        }
        siblings += width;
        shift += bits;
    }
    serde_end(w, ']');
    serde_end(w, '}');
}

static void root_and_leaf(struct serde_writer *w, const struct merkle_path *path)
{
    serde_name(w, "root");
    serde_scalar(w, &path->root);
    serde_name(w, "leaf");
    serde_scalar(w, &path->leaf);
}

void serde_merkle_proof(struct serde_writer *w, const struct merkle_path *path,
                        const struct tree_shape *tree)
{
    static const char *const variants[] = {"Single", "Sub", "Top"};
    unsigned kind = (tree->sub_bits ? 1u : 0u) + (tree->top_bits ? 1u : 0u);

    serde_begin(w, '{');
    serde_name(w, "data");
    serde_begin(w, '{');
    serde_name(w, variants[kind]);
    if (!w->json)
        serde_number(w, kind, 4);
    w->first = true;
    serde_begin(w, '{');
    if (kind == 0)
        root_and_leaf(w, path);
    serde_name(w, kind ? "base_proof" : "path");
    levels(w, path, tree, 0, tree->base_levels);
    if (kind >= 1) {
        serde_name(w, "sub_proof");
        levels(w, path, tree, tree->base_levels, 1);
    }
    if (kind == 2) {
        serde_name(w, "top_proof");
        levels(w, path, tree, tree->base_levels + 1, 1);
    }
    if (kind)
        root_and_leaf(w, path);
    serde_end(w, '}');
    serde_end(w, '}');
    serde_end(w, '}');
}
