/* A bounded cursor over bytes in memory that names where it is when something is missing.
 *
 * Errors read "<name>: <section>: offset <o>: expected <n> bytes, found <m>". */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct reader {
    const uint8_t *data;
    size_t bytes, at;
    const char *name;    /* the file, borrowed */
    const char *section; /* what is being read, borrowed; set by the parser as it goes */
};

static inline struct reader reader_over(const void *data, size_t bytes, const char *name)
{
    return (struct reader){.data = data, .bytes = bytes, .name = name, .section = "start"};
}
static inline size_t reader_left(const struct reader *r)
{
    return r->bytes - r->at;
}

/* Points *ret at the next n bytes and steps over them. */
MUST_CHECK enum cuzk_status read_bytes(struct reader *r, size_t n, const uint8_t **ret,
                                       struct cuzk_error *err);
MUST_CHECK enum cuzk_status read_u32_be(struct reader *r, uint32_t *ret, struct cuzk_error *err);
MUST_CHECK enum cuzk_status read_u32_le(struct reader *r, uint32_t *ret, struct cuzk_error *err);
MUST_CHECK enum cuzk_status read_u64_le(struct reader *r, uint64_t *ret, struct cuzk_error *err);
/* Fails unless everything was read. */
MUST_CHECK enum cuzk_status read_end(const struct reader *r, struct cuzk_error *err);

/* An error at the reader's place: "<name>: <section>: offset <at>: <sentence>". */
#define reader_error(r, err, ...) (reader_error_write((r), (err), __VA_ARGS__), CUZK_BAD_INPUT)
void reader_error_write(const struct reader *r, struct cuzk_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fixed-width integers at any address. */
static inline uint32_t load_u32_le(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint32_t load_u32_be(const void *p)
{
    return __builtin_bswap32(load_u32_le(p));
}
static inline uint64_t load_u64_le(const void *p)
{
    const uint8_t *b = p;
    return (uint64_t)load_u32_le(b) | (uint64_t)load_u32_le(b + 4) << 32;
}
static inline uint64_t load_u64_be(const void *p)
{
    return __builtin_bswap64(load_u64_le(p));
}
static inline void store_u32_le(void *p, uint32_t v)
{
    uint8_t *b = p;
    for (int i = 0; i < 4; i++)
        b[i] = (uint8_t)(v >> (8 * i));
}
static inline void store_u32_be(void *p, uint32_t v)
{
    store_u32_le(p, __builtin_bswap32(v));
}
static inline void store_u64_le(void *p, uint64_t v)
{
    uint8_t *b = p;
    for (int i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> (8 * i));
}
static inline void store_u64_be(void *p, uint64_t v)
{
    store_u64_le(p, __builtin_bswap64(v));
}

#endif
