#include "filecoin/bincode.h"

#include <inttypes.h>

#include "filecoin/seal.h"

enum cuzk_status bincode_length(struct reader *r, uint64_t expected, const char *of,
                                struct cuzk_error *err)
{
    uint64_t n;

    TRY(read_u64_le(r, &n, err));
    if (n != expected)
        return reader_error(r, err, "%s: expected %" PRIu64 " entries, found %" PRIu64, of,
                            expected, n);
    return CUZK_OK;
}

enum cuzk_status bincode_scalar(struct reader *r, struct scalar *out, struct cuzk_error *err)
{
    const uint8_t *bytes;
    struct scalar a;

    TRY(read_bytes(r, 32, &bytes, err));
    a = scalar_from_bytes(bytes);
    if (!curve_bls12_381.fr_is_reduced(&a))
        return reader_error(r, err, "expected a number below the field's modulus");
    *out = a;
    return CUZK_OK;
}

enum cuzk_status bincode_scalars(struct reader *r, struct scalar *out, uint64_t n, const char *of,
                                 struct cuzk_error *err)
{
    TRY(bincode_length(r, n, of, err));
    for (uint64_t i = 0; i < n; i++)
        TRY(bincode_scalar(r, &out[i], err));
    return CUZK_OK;
}

/* Levels [begin, end) of a path: a list of (siblings, index). */
static enum cuzk_status read_levels(struct reader *r, struct merkle_path *path,
                                    const struct tree_shape *tree, unsigned begin, unsigned end,
                                    struct scalar **siblings, unsigned *bits,
                                    struct cuzk_error *err)
{
    TRY(bincode_length(r, end - begin, "path", err));
    for (unsigned level = begin; level < end; level++) {
        unsigned level_bits = tree_level_bits(tree, level), n = (1u << level_bits) - 1;
        uint64_t index;

        TRY(bincode_scalars(r, *siblings, n, "hashes", err));
        TRY(read_u64_le(r, &index, err));
        if (index > n)
            return reader_error(r, err, "index: expected at most %u, found %" PRIu64, n, index);
        path->index |= index << *bits;
        *siblings += n;
        *bits += level_bits;
    }
    return CUZK_OK;
}

/* MerkleProof: Single = root, leaf, path; Sub and Top = two or three paths, root, leaf. */
enum cuzk_status bincode_merkle(struct reader *r, struct merkle_path *path,
                                const struct tree_shape *tree, struct cuzk_error *err)
{
    uint32_t tag, kind = (tree->sub_bits ? 1u : 0u) + (tree->top_bits ? 1u : 0u);
    struct scalar *siblings = path->siblings;
    unsigned bits = 0, base = tree->base_levels;

    TRY(read_u32_le(r, &tag, err));
    if (tag != kind)
        return reader_error(r, err, "kind of Merkle proof: expected %" PRIu32 ", found %" PRIu32,
                            kind, tag);
    path->index = 0;
    if (kind == 0) {
        TRY(bincode_scalar(r, &path->root, err));
        TRY(bincode_scalar(r, &path->leaf, err));
        return read_levels(r, path, tree, 0, base, &siblings, &bits, err);
    }
    TRY(read_levels(r, path, tree, 0, base, &siblings, &bits, err));
    for (unsigned level = base; level < base + kind; level++)
        TRY(read_levels(r, path, tree, level, level + 1, &siblings, &bits, err));
    TRY(bincode_scalar(r, &path->root, err));
    return bincode_scalar(r, &path->leaf, err);
}
