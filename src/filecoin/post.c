#include "filecoin/post.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"

size_t post_partitions(const struct post_config *config, size_t n_sectors)
{
    size_t slots = config->shape.slots;

    if (config->kind == POST_WINNING || n_sectors == 0)
        return 1;
    return (n_sectors - 1) / slots + 1;
}

struct post_slot post_slot(const struct post *post, size_t partition, unsigned slot)
{
    size_t sector = partition * post->config.shape.slots + slot - post->n_before;

    if (post->config.kind == POST_WINNING)
        return (struct post_slot){.sector = 0, .first_challenge = slot};
    return (struct post_slot){.sector = sector < post->n_sectors ? sector : post->n_sectors - 1};
}

/* The first 8 bytes, least significant first, of SHA-256 of the three pieces. */
static uint64_t hashed(const uint8_t *head, size_t n_head, uint64_t a, uint64_t b, size_t n_numbers)
{
    uint8_t preimage[80], digest[32];

    memcpy(preimage, head, n_head);
    store_u64_le(preimage + n_head, a);
    store_u64_le(preimage + n_head + 8, b);
    sha256(digest, preimage, n_head + 8 * n_numbers);
    return load_u64_le(digest);
}

/* Up to 1.1.0 challenges are numbered over all sectors, since 1.2.0 in each sector anew. (A Winning
 * proof has one sector, which makes it the same.) */
uint64_t post_challenge(const struct post *post, size_t i, uint64_t j)
{
    const struct post_config *config = &post->config;
    uint64_t before = (post->n_before + i) * post_sector_challenges(config);

    return hashed(post->randomness, 32, post->sectors[i].id,
                  config->version == API_1_2_0 ? j : before + j, 2) &
           ((UINT64_C(1) << config->shape.tree.lg_nodes) - 1);
}

uint64_t winning_sector(const uint8_t prover_id[32], const uint8_t randomness[32], uint64_t n)
{
    uint8_t head[64];

    memcpy(head, prover_id, 32);
    memcpy(head + 32, randomness, 32);
    return hashed(head, 64, 0, 0, 1) % n;
}

void post_public_inputs(struct scalar *out, const struct post *post, size_t partition)
{
    const struct post_shape *shape = &post->config.shape;

    for (unsigned s = 0; s < shape->slots; s++) {
        struct post_slot slot = post_slot(post, partition, s);

        *out++ = post->sectors[slot.sector].comm_r;
        for (unsigned j = 0; j < shape->challenges; j++)
            *out++ = (struct scalar){{post_challenge(post, slot.sector, slot.first_challenge + j)}};
    }
}
