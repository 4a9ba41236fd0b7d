/* Digests of a whole file, in one pass over its map. */
#ifndef ENGINE_FILE_DIGEST_H
#define ENGINE_FILE_DIGEST_H

#include "base/file.h"
#include "engine/engine.h"

struct file_digest {
    uint8_t sha256[32];
    uint8_t blake2b[64]; /* the first 16 bytes are what parameters.json has */
};

/* CUZK_CANCELLED when the engine's flag is seen. */
MUST_CHECK enum cuzk_status file_digest(struct engine *engine, const struct file_map *map,
                                        struct file_digest *ret, struct cuzk_error *err);

#endif
