#include "daemon/config_key.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(section, member) offsetof(struct config, section.member)

const struct config_key config_keys[] = {
    {"daemon", "listen", TYPE_LIST, false, AT(daemon, listen), "unix:///run/curio/cuzk.sock", 0, 0},
    {"daemon", "status_listen", TYPE_LIST, false, AT(daemon, status_listen), "", 0, 0},
    {"daemon", "allow_insecure", TYPE_BOOL, false, AT(daemon, allow_insecure), "false", 0, 0},
    {"daemon", "socket_mode", TYPE_MODE, false, AT(daemon, socket_mode), "0660", 0, 0},
    {"daemon", "socket_group", TYPE_TEXT, false, AT(daemon, socket_group), "", 0, 0},
    {"daemon", "tls_cert", TYPE_PATH, false, AT(daemon, tls_cert), "", 0, 0},
    {"daemon", "tls_key", TYPE_PATH, false, AT(daemon, tls_key), "", 0, 0},
    {"daemon", "tls_client_ca", TYPE_PATH, false, AT(daemon, tls_client_ca), "", 0, 0},
    {"daemon", "token_file", TYPE_PATH, false, AT(daemon, token_file), "", 0, 0},
    {"daemon", "max_message", TYPE_SIZE, false, AT(daemon, max_message), "256MiB", MIB,
     4 * GIB - 1},
    {"daemon", "max_connections", TYPE_NUMBER, false, AT(daemon, max_connections), "256", 1, 65536},
    {"daemon", "max_streams", TYPE_NUMBER, false, AT(daemon, max_streams), "128", 1, 65536},
    {"daemon", "drain_timeout", TYPE_DURATION, true, AT(daemon, drain_timeout_ms), "30m", 0, 0},
    {"srs", "param_cache", TYPE_PATH, false, AT(srs, param_cache), "/data/zk/params", 0, 0},
    {"srs", "allow_dev_keys", TYPE_BOOL, false, AT(srs, allow_dev_keys), "false", 0, 0},
    {"srs", "preload", TYPE_DEPRECATED, false, 0, "", 0, 0},
    {"memory", "total_budget", TYPE_SIZE_AUTO, false, AT(memory, total_budget), "auto", MIB,
     UINT64_MAX},
    {"memory", "safety_margin", TYPE_SIZE, false, AT(memory, safety_margin), "5GiB", 0, UINT64_MAX},
    {"memory", "eviction_min_idle", TYPE_DURATION, true, AT(memory, eviction_min_idle_ms), "5m", 0,
     0},
    {"memory", "device_budget", TYPE_SIZE_AUTO, false, AT(memory, device_budget), "auto", MIB,
     UINT64_MAX},
    {"memory", "urgent_reserve", TYPE_SIZE_AUTO, false, AT(memory, urgent_reserve), "auto", 0,
     UINT64_MAX},
    {"memory", "pinned_budget", TYPE_DEPRECATED, false, 0, "", 0, 0},
    {"memory", "working_memory_budget", TYPE_DEPRECATED, false, 0, "", 0, 0},
    {"gpus", "devices", TYPE_DEVICES, false, AT(gpus, devices), "", 0, 0},
    {"gpus", "gpu_threads", TYPE_NUMBER, false, AT(gpus, gpu_threads), "0", 0, 4096},
    {"gpus", "gpu_workers_per_device", TYPE_NO_EFFECT, false, 0, "", 0, 0},
    {"scheduler", "max_batch_size", TYPE_NUMBER, true, AT(scheduler, max_batch_size), "1", 1, 1024},
    {"scheduler", "max_batch_wait_ms", TYPE_NUMBER, true, AT(scheduler, max_batch_wait_ms), "10000",
     0, 3600000},
    {"scheduler", "sort_by_type", TYPE_NO_EFFECT, false, 0, "", 0, 0},
    {"synthesis", "threads", TYPE_NUMBER, false, AT(synthesis, threads), "0", 0, 4096},
    {"synthesis", "partition_workers", TYPE_DEPRECATED, false, 0, "", 0, 0},
    {"pipeline", "*", TYPE_NO_EFFECT, false, 0, "", 0, 0},
    {"journal", "path", TYPE_PATH, false, AT(journal, path), "/var/lib/cuzk", 0, 0},
    {"journal", "retain", TYPE_DURATION, true, AT(journal, retain_ms), "7d", 0, 0},
    {"journal", "max_attempts", TYPE_NUMBER, true, AT(journal, max_attempts), "3", 1, 100},
    {"journal", "disk_reserve", TYPE_SIZE, true, AT(journal, disk_reserve), "4GiB", 0, UINT64_MAX},
    {"logging", "level", TYPE_LEVEL, true, AT(logging, level), "info", 0, 0},
    {"logging", "format", TYPE_FORMAT, true, AT(logging, format), "text", 0, 0},
};
#define N_KEYS (sizeof config_keys / sizeof config_keys[0])
const size_t config_n_keys = N_KEYS;
_Static_assert(N_KEYS <= CONFIG_N_KEYS_MAX, "struct config keeps an origin for each key");

const char *const config_level_names[4] = {"error", "warn", "info", "debug"};
const char *const config_format_names[2] = {"text", "json"};

enum cuzk_status config_complain(const struct config_source *from, struct cuzk_error *err,
                                 const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (from->origin < ORIGIN_FLAG)
        return error_set(err, CUZK_BAD_INPUT, "%s:%u: %s", from->name, from->origin, text);
    return error_set(err, CUZK_BAD_INPUT, "%s: %s", from->name, text);
}

/* ---- finding a key --------------------------------------------------------------------------- */

/* Letters to change, add or leave out: the usual dynamic programme, one row of it. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64], n = strlen(b), diagonal, above;

    if (n >= sizeof row / sizeof row[0])
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            above = row[j];
            row[j] = diagonal + (*a != b[j - 1]);
            if (above + 1 < row[j])
                row[j] = above + 1;
            if (row[j - 1] + 1 < row[j])
                row[j] = row[j - 1] + 1;
            diagonal = above;
        }
    }
    return row[n];
}

void config_full_name(char text[CONFIG_TEXT_MAX], const struct config_key *key)
{
    snprintf(text, CONFIG_TEXT_MAX, "%s.%s", key->section, key->name);
}

static void nearest_name(char text[CONFIG_TEXT_MAX], const char *unknown)
{
    size_t best = SIZE_MAX, distance;
    char name[CONFIG_TEXT_MAX];

    for (size_t i = 0; i < N_KEYS; i++) {
        config_full_name(name, &config_keys[i]);
        distance = edit_distance(unknown, name);
        if (config_has_effect(&config_keys[i]) && (i == 0 || distance < best)) {
            best = distance;
            memcpy(text, name, sizeof name);
        }
    }
}

const struct config_key *config_find_key(const char *name)
{
    const char *dot = strchr(name, '.');

    for (size_t i = 0; dot && i < N_KEYS; i++)
        if (strlen(config_keys[i].section) == (size_t)(dot - name) &&
            strncmp(config_keys[i].section, name, (size_t)(dot - name)) == 0 &&
            (strcmp(config_keys[i].name, "*") == 0 || strcmp(config_keys[i].name, dot + 1) == 0))
            return &config_keys[i];
    return NULL;
}

bool config_is_section(const char *name, size_t n)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strlen(config_keys[i].section) == n && strncmp(config_keys[i].section, name, n) == 0)
            return true;
    return false;
}

enum cuzk_status config_unknown_key(const struct config_source *from, const char *name,
                                    struct cuzk_error *err)
{
    char nearest[CONFIG_TEXT_MAX];

    nearest_name(nearest, name);
    return config_complain(from, err, "unknown key '%.100s'; the nearest known one is '%s'", name,
                           nearest);
}

/* ---- values from text ------------------------------------------------------------------------ */

static enum cuzk_status bad_value(const struct config_source *from, const struct config_key *key,
                                  const char *text, const char *expected, struct cuzk_error *err)
{
    return config_complain(from, err, "%s.%s: '%.100s' is not %s", key->section, key->name, text,
                           expected);
}

static enum cuzk_status read_number(const struct config_key *key, uint64_t *field, const char *text,
                                    const struct config_source *from, struct cuzk_error *err)
{
    bool is_size = key->type != TYPE_NUMBER;
    char expected[120], min[QUANTITY_TEXT], max[QUANTITY_TEXT];
    uint64_t value;

    if (key->type == TYPE_SIZE_AUTO && strcmp(text, "auto") == 0) {
        *field = CONFIG_AUTO;
        return CUZK_OK;
    }
    /* A number is a size without a unit. */
    if (quantity_size(text, &value) && (is_size || strspn(text, "0123456789") == strlen(text)) &&
        value >= key->min && value <= key->max && (!is_size || value != CONFIG_AUTO)) {
        *field = value;
        return CUZK_OK;
    }
    quantity_size_text(min, key->min);
    quantity_size_text(max, key->max);
    if (!is_size)
        snprintf(expected, sizeof expected, "a number from %lu to %lu", (unsigned long)key->min,
                 (unsigned long)key->max);
    else if (key->min == 0 && key->max == UINT64_MAX)
        snprintf(expected, sizeof expected, "a size (bytes, or with KiB MiB GiB TiB KB MB GB TB%s)",
                 key->type == TYPE_SIZE_AUTO ? ", or auto" : "");
    else if (key->max == UINT64_MAX)
        snprintf(expected, sizeof expected,
                 "a size from %s up (bytes, or with KiB MiB GiB TiB KB MB GB TB%s)", min,
                 key->type == TYPE_SIZE_AUTO ? ", or auto" : "");
    else
        snprintf(expected, sizeof expected,
                 "a size from %s to %s (bytes, or with KiB MiB GiB TiB KB MB GB TB)", min, max);
    return bad_value(from, key, text, expected, err);
}

static enum cuzk_status read_choice(const struct config_key *key, uint32_t *field, const char *text,
                                    const char *const *names, size_t n, const char *expected,
                                    const struct config_source *from, struct cuzk_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0) {
            *field = (uint32_t)i;
            return CUZK_OK;
        }
    return bad_value(from, key, text, expected, err);
}

static enum cuzk_status read_text(const struct config_key *key, char *field, size_t size,
                                  const char *text, const struct config_source *from,
                                  struct cuzk_error *err)
{
    if (strlen(text) >= size)
        return config_complain(from, err, "%s.%s: at most %zu bytes, found %zu", key->section,
                               key->name, size - 1, strlen(text));
    if (key->type == TYPE_PATH && text[0] && text[0] != '/')
        return bad_value(from, key, text, "an absolute path", err);
    memset(field, 0, size); /* so that equal values are equal bytes */
    memcpy(field, text, strlen(text));
    return CUZK_OK;
}

static enum cuzk_status read_mode(const struct config_key *key, uint32_t *field, const char *text,
                                  const struct config_source *from, struct cuzk_error *err)
{
    size_t n = strlen(text);

    if (n < 3 || n > 4 || strspn(text, "01234567") != n || (n == 4 && text[0] != '0'))
        return bad_value(from, key, text, "a file mode in octal digits, such as 0660", err);
    *field = (uint32_t)strtoul(text, NULL, 8);
    return CUZK_OK;
}

static bool is_device(const char *text)
{
    size_t n = strlen(text);

    return strcmp(text, "auto") == 0 || strcmp(text, "none") == 0 ||
           (n > 0 && n < 4 && strspn(text, "0123456789") == n) ||
           ((strncmp(text, "GPU-", 4) == 0 || strncmp(text, "MIG-", 4) == 0) &&
            strspn(text + 4, "0123456789abcdefABCDEF-/") == n - 4);
}

enum cuzk_status config_list_add(const struct config_key *key, struct config_list *list,
                                 const char *text, const struct config_source *from,
                                 struct cuzk_error *err)
{
    if (list->n == CONFIG_LIST_MAX)
        return config_complain(from, err, "%s.%s: at most %d of them", key->section, key->name,
                               CONFIG_LIST_MAX);
    if (key->type == TYPE_DEVICES && !is_device(text))
        return bad_value(from, key, text, "a device's ordinal or UUID", err);
    TRY(read_text(key, list->item[list->n], CONFIG_TEXT_MAX, text, from, err));
    list->n++;
    return CUZK_OK;
}

/* Text with commas: defaults, environment, flags. */
static enum cuzk_status read_list(const struct config_key *key, struct config_list *list,
                                  const char *text, const struct config_source *from,
                                  struct cuzk_error *err)
{
    char item[CONFIG_TEXT_MAX];

    memset(list, 0, sizeof *list);
    while (*text) {
        size_t n = strcspn(text, ",");

        if (n >= sizeof item)
            return config_complain(from, err, "%s.%s: at most %zu bytes each, found %zu",
                                   key->section, key->name, sizeof item - 1, n);
        snprintf(item, sizeof item, "%.*s", (int)n, text);
        TRY(config_list_add(key, list, item, from, err));
        text += n + (text[n] == ',');
    }
    return CUZK_OK;
}

enum cuzk_status config_read_value(struct config *config, const struct config_key *key,
                                   const char *text, const struct config_source *from,
                                   struct cuzk_error *err)
{
    void *field = (char *)config + key->offset;
    uint64_t ms;

    switch (key->type) {
    case TYPE_BOOL:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return bad_value(from, key, text, "true or false", err);
        *(bool *)field = text[0] == 't';
        return CUZK_OK;
    case TYPE_NUMBER:
    case TYPE_SIZE:
    case TYPE_SIZE_AUTO: return read_number(key, field, text, from, err);
    case TYPE_DURATION:
        if (!quantity_duration(text, &ms))
            return bad_value(from, key, text, "a duration (a number with ms s m h or d)", err);
        *(uint64_t *)field = ms;
        return CUZK_OK;
    case TYPE_TEXT: return read_text(key, field, CONFIG_TEXT_MAX, text, from, err);
    case TYPE_PATH: return read_text(key, field, CONFIG_PATH_MAX, text, from, err);
    case TYPE_LIST:
    case TYPE_DEVICES: return read_list(key, field, text, from, err);
    case TYPE_MODE: return read_mode(key, field, text, from, err);
    case TYPE_LEVEL:
        return read_choice(key, field, text, config_level_names, 4, "error, warn, info or debug",
                           from, err);
    case TYPE_FORMAT:
        return read_choice(key, field, text, config_format_names, 2, "text or json", from, err);
    case TYPE_NO_EFFECT:
    case TYPE_DEPRECATED: return CUZK_OK;
    }
    return CUZK_INTERNAL;
}

size_t config_field_bytes(enum config_type type)
{
    switch (type) {
    case TYPE_BOOL: return sizeof(bool);
    case TYPE_NUMBER:
    case TYPE_SIZE:
    case TYPE_SIZE_AUTO:
    case TYPE_DURATION: return sizeof(uint64_t);
    case TYPE_TEXT: return CONFIG_TEXT_MAX;
    case TYPE_PATH: return CONFIG_PATH_MAX;
    case TYPE_LIST:
    case TYPE_DEVICES: return sizeof(struct config_list);
    case TYPE_MODE:
    case TYPE_LEVEL:
    case TYPE_FORMAT: return sizeof(uint32_t);
    case TYPE_NO_EFFECT:
    case TYPE_DEPRECATED: return 0;
    }
    return 0;
}
