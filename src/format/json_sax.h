/* JSON as a stream of events, in bounded memory: RapidJSON's reader behind a C interface.
 *
 * Accepts exactly one JSON value (RFC 8259), valid UTF-8, surrounded by blanks. A string, or a run
 * of blanks, longer than SAX_TOKEN_MAX is refused, as is a value nested deeper than the caller
 * allows. */
#ifndef FORMAT_JSON_SAX_H
#define FORMAT_JSON_SAX_H

#include "format/byte_source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What json_sax works in. RapidJSON's stack holds one string and a few bytes a level and grows by
 * half, so it stays below twice the longest string. */
enum {
    SAX_TOKEN_MAX = 1 << 18,
    SAX_BUFFER_BYTES = 1 << 16,
    SAX_STACK_BYTES = 2 * SAX_TOKEN_MAX,
    SAX_ROOM_BYTES = SAX_BUFFER_BYTES + SAX_STACK_BYTES,
};

enum sax_kind {
    SAX_NULL,
    SAX_FALSE,
    SAX_TRUE,
    SAX_UINT,   /* an integer in [0, 2^64) */
    SAX_NUMBER, /* any other number */
    SAX_STRING,
    SAX_KEY,
    SAX_OBJECT_BEGIN,
    SAX_OBJECT_END,
    SAX_ARRAY_BEGIN,
    SAX_ARRAY_END,
};

struct sax_event {
    enum sax_kind kind;
    uint64_t number;  /* SAX_UINT */
    const char *text; /* SAX_STRING, SAX_KEY: n bytes, then a zero; gone after the call */
    size_t n;
    uint64_t offset; /* in the source: in the token or just behind it */
};

/* "a string", "an object": for messages. Never NULL. */
const char *sax_kind_name(enum sax_kind kind);

/* Anything but CUZK_OK ends the parse with that status. */
typedef enum cuzk_status sax_fn(void *ctx, const struct sax_event *event, struct cuzk_error *err);

/* depth_max: nesting of objects and arrays, at most a thousand. room: SAX_ROOM_BYTES, 8-byte
 * aligned. Errors begin with "offset <n>: ". */
MUST_CHECK enum cuzk_status json_sax(struct byte_source *source, unsigned depth_max, void *room,
                                     sax_fn *handle, void *ctx, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif
#endif
