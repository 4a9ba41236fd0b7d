/* Streams of a back end that works inside the call: what is left of them is the first error. */
#include <stdarg.h>
#include <stdio.h>

#include "backend/cpu/cpu_device.h"

bool stream_is_ok(const struct stream *stream)
{
    return stream->error.status == CUZK_OK;
}

bool stream_begin(struct stream *stream, const char *operation)
{
    stream->operation = operation;
    if (stream_is_ok(stream) && device_cancelled(stream->device))
        stream_fail(stream, CUZK_CANCELLED, "cancelled");
    if (!stream_is_ok(stream))
        return false;
    if (stream->device->cancel)
        stream->pool_cancel = pool_set_cancel(stream->device->pool, stream->device->cancel);
    return true;
}

void stream_end(struct stream *stream)
{
    if (stream->device->cancel)
        pool_set_cancel(stream->device->pool, stream->pool_cancel);
    if (device_cancelled(stream->device))
        stream_fail(stream, CUZK_CANCELLED, "cancelled");
}

void stream_fail(struct stream *stream, enum cuzk_status status, const char *format, ...)
{
    char text[sizeof stream->error.message];
    va_list args;

    if (!stream_is_ok(stream))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_write(&stream->error, status, "%s: %s", stream->operation, text);
}

void *stream_scratch(struct stream *stream, size_t bytes)
{
    struct cuzk_error err = {CUZK_OK, ""};
    void *scratch = NULL;

    if (device_take(stream->device, bytes, &scratch, &err) != CUZK_OK)
        stream_fail(stream, err.status, "%s", err.message);
    return scratch;
}

enum cuzk_status cpu_stream_new(struct device *device, struct stream **ret, struct cuzk_error *err)
{
    struct stream *stream = mem_new(sizeof *stream);

    if (!stream)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a stream");
    stream->device = device;
    *ret = stream;
    return CUZK_OK;
}

void cpu_stream_free(struct stream *stream)
{
    mem_free(stream);
}

/* Operations never overlap; the room stays where all of them find it. */
size_t cpu_stream_scratch_bytes(size_t bytes)
{
    return bytes;
}

enum cuzk_status cpu_stream_scratch(struct stream *stream, size_t bytes, struct cuzk_error *err)
{
    (void)stream;
    (void)bytes;
    (void)err;
    return CUZK_OK;
}

uint64_t cpu_mark(struct stream *stream)
{
    (void)stream;
    return 0;
}

void cpu_wait_on(struct stream *stream, struct stream *other, uint64_t mark)
{
    (void)mark;
    if (stream_is_ok(stream))
        stream->error = other->error;
}

enum cuzk_status cpu_wait(struct stream *stream, struct cuzk_error *err)
{
    enum cuzk_status st = stream->error.status;

    if (st != CUZK_OK && err)
        *err = stream->error;
    stream->error = (struct cuzk_error){CUZK_OK, ""};
    return st;
}
