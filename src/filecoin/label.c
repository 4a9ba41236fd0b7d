#include "filecoin/label.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"
#include "filecoin/seal.h"

struct scalar label_make(const struct scalar *replica_id, uint32_t layer, uint64_t node,
                         const struct scalar *parents, unsigned n_parents)
{
    uint8_t preimage[64 + 32 * LABEL_PARENTS] = {0}, digest[32];
    unsigned n = n_parents ? LABEL_PARENTS : 0;

    scalar_to_bytes(preimage, replica_id);
    store_u32_be(preimage + 32, layer);
    store_u64_be(preimage + 36, node);
    for (unsigned i = 0; i < n; i++)
        scalar_to_bytes(preimage + 64 + 32 * i, &parents[i % n_parents]);
    sha256(digest, preimage, 64 + 32 * n);
    digest[31] &= 0x3f;
    return scalar_from_bytes(digest);
}

unsigned label_parents(struct scalar *out, const struct vanilla_column *parents, uint32_t layer)
{
    unsigned n = layer == 1 ? DRG_PARENTS : N_PARENTS;

    for (unsigned i = 0; i < n; i++)
        out[i] = parents[i].rows[i < DRG_PARENTS ? layer - 1 : layer - 2];
    return n;
}

void label_compare(struct vanilla_challenge *challenge, const uint8_t *found, unsigned label,
                   unsigned layers)
{
    struct scalar expected[N_PARENTS];
    unsigned n = label_parents(expected, challenge->parents, label > layers ? layers : label);

    for (unsigned i = 0; i < LABEL_PARENTS && challenge->odd.label == 0; i++) {
        uint8_t bytes[32];

        scalar_to_bytes(bytes, &expected[i % n]);
        if (memcmp(found + 32 * i, bytes, 32) != 0)
            challenge->odd = (struct label_place){(uint8_t)label, (uint8_t)i};
    }
}
