#include "support/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json {
    enum json_kind kind;
    char *key;  /* in an object */
    char *text; /* of a text or a number */
    struct json *items;
    size_t count, room;
};

struct cursor {
    const char *at, *end;
    const char *path;
};

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

static void *checked(void *memory)
{
    if (!memory)
        give_up("out of memory");
    return memory;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static char peek(struct cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at))
        c->at++;
    if (c->at == c->end)
        give_up("%s: JSON ends too early", c->path);
    return *c->at;
}

static void expect(struct cursor *c, char symbol)
{
    if (peek(c) != symbol)
        give_up("%s: expected '%c', found '%c'", c->path, symbol, *c->at);
    c->at++;
}

static bool skip(struct cursor *c, char symbol)
{
    if (peek(c) != symbol)
        return false;
    c->at++;
    return true;
}

static char *copy(const char *begin, const char *end)
{
    size_t n = (size_t)(end - begin);
    char *text = checked(malloc(n + 1));

    memcpy(text, begin, n);
    text[n] = 0;
    return text;
}

/* Escapes are kept as they are: no vector has any that matter. */
static char *parse_text(struct cursor *c)
{
    const char *begin;

    expect(c, '"');
    for (begin = c->at; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\')
            c->at++;
    if (c->at >= c->end)
        give_up("%s: a text does not end", c->path);
    return copy(begin, c->at++);
}

static struct json *item_new(struct json *parent)
{
    if (parent->count == parent->room) {
        parent->room = parent->room ? 2 * parent->room : 4;
        parent->items = checked(realloc(parent->items, parent->room * sizeof(struct json)));
    }
    parent->items[parent->count] = (struct json){.kind = JSON_NULL};
    return &parent->items[parent->count++];
}

static void parse_value(struct cursor *c, struct json *value);

static void parse_list(struct cursor *c, struct json *value, char close)
{
    c->at++;
    if (skip(c, close))
        return;
    do {
        struct json *item = item_new(value);

        if (value->kind == JSON_OBJECT) {
            item->key = parse_text(c);
            expect(c, ':');
        }
        parse_value(c, item);
    } while (skip(c, ','));
    expect(c, close);
}

static void parse_word(struct cursor *c, struct json *value)
{
    const char *begin = c->at;

    while (c->at < c->end && !strchr(",]} \t\r\n", *c->at))
        c->at++;
    value->text = copy(begin, c->at);
    value->kind = strcmp(value->text, "null") == 0    ? JSON_NULL
                  : strcmp(value->text, "true") == 0  ? JSON_TRUE
                  : strcmp(value->text, "false") == 0 ? JSON_FALSE
                                                      : JSON_NUMBER;
}

static void parse_value(struct cursor *c, struct json *value)
{
    switch (peek(c)) {
    case '{':
        value->kind = JSON_OBJECT;
        parse_list(c, value, '}');
        break;
    case '[':
        value->kind = JSON_ARRAY;
        parse_list(c, value, ']');
        break;
    case '"':
        value->kind = JSON_TEXT;
        value->text = parse_text(c);
        break;
    default: parse_word(c, value);
    }
}

struct json *json_read(const char *path)
{
    struct cuzk_error err;
    struct file_map map;
    struct json *root = checked(calloc(1, sizeof(struct json)));
    struct cursor c;

    if (file_map(&map, path, &err) != CUZK_OK)
        give_up("%s", err.message);
    c = (struct cursor){(const char *)map.data, (const char *)map.data + map.bytes, path};
    parse_value(&c, root);
    file_unmap(&map);
    return root;
}

static void done(struct json *value)
{
    for (size_t i = 0; i < value->count; i++)
        done(&value->items[i]);
    free(value->items);
    free(value->key);
    free(value->text);
}

void json_free(struct json *root)
{
    if (root)
        done(root);
    free(root);
}

/* ---- questions ------------------------------------------------------------------------------- */

static const struct json *find(const struct json *object, const char *key)
{
    if (object->kind == JSON_OBJECT)
        for (size_t i = 0; i < object->count; i++)
            if (strcmp(object->items[i].key, key) == 0)
                return &object->items[i];
    return NULL;
}

bool json_has(const struct json *object, const char *key)
{
    return find(object, key) != NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
    const struct json *value = find(object, key);

    if (!value)
        give_up("JSON: no member \"%s\"", key);
    return value;
}

size_t json_count(const struct json *value)
{
    return value->count;
}

const struct json *json_at(const struct json *value, size_t i)
{
    if (i >= value->count)
        give_up("JSON: item %zu of %zu", i, value->count);
    return &value->items[i];
}

const char *json_key_at(const struct json *object, size_t i)
{
    return json_at(object, i)->key;
}

bool json_is_null(const struct json *value)
{
    return value->kind == JSON_NULL;
}

bool json_bool(const struct json *value)
{
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE)
        give_up("JSON: not a truth value");
    return value->kind == JSON_TRUE;
}

uint64_t json_u64(const struct json *value)
{
    char *end;
    uint64_t number;

    if (value->kind != JSON_NUMBER)
        give_up("JSON: not a number");
    number = strtoull(value->text, &end, 10);
    if (*end)
        give_up("JSON: \"%s\" is not an unsigned integer", value->text);
    return number;
}

const char *json_text(const struct json *value)
{
    if (value->kind != JSON_TEXT)
        give_up("JSON: not a text");
    return value->text;
}

void json_hex(const struct json *value, void *bytes, size_t n)
{
    if (!hex_decode(bytes, n, json_text(value)))
        give_up("JSON: \"%s\" is not the hexadecimal form of %zu bytes", value->text, n);
}

uint64_t json_get_u64(const struct json *object, const char *key)
{
    return json_u64(json_get(object, key));
}

const char *json_get_text(const struct json *object, const char *key)
{
    return json_text(json_get(object, key));
}

void json_get_hex(const struct json *object, const char *key, void *bytes, size_t n)
{
    json_hex(json_get(object, key), bytes, n);
}
