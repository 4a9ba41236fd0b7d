#include "engine/key_check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "engine/file_digest.h"
#include "engine/key_folder.h"
#include "engine/key_points.h"
#include "format/bellperson.h"
#include "format/parameters_json.h"

static enum cuzk_status check_params(struct engine *engine, const struct key_check *check,
                                     struct report *report, struct cuzk_error *err)
{
    struct proving_key key;
    const struct key_points points = {&key, check->path, check->deep};
    enum cuzk_status st = CUZK_OK;
    uint64_t n_points = 0;

    engine_stage(engine, "verifying key");
    TRY(params_open(&key, check->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    for (int q = 0; st == CUZK_OK && q < KEY_N_QUERIES; q++) {
        st = key_points_walk(engine, &points, (enum key_query)q, NULL, NULL, err);
        n_points += key.query[q].n;
    }
    if (st == CUZK_OK) {
        report_number(report, "points_checked", n_points);
        report_bool(report, "subgroup_checked", check->deep);
    }
    proving_key_done(&key);
    return st;
}

static enum cuzk_status check_vk(struct engine *engine, const struct key_check *check,
                                 struct report *report, struct cuzk_error *err)
{
    struct verifying_key vk;

    engine_stage(engine, "verifying key");
    TRY(vk_open(&vk, check->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    report_number(report, "points_checked", vk.n_inputs + 6);
    report_bool(report, "subgroup_checked", true);
    verifying_key_done(&vk);
    return CUZK_OK;
}

/* ---- digest -----------------------------------------------------------------------------------
 */

static enum cuzk_status digest_of(struct engine *engine, const char *path,
                                  uint8_t digest[PARAMETERS_DIGEST_BYTES], struct cuzk_error *err)
{
    struct file_digest whole = {0};
    struct file_map map;
    enum cuzk_status st;

    TRY(file_map(&map, path, err));
    st = file_digest(engine, &map, &whole, err);
    file_unmap(&map);
    memcpy(digest, whole.blake2b, PARAMETERS_DIGEST_BYTES);
    return st;
}

/* The parameters.json to compare with: the one given, else the one beside the key, else none. */
static bool digests_path(char out[KEY_PATH_MAX], const struct key_check *check)
{
    const char *slash = strrchr(check->path, '/');
    int folder = slash ? (int)(slash - check->path) : 1;

    snprintf(out, KEY_PATH_MAX, "%.*s/parameters.json", folder, slash ? check->path : ".");
    if (check->digests)
        snprintf(out, KEY_PATH_MAX, "%s", check->digests);
    return check->digests || access(out, R_OK) == 0;
}

static enum cuzk_status check_digest(struct engine *engine, const struct key_check *check,
                                     struct report *report, struct cuzk_error *err)
{
    const char *slash = strrchr(check->path, '/');
    const char *name = slash ? slash + 1 : check->path;
    uint8_t digest[PARAMETERS_DIGEST_BYTES], expected[PARAMETERS_DIGEST_BYTES];
    char path[KEY_PATH_MAX], hex[2 * PARAMETERS_DIGEST_BYTES + 1];
    bool listed = false, compare = digests_path(path, check);

    if (compare)
        TRY(parameters_json_find(path, name, expected, &listed, err));
    if (check->digests && !listed)
        return error_set(err, CUZK_BAD_INPUT, "%s: %s is not listed", path, name);
    engine_stage(engine, "digest");
    TRY(digest_of(engine, check->path, digest, err));
    hex_encode(hex, digest, sizeof digest);
    report_text(report, "digest", "%s", hex);
    report_bool(report, "digest_is_official", listed);
    if (!listed || memcmp(digest, expected, sizeof digest) == 0)
        return CUZK_OK;
    hex_encode(path, expected, sizeof expected);
    return error_set(err, CUZK_INVALID, "%s: digest %s, expected %s", check->path, hex, path);
}

/* -----------------------------------------------------------------------------------------------
 */

enum cuzk_status key_check(struct engine *engine, const struct key_check *check,
                           struct report *report, struct cuzk_error *err)
{
    const char *dot = strrchr(check->path, '.');
    bool is_vk = dot && strcmp(dot, ".vk") == 0;
    enum cuzk_status st;

    report_text(report, "file", "%s", check->path);
    st = is_vk ? check_vk(engine, check, report, err) : check_params(engine, check, report, err);
    if (st == CUZK_OK)
        st = check_digest(engine, check, report, err);
    engine_stage_end(engine);
    if (st == CUZK_OK && key_is_dev(check->path))
        report_text(report, "warning", "development key: its trapdoor is known");
    return st;
}
