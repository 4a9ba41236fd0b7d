#include "support/gadget_builders.h"

#include "circuit/packing.h"
#include "circuit/sha256_gadget.h"
#include "support/testing.h"

/* ---- Bools ---------------------------------------------------------------------------------- */

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

void build_bit_ops(struct gadget_run *run, unsigned parameter)
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

void build_bool_binary(struct gadget_run *run, unsigned operation)
{
    bool_t in[2], out[16];

    alloc_variant_bits(run, in, 2);
    for (unsigned i = 0; i < 16; i++) {
        const bool_t a = of_kind(run, i / 4, in[0]), b = of_kind(run, i % 4, in[1]);

        out[i] = operation == XOR ? bool_xor(run->sink, a, b) : bool_and(run->sink, a, b);
    }
    expect_bools(run, NULL, -1, out, 16);
}

void build_bool_ternary(struct gadget_run *run, unsigned operation)
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

void build_bool_alias(struct gadget_run *run, unsigned parameter)
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

void build_bool_enforce_equal(struct gadget_run *run, unsigned parameter)
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

/* ---- words ---------------------------------------------------------------------------------- */

static uint32_t tagged_word(const char *tag, unsigned i)
{
    uint8_t bytes[4];

    tagged_bytes(bytes, sizeof bytes, "u32:%s:%u", tag, i);
    return load_u32_be(bytes);
}

static struct uint32 alloc_word(struct sink *sink, uint32_t value)
{
    bool_t le[32], be[32];
    struct uint32 word;

    bits_alloc_u64(sink, value, le, 32);
    bits_reverse(be, le, 32);
    uint32_of_bits_be(&word, be);
    return word;
}

void build_uint32_ops(struct gadget_run *run, unsigned parameter)
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

void build_addmany(struct gadget_run *run, unsigned n)
{
    struct uint32 words[UINT32_OPERANDS_MAX];
    struct multieq eq;

    for (unsigned i = 0; i < n; i++)
        words[i] = alloc_word(run->sink, run->variant ? UINT32_MAX : tagged_word("add", i));
    multieq_init(&eq, run->sink);
    sum_and_expect(run, &eq, -1, words, n);
    multieq_done(&eq);
}

void build_addmany_const(struct gadget_run *run, unsigned parameter)
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

void build_multieq_flush(struct gadget_run *run, unsigned parameter)
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

void build_multieq_254(struct gadget_run *run, unsigned parameter)
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

/* ---- SHA-256 -------------------------------------------------------------------------------- */

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
void build_sha256(struct gadget_run *run, unsigned parameter)
{
    const unsigned how = parameter % 8, n = parameter - how;
    uint8_t message[128];
    bool_t bits[1024], digest[256];

    tagged_bytes(message, n / 8, "sha:%u", n);
    message_bits(run, bits, message, n, how);
    sha256_gadget(run->sink, bits, n, digest);
    expect_bools(run, "out", -1, digest, 256);
}

void build_sha256_block(struct gadget_run *run, unsigned parameter)
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
