/* The table of keys, and how the text of a value becomes a field of struct config. */
#ifndef DAEMON_CONFIG_KEY_H
#define DAEMON_CONFIG_KEY_H

#include "daemon/config.h"

enum config_type {
    TYPE_BOOL,
    TYPE_NUMBER,    /* in [min, max] */
    TYPE_SIZE,      /* in [min, max] */
    TYPE_SIZE_AUTO, /* the same, or "auto" */
    TYPE_DURATION,
    TYPE_TEXT,    /* less than CONFIG_TEXT_MAX bytes */
    TYPE_PATH,    /* absolute or "", less than CONFIG_PATH_MAX bytes */
    TYPE_LIST,    /* of texts */
    TYPE_DEVICES, /* of ordinals and UUIDs */
    TYPE_MODE,    /* of a file, in octal digits */
    TYPE_LEVEL,
    TYPE_FORMAT,
    TYPE_NO_EFFECT,  /* the original has it; here it changes nothing */
    TYPE_DEPRECATED, /* without effect in the original too */
};

struct config_key {
    const char *section, *name;
    enum config_type type;
    bool reloads; /* may change while the daemon runs */
    size_t offset;
    const char *value; /* the default */
    uint64_t min, max;
};

extern const struct config_key config_keys[];
extern const size_t config_n_keys;
extern const char *const config_level_names[4], *const config_format_names[2];

static inline bool config_has_effect(const struct config_key *key)
{
    return key->type < TYPE_NO_EFFECT;
}
/* Bytes of its field of struct config; 0 for one without effect. */
size_t config_field_bytes(enum config_type type);

/* "section.name" */
void config_full_name(char text[CONFIG_TEXT_MAX], const struct config_key *key);
/* NULL for a name that is unknown. */
const struct config_key *config_find_key(const char *name);
bool config_is_section(const char *name, size_t n);

/* Where a value was found: what an error names, and what --print-config tells. */
struct config_source {
    uint32_t origin; /* a line of the file, or one of: */
    const char *name;
};
enum { ORIGIN_DEFAULT = 0, ORIGIN_ENVIRONMENT = 1 << 30, ORIGIN_FLAG = 1 << 29 };

/* Return CUZK_BAD_INPUT with a sentence that begins with the source. */
enum cuzk_status config_complain(const struct config_source *from, struct cuzk_error *err,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));
enum cuzk_status config_unknown_key(const struct config_source *from, const char *name,
                                    struct cuzk_error *err);

/* Reads `text` into the key's field; a list is split at commas. */
MUST_CHECK enum cuzk_status config_read_value(struct config *config, const struct config_key *key,
                                              const char *text, const struct config_source *from,
                                              struct cuzk_error *err);
/* One more element of a list. */
MUST_CHECK enum cuzk_status config_list_add(const struct config_key *key, struct config_list *list,
                                            const char *text, const struct config_source *from,
                                            struct cuzk_error *err);

#endif
