#include "support/gadget_cases.h"

#include <stdarg.h>

#include "base/hash.h"
#include "circuit/insert.h"
#include "circuit/packing.h"
#include "circuit/por.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "circuit/tree_node.h"
#include "support/testing.h"

/* ---- values
 * --------------------------------------------------------------------------------------- */

static void fill_tagged(uint8_t *out, size_t n, const char *tag)
{
    uint8_t block[32], message[128];
    const size_t length = strlen(tag);

    memcpy(message, tag, length);
    for (size_t i = 0; 32 * i < n; i++) {
        store_u64_le(message + length, i);
        sha256(block, message, length + 8);
        memcpy(out + 32 * i, block, n - 32 * i < 32 ? n - 32 * i : 32);
    }
}

void tagged_bytes(void *out, size_t n, const char *format, ...)
{
    char tag[100];
    va_list args;

    va_start(args, format);
    vsnprintf(tag, sizeof tag, format, args);
    va_end(args);
    fill_tagged(out, n, tag);
}

__attribute__((format(printf, 1, 2))) static fr_t tagged_fr(const char *format, ...)
{
    uint8_t bytes[32];
    char tag[100];
    va_list args;

    va_start(args, format);
    vsnprintf(tag, sizeof tag, format, args);
    va_end(args);
    fill_tagged(bytes, sizeof bytes, tag);
    bytes[31] &= 0x3f;
    return fr_of_bytes(bytes);
}

static uint32_t tagged_word(const char *tag, unsigned i)
{
    uint8_t bytes[4];

    tagged_bytes(bytes, sizeof bytes, "u32:%s:%u", tag, i);
    return load_u32_be(bytes);
}

__attribute__((format(printf, 2, 3))) static num_t alloc_tagged(struct sink *sink,
                                                                const char *format, ...)
{
    char tag[100];
    va_list args;
    fr_t value;

    va_start(args, format);
    vsnprintf(tag, sizeof tag, format, args);
    va_end(args);
    value = tagged_fr("%s", tag);
    return num_alloc(sink, &value);
}

static fr_t json_fr(const struct json *text)
{
    uint8_t bytes[32];

    json_hex(text, bytes, sizeof bytes);
    return fr_of_bytes(bytes);
}

/* ---- outputs
 * -------------------------------------------------------------------------------------- */

static bool is_bools(const struct json *value)
{
    return json_has(value, "bools");
}

size_t gadget_outputs_listed(const struct json *expected)
{
    size_t n = 0;

    if (!expected)
        return 0;
    if (is_bools(expected) || json_has(expected, "var"))
        return 1;
    for (size_t i = 0; i < json_count(expected); i++)
        n += gadget_outputs_listed(json_at(expected, i));
    return n;
}

/* The listed output of a member (NULL: the value itself), and of an item of it (-1: not a list). */
static const struct json *listed(struct gadget_run *run, const char *member, int item)
{
    const struct json *at = run->expected;

    assert_non_null(at);
    run->n_outputs++;
    if (member)
        at = json_get(at, member);
    return item < 0 ? at : json_at(at, (size_t)item);
}

static void expect_bools(struct gadget_run *run, const char *member, int item, const bool_t *bits,
                         size_t n)
{
    const struct json *at = listed(run, member, item);
    const char *names = json_get_text(at, "bools"), *values = json_get_text(at, "values");

    assert_int_equal(strlen(values), n);
    for (size_t i = 0; i < n; i++) {
        char name[16];

        if (!sink_is_shape(run->sink)) {
            assert_int_equal(bits[i].value, values[i] - '0');
            continue;
        }
        snprintf(name, sizeof name, "%c", "FTIN"[bits[i].kind]);
        if (!bool_is_constant(bits[i]))
            snprintf(name + 1, sizeof name - 1, "a%u", bits[i].var);
        assert_memory_equal(names, name, strlen(name));
        names += strlen(name);
        assert_true(*names == (i + 1 < n ? ' ' : '\0'));
        names += *names == ' ';
    }
}

static void expect_word(struct gadget_run *run, int item, const struct uint32 *word)
{
    bool_t be[32], le[32];

    uint32_to_bits_be(be, word);
    bits_reverse(le, be, 32);
    if (!sink_is_shape(run->sink)) /* a witness sink does not keep the variables of words */
        for (int i = 0; i < 32; i++)
            le[i].var = 0;
    expect_bools(run, NULL, item, le, 32);
}

static void expect_num(struct gadget_run *run, const char *member, int item, num_t x)
{
    const struct json *at = listed(run, member, item);
    char name[16];

    if (sink_is_shape(run->sink)) {
        snprintf(name, sizeof name, "a%u", x.var);
        assert_string_equal(json_get_text(at, "var"), name);
    } else {
        uint8_t value[32], listed_value[32];

        fr_to_bytes(value, &x.value);
        json_get_hex(at, "value_le", listed_value, sizeof listed_value);
        assert_memory_equal(value, listed_value, sizeof value);
    }
}

/* ---- Bools
 * ---------------------------------------------------------------------------------------- */

static bool_t of_kind(struct gadget_run *run, unsigned kind, bool_t bit)
{
    if (kind <= BOOL_TRUE)
        return bool_constant(kind == BOOL_TRUE);
    return kind == BOOL_IS ? bit : bool_not(run->sink, bit);
}

static void alloc_variant_bits(struct gadget_run *run, bool_t *bits, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bits[i] = bool_alloc(run->sink, run->variant >> i & 1);
}

static void build_bit_ops(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    bool_t in[2], out[8];

    (void)parameter;
    alloc_variant_bits(run, in, 2);
    for (unsigned i = 0; i < 2; i++) {
        const bool_t a = in[0], b = in[1 - i], not_a = bool_not(s, a), not_b = bool_not(s, b);

        out[4 * i] = bool_xor(s, a, b);
        out[4 * i + 1] = bool_and(s, a, b);
        out[4 * i + 2] = bool_and(s, a, not_b);
        out[4 * i + 3] = bool_and(s, not_a, not_b);
    }
    expect_bools(run, NULL, -1, out, 8);
}

enum { XOR, AND, CH, MAJ };

static void build_bool_binary(struct gadget_run *run, unsigned operation)
{
    bool_t in[2], out[16];

    alloc_variant_bits(run, in, 2);
    for (unsigned i = 0; i < 16; i++) {
        const bool_t a = of_kind(run, i / 4, in[0]), b = of_kind(run, i % 4, in[1]);

        out[i] = operation == XOR ? bool_xor(run->sink, a, b) : bool_and(run->sink, a, b);
    }
    expect_bools(run, NULL, -1, out, 16);
}

static void build_bool_ternary(struct gadget_run *run, unsigned operation)
{
    bool_t in[3], out[64];

    alloc_variant_bits(run, in, 3);
    for (unsigned i = 0; i < 64; i++) {
        const bool_t a = of_kind(run, i / 16, in[0]), b = of_kind(run, i / 4 % 4, in[1]);
        const bool_t c = of_kind(run, i % 4, in[2]);

        out[i] = operation == CH ? bool_ch(run->sink, a, b, c) : bool_maj(run->sink, a, b, c);
    }
    expect_bools(run, NULL, -1, out, 64);
}

static void build_bool_alias(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    bool_t in[2], out[12], a, b, not_a, not_b;

    (void)parameter;
    alloc_variant_bits(run, in, 2);
    a = in[0];
    b = in[1];
    not_a = bool_not(s, a);
    not_b = bool_not(s, b);
    out[0] = bool_xor(s, a, a);
    out[1] = bool_xor(s, a, not_a);
    out[2] = bool_and(s, a, a);
    out[3] = bool_and(s, a, not_a);
    out[4] = bool_ch(s, a, a, b);
    out[5] = bool_ch(s, a, b, b);
    out[6] = bool_ch(s, not_a, a, b);
    out[7] = bool_maj(s, a, a, b);
    out[8] = bool_maj(s, a, b, b);
    out[9] = bool_maj(s, a, not_a, b);
    out[10] = bool_maj(s, a, a, a);
    out[11] = bool_maj(s, not_a, b, not_b);
    expect_bools(run, NULL, -1, out, 12);
}

static void build_bool_enforce_equal(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    const bool_t a = bool_alloc(s, 1), b = bool_alloc(s, 1), c = bool_alloc(s, 0);
    const bool_t yes = bool_constant(true), no = bool_constant(false), not_c = bool_not(s, c);

    (void)parameter;
    assert_true(bool_enforce_equal(s, a, b));
    assert_true(bool_enforce_equal(s, a, yes));
    assert_true(bool_enforce_equal(s, yes, a));
    assert_true(bool_enforce_equal(s, c, no));
    assert_true(bool_enforce_equal(s, a, not_c));
    assert_true(bool_enforce_equal(s, not_c, b));
    assert_true(bool_enforce_equal(s, not_c, not_c));
    assert_true(bool_enforce_equal(s, yes, yes)); /* constants: no row */
    assert_false(bool_enforce_equal(s, yes, no));
}

/* ---- words
 * ---------------------------------------------------------------------------------------- */

static struct uint32 alloc_word(struct sink *sink, uint32_t value)
{
    bool_t le[32], be[32];
    struct uint32 word;

    bits_alloc_u64(sink, value, le, 32);
    bits_reverse(be, le, 32);
    uint32_of_bits_be(&word, be);
    return word;
}

static void build_uint32_ops(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    struct uint32 x = alloc_word(s, tagged_word("ops", 0)),
                  y = alloc_word(s, tagged_word("ops", 1));
    struct uint32 z = alloc_word(s, tagged_word("ops", 2)), k, r, t;

    (void)parameter;
    uint32_set_constant(&k, 0x428a2f98);
    uint32_xor(s, &r, &x, &y);
    expect_word(run, 0, &r);
    uint32_xor(s, &r, &x, &k);
    expect_word(run, 1, &r);
    uint32_rotr(s, &r, &x, 7);
    uint32_shr(s, &t, &x, 3);
    uint32_xor(s, &r, &r, &t);
    expect_word(run, 2, &r);
    uint32_ch(s, &r, &x, &y, &z);
    expect_word(run, 3, &r);
    uint32_maj(s, &r, &x, &y, &z);
    expect_word(run, 4, &r);
    uint32_ch(s, &r, &k, &y, &z);
    expect_word(run, 5, &r);
    uint32_maj(s, &r, &x, &k, &z);
    expect_word(run, 6, &r);
}

static void sum_and_expect(struct gadget_run *run, struct multieq *eq, int item,
                           const struct uint32 *words, unsigned n)
{
    const struct uint32 *operands[UINT32_OPERANDS_MAX];
    struct uint32 sum;

    for (unsigned i = 0; i < n; i++)
        operands[i] = &words[i];
    uint32_sum(eq, &sum, operands, n);
    expect_word(run, item, &sum);
}

static void build_addmany(struct gadget_run *run, unsigned n)
{
    struct uint32 words[UINT32_OPERANDS_MAX];
    struct multieq eq;

    for (unsigned i = 0; i < n; i++)
        words[i] = alloc_word(run->sink, run->variant ? UINT32_MAX : tagged_word("add", i));
    multieq_init(&eq, run->sink);
    sum_and_expect(run, &eq, -1, words, n);
    multieq_done(&eq);
}

static void build_addmany_const(struct gadget_run *run, unsigned parameter)
{
    struct sink *s = run->sink;
    const struct uint32 x = alloc_word(s, tagged_word("addc", 0));
    struct uint32 k, k2, negated, mixed;
    bool_t bits[32];
    struct multieq eq;

    (void)parameter;
    uint32_set_constant(&k, 0x71374491);
    uint32_set_constant(&k2, 0xb5c0fbcf);
    uint32_to_bits_be(bits, &x);
    for (int i = 0; i < 32; i++)
        bits[i] = bool_not(s, bits[i]);
    uint32_of_bits_be(&negated, bits);
    uint32_to_bits_be(bits, &x);
    for (int i = 0; i < 16; i++)
        bits[31 - i] = bool_constant(i % 3 == 0);
    uint32_of_bits_be(&mixed, bits);
    multieq_init(&eq, s);
    sum_and_expect(run, &eq, 0, (struct uint32[]){x, k}, 2);
    sum_and_expect(run, &eq, 1, (struct uint32[]){k, x, k2}, 3);
    sum_and_expect(run, &eq, 2, (struct uint32[]){k, k2}, 2);
    sum_and_expect(run, &eq, 3, (struct uint32[]){negated, x}, 2);
    sum_and_expect(run, &eq, 4, (struct uint32[]){mixed, k}, 2);
    multieq_done(&eq);
}

static void build_multieq_flush(struct gadget_run *run, unsigned parameter)
{
    static const unsigned n_words[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 10, 10, 10};
    struct uint32 words[10];
    struct multieq eq;

    (void)parameter;
    for (unsigned i = 0; i < 10; i++)
        words[i] = alloc_word(run->sink, tagged_word("flush", i));
    multieq_init(&eq, run->sink);
    for (int i = 0; i < 12; i++)
        sum_and_expect(run, &eq, i, words, n_words[i]);
    multieq_done(&eq);
}

static void build_multieq_254(struct gadget_run *run, unsigned parameter)
{
    static const unsigned widths[] = {127, 127, 126, 1};
    struct sink *s = run->sink;
    const bool_t a = bool_alloc(s, 1), b = bool_alloc(s, 1);
    struct multieq eq;

    (void)parameter;
    multieq_init(&eq, s);
    for (int i = 0; i < 4; i++) {
        const unsigned shift = multieq_room(&eq, widths[i]);

        if (sink_is_shape(s)) {
            lc_add_bool(s, &eq.left, a, shift);
            lc_add_bool(s, &eq.right, b, shift);
        }
    }
    multieq_done(&eq);
}

/* ---- SHA-256
 * -------------------------------------------------------------------------------------- */

enum { ALLOC, CONSTANT, MIXED };

static void message_bits(struct gadget_run *run, bool_t *bits, const uint8_t *message, size_t n,
                         unsigned how)
{
    for (size_t i = 0; i < n; i++) {
        const bool value = message[i / 8] >> (7 - i % 8) & 1;

        if (how == CONSTANT || (how == MIXED && i / 32 % 4 == 1))
            bits[i] = bool_constant(value);
        else if (how == MIXED && i % 7 == 5)
            bits[i] = bool_not(run->sink, bool_alloc(run->sink, !value));
        else
            bits[i] = bool_alloc(run->sink, value);
    }
}

/* parameter: n + how. */
static void build_sha256(struct gadget_run *run, unsigned parameter)
{
    const unsigned how = parameter % 8, n = parameter - how;
    uint8_t message[128];
    bool_t bits[1024], digest[256];

    tagged_bytes(message, n / 8, "sha:%u", n);
    message_bits(run, bits, message, n, how);
    sha256_gadget(run->sink, bits, n, digest);
    expect_bools(run, "out", -1, digest, 256);
}

static void build_sha256_block(struct gadget_run *run, unsigned parameter)
{
    uint8_t message[64];
    bool_t bits[512], out[256];
    struct uint32 state[8];

    (void)parameter;
    tagged_bytes(message, sizeof message, "sha:block");
    message_bits(run, bits, message, 512, ALLOC);
    sha256_initial_state(state);
    sha256_compress_gadget(run->sink, bits, state);
    for (int i = 0; i < 8; i++)
        uint32_to_bits_be(out + 32 * i, &state[i]);
    expect_bools(run, "out", -1, out, 256);
}

static void build_treed_node(struct gadget_run *run, unsigned parameter)
{
    const num_t l = alloc_tagged(run->sink, "treed:l"), r = alloc_tagged(run->sink, "treed:r");

    (void)parameter;
    expect_num(run, "out", -1, sha256_node_gadget(run->sink, l, r));
}

/* ---- numbers and bits
 * ----------------------------------------------------------------------------- */

static void build_to_bits_minus_one(struct gadget_run *run, unsigned parameter)
{
    bool_t bits[FR_BITS];
    fr_t value;

    (void)parameter;
    fr_neg(&value, &fr_one);
    num_to_bits(run->sink, num_alloc(run->sink, &value), bits);
    expect_bools(run, NULL, -1, bits, FR_BITS);
}

static void build_bits_from_values(struct gadget_run *run, unsigned parameter)
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

static void build_num_ops(struct gadget_run *run, unsigned parameter)
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
static void build_num_lc(struct gadget_run *run, unsigned parameter)
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

static void build_pack(struct gadget_run *run, unsigned n)
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

static void build_uint64(struct gadget_run *run, unsigned parameter)
{
    bool_t bits[64], big_endian[64];

    (void)parameter;
    bits_alloc_u64(run->sink, 0x0123456789abcdef, bits, 64);
    pack_into_inputs(run->sink, bits, 64);
    bits_reverse(big_endian, bits, 64);
    expect_bools(run, NULL, -1, big_endian, 64);
}

/* ---- Poseidon
 * ------------------------------------------------------------------------------------- */

static void build_poseidon(struct gadget_run *run, unsigned kind)
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

static void build_poseidon_chain(struct gadget_run *run, unsigned parameter)
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

/* ---- Merkle trees
 * --------------------------------------------------------------------------------- */

static void build_insert(struct gadget_run *run, unsigned lg_arity)
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

static void build_select(struct gadget_run *run, unsigned lg_n)
{
    const unsigned n = 1u << lg_n, index = n == 128 ? 43 * run->variant : run->variant;
    num_t list[128];
    bool_t bits[7];

    for (unsigned i = 0; i < n; i++)
        list[i] = alloc_tagged(run->sink, "select:%u", i);
    bits_alloc_u64(run->sink, index, bits, lg_n);
    expect_num(run, NULL, -1, select_gadget(run->sink, lg_n, list, bits));
}

enum { LEAF_VALUE, LEAF_VARIABLE, GIVEN, TREED };

/* The path comes from the index of the vectors. */
static void build_por(struct gadget_run *run, unsigned how)
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
static void build_label(struct gadget_run *run, unsigned layer)
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

/* ---- the table
 * ------------------------------------------------------------------------------------ */

#define POR_CASES(shape)                                                                           \
    {"por-" shape, build_por, LEAF_VALUE}, {"por-" shape "-var", build_por, LEAF_VARIABLE},        \
    {                                                                                              \
        "por-" shape "-nochallenge", build_por, GIVEN                                              \
    }

const struct gadget_case gadget_cases[N_GADGET_CASES] = {
    {"bit-ops", build_bit_ops, 0},
    {"bool-xor", build_bool_binary, XOR},
    {"bool-and", build_bool_binary, AND},
    {"bool-ch", build_bool_ternary, CH},
    {"bool-maj", build_bool_ternary, MAJ},
    {"bool-alias", build_bool_alias, 0},
    {"bool-enforce-equal", build_bool_enforce_equal, 0},
    {"bits-from-values", build_bits_from_values, 0},
    {"uint32-ops", build_uint32_ops, 0},
    {"addmany-2", build_addmany, 2},
    {"addmany-3", build_addmany, 3},
    {"addmany-4", build_addmany, 4},
    {"addmany-5", build_addmany, 5},
    {"addmany-6", build_addmany, 6},
    {"addmany-7", build_addmany, 7},
    {"addmany-8", build_addmany, 8},
    {"addmany-9", build_addmany, 9},
    {"addmany-10", build_addmany, 10},
    {"addmany-const", build_addmany_const, 0},
    {"multieq-flush", build_multieq_flush, 0},
    {"multieq-254", build_multieq_254, 0},
    {"sha256-0-alloc", build_sha256, 0 + ALLOC},
    {"sha256-440-alloc", build_sha256, 440 + ALLOC},
    {"sha256-440-const", build_sha256, 440 + CONSTANT},
    {"sha256-440-mixed", build_sha256, 440 + MIXED},
    {"sha256-448-alloc", build_sha256, 448 + ALLOC},
    {"sha256-512-alloc", build_sha256, 512 + ALLOC},
    {"sha256-512-mixed", build_sha256, 512 + MIXED},
    {"sha256-1024-alloc", build_sha256, 1024 + ALLOC},
    {"sha256-1024-mixed", build_sha256, 1024 + MIXED},
    {"sha256-block", build_sha256_block, 0},
    {"treed-node", build_treed_node, 0},
    {"num-ops", build_num_ops, 0},
    {"to-bits-minus-one", build_to_bits_minus_one, 0},
    {"pack-0", build_pack, 0},
    {"pack-1", build_pack, 1},
    {"pack-31", build_pack, 31},
    {"pack-64", build_pack, 64},
    {"pack-253", build_pack, 253},
    {"pack-254", build_pack, 254},
    {"pack-255", build_pack, 255},
    {"pack-256", build_pack, 256},
    {"pack-300", build_pack, 300},
    {"pack-509", build_pack, 509},
    {"uint64", build_uint64, 0},
    {"num-lc", build_num_lc, 0},
    {"poseidon-2", build_poseidon, POSEIDON_2},
    {"poseidon-4", build_poseidon, POSEIDON_4},
    {"poseidon-8", build_poseidon, POSEIDON_8},
    {"poseidon-11", build_poseidon, POSEIDON_11},
    {"poseidon-gen-randomness", build_poseidon, POSEIDON_GEN_RANDOMNESS},
    {"poseidon-chain", build_poseidon_chain, 0},
    {"insert-2", build_insert, 1},
    {"insert-4", build_insert, 2},
    {"insert-8", build_insert, 3},
    {"select-2", build_select, 1},
    {"select-4", build_select, 2},
    {"select-8", build_select, 3},
    {"select-128", build_select, 7},
    POR_CASES("8-0-0-64"),
    POR_CASES("8-2-0-128"),
    POR_CASES("8-4-0-256"),
    POR_CASES("8-8-0-512"),
    POR_CASES("8-8-2-1024"),
    POR_CASES("8-8-0-2p30"),
    POR_CASES("8-8-2-2p31"),
    {"por-treed-2", build_por, TREED},
    {"por-treed-4", build_por, TREED},
    {"label-layer1", build_label, 1},
    {"label-layer2", build_label, 2},
};
