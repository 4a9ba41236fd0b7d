/* Runs of bits in arrays of 64-bit words, least significant bit first. */
#ifndef R1CS_BITMAP_H
#define R1CS_BITMAP_H

#include <stddef.h>
#include <stdint.h>

static inline void bitmap_set(uint64_t *map, size_t at)
{
    map[at / 64] |= (uint64_t)1 << (at % 64);
}

/* map[to + i] |= map[from + i] for i in [0, n); the two runs do not overlap. */
void bitmap_or_run(uint64_t *map, size_t to, size_t from, size_t n);

#endif
