#include "support/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/rng.h"

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

/* ---- printing -------------------------------------------------------------------------------- */

struct printer {
    const struct json_style *style;
    size_t n; /* values seen */
    char *text;
    size_t used, room;
};

static void put(struct printer *p, const char *text, size_t n)
{
    if (p->used + n + 1 > p->room) {
        p->room = 2 * (p->used + n + 1);
        p->text = checked(realloc(p->text, p->room));
    }
    memcpy(p->text + p->used, text, n);
    p->used += n;
    p->text[p->used] = 0;
}

static void put_text(struct printer *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_blanks(struct printer *p)
{
    while (p->style->shuffle && rng_below(p->style->shuffle, 4) == 0)
        put(p, &" \t\r\n"[rng_below(p->style->shuffle, 4)], 1);
}

static void print_value(struct printer *p, const struct json *value);

static void print_item(struct printer *p, const struct json *item, bool *first)
{
    if (!*first)
        put_text(p, ",");
    *first = false;
    put_blanks(p);
    if (item->key) {
        put_text(p, "\"");
        put_text(p, item->key);
        put_text(p, "\"");
        put_blanks(p);
        put_text(p, ":");
        put_blanks(p);
    }
    print_value(p, item);
    put_blanks(p);
}

/* Which item comes i-th. Only the items of an object may change places. */
static void choose_order(const struct printer *p, const struct json *value, size_t *order)
{
    for (size_t i = 0; i < value->count; i++) {
        size_t j = p->style->shuffle && value->kind == JSON_OBJECT
                       ? rng_below(p->style->shuffle, i + 1)
                       : i;

        order[i] = order[j];
        order[j] = i;
    }
}

static void print_items(struct printer *p, const struct json *value)
{
    size_t *order = checked(calloc(value->count + 1, sizeof *order));
    bool first = true;

    choose_order(p, value, order);
    put_blanks(p);
    for (size_t i = 0; i < value->count; i++) {
        const struct json *item = &value->items[order[i]];
        bool here = p->n == p->style->change_at;

        if (here && p->style->change == JSON_DROP) {
            p->n += json_n_values(item);
            continue;
        }
        print_item(p, item, &first);
        if (here && p->style->change == JSON_TWICE)
            print_item(p, item, &first);
    }
    free(order);
}

static void print_value(struct printer *p, const struct json *value)
{
    static const char *const other_kind[] = {
        [JSON_NULL] = "0",       [JSON_FALSE] = "0",  [JSON_TRUE] = "0",    [JSON_NUMBER] = "\"1\"",
        [JSON_TEXT] = "[\"a\"]", [JSON_ARRAY] = "{}", [JSON_OBJECT] = "[]",
    };
    bool here = p->n++ == p->style->change_at;
    enum json_change change = here ? p->style->change : JSON_KEEP;

    if (change >= JSON_OTHER_KIND) {
        put_text(p, change == JSON_NEGATIVE   ? "-1"
                    : change == JSON_FRACTION ? "1.5"
                                              : other_kind[value->kind]);
        p->n += json_n_values(value) - 1;
    } else if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY) {
        put_text(p, value->kind == JSON_OBJECT ? "{" : "[");
        print_items(p, value);
        put_text(p, value->kind == JSON_OBJECT ? "}" : "]");
    } else if (value->kind == JSON_TEXT) {
        put_text(p, "\"");
        put_text(p, value->text);
        put_text(p, "\"");
    } else {
        put_text(p, value->text);
    }
}

char *json_print(const struct json *root, const struct json_style *style)
{
    struct printer p = {.style = style};

    put_blanks(&p);
    print_value(&p, root);
    put_blanks(&p);
    return p.text;
}

size_t json_n_values(const struct json *root)
{
    size_t n = 1;

    for (size_t i = 0; i < root->count; i++)
        n += json_n_values(&root->items[i]);
    return n;
}

const char *json_key_of(const struct json *root, size_t n)
{
    if (n == 0)
        return root->key;
    n--;
    for (size_t i = 0; i < root->count; i++) {
        size_t inside = json_n_values(&root->items[i]);

        if (n < inside)
            return json_key_of(&root->items[i], n);
        n -= inside;
    }
    give_up("JSON: no such value");
}
