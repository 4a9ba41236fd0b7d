#include "engine/file_digest.h"

#include "base/hash.h"

#define STEP_BYTES ((size_t)1 << 24) /* between looks at the cancel flag */

enum cuzk_status file_digest(struct engine *engine, const struct file_map *map,
                             struct file_digest *ret, struct cuzk_error *err)
{
    struct hash *sha = hash_new(HASH_SHA256), *blake = hash_new(HASH_BLAKE2B_512);
    enum cuzk_status st = CUZK_OK;

    if (!sha || !blake)
        TRY_GOTO(st, out, error_set(err, CUZK_NO_MEMORY, "no memory for two digests"));
    for (size_t at = 0; at < map->bytes; at += STEP_BYTES) {
        size_t n = map->bytes - at < STEP_BYTES ? map->bytes - at : STEP_BYTES;

        if (pool_cancelled(engine->pool))
            TRY_GOTO(st, out, error_set(err, CUZK_CANCELLED, "cancelled in the digests"));
        hash_update(sha, map->data + at, n);
        hash_update(blake, map->data + at, n);
    }
    hash_final(sha, ret->sha256);
    hash_final(blake, ret->blake2b);
out:
    hash_free(sha);
    hash_free(blake);
    return st;
}
