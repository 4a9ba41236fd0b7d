#include "filecoin/seal.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"
#include "filecoin/challenges.h"

static bool is_zero(const void *bytes)
{
    static const uint8_t zeros[32];

    return memcmp(bytes, zeros, sizeof(zeros)) == 0;
}

enum cuzk_status seal_check(const struct seal *seal, struct cuzk_error *err)
{
    const char *zero = is_zero(&seal->comm_r)   ? "comm_r"
                       : is_zero(&seal->comm_d) ? "comm_d"
                       : is_zero(seal->seed)    ? "seed"
                                                : NULL;

    return zero ? error_set(err, CUZK_BAD_INPUT, "%s: expected anything but zeros", zero) : CUZK_OK;
}

struct scalar scalar_from_bytes(const uint8_t bytes[32])
{
    struct scalar a;

    for (int i = 0; i < 4; i++)
        a.w[i] = load_u64_le(bytes + 8 * i);
    return a;
}

void scalar_to_bytes(uint8_t bytes[32], const struct scalar *a)
{
    for (int i = 0; i < 4; i++)
        store_u64_le(bytes + 8 * i, a->w[i]);
}

void prover_id_of_miner(uint8_t out[32], uint64_t miner)
{
    size_t n = 0;

    memset(out, 0, 32);
    for (; miner >= 0x80; miner >>= 7)
        out[n++] = (uint8_t)(miner | 0x80);
    out[n] = (uint8_t)miner;
}

struct scalar replica_id_make(const uint8_t prover_id[32], uint64_t sector_id,
                              const uint8_t ticket[32], const struct scalar *comm_d,
                              const uint8_t porep_id[32])
{
    uint8_t preimage[136], digest[32];

    memcpy(preimage, prover_id, 32);
    store_u64_be(preimage + 32, sector_id);
    memcpy(preimage + 40, ticket, 32);
    scalar_to_bytes(preimage + 72, comm_d);
    memcpy(preimage + 104, porep_id, 32);
    sha256(digest, preimage, sizeof(preimage));
    digest[31] &= 0x3f;
    return scalar_from_bytes(digest);
}

static struct scalar *put(struct scalar *out, uint64_t number)
{
    *out = (struct scalar){{number}};
    return out + 1;
}

void porep_public_inputs(struct scalar *out, const struct porep_config *config,
                         const struct graph *graph, const struct seal *seal, unsigned partition)
{
    struct challenges challenges = challenges_of(config, seal);
    unsigned n = config->shape.challenges;

    *out++ = seal->replica_id;
    *out++ = seal->comm_d;
    *out++ = seal->comm_r;
    for (unsigned i = 0; i < n; i++) {
        uint64_t challenge = challenge_number(&challenges, partition * n + i);
        uint32_t parents[N_PARENTS];

        graph_parents(graph, challenge, parents);
        out = put(out, challenge); /* data */
        for (int p = 0; p < N_PARENTS; p++)
            out = put(out, parents[p]);
        for (int p = 0; p < 3; p++) /* number, replica, column */
            out = put(out, challenge);
    }
}
