#include "filecoin/sector.h"

#include <string.h>
#include <strings.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Oct tree of `levels` base levels below a sub tree of 2^sub and a top of 2^top. */
#define OCT(levels, sub, top)                                                                      \
    {                                                                                              \
        .lg_nodes = 3 * (levels) + (sub) + (top), .base_levels = (levels), .base_bits = 3,         \
        .sub_bits = (sub), .top_bits = (top)                                                       \
    }
/* Sizes for development: two layers, two challenges, one partition. */
#define SMALL(text, size, ...)                                                                     \
    {                                                                                              \
        .name = (text), .bytes = (size),                                                           \
        .porep = {.tree = __VA_ARGS__, .layers = 2, .challenges = 2}, .porep_partitions = 1,       \
        .porep_min_challenges = 2, .ni_partitions = 13, .ni_min_challenges = 26,                   \
        .window_sectors = 2                                                                        \
    }
/* Sizes that the network uses. */
#define LARGE(text, size, sectors, ...)                                                            \
    {                                                                                              \
        .name = (text), .bytes = (size),                                                           \
        .porep = {.tree = __VA_ARGS__, .layers = 11, .challenges = 18}, .porep_partitions = 10,    \
        .porep_min_challenges = 176, .ni_partitions = 126, .ni_min_challenges = 2253,              \
        .window_sectors = (sectors)                                                                \
    }

const struct sector_size sector_sizes[N_SECTOR_SIZES] = {
    SMALL("2KiB", 2 * KIB, OCT(2, 0, 0)),         SMALL("4KiB", 4 * KIB, OCT(2, 1, 0)),
    SMALL("16KiB", 16 * KIB, OCT(2, 3, 0)),       SMALL("32KiB", 32 * KIB, OCT(2, 3, 1)),
    SMALL("8MiB", 8 * MIB, OCT(6, 0, 0)),         SMALL("16MiB", 16 * MIB, OCT(6, 1, 0)),
    SMALL("512MiB", 512 * MIB, OCT(8, 0, 0)),     SMALL("1GiB", 1 * GIB, OCT(8, 1, 0)),
    LARGE("32GiB", 32 * GIB, 2349, OCT(9, 3, 0)), LARGE("64GiB", 64 * GIB, 2300, OCT(9, 3, 1)),
};

unsigned tree_siblings(const struct tree_shape *tree)
{
    unsigned n = 0;

    for (unsigned level = 0; level < tree_levels(tree); level++)
        n += (1u << tree_level_bits(tree, level)) - 1;
    return n;
}

const struct sector_size *sector_size_of_bytes(uint64_t bytes)
{
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++)
        if (sector_sizes[i].bytes == bytes)
            return &sector_sizes[i];
    return NULL;
}

/* Is `text` the short form of `name`: "32g" of "32GiB"? */
static bool is_short_form(const char *text, const char *name)
{
    size_t n = strlen(name) - 2;

    return strlen(text) == n && strncasecmp(text, name, n) == 0;
}

const struct sector_size *sector_size_of_name(const char *name)
{
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++)
        if (strcasecmp(name, sector_sizes[i].name) == 0 ||
            is_short_form(name, sector_sizes[i].name))
            return &sector_sizes[i];
    return NULL;
}
