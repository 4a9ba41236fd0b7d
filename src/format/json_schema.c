#include "format/json_schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An open object, list or byte string. */
struct frame {
    const struct schema *schema;
    uint64_t length;                  /* of a list */
    uint64_t count;                   /* elements or bytes so far */
    uint32_t seen;                    /* fields, by number */
    const struct schema_field *field; /* whose value comes next, or is open; NULL before a key */
    int item;
};

struct schema_reader {
    const struct schema_handler *handler;
    const struct schema *root;
    size_t depth;
    struct frame frames[SCHEMA_DEPTH_MAX];
    uint8_t bytes[SCHEMA_BYTES_N];
    uint64_t offset;
};

/* ---- messages -------------------------------------------------------------------------------- */

static void print_path(const struct schema_reader *r, char *text, size_t n)
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < r->depth && at < n; i++) {
        const struct frame *f = &r->frames[i];
        int wrote = 0;

        if (f->schema->kind == SCHEMA_LIST && f->count)
            wrote = snprintf(text + at, n - at, "[%" PRIu64 "]", f->count - 1);
        else if (f->field)
            wrote = snprintf(text + at, n - at, "%s%s", at ? "." : "", f->field->name);
        at += (size_t)wrote;
    }
}

/* Puts offset and path before the sentence that is there. */
static enum cuzk_status place_error(const struct schema_reader *r, enum cuzk_status status,
                                    struct cuzk_error *err)
{
    char path[256];

    print_path(r, path, sizeof path);
    return error_prefix(err, status, "offset %" PRIu64 "%s%s", r->offset, path[0] ? ": " : "",
                        path);
}

#define refuse(r, err, ...) place_error((r), error_set((err), CUZK_BAD_INPUT, __VA_ARGS__), (err))

/* ---- values ---------------------------------------------------------------------------------- */

static enum cuzk_status push(struct schema_reader *r, const struct schema_place *place,
                             struct cuzk_error *err)
{
    if (r->depth == SCHEMA_DEPTH_MAX)
        return refuse(r, err, "nested too deep");
    r->frames[r->depth++] = (struct frame){
        .schema = place->schema,
        .length = place->schema->kind == SCHEMA_BYTES ? SCHEMA_BYTES_N : place->length,
        .item = place->item,
    };
    return CUZK_OK;
}

static enum cuzk_status deliver(struct schema_reader *r, int item, const struct schema_value *value,
                                struct cuzk_error *err)
{
    enum cuzk_status st = r->handler->value(r->handler->ctx, item, value, err);

    return st == CUZK_OK ? st : place_error(r, st, err);
}

static enum cuzk_status begin_value(struct schema_reader *r, struct schema_place place,
                                    const struct sax_event *event, struct cuzk_error *err)
{
    static const enum sax_kind first_token[] = {
        [SCHEMA_OBJECT] = SAX_OBJECT_BEGIN, [SCHEMA_LIST] = SAX_ARRAY_BEGIN,
        [SCHEMA_BYTES] = SAX_ARRAY_BEGIN,   [SCHEMA_UINT] = SAX_UINT,
        [SCHEMA_TEXT] = SAX_STRING,         [SCHEMA_NULL] = SAX_NULL,
    };
    const struct schema_value value = {event->number, event->text, event->n};
    enum cuzk_status st;

    place.found = event->kind;
    st = r->handler->enter(r->handler->ctx, &place, err);
    if (st != CUZK_OK)
        return place_error(r, st, err);
    if (event->kind != first_token[place.schema->kind])
        return refuse(r, err, "expected %s, found %s",
                      sax_kind_name(first_token[place.schema->kind]), sax_kind_name(event->kind));
    switch (place.schema->kind) {
    case SCHEMA_OBJECT:
    case SCHEMA_LIST:
    case SCHEMA_BYTES: return push(r, &place, err);
    case SCHEMA_UINT:
    case SCHEMA_TEXT: return deliver(r, place.item, &value, err);
    case SCHEMA_NULL: break;
    }
    return CUZK_OK;
}

/* ---- what each kind of frame does with an event ---------------------------------------------- */

static enum cuzk_status take_byte(struct schema_reader *r, struct frame *f,
                                  const struct sax_event *event, struct cuzk_error *err)
{
    if (event->kind == SAX_UINT && event->number < 256 && f->count < SCHEMA_BYTES_N) {
        r->bytes[f->count++] = (uint8_t)event->number;
        return CUZK_OK;
    }
    if (event->kind == SAX_ARRAY_END && f->count == SCHEMA_BYTES_N) {
        const struct schema_value value = {.text = (const char *)r->bytes, .n = SCHEMA_BYTES_N};

        r->depth--;
        return deliver(r, f->item, &value, err);
    }
    if (event->kind == SAX_UINT && f->count < SCHEMA_BYTES_N)
        return refuse(r, err, "expected a byte, found %" PRIu64, event->number);
    if (event->kind == SAX_ARRAY_END || f->count == SCHEMA_BYTES_N)
        return refuse(r, err, "expected %d bytes, found %s", SCHEMA_BYTES_N,
                      event->kind == SAX_ARRAY_END ? "fewer" : "more");
    return refuse(r, err, "expected a byte, found %s", sax_kind_name(event->kind));
}

/* A list that is too short or too long: its own path, without an index. */
static enum cuzk_status refuse_length(struct schema_reader *r, struct frame *f, const char *found,
                                      struct cuzk_error *err)
{
    f->count = 0;
    return refuse(r, err, "expected %" PRIu64 " entries, found %s", f->length, found);
}

static enum cuzk_status take_element(struct schema_reader *r, struct frame *f,
                                     const struct sax_event *event, struct cuzk_error *err)
{
    if (event->kind == SAX_ARRAY_END) {
        char found[24];

        snprintf(found, sizeof found, "%" PRIu64, f->count);
        if (f->count != f->length)
            return refuse_length(r, f, found, err);
        r->depth--;
        return CUZK_OK;
    }
    if (f->count == f->length)
        return refuse_length(r, f, "more", err);
    f->count++;
    return begin_value(r,
                       (struct schema_place){.item = f->schema->element_item,
                                             .index = f->count - 1,
                                             .schema = f->schema->element},
                       event, err);
}

static enum cuzk_status take_key(struct schema_reader *r, struct frame *f,
                                 const struct sax_event *event, struct cuzk_error *err)
{
    f->field = NULL;
    for (size_t i = 0; i < f->schema->n_fields; i++) {
        const struct schema_field *field = &f->schema->fields[i];

        if (strlen(field->name) != event->n || memcmp(field->name, event->text, event->n) != 0)
            continue;
        if (f->seen & 1u << i)
            return refuse(r, err, "field %s stands there twice", field->name);
        if (f->schema->one_of && f->seen)
            return refuse(r, err, "expected one variant, found a second, %s", field->name);
        f->seen |= 1u << i;
        f->field = field;
        return CUZK_OK;
    }
    return refuse(r, err, "unknown field \"%.*s\"", event->n < 40 ? (int)event->n : 40,
                  event->text);
}

static enum cuzk_status end_object(struct schema_reader *r, struct frame *f, struct cuzk_error *err)
{
    f->field = NULL;
    if (f->schema->one_of && !f->seen)
        return refuse(r, err, "expected a variant, found none");
    for (size_t i = 0; i < f->schema->n_fields && !f->schema->one_of; i++)
        if (!f->schema->fields[i].optional && !(f->seen & 1u << i))
            return refuse(r, err, "field %s is missing", f->schema->fields[i].name);
    r->depth--;
    return CUZK_OK;
}

static enum cuzk_status take(void *ctx, const struct sax_event *event, struct cuzk_error *err)
{
    struct schema_reader *r = ctx;
    struct frame *f;

    r->offset = event->offset;
    if (r->depth == 0)
        return begin_value(r, (struct schema_place){.schema = r->root}, event, err);
    f = &r->frames[r->depth - 1];
    switch (f->schema->kind) {
    case SCHEMA_BYTES: return take_byte(r, f, event, err);
    case SCHEMA_LIST: return take_element(r, f, event, err);
    default: break;
    }
    if (event->kind == SAX_KEY)
        return take_key(r, f, event, err);
    if (event->kind == SAX_OBJECT_END)
        return end_object(r, f, err);
    return begin_value(r,
                       (struct schema_place){.item = f->field->item,
                                             .name = f->field->name,
                                             .schema = f->field->schema},
                       event, err);
}

enum cuzk_status json_schema_read(struct byte_source *source, const struct schema *root,
                                  const struct schema_handler *handler, void *room,
                                  struct cuzk_error *err)
{
    struct schema_reader r = {.handler = handler, .root = root};

    return json_sax(source, SCHEMA_DEPTH_MAX, room, take, &r, err);
}
