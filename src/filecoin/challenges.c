#include "filecoin/challenges.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"

static const uint8_t synthetic_nonce[12] = "synth-porep";

static void synthetic_key(uint8_t out[32], const char *purpose, const struct scalar *replica_id,
                          const uint8_t second[32])
{
    uint8_t preimage[64];

    scalar_to_bytes(preimage, replica_id);
    memcpy(preimage + 32, second, 32);
    blake2b_keyed(out, 32, purpose, strlen(purpose), preimage, sizeof(preimage));
}

struct challenges challenges_of(const struct porep_config *config, const struct seal *seal)
{
    struct challenges c = {.kind = config->challenges,
                           .nodes = UINT64_C(1) << config->shape.tree.lg_nodes,
                           .seal = *seal};

    if (c.kind == CHALLENGES_SYNTHETIC) {
        uint8_t comm_r[32];

        scalar_to_bytes(comm_r, &seal->comm_r);
        synthetic_key(c.generation_key, "filecoin.io|PoRep|1|Synthetic|1|Generation",
                      &seal->replica_id, comm_r);
        synthetic_key(c.selection_key, "filecoin.io|PoRep|1|Synthetic|1|Selection",
                      &seal->replica_id, seal->seed);
    }
    return c;
}

/* A 256-bit number, least significant byte first, modulo (nodes - 1), plus 1: never node 0. */
static uint64_t reduce(const struct challenges *c, const uint8_t digest[32])
{
    uint64_t r = 0;

    for (int i = 7; i >= 0; i--) /* nodes <= 2^31: r stays below 2^32 and the sum in 64 bits */
        r = (r << 32 | load_u32_le(digest + 4 * i)) % (c->nodes - 1);
    return r + 1;
}

static uint64_t hashed(const struct challenges *c, const char *tag, const uint8_t second[32],
                       uint32_t j)
{
    uint8_t preimage[128], digest[32];
    size_t n = strlen(tag);

    memcpy(preimage, tag, n);
    scalar_to_bytes(preimage + n, &c->seal.replica_id);
    memcpy(preimage + n + 32, second, 32);
    store_u32_le(preimage + n + 64, j);
    sha256(digest, preimage, n + 68);
    return reduce(c, digest);
}

uint64_t challenge_number(const struct challenges *c, uint32_t j)
{
    uint8_t comm_r[32];

    switch (c->kind) {
    case CHALLENGES_INTERACTIVE: return hashed(c, "", c->seal.seed, j);
    case CHALLENGES_SYNTHETIC: return synthetic_set_number(c, synthetic_place(c, j));
    case CHALLENGES_NON_INTERACTIVE: break;
    }
    scalar_to_bytes(comm_r, &c->seal.comm_r);
    return hashed(c, "filecoin.io|PoRep|1|NonInteractive|1", comm_r, j);
}

/* ---- synthetic ------------------------------------------------------------------------------- */

uint64_t synthetic_set_size(const struct challenges *c)
{
    return c->nodes < 1u << 18 ? c->nodes : 1u << 18;
}

/* n bytes of a key stream from byte `at`; the piece lies inside one 64-byte block. */
static void stream_piece(uint8_t *out, size_t n, const uint8_t key[32], uint64_t at)
{
    uint8_t block[64];

    chacha20_stream(block, sizeof(block), key, synthetic_nonce, (uint32_t)(at / 64));
    memcpy(out, block + at % 64, n);
}

uint64_t synthetic_set_number(const struct challenges *c, uint64_t x)
{
    uint8_t digest[32];

    stream_piece(digest, sizeof(digest), c->generation_key, 32 * x);
    return reduce(c, digest);
}

uint64_t synthetic_place(const struct challenges *c, uint32_t j)
{
    uint8_t word[4];

    stream_piece(word, sizeof(word), c->selection_key, UINT64_C(4) * j);
    return load_u32_le(word) % synthetic_set_size(c);
}
