/* The dashboard's files, which are part of the program. */
#ifndef DAEMON_ASSETS_H
#define DAEMON_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asset {
    const char *path; /* as asked: "/" */
    const char *type; /* Content-Type */
    const uint8_t *data;
    size_t bytes;
};

bool asset_find(struct asset *ret, const char *path);

#endif
