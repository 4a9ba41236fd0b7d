/* Base64 (RFC 4648, section 4), streaming and strict: the standard alphabet, whole groups of four,
 * padding only at the end, no stray bits. */
#ifndef FORMAT_BASE64_H
#define FORMAT_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_source.h"

struct base64 {
    uint32_t group;  /* the bits of an unfinished group */
    unsigned n;      /* its characters, 0 to 3 */
    unsigned padded; /* '=' seen */
};

/* Decodes characters up to the first that cannot be one here; returns how many it took. Writes
 * *ret_n <= n / 4 * 3 + 3 bytes to out. Starts from a zeroed struct. */
size_t base64_decode(struct base64 *b, const uint8_t *text, size_t n, uint8_t *out, size_t *ret_n);

/* May the text end here? */
static inline bool base64_is_complete(const struct base64 *b)
{
    return b->n == 0;
}

/* The bytes of a base64 text inside a JSON string, from the cursor (which stands behind the opening
 * quote) to the closing quote, which is taken too. "\/" is '/'. */
struct base64_source {
    struct byte_source base;
    struct byte_cursor *in; /* borrowed */
    struct base64 decoder;
    bool ended;
};
struct base64_source base64_source_over(struct byte_cursor *in);

#endif
