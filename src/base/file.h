/* Files: mapped for reading, written aside and renamed. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* A whole file, mapped read-only. Empty files have data == NULL. `path` is a copy. */
struct file_map {
    const uint8_t *data;
    size_t bytes;
    char *path;
};

/* Refuses what is not a regular file. */
MUST_CHECK enum cuzk_status file_map(struct file_map *map, const char *path,
                                     struct cuzk_error *err);
void file_unmap(struct file_map *map); /* accepts a zeroed one */

/* ---- writing --------------------------------------------------------------------------------- */

/* A file that appears whole or not at all: bytes go to a temporary name in the same folder,
 * out_commit flushes, syncs and renames; out_abort (or a crash) leaves the old file untouched. One
 * may also write to `stream`: out_commit fails when any write has failed. */
struct out_file {
    FILE *stream;
    char *path;
    char *temporary;
};

MUST_CHECK enum cuzk_status out_open(struct out_file *out, const char *path,
                                     struct cuzk_error *err);
MUST_CHECK enum cuzk_status out_write(struct out_file *out, const void *bytes, size_t n,
                                      struct cuzk_error *err);
MUST_CHECK enum cuzk_status out_commit(struct out_file *out, struct cuzk_error *err);
void out_abort(struct out_file *out); /* accepts a zeroed or a committed one */

#endif
