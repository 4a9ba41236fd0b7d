#include "support/update_set.h"

#include "filecoin/seal.h"
#include "support/testing.h"
#include "support/vectors.h"

static void must(const char *name, enum cuzk_status st, const struct cuzk_error *err)
{
    if (st == CUZK_OK)
        return;
    fprintf(stderr, "%s: %s\n", name, err->message);
    abort();
}

static bool find_folder(char out[4096], const char *name)
{
    char relative[64];
    const char *path = vector_path("filecoin/%s", name);

    if (strcmp(name, "update-2k") != 0) {
        snprintf(relative, sizeof relative, "vectors/filecoin/%s", name);
        path = test_data_path(relative);
    }
    if (path)
        snprintf(out, 4096, "%s", path);
    return path != NULL;
}

uint8_t *update_set_file(const struct update_set *set, const char *name, size_t *ret_bytes)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", set->folder, name);
    return vector_read(path, ret_bytes);
}

static struct scalar get_scalar(const struct json *object, const char *key)
{
    uint8_t bytes[32];

    json_get_hex(object, key, bytes, 32);
    return scalar_from_bytes(bytes);
}

bool update_set_load(struct update_set *ret, const char *name)
{
    struct update_set set = {.name = name};
    struct update update = {0};
    struct cuzk_error err;
    char path[4200];

    if (!find_folder(set.folder, name))
        return false;
    snprintf(path, sizeof path, "%s/meta.json", set.folder);
    set.meta = json_read(path);
    if (!update_shape_of(&update.shape,
                         &sector_size_of_bytes(json_get_u64(set.meta, "sector_size"))->porep.tree))
        abort();
    update.comm_r_old = get_scalar(set.meta, "comm_r_old");
    update.comm_d_new = get_scalar(set.meta, "comm_d_new");
    update.comm_r_new = get_scalar(set.meta, "comm_r_new");
    must(name, vanilla_update_new(&set.vanilla, &update, NULL, &err), &err);
    for (unsigned k = 0; k < update_partitions(&update.shape); k++) {
        char file_name[32];
        size_t bytes;
        uint8_t *file;
        struct reader r;

        snprintf(file_name, sizeof file_name, "vanilla-%u.bin", k);
        file = update_set_file(&set, file_name, &bytes);
        r = reader_over(file, bytes, file_name);
        must(name, vanilla_update_read(&set.vanilla, k, &r, &err), &err);
        vector_free(file);
    }
    *ret = set;
    return true;
}

void update_set_free(struct update_set *set)
{
    json_free(set->meta);
    vanilla_update_done(&set->vanilla);
}
