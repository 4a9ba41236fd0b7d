#include "filecoin/circuit_name.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/hex.h"

static const struct {
    const char *word;
    enum circuit_kind kind;
} kind_words[] = {
    /* ours, in the order of the enumeration */
    {"porep", CIRCUIT_POREP},
    {"winning", CIRCUIT_WINNING},
    {"window", CIRCUIT_WINDOW},
    {"update", CIRCUIT_UPDATE},
    /* other people's */
    {"snap", CIRCUIT_UPDATE},
    {"wpost", CIRCUIT_WINDOW},
};

enum cuzk_status circuit_name_parse(struct circuit_name *ret, const char *text,
                                    struct cuzk_error *err)
{
    const char *dash = strchr(text, '-');
    size_t n = dash ? (size_t)(dash - text) : 0;
    const struct sector_size *size = dash ? sector_size_of_name(dash + 1) : NULL;

    for (size_t i = 0; size && i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
        if (strlen(kind_words[i].word) == n && strncasecmp(text, kind_words[i].word, n) == 0) {
            *ret = (struct circuit_name){.kind = kind_words[i].kind, .size = size};
            return CUZK_OK;
        }
    return error_set(err, CUZK_USAGE,
                     "\"%.64s\" is not a circuit: expected porep-, winning-, window- or update-, "
                     "then 2KiB 4KiB 16KiB 32KiB 8MiB 16MiB 512MiB 1GiB 32GiB or 64GiB",
                     text);
}

__attribute__((format(printf, 2, 3))) static void print(char out[CIRCUIT_TEXT_MAX],
                                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(out, CIRCUIT_TEXT_MAX, format, args);
    va_end(args);
}

void circuit_name_print(char out[CIRCUIT_TEXT_MAX], struct circuit_name name)
{
    print(out, "%s-%s", kind_words[name.kind].word, name.size->name);
}

/* ---- identifiers ----------------------------------------------------------------------------- */

#define TREE_TEXT_MAX 40u

static unsigned arity(unsigned bits)
{
    return bits ? 1u << bits : 0;
}

static void tree_print(char out[TREE_TEXT_MAX], const struct tree_shape *tree)
{
    snprintf(out, TREE_TEXT_MAX, "%u-%u-%u", arity(tree->base_bits), arity(tree->sub_bits),
             arity(tree->top_bits));
}

void porep_identifier(char out[CIRCUIT_TEXT_MAX], const struct porep_shape *shape)
{
    char tree[TREE_TEXT_MAX];

    tree_print(tree, &shape->tree);
    print(out,
          "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: %d "
          "base_graph: drgraph::BucketGraph{size: %" PRIu64 "; degree: %d; hasher: "
          "poseidon_hasher} }, challenges: LayerChallenges { layers: %u, max_count: %u }, tree: "
          "merkletree-poseidon_hasher-%s }",
          EXPANDER_PARENTS, UINT64_C(1) << shape->tree.lg_nodes, DRG_PARENTS, shape->layers,
          shape->challenges, tree);
}

void circuit_identifier(char out[CIRCUIT_TEXT_MAX], struct circuit_name name)
{
    switch (name.kind) {
    case CIRCUIT_POREP: porep_identifier(out, &name.size->porep); return;
    case CIRCUIT_WINNING:
        print(out,
              "FallbackPoSt::PublicParams{sector_size: %" PRIu64
              ", challenge_count: 1, sector_count: 66}",
              name.size->bytes);
        return;
    case CIRCUIT_WINDOW:
        print(out,
              "FallbackPoSt::PublicParams{sector_size: %" PRIu64
              ", challenge_count: 10, sector_count: %u}",
              name.size->bytes, name.size->window_sectors);
        return;
    case CIRCUIT_UPDATE:
        print(out, "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }",
              UINT64_C(1) << name.size->porep.tree.lg_nodes);
        return;
    }
}

/* ---- file names ------------------------------------------------------------------------------ */

static void file_name_print(char out[CIRCUIT_TEXT_MAX], const char *proof,
                            const struct tree_shape *tree, const char *hasher,
                            const char *identifier, const char *extension)
{
    char tree_text[TREE_TEXT_MAX], hex[65];
    uint8_t digest[32];

    tree_print(tree_text, tree);
    sha256(digest, identifier, strlen(identifier));
    hex_encode(hex, digest, sizeof(digest));
    print(out, "v28-%s-merkletree-poseidon_hasher-%s%s-%s%s", proof, tree_text, hasher, hex,
          extension);
}

void porep_file_name(char out[CIRCUIT_TEXT_MAX], const struct porep_shape *shape,
                     const char *extension)
{
    char identifier[CIRCUIT_TEXT_MAX];

    porep_identifier(identifier, shape);
    file_name_print(out, "stacked-proof-of-replication", &shape->tree, "-sha256_hasher", identifier,
                    extension);
}

void circuit_file_name(char out[CIRCUIT_TEXT_MAX], struct circuit_name name, const char *extension)
{
    char identifier[CIRCUIT_TEXT_MAX];

    if (name.kind == CIRCUIT_POREP) {
        porep_file_name(out, &name.size->porep, extension);
        return;
    }
    circuit_identifier(identifier, name);
    file_name_print(
        out, name.kind == CIRCUIT_UPDATE ? "empty-sector-update" : "proof-of-spacetime-fallback",
        &name.size->porep.tree, "", identifier, extension);
}

bool circuit_name_of_file(struct circuit_name *ret, const char *file_name)
{
    const char *dot = strrchr(file_name, '.');
    const size_t n = dot ? (size_t)(dot - file_name) : strlen(file_name);

    for (unsigned kind = 0; kind <= CIRCUIT_UPDATE; kind++)
        for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
            const struct circuit_name name = {(enum circuit_kind)kind, &sector_sizes[i]};
            char text[CIRCUIT_TEXT_MAX];

            circuit_file_name(text, name, "");
            if (strlen(text) == n && memcmp(text, file_name, n) == 0) {
                *ret = name;
                return true;
            }
        }
    return false;
}
