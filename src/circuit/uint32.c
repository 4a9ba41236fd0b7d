#include "circuit/uint32.h"

#include "circuit/shape.h"

/* ---- words and single Bools ----------------------------------------------------------------- */

void uint32_set_constant(struct uint32 *out, uint32_t value)
{
    out->is_var = 0;
    out->is_not = 0;
    out->value = value;
}

static inline bool_t get_bit(const struct uint32 *a, unsigned i)
{
    const bool is_var = a->is_var >> i & 1;

    return (bool_t){
        .var = is_var ? a->var[i] : 0,
        .kind = (uint8_t)(is_var ? BOOL_IS + (a->is_not >> i & 1) : a->value >> i & 1),
        .value = a->value >> i & 1,
    };
}

static inline void set_bit(struct uint32 *out, unsigned i, bool_t bit)
{
    const uint32_t mask = (uint32_t)1 << i;

    out->is_var = bool_is_constant(bit) ? out->is_var & ~mask : out->is_var | mask;
    out->is_not = bit.kind == BOOL_NOT ? out->is_not | mask : out->is_not & ~mask;
    out->value = bit.value ? out->value | mask : out->value & ~mask;
    out->var[i] = bit.var;
}

void uint32_of_bits_be(struct uint32 *out, const bool_t *bits)
{
    uint32_t is_var = 0, is_not = 0, value = 0;

    for (unsigned i = 0; i < 32; i++) {
        const bool_t bit = bits[31 - i];

        is_var |= (uint32_t)(bit.kind >> 1) << i;
        is_not |= (uint32_t)(bit.kind == BOOL_NOT) << i;
        value |= (uint32_t)bit.value << i;
        out->var[i] = bit.var;
    }
    out->is_var = is_var;
    out->is_not = is_not;
    out->value = value;
}

void uint32_to_bits_be(bool_t *bits, const struct uint32 *a)
{
    for (unsigned i = 0; i < 32; i++)
        bits[31 - i] = get_bit(a, i);
}

/* ---- moving bits ---------------------------------------------------------------------------- */

void uint32_rotr(const struct sink *sink, struct uint32 *out, const struct uint32 *a, unsigned n)
{
    const unsigned left = 32 - n;

    out->is_var = a->is_var >> n | a->is_var << left;
    out->is_not = a->is_not >> n | a->is_not << left;
    out->value = a->value >> n | a->value << left;
    if (sink_is_shape(sink))
        for (unsigned i = 0; i < 32; i++)
            out->var[i] = a->var[(i + n) % 32];
}

void uint32_shr(const struct sink *sink, struct uint32 *out, const struct uint32 *a, unsigned n)
{
    out->is_var = a->is_var >> n;
    out->is_not = a->is_not >> n;
    out->value = a->value >> n;
    if (sink_is_shape(sink))
        for (unsigned i = 0; i + n < 32; i++)
            out->var[i] = a->var[i + n];
}

/* ---- bitwise operations: a shape sink goes bit by bit, a witness sink by the word ----------- */

/* Appends the bits of `values` under `mask`, from bit 0. */
static inline void append_masked(struct sink *sink, uint32_t values, uint32_t mask)
{
    uint32_t dense = values;
    unsigned n = 32;

    if (mask == 0)
        return;
    if (mask != UINT32_MAX) {
        dense = 0;
        n = 0;
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            dense |= (values >> __builtin_ctz(rest) & 1) << n++;
    }
    sink_append_bits(sink, dense, n);
}

void uint32_xor(struct sink *sink, struct uint32 *out, const struct uint32 *a,
                const struct uint32 *b)
{
    if (sink_is_shape(sink)) {
        for (unsigned i = 0; i < 32; i++)
            set_bit(out, i, bool_xor(sink, get_bit(a, i), get_bit(b, i)));
        return;
    }
    /* A constant TRUE negates the other operand. */
    const uint32_t flip = (a->value & ~a->is_var) ^ (b->value & ~b->is_var);
    const uint32_t allocated = a->is_var & b->is_var;

    out->is_not = (a->is_not ^ b->is_not ^ flip) & (a->is_var | b->is_var);
    out->is_var = a->is_var | b->is_var;
    out->value = a->value ^ b->value;
    append_masked(sink, out->value ^ out->is_not, allocated);
}

/* The words of a witness sink are handled whole when no bit is constant. */
static inline bool all_variables(const struct sink *sink, const struct uint32 *a,
                                 const struct uint32 *b, const struct uint32 *c)
{
    return !sink_is_shape(sink) && (a->is_var & b->is_var & c->is_var) == UINT32_MAX;
}

static inline void set_variables(struct uint32 *out, uint32_t value)
{
    out->is_var = UINT32_MAX;
    out->is_not = 0;
    out->value = value;
}

void uint32_ch(struct sink *sink, struct uint32 *out, const struct uint32 *a,
               const struct uint32 *b, const struct uint32 *c)
{
    if (all_variables(sink, a, b, c)) {
        set_variables(out, (a->value & b->value) ^ (~a->value & c->value));
        sink_append_bits(sink, out->value, 32);
        return;
    }
    for (unsigned i = 0; i < 32; i++)
        set_bit(out, i, bool_ch(sink, get_bit(a, i), get_bit(b, i), get_bit(c, i)));
}

/* Bit i of x to bit 2i. */
static inline uint64_t spread(uint32_t x)
{
    uint64_t s = x;

    s = (s | s << 16) & 0x0000ffff0000ffff;
    s = (s | s << 8) & 0x00ff00ff00ff00ff;
    s = (s | s << 4) & 0x0f0f0f0f0f0f0f0f;
    s = (s | s << 2) & 0x3333333333333333;
    s = (s | s << 1) & 0x5555555555555555;
    return s;
}

void uint32_maj(struct sink *sink, struct uint32 *out, const struct uint32 *a,
                const struct uint32 *b, const struct uint32 *c)
{
    if (all_variables(sink, a, b, c)) {
        const uint32_t bc = b->value & c->value;
        const uint32_t maj = (a->value & (b->value | c->value)) | bc;

        set_variables(out, maj);
        sink_append_bits(sink, spread(maj) | spread(bc) << 1, 64);
        return;
    }
    for (unsigned i = 0; i < 32; i++)
        set_bit(out, i, bool_maj(sink, get_bit(a, i), get_bit(b, i), get_bit(c, i)));
}

/* ---- sums ----------------------------------------------------------------------------------- */

void multieq_init(struct multieq *eq, struct sink *sink)
{
    eq->sink = sink;
    eq->used = 0;
    lc_init(&eq->left, eq->left_terms, MULTIEQ_LEFT_MAX);
    lc_init(&eq->right, eq->right_terms, sizeof eq->right_terms / sizeof *eq->right_terms);
}

static void multieq_flush(struct multieq *eq)
{
    if (sink_is_shape(eq->sink)) {
        struct term one_term[1] = {term_of(VAR_ONE, COEF_ONE)};
        struct lc one;

        lc_init(&one, one_term, 1);
        one.n = 1;
        row_of_lcs(eq->sink, &eq->left, &one, &eq->right);
    }
    multieq_init(eq, eq->sink);
}

unsigned multieq_room(struct multieq *eq, unsigned n)
{
    unsigned shift;

    if (eq->used + n >= FR_CAPACITY)
        multieq_flush(eq);
    shift = eq->used;
    eq->used += n;
    return shift;
}

void multieq_done(struct multieq *eq)
{
    if (eq->used)
        multieq_flush(eq);
}

/* Adds 2^shift times the word. */
static void add_word(const struct sink *sink, struct lc *lc, const struct uint32 *a, unsigned shift)
{
    /* Constant bits, and the ONE that each negated variable brings. */
    const uint32_t constant = (a->value & ~a->is_var) | a->is_not;

    if (constant)
        lc_add_constant(sink, lc, constant, shift);
    for (unsigned i = 0; i < 32; i++)
        if (a->is_var >> i & 1)
            lc_add_term(lc, a->var[i],
                        a->is_not >> i & 1 ? coef_minus_pow2(sink, shift + i)
                                           : coef_pow2(sink, shift + i));
}

void uint32_sum(struct multieq *eq, struct uint32 *out, const struct uint32 *const *operands,
                unsigned n)
{
    struct sink *sink = eq->sink;
    const unsigned n_bits = 64 - (unsigned)__builtin_clzll((uint64_t)n * UINT32_MAX);
    uint64_t sum = 0;
    uint32_t any = 0;
    unsigned shift;

    for (unsigned i = 0; i < n; i++) {
        sum += operands[i]->value;
        any |= operands[i]->is_var;
    }
    if (!any) {
        uint32_set_constant(out, (uint32_t)sum);
        return;
    }
    if (!sink_is_shape(sink)) {
        sink_append_bits(sink, sum, n_bits);
        multieq_room(eq, n_bits);
        set_variables(out, (uint32_t)sum);
        return;
    }
    {
        var_t bits[64];

        for (unsigned i = 0; i < n_bits; i++)
            bits[i] = bool_alloc(sink, 0).var;
        shift = multieq_room(eq, n_bits);
        for (unsigned i = 0; i < n; i++)
            add_word(sink, &eq->left, operands[i], shift);
        for (unsigned i = 0; i < n_bits; i++)
            lc_add_term(&eq->right, bits[i], coef_pow2(sink, shift + i));
        set_variables(out, 0);
        memcpy(out->var, bits, sizeof out->var);
    }
}
