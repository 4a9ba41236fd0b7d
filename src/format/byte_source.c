#include "format/byte_source.h"

#include <errno.h>
#include <string.h>

static enum cuzk_status memory_read(struct byte_source *source, uint8_t *to, size_t room,
                                    size_t *ret_n, struct cuzk_error *err)
{
    struct memory_source *m = (struct memory_source *)source;
    size_t left = m->bytes - m->at, n = room < left ? room : left;

    (void)err;
    if (n)
        memcpy(to, m->data + m->at, n);
    m->at += n;
    *ret_n = n;
    return CUZK_OK;
}

struct memory_source memory_source_over(const void *data, size_t bytes)
{
    return (struct memory_source){.base = {memory_read}, .data = data, .bytes = bytes};
}

static enum cuzk_status file_read(struct byte_source *source, uint8_t *to, size_t room,
                                  size_t *ret_n, struct cuzk_error *err)
{
    struct file_source *f = (struct file_source *)source;

    *ret_n = fread(to, 1, room < f->left ? room : (size_t)f->left, f->file);
    f->left -= *ret_n;
    if (*ret_n == 0 && ferror(f->file))
        return error_set(err, CUZK_IO, "%s: %s", f->path, strerror(errno));
    return CUZK_OK;
}

struct file_source file_source_over(FILE *file, const char *path, uint64_t bytes)
{
    return (struct file_source){.base = {file_read}, .file = file, .path = path, .left = bytes};
}

void byte_cursor_init(struct byte_cursor *cursor, struct byte_source *source)
{
    cursor->source = source;
    cursor->offset = 0;
    cursor->at = cursor->n = 0;
}

enum cuzk_status byte_cursor_fill(struct byte_cursor *cursor, bool *ret_end, struct cuzk_error *err)
{
    if (cursor->at == cursor->n) {
        cursor->offset += cursor->n;
        cursor->at = cursor->n = 0;
        TRY(cursor->source->read(cursor->source, cursor->buffer, sizeof cursor->buffer, &cursor->n,
                                 err));
    }
    *ret_end = cursor->at == cursor->n;
    return CUZK_OK;
}
