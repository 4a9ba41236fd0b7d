#include "engine/key_digest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "engine/file_digest.h"
#include "engine/key_folder.h"

/* The parameters.json to compare with; false if there is none. */
static bool digests_path(char out[KEY_PATH_MAX], const struct key_digest *key)
{
    const char *slash = strrchr(key->path, '/');
    int folder = slash ? (int)(slash - key->path) : 1;

    snprintf(out, KEY_PATH_MAX, "%.*s/parameters.json", folder, slash ? key->path : ".");
    if (key->digests)
        snprintf(out, KEY_PATH_MAX, "%s", key->digests);
    return key->digests || access(out, R_OK) == 0;
}

enum cuzk_status key_digest_check(const struct key_digest *key,
                                  const uint8_t digest[PARAMETERS_DIGEST_BYTES],
                                  struct report *report, struct cuzk_error *err)
{
    char path[KEY_PATH_MAX], hex[2 * PARAMETERS_DIGEST_BYTES + 1], expected_hex[sizeof hex];
    uint8_t expected[PARAMETERS_DIGEST_BYTES];
    bool listed = false;

    if (digests_path(path, key))
        TRY(parameters_json_find(path, key->name, expected, &listed, err));
    if (key->digests && !listed)
        return error_set(err, CUZK_BAD_INPUT, "%s: %s is not listed", path, key->name);
    hex_encode(hex, digest, PARAMETERS_DIGEST_BYTES);
    report_text(report, "digest", "%s", hex);
    report_bool(report, "digest_is_official", listed);
    if (!listed || memcmp(digest, expected, PARAMETERS_DIGEST_BYTES) == 0)
        return CUZK_OK;
    hex_encode(expected_hex, expected, sizeof expected);
    return error_set(err, CUZK_INVALID, "%s: digest %s, expected %s", key->path, hex, expected_hex);
}

enum cuzk_status key_digest_check_file(struct engine *engine, const struct key_digest *key,
                                       struct report *report, struct cuzk_error *err)
{
    struct file_digest whole = {0};
    struct file_map map;
    enum cuzk_status st;

    engine_stage(engine, "digest");
    TRY(file_map(&map, key->path, err));
    st = file_digest(engine, &map, &whole, err);
    file_unmap(&map);
    TRY(st);
    return key_digest_check(key, whole.blake2b, report, err);
}
