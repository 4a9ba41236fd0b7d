#include "support/gadget_run.h"

#include <stdarg.h>

#include "base/hash.h"
#include "circuit/packing.h"
#include "support/testing.h"

/* ---- values --------------------------------------------------------------------------------- */

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

fr_t tagged_fr(const char *format, ...)
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

num_t alloc_tagged(struct sink *sink, const char *format, ...)
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

/* ---- outputs -------------------------------------------------------------------------------- */

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

static const struct json *listed(struct gadget_run *run, const char *member, int item)
{
    const struct json *at = run->expected;

    assert_non_null(at);
    run->n_outputs++;
    if (member)
        at = json_get(at, member);
    return item < 0 ? at : json_at(at, (size_t)item);
}

void expect_bools(struct gadget_run *run, const char *member, int item, const bool_t *bits,
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

void expect_word(struct gadget_run *run, int item, const struct uint32 *word)
{
    bool_t be[32], le[32];

    uint32_to_bits_be(be, word);
    bits_reverse(le, be, 32);
    if (!sink_is_shape(run->sink)) /* a witness sink does not keep the variables of words */
        for (int i = 0; i < 32; i++)
            le[i].var = 0;
    expect_bools(run, NULL, item, le, 32);
}

void expect_num(struct gadget_run *run, const char *member, int item, num_t x)
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
