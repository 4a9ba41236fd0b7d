#include "format/base64.h"

#include <inttypes.h>

enum { BAD = 0xff }; /* not one of the 64 */

static uint8_t six_bits(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint8_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : BAD;
}

/* The same for whole groups: 256 entries, made once per call (a call decodes many thousands). */
static void fill_table(uint8_t table[256])
{
    for (unsigned c = 0; c < 256; c++)
        table[c] = six_bits((uint8_t)c);
}

/* Whole groups of plain characters; stops at anything else. */
static size_t decode_groups(const uint8_t *text, size_t n, uint8_t *out)
{
    uint8_t table[256];
    size_t at = 0;

    fill_table(table);
    for (; at + 4 <= n; at += 4, out += 3) {
        uint32_t a = table[text[at]], b = table[text[at + 1]], c = table[text[at + 2]],
                 d = table[text[at + 3]];

        if ((a | b | c | d) & ~63u)
            break;
        a = a << 18 | b << 12 | c << 6 | d;
        out[0] = (uint8_t)(a >> 16);
        out[1] = (uint8_t)(a >> 8);
        out[2] = (uint8_t)a;
    }
    return at;
}

/* One character; false if it cannot stand here. A finished group goes to out. */
static bool decode_one(struct base64 *b, uint8_t c, uint8_t *out, size_t *ret_n)
{
    unsigned bits = c == '=' ? 0 : six_bits(c), stray;

    *ret_n = 0;
    if (c == '=' ? b->n < 2 : bits == BAD || b->padded)
        return false;
    b->padded += c == '=';
    b->group = b->group << 6 | bits;
    if (++b->n < 4)
        return true;
    stray = b->padded == 2 ? 0xffff : b->padded == 1 ? 0xff : 0;
    if (b->group & stray) {
        b->n--; /* refused: the group stays unfinished */
        return false;
    }
    for (unsigned i = 0; i < 3 - b->padded; i++)
        out[(*ret_n)++] = (uint8_t)(b->group >> (16 - 8 * i));
    b->group = 0;
    b->n = 0;
    return true;
}

size_t base64_decode(struct base64 *b, const uint8_t *text, size_t n, uint8_t *out, size_t *ret_n)
{
    size_t at = 0, wrote = 0;

    while (at < n) {
        size_t more;

        if (b->n == 0 && !b->padded) {
            size_t whole = decode_groups(text + at, n - at, out + wrote);

            at += whole;
            wrote += whole / 4 * 3;
            if (at == n)
                break;
        }
        if (b->n == 0 && b->padded) /* it has ended */
            break;
        if (!decode_one(b, text[at], out + wrote, &more))
            break;
        at++;
        wrote += more;
    }
    *ret_n = wrote;
    return at;
}

/* ---- inside a JSON string -------------------------------------------------------------------- */

/* What base64_decode stopped at: the closing quote, an escaped slash, or nonsense. */
static enum cuzk_status step_over(struct base64_source *b, struct cuzk_error *err)
{
    struct byte_cursor *in = b->in;
    uint8_t c = in->buffer[in->at];
    bool end;

    if (c == '"' && base64_is_complete(&b->decoder)) {
        in->at++;
        b->ended = true;
        return CUZK_OK;
    }
    if (c == '\\') {
        in->at++;
        TRY(byte_cursor_fill(in, &end, err));
        if (!end && in->buffer[in->at] == '/')
            return CUZK_OK; /* it is decoded next */
    }
    return error_set(err, CUZK_BAD_INPUT,
                     "offset %" PRIu64 ": expected base64, found a character that cannot be here",
                     byte_cursor_offset(in));
}

static enum cuzk_status base64_read(struct byte_source *source, uint8_t *to, size_t room,
                                    size_t *ret_n, struct cuzk_error *err)
{
    struct base64_source *b = (struct base64_source *)source;

    *ret_n = 0;
    while (*ret_n == 0 && !b->ended) {
        struct byte_cursor *in = b->in;
        size_t n, took;
        bool end;

        TRY(byte_cursor_fill(in, &end, err));
        if (end)
            return error_set(err, CUZK_BAD_INPUT, "offset %" PRIu64 ": the text ends inside base64",
                             byte_cursor_offset(in));
        n = in->n - in->at;
        if (n > room / 3 * 4 - 4) /* at most n / 4 * 3 + 3 bytes come out */
            n = room / 3 * 4 - 4;
        took = base64_decode(&b->decoder, in->buffer + in->at, n, to, ret_n);
        in->at += took;
        if (took < n && *ret_n == 0)
            TRY(step_over(b, err));
    }
    return CUZK_OK;
}

struct base64_source base64_source_over(struct byte_cursor *in)
{
    return (struct base64_source){.base = {base64_read}, .in = in};
}
