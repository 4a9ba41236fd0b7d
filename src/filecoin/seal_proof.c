#include "filecoin/seal_proof.h"

#include <string.h>

#include "base/reader.h"

/* Five sizes (places in sector_sizes), four ways: number = 5 * way + size. */
#define PROOF(way, n, place, text, v, how, suffix)                                                 \
    {                                                                                              \
        .number = 5 * (way) + (n), .size = &sector_sizes[place], .version = (v),                   \
        .challenges = (how), .name = "StackedDrg" text suffix,                                     \
        .variant_name = "StackedDrg" text "V1"                                                     \
    }
#define PROOFS(way, version, how, suffix)                                                          \
    PROOF(way, 0, 0, "2KiB", version, how, suffix),                                                \
        PROOF(way, 1, 4, "8MiB", version, how, suffix),                                            \
        PROOF(way, 2, 6, "512MiB", version, how, suffix),                                          \
        PROOF(way, 3, 8, "32GiB", version, how, suffix),                                           \
        PROOF(way, 4, 9, "64GiB", version, how, suffix)

static const struct seal_proof seal_proofs[N_SEAL_PROOFS] = {
    PROOFS(0, API_1_0_0, CHALLENGES_INTERACTIVE, "V1"),
    PROOFS(1, API_1_1_0, CHALLENGES_INTERACTIVE, "V1_1"),
    PROOFS(2, API_1_2_0, CHALLENGES_SYNTHETIC, "V1_1_Feat_SyntheticPoRep"),
    PROOFS(3, API_1_2_0, CHALLENGES_NON_INTERACTIVE, "V1_2_Feat_NonInteractivePoRep"),
};

const char *api_version_name(enum api_version version)
{
    static const char *const names[] = {"1.0.0", "1.1.0", "1.2.0"};

    return names[version];
}

enum cuzk_status api_version_of_name(enum api_version *ret, const char *name,
                                     struct cuzk_error *err)
{
    for (enum api_version v = API_1_0_0; v <= API_1_2_0; v++)
        if (strcmp(name, api_version_name(v)) == 0) {
            *ret = v;
            return CUZK_OK;
        }
    return error_set(err, CUZK_USAGE, "no API version %s: there are 1.0.0, 1.1.0 and 1.2.0", name);
}

const struct seal_proof *seal_proof_of_number(uint64_t number)
{
    return number < N_SEAL_PROOFS ? &seal_proofs[number] : NULL;
}

const struct seal_proof *seal_proof_of_name(const char *name)
{
    for (unsigned i = 0; i < N_SEAL_PROOFS; i++)
        if (strcmp(name, seal_proofs[i].name) == 0)
            return &seal_proofs[i];
    return NULL;
}

void porep_config_of(struct porep_config *ret, const struct seal_proof *proof)
{
    const struct sector_size *size = proof->size;
    bool ni = proof->challenges == CHALLENGES_NON_INTERACTIVE;

    *ret = (struct porep_config){
        .shape = size->porep,
        .partitions = ni ? size->ni_partitions : size->porep_partitions,
        .version = proof->version,
        .challenges = proof->challenges,
    };
    store_u64_le(ret->porep_id, proof->number);
}
