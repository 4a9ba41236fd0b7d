/* Reading JSON of a known form: a tree of schemas says which fields and lists there must be, the
 * caller's functions receive the values.
 *
 * Fields may come in any order; each exactly once; unknown ones are refused. Every message names
 * the offset and the path: "offset 812: vanilla_proofs[0][1].column.rows[2]: expected ..., found
 * ...". */
#ifndef FORMAT_JSON_SCHEMA_H
#define FORMAT_JSON_SCHEMA_H

#include <stdbool.h>

#include "format/byte_source.h"
#include "format/json_sax.h"

enum schema_kind {
    SCHEMA_OBJECT,
    SCHEMA_LIST,
    SCHEMA_BYTES, /* a list of SCHEMA_BYTES_N integers below 256 */
    SCHEMA_UINT,
    SCHEMA_TEXT,
    SCHEMA_NULL,
};

enum { SCHEMA_BYTES_N = 32, SCHEMA_DEPTH_MAX = 24 };

struct schema;

/* `item` is the caller's name for a value, handed back in every call about it. */
struct schema_field {
    const char *name;
    const struct schema *schema;
    int item;
    bool optional;
};

struct schema {
    enum schema_kind kind;
    size_t n_fields; /* of an object; at most 32 */
    const struct schema_field *fields;
    bool one_of;                  /* exactly one of them, as an enum's variant */
    const struct schema *element; /* of a list */
    int element_item;
};

/* A value that is about to be read. */
struct schema_place {
    int item;
    const char *name;            /* of its field; NULL in a list */
    size_t index;                /* in its list */
    enum sax_kind found;         /* its first token */
    const struct schema *schema; /* what is expected: may be changed */
    uint64_t length;             /* of a list: to be set */
};

struct schema_value {
    uint64_t number;
    const char *text; /* n bytes and a zero; or SCHEMA_BYTES_N bytes */
    size_t n;
};

struct schema_handler {
    void *ctx;
    /* Before every value of an object or a list; sets the length of lists. */
    enum cuzk_status (*enter)(void *ctx, struct schema_place *place, struct cuzk_error *err);
    /* A number, a text, bytes. */
    enum cuzk_status (*value)(void *ctx, int item, const struct schema_value *value,
                              struct cuzk_error *err);
};

/* Messages of the handler's functions get offset and path put before them. room: SAX_ROOM_BYTES. */
MUST_CHECK enum cuzk_status json_schema_read(struct byte_source *source, const struct schema *root,
                                             const struct schema_handler *handler, void *room,
                                             struct cuzk_error *err);

#endif
