#include "daemon/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/quantity.h"
#include "daemon/address.h"
#include "daemon/config_key.h"
#include "daemon/toml_shim.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

/* ---- the steps of the precedence ------------------------------------------------------------- */

static void warn_without_effect(struct config *config, const struct config_key *key,
                                const char *name, const struct config_source *from)
{
    char place[CONFIG_TEXT_MAX];
    const char *why = key->type == TYPE_DEPRECATED
                          ? "deprecated in the original, and without effect"
                          : "accepted, without effect";

    if (config->n_warnings == CONFIG_WARNINGS_MAX)
        return;
    if (from->origin < ORIGIN_FLAG)
        snprintf(place, sizeof place, "%.150s:%u", from->name, from->origin);
    else
        snprintf(place, sizeof place, "%.150s", from->name);
    snprintf(config->warning[config->n_warnings++], CONFIG_TEXT_MAX, "%.165s: %.40s: %.46s", place,
             name, why);
}

static enum cuzk_status set(struct config *config, const struct config_key *key, const char *name,
                            const char *text, const struct config_source *from,
                            struct cuzk_error *err)
{
    TRY(config_read_value(config, key, text, from, err));
    if (!config_has_effect(key))
        warn_without_effect(config, key, name, from);
    config->origin[key - config_keys] = from->origin;
    return CUZK_OK;
}

void config_defaults(struct config *config)
{
    static const struct config_source from = {ORIGIN_DEFAULT, "default"};

    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < config_n_keys; i++)
        if (config_has_effect(&config_keys[i]) &&
            config_read_value(config, &config_keys[i], config_keys[i].value, &from, NULL))
            abort(); /* the table is wrong */
}

struct file_walk {
    struct config *config;
    const char *name;
};

static const char *type_expected(enum config_type type)
{
    switch (type) {
    case TYPE_BOOL: return "true or false, without quotes";
    case TYPE_NUMBER: return "a whole number, without quotes";
    case TYPE_SIZE:
    case TYPE_SIZE_AUTO: return "a size in quotes, or a number of bytes";
    case TYPE_LIST: return "a text or a list of texts";
    case TYPE_DEVICES: return "a list of ordinals or UUIDs, \"auto\" or \"none\"";
    default: return "a text in quotes";
    }
}

static bool type_fits(enum config_type type, const struct toml_value *value)
{
    bool is_text = value->type == TOML_TEXT, is_integer = value->type == TOML_INTEGER;

    switch (type) {
    case TYPE_BOOL: return value->type == TOML_BOOL;
    case TYPE_NUMBER: return is_integer;
    case TYPE_SIZE:
    case TYPE_SIZE_AUTO: return is_text || is_integer;
    case TYPE_LIST: return is_text || value->type == TOML_LIST;
    case TYPE_DEVICES: return value->type == TOML_LIST || is_text || (value->in_list && is_integer);
    default: return is_text;
    }
}

static enum cuzk_status take_file_value(void *ctx, const struct toml_value *value,
                                        struct cuzk_error *err)
{
    struct file_walk *walk = ctx;
    struct config_source from = {value->line, walk->name};
    const struct config_key *key = config_find_key(value->key);
    char number[24];
    const char *text = value->text;

    if (!key && value->type == TOML_TABLE && config_is_section(value->key, strlen(value->key)))
        return CUZK_OK;
    if (!key)
        return config_unknown_key(&from, value->key, err);
    if (!config_has_effect(key))
        return value->in_list ? CUZK_OK : set(walk->config, key, value->key, "", &from, err);
    if (!type_fits(key->type, value))
        return config_complain(&from, err, "%s: expected %s", value->key, type_expected(key->type));
    if (value->type == TOML_INTEGER) {
        snprintf(number, sizeof number, "%ld", (long)value->integer);
        text = number;
    }
    if (value->type == TOML_BOOL)
        text = value->truth ? "true" : "false";
    if (value->in_list)
        return config_list_add(key, (void *)((char *)walk->config + key->offset), text, &from, err);
    return set(walk->config, key, value->key, value->type == TOML_LIST ? "" : text, &from, err);
}

enum cuzk_status config_read_text(struct config *config, const char *text, size_t n,
                                  const char *name, struct cuzk_error *err)
{
    struct file_walk walk = {config, name};

    return toml_visit(text, n, name, take_file_value, &walk, err);
}

enum cuzk_status config_read_file(struct config *config, const char *path, struct cuzk_error *err)
{
    struct file_map map = {0};
    enum cuzk_status st;

    TRY(file_map(&map, path, err));
    if (map.bytes > FILE_BYTES_MAX)
        st = error_set(err, CUZK_BAD_INPUT, "%s: a configuration has at most %lu bytes, found %zu",
                       path, (unsigned long)FILE_BYTES_MAX, map.bytes);
    else
        st = config_read_text(config, map.data ? (const char *)map.data : "", map.bytes, path, err);
    file_unmap(&map);
    return st;
}

/* CUZK_MEMORY_TOTAL_BUDGET -> memory.total_budget; false if it begins with no section. */
static bool key_of_variable(char name[CONFIG_TEXT_MAX], const char *variable, size_t n)
{
    static const char prefix[] = "CUZK_";
    const char *rest = variable + sizeof prefix - 1;
    const char *underscore;

    if (n >= CONFIG_TEXT_MAX || n < sizeof prefix ||
        strncmp(variable, prefix, sizeof prefix - 1) != 0)
        return false;
    snprintf(name, CONFIG_TEXT_MAX, "%.*s", (int)(n - (sizeof prefix - 1)), rest);
    for (char *p = name; *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
    underscore = strchr(name, '_');
    if (!underscore || !config_is_section(name, (size_t)(underscore - name)))
        return false;
    name[underscore - name] = '.';
    return true;
}

enum cuzk_status config_read_environment(struct config *config, char *const *environment,
                                         struct cuzk_error *err)
{
    char name[CONFIG_TEXT_MAX], variable[CONFIG_TEXT_MAX];

    for (; *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        struct config_source from = {ORIGIN_ENVIRONMENT, variable};
        const struct config_key *key;

        if (!equals || !key_of_variable(name, *environment, (size_t)(equals - *environment)))
            continue;
        snprintf(variable, sizeof variable, "%.*s", (int)(equals - *environment), *environment);
        key = config_find_key(name);
        if (!key)
            return config_unknown_key(&from, name, err);
        TRY(set(config, key, name, equals + 1, &from, err));
    }
    return CUZK_OK;
}

enum cuzk_status config_set(struct config *config, const char *name, const char *value,
                            const char *flag, struct cuzk_error *err)
{
    struct config_source from = {ORIGIN_FLAG, flag};
    const struct config_key *key = config_find_key(name);

    return key ? set(config, key, name, value, &from, err) : config_unknown_key(&from, name, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool is_word(const struct config_list *devices, size_t i, const char *word)
{
    return strcmp(devices->item[i], word) == 0;
}

bool config_devices_named(const struct config_list *devices)
{
    return devices->n > 0 && !is_word(devices, 0, "auto") && !is_word(devices, 0, "none");
}

bool config_devices_none(const struct config_list *devices)
{
    return devices->n > 0 && is_word(devices, 0, "none");
}

static enum cuzk_status check_devices(const struct config_list *devices, struct cuzk_error *err)
{
    for (size_t i = 0; i < devices->n; i++) {
        if (devices->n > 1 && (is_word(devices, i, "auto") || is_word(devices, i, "none")))
            return error_set(err, CUZK_BAD_INPUT, "gpus.devices: '%s' stands alone",
                             devices->item[i]);
        for (size_t k = 0; k < i; k++)
            if (is_word(devices, k, devices->item[i]))
                return error_set(err, CUZK_BAD_INPUT, "gpus.devices: '%s' is there twice",
                                 devices->item[i]);
    }
    return CUZK_OK;
}

static enum cuzk_status check_addresses(const struct config *config, const char *key,
                                        const struct config_list *list, struct cuzk_error *err)
{
    struct address address;

    for (size_t i = 0; i < list->n; i++) {
        enum cuzk_status st = address_parse(&address, list->item[i], err);

        if (st)
            return error_prefix(err, st, "%s", key);
        if (!address_is_local(&address) && !config->daemon.tls_cert[0] &&
            !config->daemon.allow_insecure)
            return error_set(err, CUZK_BAD_INPUT,
                             "%s: '%s' can be reached from other machines: set daemon.tls_cert and "
                             "daemon.tls_key, or daemon.allow_insecure = true",
                             key, list->item[i]);
    }
    return CUZK_OK;
}

enum cuzk_status config_check(const struct config *config, struct cuzk_error *err)
{
    const struct config_daemon *d = &config->daemon;

    if (d->listen.n == 0)
        return error_set(err, CUZK_BAD_INPUT, "daemon.listen: expected at least one address");
    TRY(check_addresses(config, "daemon.listen", &d->listen, err));
    TRY(check_addresses(config, "daemon.status_listen", &d->status_listen, err));
    TRY(check_devices(&config->gpus.devices, err));
    if (config->scheduler.max_batch_size > 1)
        return error_set(err, CUZK_BAD_INPUT,
                         "scheduler.max_batch_size: expected 1, found %lu: jobs are proven one by "
                         "one, with a key that stays loaded between them",
                         (unsigned long)config->scheduler.max_batch_size);
    if (!d->tls_cert[0] != !d->tls_key[0])
        return error_set(err, CUZK_BAD_INPUT,
                         "daemon.tls_cert and daemon.tls_key: one is set, the other is not");
    if (d->tls_client_ca[0] && !d->tls_cert[0])
        return error_set(err, CUZK_BAD_INPUT, "daemon.tls_client_ca: needs daemon.tls_cert");
    if (!config->journal.path[0] || !config->srs.param_cache[0])
        return error_set(err, CUZK_BAD_INPUT, "%s: expected a folder",
                         config->journal.path[0] ? "srs.param_cache" : "journal.path");
    return CUZK_OK;
}

static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    fputc('"', out);
}

static void print_list(FILE *out, const struct config_list *list)
{
    fputc('[', out);
    for (size_t i = 0; i < list->n; i++) {
        fputs(i ? ", " : "", out);
        print_text(out, list->item[i]);
    }
    fputc(']', out);
}

static void print_value(FILE *out, const struct config *config, const struct config_key *key)
{
    const void *field = (const char *)config + key->offset;
    char text[QUANTITY_TEXT];

    switch (key->type) {
    case TYPE_BOOL: fputs(*(const bool *)field ? "true" : "false", out); return;
    case TYPE_NUMBER: fprintf(out, "%lu", (unsigned long)*(const uint64_t *)field); return;
    case TYPE_SIZE:
    case TYPE_SIZE_AUTO:
        quantity_size_text(text, *(const uint64_t *)field);
        fprintf(out, "\"%s\"",
                key->type == TYPE_SIZE_AUTO && *(const uint64_t *)field == CONFIG_AUTO ? "auto"
                                                                                       : text);
        return;
    case TYPE_DURATION:
        quantity_duration_text(text, *(const uint64_t *)field);
        fprintf(out, "\"%s\"", text);
        return;
    case TYPE_TEXT:
    case TYPE_PATH: print_text(out, field); return;
    case TYPE_LIST:
    case TYPE_DEVICES: print_list(out, field); return;
    case TYPE_MODE: fprintf(out, "\"%04o\"", *(const uint32_t *)field); return;
    case TYPE_LEVEL: print_text(out, config_level_names[*(const uint32_t *)field]); return;
    case TYPE_FORMAT: print_text(out, config_format_names[*(const uint32_t *)field]); return;
    case TYPE_NO_EFFECT:
    case TYPE_DEPRECATED: return;
    }
}

static void print_origin(FILE *out, uint32_t origin, const struct config_key *key, const char *name)
{
    if (origin == ORIGIN_DEFAULT)
        fputs("  # default\n", out);
    else if (origin == ORIGIN_FLAG)
        fputs("  # flag\n", out);
    else if (origin < ORIGIN_FLAG)
        fprintf(out, "  # %s:%u\n", name ? name : "file", origin);
    else {
        fputs("  # CUZK_", out);
        for (const char *p = key->section; *p; p++)
            fputc(*p - 'a' + 'A', out);
        fputc('_', out);
        for (const char *p = key->name; *p; p++)
            fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
        fputc('\n', out);
    }
}

void config_print(const struct config *config, FILE *out, const char *name)
{
    const char *section = "";

    for (size_t i = 0; i < config_n_keys; i++) {
        if (!config_has_effect(&config_keys[i]))
            continue;
        if (strcmp(section, config_keys[i].section) != 0)
            fprintf(out, "%s[%s]\n", section[0] ? "\n" : "", config_keys[i].section);
        section = config_keys[i].section;
        fprintf(out, "%s = ", config_keys[i].name);
        print_value(out, config, &config_keys[i]);
        print_origin(out, config->origin[i], &config_keys[i], name);
    }
}

void config_reload(struct config *config, const struct config *fresh,
                   void (*kept)(void *ctx, const char *key), void *ctx)
{
    char name[CONFIG_TEXT_MAX];

    for (size_t i = 0; i < config_n_keys; i++) {
        size_t bytes = config_field_bytes(config_keys[i].type);
        char *now = (char *)config + config_keys[i].offset;
        const char *then = (const char *)fresh + config_keys[i].offset;

        if (bytes == 0 || memcmp(now, then, bytes) == 0)
            continue;
        if (config_keys[i].reloads) {
            memcpy(now, then, bytes);
            config->origin[i] = fresh->origin[i];
        } else if (kept) {
            config_full_name(name, &config_keys[i]);
            kept(ctx, name);
        }
    }
}
