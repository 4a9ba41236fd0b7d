#include "engine/key_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEV_MARK "dev-"

const char *key_folder_default(void)
{
    const char *cache = getenv("FIL_PROOFS_PARAMETER_CACHE");

    if (access("/data/zk/params", X_OK) == 0)
        return "/data/zk/params";
    return cache && *cache ? cache : "/var/tmp/filecoin-proof-parameters";
}

const char *key_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool key_is_dev(const char *path)
{
    return strncmp(key_base_name(path), DEV_MARK, strlen(DEV_MARK)) == 0;
}

const char *key_official_name(const char *path)
{
    return key_base_name(path) + (key_is_dev(path) ? strlen(DEV_MARK) : 0);
}

static enum cuzk_status join(char path[KEY_PATH_MAX], const char *folder, const char *mark,
                             struct circuit_name name, const char *extension,
                             struct cuzk_error *err)
{
    char file[CIRCUIT_TEXT_MAX];
    int n;

    circuit_file_name(file, name, extension);
    n = snprintf(path, KEY_PATH_MAX, "%s/%s%s", folder, mark, file);
    if (n < 0 || (size_t)n >= KEY_PATH_MAX)
        return error_set(err, CUZK_USAGE, "the name of the key folder is too long");
    return CUZK_OK;
}

enum cuzk_status key_folder_dev_path(char path[KEY_PATH_MAX], const char *folder,
                                     struct circuit_name name, const char *extension,
                                     struct cuzk_error *err)
{
    return join(path, folder, DEV_MARK, name, extension, err);
}

/* The first extension for which there is a file; if there is none, the path with the last one. */
static enum cuzk_status find(char path[KEY_PATH_MAX], bool *ret_found, const char *folder,
                             const char *mark, struct circuit_name name,
                             const char *const *extensions, struct cuzk_error *err)
{
    *ret_found = false;
    for (; *extensions && !*ret_found; extensions++) {
        TRY(join(path, folder, mark, name, *extensions, err));
        *ret_found = access(path, R_OK) == 0;
    }
    return CUZK_OK;
}

enum cuzk_status key_folder_find_any(char path[KEY_PATH_MAX], const char *folder,
                                     struct circuit_name name, const char *const *extensions,
                                     enum key_choice choice, struct cuzk_error *err)
{
    char dev[KEY_PATH_MAX];
    bool have, have_dev;

    TRY(find(path, &have, folder, "", name, extensions, err));
    TRY(find(dev, &have_dev, folder, DEV_MARK, name, extensions, err));
    if (choice != KEY_ONLY_DEV && have)
        return CUZK_OK;
    if (choice != KEY_OFFICIAL && have_dev) {
        memcpy(path, dev, sizeof dev);
        return CUZK_OK;
    }
    if (choice == KEY_ONLY_DEV)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: not found; known randomness is for development keys only", dev);
    if (have_dev)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: not found; there is a development key (%s), which --allow-dev-key "
                         "accepts",
                         path, dev);
    return error_set(err, CUZK_BAD_INPUT, "%s: not found", path);
}

enum cuzk_status key_folder_find(char path[KEY_PATH_MAX], const char *folder,
                                 struct circuit_name name, const char *extension,
                                 enum key_choice choice, struct cuzk_error *err)
{
    const char *const extensions[] = {extension, NULL};

    return key_folder_find_any(path, folder, name, extensions, choice, err);
}
