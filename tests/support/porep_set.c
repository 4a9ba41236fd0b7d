#include "support/porep_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/c1_bincode.h"
#include "support/vectors.h"

const char *const porep_sets[N_POREP_SETS] = {"porep-2k",    "porep-2k-v1", "porep-2k-synth",
                                              "porep-2k-ni", "porep-4k",    "porep-16k",
                                              "porep-32k",   "porep11-16k"};

/* Sets without a registered proof say what they are in meta.json. */
static struct porep_config config_of(const struct json *meta)
{
    const struct seal_proof *proof = seal_proof_of_name(json_get_text(meta, "registered_proof"));
    const struct sector_size *size = sector_size_of_bytes(json_get_u64(meta, "sector_size"));
    struct porep_config config = {.shape = size->porep, .version = API_1_1_0};

    if (proof)
        porep_config_of(&config, proof);
    config.partitions = (unsigned)json_get_u64(meta, "partitions");
    if (json_has(meta, "layers"))
        config.shape.layers = (unsigned)json_get_u64(meta, "layers");
    if (json_has(meta, "challenges_per_partition"))
        config.shape.challenges = (unsigned)json_get_u64(meta, "challenges_per_partition");
    json_get_hex(meta, "porep_id", config.porep_id, 32);
    return config;
}

struct porep_set porep_set_load(const char *name)
{
    struct porep_set set = {.name = name,
                            .meta = json_read(vector_path("filecoin/%s/meta.json", name))};
    struct cuzk_error err;
    struct reader r;
    size_t bytes;
    uint8_t *c1 = vector_read(vector_path("filecoin/%s/c1.bin", name), &bytes);

    set.config = config_of(set.meta);
    r = reader_over(c1, bytes, "c1.bin");
    if (c1_bincode_read(&set.vanilla, &r, &set.config.shape, set.config.partitions, NULL, &err) !=
        CUZK_OK) {
        fprintf(stderr, "%s: %s\n", name, err.message);
        abort();
    }
    vector_free(c1);
    return set;
}

void porep_set_free(struct porep_set *set)
{
    json_free(set->meta);
    vanilla_porep_done(&set->vanilla);
}
