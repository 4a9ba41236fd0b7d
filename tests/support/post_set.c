#include "support/post_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/vectors.h"

const char *const post_sets[N_POST_SETS] = {
    "winning-2k",        "winning-4k",         "winning-32k",        "window-2k-1s-v1_0",
    "window-2k-1s-v1_2", "window-2k-3s-v1_0",  "window-2k-3s-v1_1",  "window-2k-3s-v1_2",
    "window-4k-3s-v1_2", "window-16k-3s-v1_2", "window-32k-3s-v1_2",
};

static void must(const char *name, enum cuzk_status st, const struct cuzk_error *err)
{
    if (st == CUZK_OK)
        return;
    fprintf(stderr, "%s: %s\n", name, err->message);
    abort();
}

static struct post_config config_of(const struct json *meta)
{
    const struct sector_size *size = sector_size_of_bytes(json_get_u64(meta, "sector_size"));
    const char *text = json_get_text(meta, "api_version");
    enum api_version version = API_1_0_0;

    while (strcmp(api_version_name(version), text) != 0)
        version++;
    if (strcmp(json_get_text(meta, "kind"), "winning") == 0)
        return post_config_make(POST_WINNING, size, version);
    return post_config_make(POST_WINDOW, size, version);
}

struct post_set post_set_load(const char *name)
{
    struct post_set set = {.name = name,
                           .meta = json_read(vector_path("filecoin/post/%s/meta.json", name))};
    const struct post_config config = config_of(set.meta);
    size_t n = json_count(json_get(set.meta, "sectors"));
    uint8_t randomness[32];
    struct cuzk_error err;

    json_get_hex(set.meta, "randomness", randomness, 32);
    must(name, vanilla_post_new(&set.vanilla, &config, randomness, n, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        const char *path = vector_path("filecoin/post/%s/vanilla-%zu.bin", name, i);
        size_t bytes;
        uint8_t *file = vector_read(path, &bytes);
        struct reader r = reader_over(file, bytes, path);

        must(name, vanilla_post_read(&set.vanilla, i, &r, &err), &err);
        vector_free(file);
    }
    set.partitions = json_get_u64(set.meta, "partitions");
    return set;
}

void post_set_free(struct post_set *set)
{
    json_free(set->meta);
    vanilla_post_done(&set->vanilla);
}
