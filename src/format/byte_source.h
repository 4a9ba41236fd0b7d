/* Where a streaming parser gets its bytes: one function that fills a buffer.
 *
 * A source is a struct with `struct byte_source` first; sources stand on other sources (base64 on a
 * file) and hold no more than their buffer. */
#ifndef FORMAT_BYTE_SOURCE_H
#define FORMAT_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct byte_source {
    /* Up to `room` (> 0) bytes to `to`; *ret_n is 0 only at the end, and from then on. */
    enum cuzk_status (*read)(struct byte_source *source, uint8_t *to, size_t room, size_t *ret_n,
                             struct cuzk_error *err);
};

/* Bytes in memory, borrowed. */
struct memory_source {
    struct byte_source base;
    const uint8_t *data;
    size_t bytes, at;
};
struct memory_source memory_source_over(const void *data, size_t bytes);

/* An open file from where it is, at most `bytes` of it, borrowed. `path` is for messages. */
struct file_source {
    struct byte_source base;
    FILE *file;
    const char *path;
    uint64_t left;
};
struct file_source file_source_over(FILE *file, const char *path, uint64_t bytes);

/* One byte at a time over a source. */
enum { BYTE_CURSOR_BYTES = 32768 };
struct byte_cursor {
    struct byte_source *source;
    uint64_t offset; /* of buffer[0] in the source */
    size_t at, n;
    uint8_t buffer[BYTE_CURSOR_BYTES];
};
void byte_cursor_init(struct byte_cursor *cursor, struct byte_source *source);

/* Makes sure that buffer[at] exists; *ret_end is true when nothing is left. */
MUST_CHECK enum cuzk_status byte_cursor_fill(struct byte_cursor *cursor, bool *ret_end,
                                             struct cuzk_error *err);
static inline uint64_t byte_cursor_offset(const struct byte_cursor *cursor)
{
    return cursor->offset + cursor->at;
}

#endif
