#include "filecoin/graph.h"

#include <string.h>

#include "base/hash.h"
#include "base/reader.h"

static void tagged_seed(uint8_t out[32], const char *tag, const uint8_t porep_id[32])
{
    uint8_t preimage[64];
    size_t n = strlen(tag);

    memcpy(preimage, tag, n);
    memcpy(preimage + n, porep_id, 32);
    sha256(out, preimage, n + 32);
}

struct graph graph_make(unsigned lg_nodes, enum api_version version, const uint8_t porep_id[32])
{
    struct graph g = {.nodes = UINT64_C(1) << lg_nodes, .version = version};
    uint8_t seed[32];

    tagged_seed(seed, "Filecoin_DRSample", porep_id);
    memcpy(g.drg_seed, seed, sizeof(g.drg_seed));
    tagged_seed(seed, "Filecoin_Feistel", porep_id);
    for (int i = 0; i < 3; i++)
        g.expander_keys[i] = load_u64_le(seed + 8 * i);
    return g;
}

/* ---- ChaCha (Bernstein 2008) ----------------------------------------------------------------- */

static uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = rotl(*d ^ *a, 16);
    *c += *d;
    *b = rotl(*b ^ *c, 12);
    *a += *b;
    *d = rotl(*d ^ *a, 8);
    *c += *d;
    *b = rotl(*b ^ *c, 7);
}

void chacha_block(uint32_t out[16], const uint8_t key[32], uint64_t counter, unsigned rounds)
{
    uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

    for (int i = 0; i < 8; i++)
        s[4 + i] = load_u32_le(key + 4 * i);
    s[12] = (uint32_t)counter;
    s[13] = (uint32_t)(counter >> 32);
    memcpy(out, s, sizeof(s));
    for (unsigned r = 0; r < rounds; r += 2) {
        for (int i = 0; i < 4; i++) /* columns */
            quarter_round(&out[i], &out[4 + i], &out[8 + i], &out[12 + i]);
        for (int i = 0; i < 4; i++) /* diagonals */
            quarter_round(&out[i], &out[4 + (i + 1) % 4], &out[8 + (i + 2) % 4],
                          &out[12 + (i + 3) % 4]);
    }
    for (int i = 0; i < 16; i++)
        out[i] += s[i];
}

/* ---- DRG parents ----------------------------------------------------------------------------- */

static unsigned ceil_log2(uint64_t x) /* x >= 2 */
{
    return 64 - (unsigned)__builtin_clzll(x - 1);
}

/* One of the meta nodes before `meta`: a bucket of distances [2^(b-1), 2^b], then a distance in it.
 */
static uint64_t drg_draw(uint64_t meta, uint64_t bucket_word, uint64_t distance_word)
{
    unsigned bucket = (unsigned)(bucket_word % ceil_log2(meta)) + 1;
    uint64_t large = meta < UINT64_C(1) << bucket ? meta : UINT64_C(1) << bucket;
    uint64_t small = large / 2 > 2 ? large / 2 : 2;

    return meta - (small + distance_word % (large - small + 1));
}

static void drg_parents(const struct graph *g, uint64_t node, uint32_t parents[DRG_PARENTS])
{
    enum { DRAWN = DRG_PARENTS - 1 }; /* also the meta nodes that stand for one node */
    uint32_t words[2 * 16];           /* ten u64 are needed; two blocks hold sixteen */
    uint8_t key[32];

    if (node < 2) {
        memset(parents, 0, DRG_PARENTS * sizeof(*parents));
        return;
    }
    memcpy(key, g->drg_seed, 28);
    store_u32_le(key + 28, (uint32_t)node);
    chacha_block(words, key, 0, 8);
    chacha_block(words + 16, key, 1, 8);

    uint32_t *drawn = g->version == API_1_0_0 ? parents : parents + 1;
    for (int i = 0; i < DRAWN; i++) {
        const uint32_t *w = words + 4 * i;
        uint64_t p =
            drg_draw(DRAWN * node, w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32) /
            DRAWN;

        drawn[i] = (uint32_t)(p == node ? node - 1 : p);
    }
    parents[g->version == API_1_0_0 ? DRAWN : 0] = (uint32_t)(node - 1);
}

/* ---- expander parents ------------------------------------------------------------------------ */

static uint64_t feistel_round(uint64_t right, uint64_t key)
{
    uint8_t preimage[16], digest[64];

    store_u64_be(preimage, right);
    store_u64_be(preimage + 8, key);
    blake2b_512(digest, preimage, sizeof(preimage));
    return load_u64_be(digest);
}

uint64_t feistel_permute(uint64_t x, uint64_t n, const uint64_t keys[3])
{
    unsigned half = 1; /* bits of one half: the least with 4^half >= n */

    while (UINT64_C(1) << 2 * half < n)
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = x >> half, right = x & mask;

        for (int round = 0; round < 3; round++) {
            uint64_t next = left ^ (feistel_round(right, keys[round]) & mask);

            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

void graph_parents(const struct graph *g, uint64_t node, uint32_t parents[N_PARENTS])
{
    drg_parents(g, node, parents);
    for (unsigned i = 0; i < EXPANDER_PARENTS; i++) {
        uint64_t place = feistel_permute(EXPANDER_PARENTS * node + i, EXPANDER_PARENTS * g->nodes,
                                         g->expander_keys);

        if (g->version == API_1_0_0)
            place = (uint32_t)place;
        parents[DRG_PARENTS + i] = (uint32_t)(place / EXPANDER_PARENTS);
    }
}
