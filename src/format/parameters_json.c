#include "format/parameters_json.h"

#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "format/json_sax.h"

enum { DEPTH_MAX = 2 };

struct search {
    const char *file_name;
    uint8_t *digest;
    bool found, here, is_digest; /* inside the entry looked for; behind its key "digest" */
    unsigned depth;
};

static enum cuzk_status bad_form(const struct sax_event *event, const char *expected,
                                 struct cuzk_error *err)
{
    return error_set(err, CUZK_BAD_INPUT, "offset %zu: expected %s, found %s",
                     (size_t)event->offset, expected, sax_kind_name(event->kind));
}

static enum cuzk_status take_value(struct search *s, const struct sax_event *event,
                                   struct cuzk_error *err)
{
    if (s->depth < DEPTH_MAX)
        return bad_form(event, "an object", err);
    if (!s->here || !s->is_digest)
        return CUZK_OK;
    if (event->kind != SAX_STRING || !hex_decode(s->digest, PARAMETERS_DIGEST_BYTES, event->text))
        return bad_form(event, "32 hexadecimal digits", err);
    s->found = true;
    return CUZK_OK;
}

static enum cuzk_status handle(void *ctx, const struct sax_event *event, struct cuzk_error *err)
{
    struct search *s = ctx;

    switch (event->kind) {
    case SAX_OBJECT_BEGIN: s->depth++; return CUZK_OK;
    case SAX_OBJECT_END: s->depth--; return CUZK_OK;
    case SAX_KEY:
        if (s->depth == 1)
            s->here = strcmp(event->text, s->file_name) == 0;
        s->is_digest = strcmp(event->text, "digest") == 0;
        return CUZK_OK;
    case SAX_ARRAY_BEGIN:
    case SAX_ARRAY_END: return bad_form(event, "a string or a number", err);
    default: return take_value(s, event, err);
    }
}

enum cuzk_status parameters_json_find(const char *path, const char *file_name,
                                      uint8_t digest[PARAMETERS_DIGEST_BYTES], bool *ret_found,
                                      struct cuzk_error *err)
{
    struct search search = {.file_name = file_name, .digest = digest};
    struct memory_source source;
    struct file_map map;
    enum cuzk_status st;
    void *room = mem_new(SAX_ROOM_BYTES);

    if (!room)
        return error_set(err, CUZK_NO_MEMORY, "%s: no memory to read it", path);
    st = file_map(&map, path, err);
    if (st == CUZK_OK) {
        source = memory_source_over(map.data, map.bytes);
        st = json_sax(&source.base, DEPTH_MAX, room, handle, &search, err);
        if (st != CUZK_OK)
            error_prefix(err, st, "%s", path);
        file_unmap(&map);
    }
    mem_free(room);
    if (st == CUZK_OK)
        *ret_found = search.found;
    return st;
}
