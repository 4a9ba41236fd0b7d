#include "circuit/packing.h"

#include "circuit/lc.h"
#include "circuit/shape.h"

/* ---- numbers to bits ------------------------------------------------------------------------ */

void num_alloc_bits(struct sink *sink, num_t x, bool_t bits[FR_BITS])
{
    fr_t plain;

    fr_to_plain(&plain, &x.value);
    for (unsigned i = 0; i < FR_LIMBS; i++)
        bits_alloc_u64(sink, plain.l[i], bits + 64 * i, i + 1 < FR_LIMBS ? 64 : FR_BITS % 64);
}

void num_to_bits(struct sink *sink, num_t x, bool_t bits[FR_BITS])
{
    sink_scope(sink, "to_bits");
    num_alloc_bits(sink, x, bits);
    if (sink_is_shape(sink)) {
        struct term terms[FR_BITS + 2];
        struct lc lc;

        lc_init(&lc, terms, FR_BITS + 2);
        lc_add_term(&lc, x.var, COEF_MINUS_ONE);
        for (unsigned i = 0; i < FR_BITS; i++)
            lc_add_bool(sink, &lc, bits[i], i);
        row_of_lcs(sink, NULL, NULL, &lc);
    }
    sink_scope_end(sink);
}

void num_to_byte_bits(struct sink *sink, num_t x, bool_t bits[256])
{
    bool_t number_order[FR_BITS];

    num_to_bits(sink, x, number_order);
    bits_reverse_bytes(bits, number_order, FR_BITS);
}

void bits_alloc_u64(struct sink *sink, uint64_t value, bool_t *bits, unsigned n)
{
    if (sink_is_shape(sink)) {
        for (unsigned i = 0; i < n; i++)
            bits[i] = bool_alloc(sink, 0);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        bits[i] = (bool_t){
            .var = (var_t)(sink->at.aux + i), .kind = BOOL_IS, .value = (uint8_t)(value >> i & 1)};
    sink_append_bits(sink, n < 64 ? value & (((uint64_t)1 << n) - 1) : value, n);
}

/* ---- orders --------------------------------------------------------------------------------- */

void bits_reverse_bytes(bool_t *out, const bool_t *bits, size_t n)
{
    const size_t whole = (n + 7) / 8 * 8;

    for (size_t i = 0; i < whole; i++) {
        const size_t from = i ^ 7;

        out[i] = from < n ? bits[from] : bool_constant(false);
    }
}

void bits_reverse(bool_t *out, const bool_t *bits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = bits[n - 1 - i];
}

void bits_constant_be(uint64_t value, bool_t *bits, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bits[i] = bool_constant(value >> (n - 1 - i) & 1);
}

/* ---- bits to numbers ------------------------------------------------------------------------ */

/* Number of at most 254 bits. */
static fr_t packed_value(const bool_t *bits, size_t n)
{
    fr_t value = fr_zero;

    for (size_t i = 0; i < n; i++)
        value.l[i / 64] |= (uint64_t)bits[i].value << (i % 64);
    fr_from_plain(&value, &value);
    return value;
}

static void enforce_packed(struct sink *sink, const bool_t *bits, size_t n, var_t x)
{
    struct term terms[FR_BITS + 1];
    struct lc lc;

    lc_init(&lc, terms, FR_BITS + 1);
    for (unsigned i = 0; i < n; i++)
        lc_add_bool(sink, &lc, bits[i], i);
    row_lc_is(sink, &lc, x);
}

void num_enforce_packed(struct sink *sink, const bool_t *bits, size_t n, num_t x)
{
    if (sink_is_shape(sink))
        enforce_packed(sink, bits, n, x.var);
}

num_t num_pack(struct sink *sink, const bool_t *bits, size_t n)
{
    const size_t used = n < FR_CAPACITY ? n : FR_CAPACITY;
    const fr_t value = sink_is_shape(sink) ? fr_zero : packed_value(bits, used);
    const num_t x = num_alloc(sink, &value);

    num_enforce_packed(sink, bits, used, x);
    return x;
}

num_t num_pack_byte_bits(struct sink *sink, const bool_t bits[256])
{
    bool_t number_order[256];

    bits_reverse_bytes(number_order, bits, 256);
    return num_pack(sink, number_order, 256);
}

void pack_into_inputs(struct sink *sink, const bool_t *bits, size_t n)
{
    for (size_t done = 0; done < n; done += FR_CAPACITY) {
        const size_t piece = n - done < FR_CAPACITY ? n - done : FR_CAPACITY;
        const fr_t value = sink_is_shape(sink) ? fr_zero : packed_value(bits + done, piece);
        const var_t x = sink_input(sink, &value);

        if (sink_is_shape(sink))
            enforce_packed(sink, bits + done, piece, x);
    }
}
