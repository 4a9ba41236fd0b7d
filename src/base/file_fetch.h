/* Bytes of a mapped file, read into memory of the caller's without the map being touched.
 *
 * What the page cache has is copied from there; the rest is read around it (O_DIRECT), so that a
 * file larger than memory pushes nothing out of it and arrives as fast as the disk gives it. Where
 * the file system offers neither it is an ordinary read. A file that was cut short meanwhile is an
 * error with a sentence, not a signal. From any number of threads at once. */
#ifndef BASE_FILE_FETCH_H
#define BASE_FILE_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FETCH_PAGE ((size_t)4096) /* of places in the file and in memory */

struct file_fetch;

/* Of the open file fd, whose bytes are mapped at `base` from its begin on. Both may go: the file is
 * kept open, and `base` is the name of a place only. */
MUST_CHECK enum cuzk_status file_fetch_new(struct file_fetch **ret, int fd, const void *base,
                                           const char *name, struct cuzk_error *err);
void file_fetch_free(struct file_fetch *fetch); /* accepts NULL */

/* How far `from` lies behind the begin of its page in the file. */
size_t file_fetch_lead(const struct file_fetch *fetch, const void *from);
/* to[0, bytes) = the bytes that are mapped at `from`, whose lead is 0. `to` begins on a page and has
 * room for whole ones. CUZK_BAD_INPUT: the file ends before. */
MUST_CHECK enum cuzk_status file_fetch_read(const struct file_fetch *fetch, void *to,
                                            const void *from, size_t bytes, struct cuzk_error *err);

#endif
