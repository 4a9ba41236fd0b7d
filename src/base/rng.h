/* Randomness: the kernel's for secrets, a small seeded generator for tests and samples. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* Fills from getrandom(2); ends the process if the kernel refuses. */
void rng_secret(void *out, size_t n);

/* xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64. Never for secrets. */
struct rng {
    uint64_t s[4];
};
void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_u64(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t bound); /* bound > 0; bias below 2^-64 * bound */
void rng_bytes(struct rng *rng, void *out, size_t n);

#endif
