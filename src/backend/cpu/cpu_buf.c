#include <assert.h>
#include <string.h>

#include "backend/cpu/cpu_device.h"

#define GRAIN 4096u /* elements converted between two looks at the cancel flag */

/* ---- conversions on the pool ----------------------------------------------------------------- */

typedef void convert_fn(void *out, const void *in, size_t n);

struct convert {
    convert_fn *f;
    uint8_t *out;
    const uint8_t *in;
    size_t bytes; /* of an element */
};

static void convert_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct convert *c = ctx;

    (void)worker;
    c->f(c->out + begin * c->bytes, c->in + begin * c->bytes, end - begin);
}

static void convert(const struct buf *buf, convert_fn *f, void *out, const void *in, size_t n)
{
    struct convert c = {.f = f, .out = out, .in = in};

    c.bytes = element_bytes(buf->device->curve, buf->element);
    pool_for(buf->device->pool, n, GRAIN, convert_range, &c);
}

static convert_fn *from_plain(const struct buf *buf)
{
    const struct curve *curve = buf->device->curve;

    return buf->element == ELEMENT_SCALAR ? curve->fr->from_plain
                                          : group_of(curve, buf->element)->from_plain;
}

static convert_fn *to_plain(const struct buf *buf)
{
    const struct curve *curve = buf->device->curve;

    return buf->element == ELEMENT_SCALAR ? curve->fr->to_plain
                                          : group_of(curve, buf->element)->to_plain;
}

void buf_make_native(const struct buf *buf)
{
    if (!buf->is_plain)
        return;
    convert(buf, from_plain(buf), buf->data, buf->data, buf->n);
    ((struct buf *)buf)->is_plain = false;
}

void buf_make_plain(const struct buf *buf)
{
    if (buf->is_plain)
        return;
    convert(buf, to_plain(buf), buf->data, buf->data, buf->n);
    ((struct buf *)buf)->is_plain = true;
}

void buf_will_write(struct buf *buf, size_t n)
{
    assert(n <= buf->n);
    if (n == buf->n)
        buf->is_plain = false;
    else
        buf_make_native(buf);
}

/* ---- the operations -------------------------------------------------------------------------- */

/* A number of elements that no memory holds asks for half of all addresses, and is refused as that.
 */
static size_t buf_room(const struct curve *curve, enum element element, size_t n)
{
    size_t bytes = element_bytes(curve, element);

    return n > SIZE_MAX / 4 / bytes ? SIZE_MAX / 2 : HANDLE_ROOM(struct buf) + n * bytes;
}

size_t cpu_buf_bytes(const struct curve *curve, enum element element, size_t n)
{
    return device_piece(buf_room(curve, element, n));
}

enum cuzk_status cpu_buf_new(struct device *device, enum element element, size_t n,
                             struct buf **ret, struct cuzk_error *err)
{
    void *memory;
    struct buf *buf;

    TRY(device_take(device, buf_room(device->curve, element, n), &memory, err));
    buf = memory;
    *buf = (struct buf){.device = device, .element = element, .n = n};
    buf->data = (uint8_t *)memory + HANDLE_ROOM(struct buf);
    *ret = buf;
    return CUZK_OK;
}

void cpu_buf_free(struct buf *buf)
{
    if (buf)
        device_give(buf->device, buf);
}

void cpu_buf_put(struct stream *stream, struct buf *buf, size_t at, const void *plain, size_t n)
{
    if (!stream_begin(stream, "buf_put"))
        return;
    assert(at <= buf->n && n <= buf->n - at);
    if (n == buf->n)
        buf->is_plain = false;
    if (buf->is_plain)
        memcpy(buf_at(buf, at), plain, n * element_bytes(buf->device->curve, buf->element));
    else
        convert(buf, from_plain(buf), buf_at(buf, at), plain, n);
    stream_end(stream);
}

void cpu_buf_get(struct stream *stream, const struct buf *buf, size_t at, void *plain, size_t n)
{
    if (!stream_begin(stream, "buf_get"))
        return;
    assert(at <= buf->n && n <= buf->n - at);
    if (buf->is_plain)
        memcpy(plain, buf_at(buf, at), n * element_bytes(buf->device->curve, buf->element));
    else
        convert(buf, to_plain(buf), plain, buf_at(buf, at), n);
    stream_end(stream);
}

void cpu_buf_zero(struct stream *stream, struct buf *buf, size_t at, size_t n)
{
    if (!stream_begin(stream, "buf_zero"))
        return;
    assert(at <= buf->n && n <= buf->n - at);
    memset(buf_at(buf, at), 0, n * element_bytes(buf->device->curve, buf->element));
    stream_end(stream);
}

/* ---- some of a buffer's elements ------------------------------------------------------------- */

size_t cpu_select_bytes(const struct curve *curve, size_t n)
{
    (void)curve;
    (void)n;
    return 0;
}

void cpu_select(struct stream *stream, struct buf *out, const struct buf *a, const uint64_t *map,
                size_t first, size_t n)
{
    size_t bytes = element_bytes(stream->device->curve, a->element), taken = 0;

    if (!stream_begin(stream, "select"))
        return;
    assert(out != a && n <= a->n && first % 64 == 0);
    buf_make_native(a);
    buf_make_native(out);
    for (size_t i = 0; i < n; i++)
        if (witness_bit(map, first + i)) {
            assert(taken < out->n);
            memcpy(buf_at(out, taken++), buf_at(a, i), bytes);
        }
    stream_end(stream);
}

size_t cpu_find_zero_bytes(const struct curve *curve)
{
    (void)curve;
    return 0;
}

/* Zero is zero in both forms. */
void cpu_find_zero(struct stream *stream, const struct buf *a, size_t n, size_t *ret)
{
    size_t n_words = stream->device->curve->fr_bytes / 8, i;

    if (!stream_begin(stream, "find_zero"))
        return;
    assert(a->element == ELEMENT_SCALAR && n <= a->n);
    for (i = 0; i < n; i++) {
        const uint64_t *words = buf_at(a, i);
        uint64_t any = 0;

        for (size_t w = 0; w < n_words; w++)
            any |= words[w];
        if (any == 0)
            break;
    }
    *ret = i;
    stream_end(stream);
}
