#include "format/prepared_writer.h"

static struct prepared_section *open_section(struct prepared_writer *w)
{
    return &w->header.section[w->section];
}

/* Ends every section that is whole: those without elements too. */
static enum cuzk_status end_sections(struct prepared_writer *w, struct cuzk_error *err)
{
    while (w->section < PREPARED_N_SECTIONS && w->done == open_section(w)->n) {
        section_sum_final(&w->sum, open_section(w)->checksum);
        w->section++;
        w->done = 0;
        if (w->section < PREPARED_N_SECTIONS)
            TRY(out_seek(&w->out, open_section(w)->offset, err));
    }
    return CUZK_OK;
}

static enum cuzk_status write_elements(struct prepared_writer *w, const void *data, uint64_t n,
                                       struct cuzk_error *err)
{
    const size_t bytes = n * open_section(w)->element_bytes;

    section_sum_add(&w->sum, data, bytes, w->pool);
    TRY(out_write(&w->out, data, bytes, err));
    w->done += n;
    return end_sections(w, err);
}

enum cuzk_status prepared_writer_open(struct prepared_writer *w, const char *path,
                                      const struct prepared_header *header, const uint8_t *vk,
                                      struct pool *pool, struct cuzk_error *err)
{
    enum cuzk_status st;

    *w = (struct prepared_writer){.header = *header, .pool = pool};
    prepared_lay_out(&w->header);
    TRY_GOTO(st, fail, out_open(&w->out, path, err));
    TRY_GOTO(st, fail, out_reserve(&w->out, w->header.file_bytes, err));
    TRY_GOTO(st, fail, section_sum_new(&w->sum, err));
    TRY_GOTO(st, fail, out_seek(&w->out, open_section(w)->offset, err));
    TRY_GOTO(st, fail, write_elements(w, vk, open_section(w)->n, err));
    return CUZK_OK;
fail:
    prepared_writer_abort(w);
    return st;
}

enum cuzk_status prepared_writer_points(struct prepared_writer *w, const void *native, size_t n,
                                        struct cuzk_error *err)
{
    if (w->section == PREPARED_N_SECTIONS || n > open_section(w)->n - w->done)
        return error_set(err, CUZK_INTERNAL, "%s: %zu points too many", w->out.path, n);
    return write_elements(w, native, n, err);
}

void prepared_writer_source(struct prepared_writer *w, const uint8_t digest[PREPARED_SOURCE_BYTES])
{
    memcpy(w->header.source, digest, PREPARED_SOURCE_BYTES);
}

enum cuzk_status prepared_writer_commit(struct prepared_writer *w, struct cuzk_error *err)
{
    uint8_t page[PREPARED_PAGE];
    enum cuzk_status st = CUZK_OK;

    if (w->section < PREPARED_N_SECTIONS)
        st = error_set(err, CUZK_INTERNAL, "%s: points of %s are missing", w->out.path,
                       prepared_section_name(w->section));
    prepared_header_encode(page, &w->header);
    if (st == CUZK_OK)
        st = out_seek(&w->out, 0, err);
    if (st == CUZK_OK)
        st = out_write(&w->out, page, sizeof page, err);
    if (st == CUZK_OK)
        st = out_commit(&w->out, err);
    prepared_writer_abort(w);
    return st;
}

void prepared_writer_abort(struct prepared_writer *w)
{
    out_abort(&w->out);
    section_sum_free(&w->sum);
    *w = (struct prepared_writer){0};
}
