/* The order of everything is that of the official circuits: within a round Sigma1 and ch read the
 * new e, Sigma0 and maj the new a. The new a and e are sums of several words; they are formed when
 * they are first read, that is in the next round, or at the end together with the word of the old
 * state.
 */
#include "circuit/sha256_gadget.h"

#include "circuit/packing.h"

/* FIPS 180-4, 4.2.2 and 5.3.3. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

void sha256_initial_state(struct uint32 state[8])
{
    for (int i = 0; i < 8; i++)
        uint32_set_constant(&state[i], initial_state[i]);
}

/* Three shifted copies of x, xored: the last one rotated, or shifted out if `shift`. */
static void sigma(struct sink *sink, struct uint32 *out, const struct uint32 *x, const int n[3],
                  bool shift)
{
    struct uint32 r0, r1, r2;

    uint32_rotr(sink, &r0, x, (unsigned)n[0]);
    uint32_rotr(sink, &r1, x, (unsigned)n[1]);
    if (shift)
        uint32_shr(sink, &r2, x, (unsigned)n[2]);
    else
        uint32_rotr(sink, &r2, x, (unsigned)n[2]);
    uint32_xor(sink, &r0, &r0, &r1);
    uint32_xor(sink, out, &r0, &r2);
}

/* w[16 .. 63] from w[0 .. 15]. */
static void expand_message(struct multieq *eq, struct uint32 w[64])
{
    static const int small_sigma0[3] = {7, 18, 3}, small_sigma1[3] = {17, 19, 10};

    for (int i = 16; i < 64; i++) {
        struct uint32 s0, s1;

        sigma(eq->sink, &s0, &w[i - 15], small_sigma0, true);
        sigma(eq->sink, &s1, &w[i - 2], small_sigma1, true);
        uint32_sum(eq, &w[i], (const struct uint32 *[]){&w[i - 16], &s0, &w[i - 7], &s1}, 4);
    }
}

/* The words that a round adds up: T1 = h + Sigma1 + ch + K + w, and Sigma0 + maj for the new a. */
struct addends {
    struct uint32 sigma1, ch, k, sigma0, maj;
};

void sha256_compress_gadget(struct sink *sink, const bool_t block[512], struct uint32 state[8])
{
    static const int big_sigma0[3] = {2, 13, 22}, big_sigma1[3] = {6, 11, 25};
    /* a and e as they were before rounds ..., -2, -1, 0, 1, ...: of round i at (i + 4) mod 8, so
     * that b c d and f g h are the three before. Addends of round i at i mod 2. */
    struct uint32 a_of[8], e_of[8], w[64], next[8];
    struct addends addends[2];
    struct multieq eq;
#define A(i) (&a_of[((i) + 4) & 7])
#define E(i) (&e_of[((i) + 4) & 7])
#define T1(i) E((i)-3), &addends[(i)&1].sigma1, &addends[(i)&1].ch, &addends[(i)&1].k, &w[i]

    for (int i = 0; i < 16; i++)
        uint32_of_bits_be(&w[i], block + 32 * i);
    for (int i = 0; i < 4; i++) {
        *A(-i) = state[i];
        *E(-i) = state[4 + i];
    }
    multieq_init(&eq, sink);
    expand_message(&eq, w);
    for (int i = 0; i < 64; i++) {
        struct addends *now = &addends[i & 1], *last = &addends[(i - 1) & 1];

        if (i > 0)
            uint32_sum(&eq, E(i), (const struct uint32 *[]){T1(i - 1), A(i - 4)}, 6);
        sigma(sink, &now->sigma1, E(i), big_sigma1, false);
        uint32_ch(sink, &now->ch, E(i), E(i - 1), E(i - 2));
        uint32_set_constant(&now->k, round_constant[i]);
        if (i > 0)
            uint32_sum(&eq, A(i), (const struct uint32 *[]){T1(i - 1), &last->sigma0, &last->maj},
                       7);
        sigma(sink, &now->sigma0, A(i), big_sigma0, false);
        uint32_maj(sink, &now->maj, A(i), A(i - 1), A(i - 2));
    }
    {
        const struct addends *last = &addends[63 & 1];

        uint32_sum(&eq, &next[0],
                   (const struct uint32 *[]){T1(63), &last->sigma0, &last->maj, &state[0]}, 8);
        for (int i = 1; i < 4; i++)
            uint32_sum(&eq, &next[i], (const struct uint32 *[]){&state[i], A(64 - i)}, 2);
        uint32_sum(&eq, &next[4], (const struct uint32 *[]){T1(63), A(60), &state[4]}, 7);
        for (int i = 1; i < 4; i++)
            uint32_sum(&eq, &next[4 + i], (const struct uint32 *[]){&state[4 + i], E(64 - i)}, 2);
    }
    multieq_done(&eq);
    memcpy(state, next, sizeof next);
#undef A
#undef E
#undef T1
}

void sha256_gadget(struct sink *sink, const bool_t *message, size_t n, bool_t digest[256])
{
    /* Message, a one, zeros, and the length in 64 bits: whole blocks. */
    const size_t n_blocks = (n + 1 + 64 + 511) / 512;
    struct uint32 state[8];

    sink_scope(sink, "sha256");
    sha256_initial_state(state);
    for (size_t i = 0; i < n_blocks; i++) {
        const size_t begin = 512 * i;
        const size_t from_message = begin >= n ? 0 : n - begin < 512 ? n - begin : 512;
        bool_t padded[512];
        const bool_t *block = message + begin;

        if (from_message < 512) {
            for (size_t j = 0; j < 512; j++)
                padded[j] = j < from_message ? block[j] : bool_constant(begin + j == n);
            if (i + 1 == n_blocks)
                bits_constant_be(n, padded + 448, 64);
            block = padded;
        }
        sink_scope_index(sink, "block", (unsigned)i);
        sha256_compress_gadget(sink, block, state);
        sink_scope_end(sink);
    }
    for (int i = 0; i < 8; i++)
        uint32_to_bits_be(digest + 32 * i, &state[i]);
    sink_scope_end(sink);
}
