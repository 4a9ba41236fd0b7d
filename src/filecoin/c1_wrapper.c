#include "filecoin/c1_wrapper.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "format/base64.h"

enum field { SECTOR_NUM, PHASE1_OUT, SECTOR_SIZE, N_FIELDS };
static const char *const field_names[N_FIELDS] = {"SectorNum", "Phase1Out", "SectorSize"};

struct scanner {
    struct byte_cursor in;
    unsigned seen;
    uint64_t numbers[N_FIELDS];
    c1_inner_fn *inner;
    void *ctx;
};

#define refuse(s, err, ...) refuse_at((s), error_set((err), CUZK_BAD_INPUT, __VA_ARGS__), (err))

static enum cuzk_status refuse_at(const struct scanner *s, enum cuzk_status status,
                                  struct cuzk_error *err)
{
    return error_prefix(err, status, "offset %" PRIu64, byte_cursor_offset(&s->in));
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next character, not taken; 0 at the end. */
static enum cuzk_status peek(struct scanner *s, uint8_t *ret, struct cuzk_error *err)
{
    bool end;

    TRY(byte_cursor_fill(&s->in, &end, err));
    *ret = end ? 0 : s->in.buffer[s->in.at];
    return CUZK_OK;
}

static enum cuzk_status peek_token(struct scanner *s, uint8_t *ret, struct cuzk_error *err)
{
    TRY(peek(s, ret, err));
    while (is_blank(*ret)) {
        s->in.at++;
        TRY(peek(s, ret, err));
    }
    return CUZK_OK;
}

static enum cuzk_status expect(struct scanner *s, char wanted, struct cuzk_error *err)
{
    uint8_t c;

    TRY(peek_token(s, &c, err));
    if (c != (uint8_t)wanted)
        return refuse(s, err, "expected '%c'", wanted);
    s->in.at++;
    return CUZK_OK;
}

static enum cuzk_status scan_number(struct scanner *s, uint64_t *ret, struct cuzk_error *err)
{
    uint64_t value = 0;
    unsigned digits = 0;
    uint8_t c;

    TRY(peek_token(s, &c, err));
    for (; isdigit(c); digits++) {
        if (digits == 19 || (digits == 1 && value == 0))
            return refuse(s, err, "expected an integer below 10^19");
        value = 10 * value + (c - '0');
        s->in.at++;
        TRY(peek(s, &c, err));
    }
    if (digits == 0 || c == '.' || c == 'e' || c == 'E')
        return refuse(s, err, "expected an integer >= 0");
    *ret = value;
    return CUZK_OK;
}

/* The name of a field, colon taken. */
static enum cuzk_status scan_field(struct scanner *s, enum field *ret, struct cuzk_error *err)
{
    char name[16] = "";
    uint8_t c;

    TRY(expect(s, '"', err));
    for (size_t i = 0;; i++) {
        TRY(peek(s, &c, err));
        if (c == '"')
            break;
        if (i == sizeof name - 1 || c < ' ')
            return refuse(s, err, "expected SectorNum, Phase1Out or SectorSize");
        name[i] = (char)c;
        s->in.at++;
    }
    s->in.at++;
    for (enum field f = 0; f < N_FIELDS; f++)
        if (strcmp(name, field_names[f]) == 0) {
            *ret = f;
            return expect(s, ':', err);
        }
    return refuse(s, err, "unknown field \"%s\"", name);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum cuzk_status scan_inner(struct scanner *s, struct cuzk_error *err)
{
    struct base64_source base64;
    enum cuzk_status st;

    TRY(expect(s, '"', err));
    base64 = base64_source_over(&s->in);
    st = s->inner(s->ctx, &base64.base, err);
    return st == CUZK_OK ? st : error_prefix(err, st, "Phase1Out");
}

static enum cuzk_status scan_value(struct scanner *s, enum field field, struct cuzk_error *err)
{
    if (s->seen & 1u << field)
        return refuse(s, err, "field %s stands there twice", field_names[field]);
    s->seen |= 1u << field;
    return field == PHASE1_OUT ? scan_inner(s, err) : scan_number(s, &s->numbers[field], err);
}

/* Behind a value: true if another field follows. */
static enum cuzk_status scan_comma(struct scanner *s, bool *ret_more, struct cuzk_error *err)
{
    uint8_t c;

    TRY(peek_token(s, &c, err));
    if (c != ',' && c != '}')
        return refuse(s, err, "expected ',' or '}'");
    s->in.at++;
    *ret_more = c == ',';
    return CUZK_OK;
}

static enum cuzk_status scan_end(struct scanner *s, struct cuzk_error *err)
{
    uint8_t c;

    for (enum field f = 0; f < N_FIELDS; f++)
        if (!(s->seen & 1u << f))
            return refuse(s, err, "field %s is missing", field_names[f]);
    TRY(peek_token(s, &c, err));
    if (c != 0 || s->in.at != s->in.n)
        return refuse(s, err, "expected the end, found more");
    return CUZK_OK;
}

enum cuzk_status c1_wrapper_read(struct byte_source *source, struct c1_wrapper *ret,
                                 c1_inner_fn *inner, void *ctx, struct cuzk_error *err)
{
    struct scanner s = {.inner = inner, .ctx = ctx};
    bool more = true;

    byte_cursor_init(&s.in, source);
    TRY(expect(&s, '{', err));
    while (more) {
        enum field field;

        TRY(scan_field(&s, &field, err));
        TRY(scan_value(&s, field, err));
        if (!ret && field == PHASE1_OUT)
            return CUZK_OK;
        TRY(scan_comma(&s, &more, err));
    }
    TRY(scan_end(&s, err));
    if (ret)
        *ret = (struct c1_wrapper){s.numbers[SECTOR_NUM], s.numbers[SECTOR_SIZE]};
    return CUZK_OK;
}

bool c1_wrapper_is(const void *bytes, size_t n)
{
    struct memory_source source = memory_source_over(bytes, n);
    struct scanner s = {0};
    enum field field;

    byte_cursor_init(&s.in, &source.base);
    return expect(&s, '{', NULL) == CUZK_OK && scan_field(&s, &field, NULL) == CUZK_OK;
}
