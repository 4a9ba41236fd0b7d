#include "filecoin/post_proof.h"

#include <string.h>

/* Five sizes (places in sector_sizes), three ways: number = 5 * way + size. */
#define PROOF(way, n, place, what, text, v, word, suffix)                                          \
    {                                                                                              \
        .number = 5 * (way) + (n), .kind = (what), .size = &sector_sizes[place], .version = (v),   \
        .name = "StackedDrg" word text suffix                                                      \
    }
#define PROOFS(way, what, version, word, suffix)                                                   \
    PROOF(way, 0, 0, what, "2KiB", version, word, suffix),                                         \
        PROOF(way, 1, 4, what, "8MiB", version, word, suffix),                                     \
        PROOF(way, 2, 6, what, "512MiB", version, word, suffix),                                   \
        PROOF(way, 3, 8, what, "32GiB", version, word, suffix),                                    \
        PROOF(way, 4, 9, what, "64GiB", version, word, suffix)

static const struct post_proof post_proofs[N_POST_PROOFS] = {
    PROOFS(0, POST_WINNING, API_1_0_0, "Winning", "V1"),
    PROOFS(1, POST_WINDOW, API_1_0_0, "Window", "V1"),
    PROOFS(2, POST_WINDOW, API_1_2_0, "Window", "V1_2"),
};

const struct post_proof *post_proof_of_number(uint64_t number)
{
    return number < N_POST_PROOFS ? &post_proofs[number] : NULL;
}

const struct post_proof *post_proof_of_name(const char *name)
{
    for (unsigned i = 0; i < N_POST_PROOFS; i++)
        if (strcmp(name, post_proofs[i].name) == 0)
            return &post_proofs[i];
    return NULL;
}

struct post_config post_config_make(enum post_kind kind, const struct sector_size *size,
                                    enum api_version version)
{
    if (kind == POST_WINNING)
        return (struct post_config){
            .kind = kind,
            .shape = {.tree = size->porep.tree, .slots = WINNING_CHALLENGES, .challenges = 1},
            .version = API_1_0_0,
        };
    return (struct post_config){
        .kind = kind,
        .shape = {.tree = size->porep.tree,
                  .slots = size->window_sectors,
                  .challenges = WINDOW_CHALLENGES},
        .version = version,
    };
}
