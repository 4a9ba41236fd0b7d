#include "engine/key_check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "engine/file_digest.h"
#include "engine/key_folder.h"
#include "format/bellperson.h"
#include "format/parameters_json.h"
#include "msm/group_kernels.h"

/* ---- points -----------------------------------------------------------------------------------
 */

/* Points are decoded in tiles, each by one thread, and looked at there. */
enum { TILE = 4096 };

struct tiles {
    const struct group_kernels *group;
    const struct points_view *points;
    bool deep;
    uint8_t *room; /* one tile a worker */
    _Atomic size_t first_bad;
    _Atomic bool outside; /* of the subgroup */
};

static void note_bad(struct tiles *t, size_t index)
{
    size_t seen = atomic_load(&t->first_bad);

    while (index < seen && !atomic_compare_exchange_weak(&t->first_bad, &seen, index))
        ;
}

static void look_at(void *ctx, size_t begin, size_t end, unsigned worker)
{
    struct tiles *t = ctx;
    uint8_t *room = t->room + worker * TILE * t->group->point_bytes;
    struct points_fault fault;
    size_t bad;

    if (!t->group->decode(room, t->points, begin, end, &fault)) {
        note_bad(t, fault.index);
        return;
    }
    if (!t->deep)
        return;
    bad = t->group->subgroup_check(room, end - begin, NULL);
    if (bad < end - begin) {
        atomic_store(&t->outside, true);
        note_bad(t, begin + bad);
    }
}

/* The fault of the first bad point, found again. */
static enum cuzk_status name_bad_point(const struct tiles *t, const char *path, const char *query,
                                       struct cuzk_error *err)
{
    struct points_fault fault;
    size_t i = atomic_load(&t->first_bad);

    if (!t->group->decode(t->room, t->points, i, i + 1, &fault))
        return error_set(err, CUZK_BAD_INPUT, "%s: %s: point %zu: %s", path, query, i,
                         point_fault_name(fault.fault));
    return error_set(err, CUZK_INVALID, "%s: %s: point %zu: %s", path, query, i,
                     point_fault_name(POINT_NOT_IN_SUBGROUP));
}

static enum cuzk_status check_query(struct engine *engine, const struct proving_key *key,
                                    enum key_query query, bool deep, const char *path,
                                    struct cuzk_error *err)
{
    const struct curve *curve = key->vk.curve;
    struct tiles t = {.group = key_query_group(query) == ELEMENT_G1 ? curve->g1 : curve->g2,
                      .points = &key->query[query],
                      .deep = deep,
                      .first_bad = SIZE_MAX};
    struct region room;
    enum cuzk_status st = CUZK_OK;

    engine_stage(engine, "points of %s", key_query_name(query));
    TRY(region_map(&room, &engine->budget, MEM_SCRATCH,
                   pool_size(engine->pool) * TILE * t.group->point_bytes, err));
    t.room = room.base;
    pool_for(engine->pool, t.points->n, TILE, look_at, &t);
    if (pool_cancelled(engine->pool))
        st = error_set(err, CUZK_CANCELLED, "cancelled in the points of %s", key_query_name(query));
    else if (atomic_load(&t.first_bad) != SIZE_MAX)
        st = name_bad_point(&t, path, key_query_name(query), err);
    region_unmap(&room);
    return st;
}

static enum cuzk_status check_params(struct engine *engine, const struct key_check *check,
                                     struct report *report, struct cuzk_error *err)
{
    struct proving_key key;
    enum cuzk_status st = CUZK_OK;
    uint64_t n_points = 0;

    engine_stage(engine, "verifying key");
    TRY(params_open(&key, check->path, &curve_bls12_381, engine->pool, &engine->budget, err));
    for (int q = 0; st == CUZK_OK && q < KEY_N_QUERIES; q++) {
        st = check_query(engine, &key, (enum key_query)q, check->deep, check->path, err);
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
