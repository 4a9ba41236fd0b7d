/* Files: mapped for reading, written aside and renamed. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* A file, or a part of one. Everything is borrowed. */
struct file_part {
    const char *path;
    const char *name;       /* for messages; NULL: the path */
    uint64_t offset, bytes; /* FILE_TO_END: up to the end */
};
#define FILE_TO_END UINT64_MAX

static inline struct file_part file_whole(const char *path)
{
    return (struct file_part){.path = path, .bytes = FILE_TO_END};
}
static inline const char *file_part_name(const struct file_part *part)
{
    return part->name ? part->name : part->path;
}

struct file_fetch; /* base/file_fetch.h */

/* Bytes of a file, mapped read-only. No bytes have data == NULL. `path` is a copy of the name. */
struct file_map {
    const uint8_t *data;
    size_t bytes;
    char *path;
    size_t lead;              /* bytes mapped before `data`, up to the page */
    struct file_fetch *fetch; /* reads instead of touching the map: file_map_fetched; or NULL */
};

/* Refuses what is not a regular file, and a part that reaches beyond the end. */
MUST_CHECK enum cuzk_status file_map(struct file_map *map, const char *path,
                                     struct cuzk_error *err);
/* With `fetch`, for files whose bulk goes elsewhere: two descriptors stay open. */
MUST_CHECK enum cuzk_status file_map_fetched(struct file_map *map, const char *path,
                                             struct cuzk_error *err);
MUST_CHECK enum cuzk_status file_map_part(struct file_map *map, const struct file_part *part,
                                          struct cuzk_error *err);
void file_unmap(struct file_map *map); /* accepts a zeroed one */

/* The bytes of a part, read into a region of their own: for small files whose map could end the
 * process, because somebody cuts them short meanwhile. *ret_bytes is their number. */
MUST_CHECK enum cuzk_status file_read(struct region *ret, size_t *ret_bytes,
                                      const struct file_part *part, struct budget *budget,
                                      enum mem_class class, struct cuzk_error *err);

/* These bytes of the map will not be read again soon: whole pages of them leave our memory (a later
 * read finds them again). For files larger than memory. Bytes outside the map are ignored. */
void file_drop(const struct file_map *map, const void *begin, size_t bytes);

/* ---- writing --------------------------------------------------------------------------------- */

/* A file that appears whole or not at all: bytes go to a temporary name in the same folder,
 * out_commit flushes, syncs and renames; out_abort (or a crash) leaves the old file untouched. One
 * may also write to `stream`: out_commit fails when any write has failed. */
struct out_file {
    FILE *stream;
    char *path;
    char *temporary;
    uint64_t begun, ended; /* out_write_behind: bytes on their way to the disk, and there */
};

MUST_CHECK enum cuzk_status out_open(struct out_file *out, const char *path,
                                     struct cuzk_error *err);
MUST_CHECK enum cuzk_status out_write(struct out_file *out, const void *bytes, size_t n,
                                      struct cuzk_error *err);
/* For a large file written from its begin on: what came since the last call goes on its way to the
 * disk, and what was on its way arrives. Between the calls lies how much out_commit may have to
 * wait for, and how much of the page cache this file dirties. */
MUST_CHECK enum cuzk_status out_write_behind(struct out_file *out, struct cuzk_error *err);
/* The next byte written is byte `at` of the file; bytes never written are zero. */
MUST_CHECK enum cuzk_status out_seek(struct out_file *out, uint64_t at, struct cuzk_error *err);
/* Makes the file that long and takes the room on the disk, where the file system can do that. */
MUST_CHECK enum cuzk_status out_reserve(struct out_file *out, uint64_t bytes,
                                        struct cuzk_error *err);
MUST_CHECK enum cuzk_status out_commit(struct out_file *out, struct cuzk_error *err);
void out_abort(struct out_file *out); /* accepts a zeroed or a committed one */

#endif
