#include "base/rng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void rng_secret(void *out, size_t n)
{
    uint8_t *p = out;

    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            perror("cuzk: getrandom");
            abort();
        }
        p += got;
        n -= (size_t)got;
    }
}

void rng_seed(struct rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15;

        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        rng->s[i] = z ^ z >> 31;
    }
}

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t rng_u64(struct rng *rng)
{
    uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

__extension__ typedef unsigned __int128 u128;

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    return (uint64_t)((u128)rng_u64(rng) * bound >> 64);
}

void rng_bytes(struct rng *rng, void *out, size_t n)
{
    uint8_t *p = out;

    while (n > 0) {
        uint64_t x = rng_u64(rng);
        size_t k = n < 8 ? n : 8;

        memcpy(p, &x, k);
        p += k;
        n -= k;
    }
}
