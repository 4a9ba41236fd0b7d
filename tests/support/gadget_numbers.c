#include "support/gadget_builders.h"

#include "circuit/insert.h"
#include "circuit/packing.h"
#include "circuit/por.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "circuit/tree_node.h"
#include "support/testing.h"

/* ---- numbers and bits ----------------------------------------------------------------------- */

void build_to_bits_minus_one(struct gadget_run *run, unsigned parameter)
{
    bool_t bits[FR_BITS];
    fr_t value;

    (void)parameter;
    fr_neg(&value, &fr_one);
    num_to_bits(run->sink, num_alloc(run->sink, &value), bits);
    expect_bools(run, NULL, -1, bits, FR_BITS);
}

void build_bits_from_values(struct gadget_run *run, unsigned parameter)
{
    const num_t x = {.value = tagged_fr("bits-from-values")};
    bool_t bits[FR_BITS];

    (void)parameter;
    bits_alloc_u64(run->sink, 0x123456789abcdef0, bits, 64);
    expect_bools(run, "u64", -1, bits, 64);
    num_alloc_bits(run->sink, x, bits);
    expect_bools(run, "field", -1, bits, FR_BITS);
    num_alloc_bits(run->sink, x, bits);
    expect_bools(run, "allocated", -1, bits, FR_BITS);
}

void build_num_ops(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    const num_t x = alloc_tagged(s, "num:x"), y = alloc_tagged(s, "num:y");
    bool_t bits[FR_BITS], bytes[256];

    (void)parameter;
    num_to_bits(s, x, bits);
    expect_bools(run, "bits", -1, bits, FR_BITS);
    bits_reverse_bytes(bytes, bits, FR_BITS);
    expect_bools(run, "reverse", -1, bytes, 256);
    num_inputize(s, x);
    expect_num(run, "nums", 0, num_mul(s, x, y));
    expect_num(run, "nums", 1, num_mul(s, x, x));
    num_enforce_equal(s, x, x);
    expect_num(run, "nums", 2, num_add(s, x, y));
    expect_num(run, "nums", 3, num_add(s, x, y));
    expect_num(run, "nums", 4, num_pick(s, bits[0], x, y));
    expect_num(run, "nums", 5, num_pick(s, bool_not(s, bits[0]), x, y));
}

/* 3 (a + 2 not b + 4) = 3 x, from powers of two. */
void build_num_lc(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    const bool_t a = bool_alloc(s, 1), not_b = bool_not(s, bool_alloc(s, 0));
    const bool_t yes = bool_constant(true);
    const fr_t seven = fr_of_u64(7);
    const num_t x = num_alloc(s, &seven);

    (void)parameter;
    if (sink_is_shape(s)) {
        struct term terms[3][8];
        struct lc left, one, right;

        lc_init(&left, terms[0], 8);
        lc_init(&one, terms[1], 8);
        lc_init(&right, terms[2], 8);
        for (unsigned i = 0; i < 2; i++) {
            lc_add_bool(s, &left, a, i);
            lc_add_bool(s, &left, not_b, 1 + i);
            lc_add_bool(s, &left, yes, 2 + i);
            lc_add_term(&right, x.var, coef_pow2(s, i));
        }
        lc_add_constant(s, &one, 1, 0);
        row_of_lcs(s, &left, &one, &right);
    }
    expect_num(run, NULL, -1, x);
}

void build_pack(struct gadget_run *run, unsigned n)
{
    uint8_t bytes[64];
    bool_t bits[512];

    tagged_bytes(bytes, (n + 7) / 8, "pack:%u", n);
    for (unsigned i = 0; i < (n + 7) / 8 * 8; i++) {
        const bool value = bytes[i / 8] >> (7 - i % 8) & 1;

        if (i % 5 == 3)
            bits[i] = bool_constant(value);
        else if (i % 5 == 4)
            bits[i] = bool_not(run->sink, bool_alloc(run->sink, !value));
        else
            bits[i] = bool_alloc(run->sink, value);
    }
    expect_bools(run, "bits", -1, bits, n);
    expect_num(run, "packed", -1, num_pack(run->sink, bits, n));
    pack_into_inputs(run->sink, bits, n);
}

void build_uint64(struct gadget_run *run, unsigned parameter)
{
    bool_t bits[64], big_endian[64];

    (void)parameter;
    bits_alloc_u64(run->sink, 0x0123456789abcdef, bits, 64);
    pack_into_inputs(run->sink, bits, 64);
    bits_reverse(big_endian, bits, 64);
    expect_bools(run, NULL, -1, big_endian, 64);
}

/* ---- Poseidon ------------------------------------------------------------------------------- */

void build_poseidon(struct gadget_run *run, unsigned kind)
{
    const unsigned arity = poseidon_arity(kind);
    num_t preimage[11];

    for (unsigned i = 0; i < arity; i++) {
        fr_t value = fr_of_u64(run->variant == 1 ? i : 0);

        if (run->variant == 0 && kind == POSEIDON_GEN_RANDOMNESS)
            value = tagged_fr("poseidon:gen-randomness:%u", i);
        else if (run->variant == 0)
            value = tagged_fr("poseidon:%u:%u", arity, i);
        preimage[i] = num_alloc(run->sink, &value);
    }
    expect_num(run, "out", -1, poseidon_gadget(run->sink, kind, preimage));
}

void build_poseidon_chain(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    const num_t x = alloc_tagged(s, "pc:x"), y = alloc_tagged(s, "pc:y");
    const num_t h = poseidon_gadget(s, POSEIDON_2, (num_t[]){x, y});
    const num_t h2 = poseidon_gadget(s, POSEIDON_2, (num_t[]){h, x});

    (void)parameter;
    expect_num(run, NULL, 0, h);
    expect_num(run, NULL, 1, h2);
    expect_num(run, NULL, 2, poseidon_gadget(s, POSEIDON_4, (num_t[]){h, h2, x, h}));
}

/* ---- Merkle trees --------------------------------------------------------------------------- */

void build_treed_node(struct gadget_run *run, unsigned parameter)
{
    const num_t l = alloc_tagged(run->sink, "treed:l"), r = alloc_tagged(run->sink, "treed:r");

    (void)parameter;
    expect_num(run, "out", -1, sha256_node_gadget(run->sink, l, r));
}

void build_insert(struct gadget_run *run, unsigned lg_arity)
{
    const unsigned arity = 1u << lg_arity;
    num_t siblings[7], children[8], element;
    bool_t index[3];

    for (unsigned i = 0; i + 1 < arity; i++)
        siblings[i] = alloc_tagged(run->sink, "insert:%u", i);
    element = alloc_tagged(run->sink, "insert:e");
    bits_alloc_u64(run->sink, run->variant, index, lg_arity);
    insert_gadget(run->sink, lg_arity, element, index, siblings, children);
    for (unsigned i = 0; i < arity; i++)
        expect_num(run, NULL, (int)i, children[i]);
}

void build_select(struct gadget_run *run, unsigned lg_n)
{
    const unsigned n = 1u << lg_n, index = n == 128 ? 43 * run->variant : run->variant;
    num_t list[128];
    bool_t bits[7];

    for (unsigned i = 0; i < n; i++)
        list[i] = alloc_tagged(run->sink, "select:%u", i);
    bits_alloc_u64(run->sink, index, bits, lg_n);
    expect_num(run, NULL, -1, select_gadget(run->sink, lg_n, list, bits));
}

static fr_t json_fr(const struct json *text)
{
    uint8_t bytes[32];

    json_hex(text, bytes, sizeof bytes);
    return fr_of_bytes(bytes);
}

/* The path comes from the index of the vectors. */
void build_por(struct gadget_run *run, unsigned how)
{
    const struct json *arities = json_get(run->expected, "arities");
    const struct json *values = json_get(run->expected, "siblings_le");
    const fr_t root_value = json_fr(json_get(run->expected, "root_le"));
    const fr_t leaf_value = json_fr(json_get(run->expected, "leaf_le"));
    struct por_tree tree = {.hash = how == TREED ? POR_SHA256 : POR_POSEIDON,
                            .levels = (unsigned)json_count(arities)};
    struct scalar siblings[7 * 11];
    struct por_path path = {.siblings = siblings, .index = json_get_u64(run->expected, "index")};
    unsigned n_siblings = 0, n_bits = 0;
    const num_t root = num_alloc(run->sink, &root_value);
    const num_t leaf = num_alloc(run->sink, &leaf_value);

    for (unsigned level = 0; level < tree.levels; level++) {
        const struct json *of_level = json_at(values, level);

        tree.lg_arity[level] = (uint8_t)__builtin_ctzll(json_u64(json_at(arities, level)));
        n_bits += tree.lg_arity[level];
        for (size_t i = 0; i < json_count(of_level); i++) {
            const fr_t value = json_fr(json_at(of_level, i));

            siblings[n_siblings++] = fr_to_scalar(&value);
        }
    }
    if (how == GIVEN) {
        bool_t index[POR_LEVELS_MAX];
        num_t nums[7 * 11];

        bits_alloc_u64(run->sink, path.index, index, n_bits);
        for (unsigned i = 0; i < n_siblings; i++)
            nums[i] = num_alloc_plain(run->sink, &siblings[i]);
        por_gadget_given(run->sink, &tree, leaf, index, nums, root);
        return;
    }
    if (sink_is_shape(run->sink))
        path.siblings = NULL;
    por_gadget(run->sink, &tree, leaf, &path, root);
}

/* parameter: the layer. */
void build_label(struct gadget_run *run, unsigned layer)
{
    enum { BLOCK_BITS = 256, HEAD_BITS = 512, N_REPEATED = 37 };
    struct sink *s = run->sink;
    const unsigned n_parents = layer == 1 ? 6 : 14;
    const num_t replica_id = alloc_tagged(s, "label:replica_id");
    static bool_t bits[HEAD_BITS + N_REPEATED * BLOCK_BITS];
    bool_t node[64], digest[256], *parents = bits + HEAD_BITS;
    num_t parent[14];

    for (unsigned i = 0; i < n_parents; i++)
        parent[i] = alloc_tagged(s, "label:%u:parent:%u", layer, i);
    num_to_byte_bits(s, replica_id, bits);
    for (unsigned i = 0; i < n_parents; i++)
        num_to_byte_bits(s, parent[i], parents + (size_t)BLOCK_BITS * i);
    for (unsigned i = n_parents; i < N_REPEATED; i++)
        memcpy(parents + (size_t)BLOCK_BITS * i, parents + (size_t)BLOCK_BITS * (i - n_parents),
               BLOCK_BITS * sizeof *bits);
    bits_alloc_u64(s, 0x23456789, node, 64);
    bits_constant_be(layer, bits + 256, 32);
    bits_reverse(bits + 288, node, 64);
    for (int i = 352; i < HEAD_BITS; i++)
        bits[i] = bool_constant(false);
    sha256_gadget(s, bits, sizeof bits / sizeof *bits, digest);
    expect_num(run, "label", -1, num_pack_byte_bits(s, digest));
}
