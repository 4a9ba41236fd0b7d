#include "base/reader.h"

#include <stdarg.h>
#include <stdio.h>

void reader_error_write(const struct reader *r, struct cuzk_error *err, const char *format, ...)
{
    char sentence[384];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    error_write(err, CUZK_BAD_INPUT, "%s: %s: offset %zu: %s", r->name, r->section, r->at, sentence);
}

enum cuzk_status read_bytes(struct reader *r, size_t n, const uint8_t **ret, struct cuzk_error *err)
{
    if (n > reader_left(r))
        return reader_error(r, err, "expected %zu bytes, found %zu", n, reader_left(r));
    *ret = r->data + r->at;
    r->at += n;
    return CUZK_OK;
}

enum cuzk_status read_u32_le(struct reader *r, uint32_t *ret, struct cuzk_error *err)
{
    const uint8_t *p;

    TRY(read_bytes(r, 4, &p, err));
    *ret = load_u32_le(p);
    return CUZK_OK;
}

enum cuzk_status read_u32_be(struct reader *r, uint32_t *ret, struct cuzk_error *err)
{
    const uint8_t *p;

    TRY(read_bytes(r, 4, &p, err));
    *ret = load_u32_be(p);
    return CUZK_OK;
}

enum cuzk_status read_u64_le(struct reader *r, uint64_t *ret, struct cuzk_error *err)
{
    const uint8_t *p;

    TRY(read_bytes(r, 8, &p, err));
    *ret = load_u64_le(p);
    return CUZK_OK;
}

enum cuzk_status read_end(const struct reader *r, struct cuzk_error *err)
{
    if (reader_left(r) != 0)
        return reader_error(r, err, "expected the end, found %zu more bytes", reader_left(r));
    return CUZK_OK;
}
