/* Prepared keys, written in the order of their sections (the layout: format/prepared_key.h). */
#ifndef FORMAT_PREPARED_WRITER_H
#define FORMAT_PREPARED_WRITER_H

#include "base/pool.h"
#include "format/prepared_key.h"

/* A file being written, aside. */
struct prepared_writer {
    struct prepared_header header; /* checksums are filled in as sections end */
    struct out_file out;
    struct section_sum sum;
    struct pool *pool;
    unsigned section; /* open */
    uint64_t done;    /* elements of it */
};

/* header: everything but the layout and the checksums: section[].n says how many elements there
 * will be. vk: the bytes of the .vk file. Room for the whole file is taken here, where the file
 * system can, so that a full disk is known at once. */
MUST_CHECK enum cuzk_status prepared_writer_open(struct prepared_writer *w, const char *path,
                                                 const struct prepared_header *header,
                                                 const uint8_t *vk, struct pool *pool,
                                                 struct cuzk_error *err);
/* The next points of the queries in their order, native: up to the end of one query at most. */
MUST_CHECK enum cuzk_status prepared_writer_points(struct prepared_writer *w, const void *native,
                                                   size_t n, struct cuzk_error *err);
/* The .params that it was made from, known when all of it has been read. */
void prepared_writer_source(struct prepared_writer *w, const uint8_t digest[PREPARED_SOURCE_BYTES]);
/* The file appears, whole. */
MUST_CHECK enum cuzk_status prepared_writer_commit(struct prepared_writer *w,
                                                   struct cuzk_error *err);
void prepared_writer_abort(struct prepared_writer *w); /* accepts a zeroed or a committed one */

#endif
