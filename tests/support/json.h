/* JSON for tests: a tree over a file of expected values. Anything malformed or missing ends the
 * test with a sentence, so the callers need no checks. Not for other people's bytes. */
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a value */
struct rng;

/* The tree of a file; json_free frees it with everything below. */
struct json *json_read(const char *path);
void json_free(struct json *root);

bool json_has(const struct json *object, const char *key);
const struct json *json_get(const struct json *object, const char *key);
/* Elements of an array, members of an object. */
size_t json_count(const struct json *value);
const struct json *json_at(const struct json *value, size_t i);
const char *json_key_at(const struct json *object, size_t i);

bool json_is_null(const struct json *value);
bool json_bool(const struct json *value);
uint64_t json_u64(const struct json *value);
const char *json_text(const struct json *value);
/* A text of exactly 2n hexadecimal digits. */
void json_hex(const struct json *value, void *bytes, size_t n);

/* Short forms for members. */
uint64_t json_get_u64(const struct json *object, const char *key);
const char *json_get_text(const struct json *object, const char *key);
void json_get_hex(const struct json *object, const char *key, void *bytes, size_t n);

/* ---- printing, as it was read or changed ---- */

enum json_change {
    JSON_KEEP,
    JSON_DROP,       /* the member or element is not there */
    JSON_TWICE,      /* it stands there twice */
    JSON_OTHER_KIND, /* a value of another kind in its place */
    JSON_NEGATIVE,   /* -1 in its place */
    JSON_FRACTION,   /* 1.5 in its place */
};

struct json_style {
    struct rng *shuffle; /* not NULL: members in random order, random blanks */
    size_t change_at;    /* the value that is changed, counted from the root in reading order */
    enum json_change change;
};

/* The text, zero-terminated, to be freed with free(). */
char *json_print(const struct json *root, const struct json_style *style);
/* Values in the tree, and the key of the n-th (NULL: an element of an array, or the root). */
size_t json_n_values(const struct json *root);
const char *json_key_of(const struct json *root, size_t n);

#endif
