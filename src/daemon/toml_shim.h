/* TOML, read by toml++ and handed over value by value, with the line of each. */
#ifndef DAEMON_TOML_SHIM_H
#define DAEMON_TOML_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum toml_type {
    TOML_TEXT,
    TOML_INTEGER,
    TOML_BOOL,
    TOML_LIST,  /* its elements follow, one call each, with the same key */
    TOML_TABLE, /* an empty one; those with members are only seen through them */
    TOML_OTHER, /* reals, dates, and whatever is nested in a list */
};

struct toml_value {
    const char *key; /* dotted: "memory.total_budget" */
    enum toml_type type;
    bool in_list; /* an element of the list that went before */
    unsigned line;
    const char *text; /* TOML_TEXT: terminated; refused when it holds a NUL */
    int64_t integer;
    bool truth;
};

/* Called in the order of the document's tables (by name). What it returns but CUZK_OK ends the
 * walk. */
typedef enum cuzk_status toml_value_fn(void *ctx, const struct toml_value *value,
                                       struct cuzk_error *err);

/* Parses n bytes (UTF-8) and visits every value. Errors begin with "<name>:<line>: ". */
MUST_CHECK enum cuzk_status toml_visit(const char *text, size_t n, const char *name,
                                       toml_value_fn *fn, void *ctx, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
