#include "engine/open_key.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/bellperson.h"
#include "format/prepared_key.h"

bool key_is_prepared(const struct file_map *map)
{
    const char *dot = strrchr(map->path, '.');

    return prepared_key_recognise(map->data, map->bytes) ||
           (dot && strcmp(dot, PREPARED_EXTENSION) == 0);
}

static enum cuzk_status read_key(struct proving_key *ret, const struct file_map *map,
                                 const struct curve *curve, struct engine *engine,
                                 struct cuzk_error *err)
{
    struct reader r = reader_over(map->data, map->bytes, map->path);

    if (key_is_prepared(map))
        return prepared_key_read(ret, NULL, &r, curve, engine->pool, &engine->budget, err);
    return params_read(ret, &r, curve, engine->pool, &engine->budget, err);
}

enum cuzk_status key_open(struct proving_key *ret, const char *path, const struct curve *curve,
                          struct engine *engine, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct file_map map;

    TRY(file_map(&map, path, err));
    st = read_key(ret, &map, curve, engine, err);
    if (st == CUZK_OK)
        ret->map = map;
    else
        file_unmap(&map);
    return st;
}

/* ---- in a folder ----------------------------------------------------------------------------- */

static enum cuzk_status check_name(const struct proving_key *key, struct circuit_name name,
                                   const char *path, struct cuzk_error *err)
{
    char text[CIRCUIT_TEXT_MAX];

    circuit_name_print(text, name);
    if (strcmp(text, key->circuit.name) == 0)
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT, "%s: a key of circuit \"%s\", expected \"%s\"", path,
                     key->circuit.name, text);
}

/* Both files begin their points with the bytes of the .vk. */
static enum cuzk_status check_twin(const struct proving_key *key, const char *path,
                                   struct cuzk_error *err)
{
    const uint8_t *vk = key->map.data + PREPARED_PAGE;
    const size_t n = vk_bytes(key->vk.curve, key->vk.n_inputs);
    const size_t stem = strlen(path) - strlen(PREPARED_EXTENSION);
    char twin[KEY_PATH_MAX];
    struct file_map map;
    bool same;

    snprintf(twin, sizeof twin, "%.*s" PARAMS_EXTENSION, (int)stem, path);
    if (access(twin, R_OK) != 0)
        return CUZK_OK;
    TRY(file_map(&map, twin, err));
    same = map.bytes >= n && memcmp(map.data, vk, n) == 0;
    file_unmap(&map);
    if (same)
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT,
                     "%s: prepared from another key than %s: prepare it again, or remove one", path,
                     twin);
}

enum cuzk_status key_find_in_folder(char path[KEY_PATH_MAX], const char *folder,
                                    struct circuit_name name, enum key_choice choice,
                                    struct cuzk_error *err)
{
    static const char *const extensions[] = {PREPARED_EXTENSION, PARAMS_EXTENSION, NULL};

    return key_folder_find_any(path, folder, name, extensions, choice, err);
}

enum cuzk_status key_open_in_folder(struct proving_key *ret, const char *folder,
                                    struct circuit_name name, enum key_choice choice,
                                    const struct curve *curve, struct engine *engine,
                                    struct cuzk_error *err)
{
    char path[KEY_PATH_MAX];
    struct proving_key key;
    enum cuzk_status st;

    engine_stage(engine, "open key");
    TRY(key_find_in_folder(path, folder, name, choice, err));
    TRY(key_open(&key, path, curve, engine, err));
    engine_stage_name(engine, "open key (%s)", key.circuit.known ? "prepared" : "bellperson");
    if (key.circuit.known) {
        TRY_GOTO(st, fail, check_name(&key, name, path, err));
        TRY_GOTO(st, fail, check_twin(&key, path, err));
    }
    *ret = key;
    return CUZK_OK;
fail:
    proving_key_done(&key);
    return st;
}
