#include "support/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"

const char *vector_path(const char *format, ...)
{
    static char paths[4][1024];
    static unsigned next;
    char *path = paths[next++ % 4];
    int n = snprintf(path, sizeof(paths[0]), "%s/tests/vectors/", CUZK_SOURCE_DIR);
    va_list args;

    va_start(args, format);
    vsnprintf(path + n, sizeof(paths[0]) - (size_t)n, format, args);
    va_end(args);
    return path;
}

static void give_up(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    abort();
}

/* A frame need not tell its size: the result grows as it comes. */
static uint8_t *decompress(const struct file_map *map, size_t *ret_bytes)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {map->data, map->bytes, 0};
    ZSTD_outBuffer out = {NULL, 0, 0};
    size_t left;

    do {
        if (out.pos == out.size) {
            out.size = out.size ? 2 * out.size : (size_t)1 << 16;
            out.dst = realloc(out.dst, out.size);
        }
        if (!stream || !out.dst)
            give_up(map->path, "out of memory");
        left = ZSTD_decompressStream(stream, &out, &in);
        if (ZSTD_isError(left) || (left && in.pos == in.size && out.pos < out.size))
            give_up(map->path, "broken zstd frame");
    } while (left);
    ZSTD_freeDStream(stream);
    *ret_bytes = out.pos;
    return out.dst;
}

uint8_t *vector_read(const char *path, size_t *ret_bytes)
{
    struct cuzk_error err;
    struct file_map map;
    size_t n = strlen(path);
    uint8_t *out;

    if (file_map(&map, path, &err) != CUZK_OK)
        give_up(path, err.message);
    if (n > 4 && strcmp(path + n - 4, ".zst") == 0)
        out = decompress(&map, ret_bytes);
    else {
        out = malloc(map.bytes + 1);
        if (!out)
            give_up(path, "out of memory");
        if (map.bytes > 0)
            memcpy(out, map.data, map.bytes);
        *ret_bytes = map.bytes;
    }
    file_unmap(&map);
    return out;
}

void vector_free(uint8_t *bytes)
{
    free(bytes);
}
