/* The reference vectors of tests/vectors: paths and whole files. A file that is missing or broken
 * ends the test with a sentence. */
#ifndef SUPPORT_VECTORS_H
#define SUPPORT_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/* "<source>/tests/vectors/<name>", in one of a few static buffers used in turn. */
const char *vector_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A whole file; with the ending .zst, decompressed. The caller frees it with vector_free. */
uint8_t *vector_read(const char *path, size_t *ret_bytes);
void vector_free(uint8_t *bytes);

#endif
