#include "r1cs/bitmap.h"

/* n <= 64 bits from `at` on. */
static uint64_t get_bits(const uint64_t *map, size_t at, size_t n)
{
    size_t shift = at % 64;
    uint64_t bits = map[at / 64] >> shift;

    if (shift + n > 64)
        bits |= map[at / 64 + 1] << (64 - shift);
    return n < 64 ? bits & (((uint64_t)1 << n) - 1) : bits;
}

void bitmap_or_run(uint64_t *map, size_t to, size_t from, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t step = 64 - (to + i) % 64; /* whole words of the target after the first */

        if (step > n - i)
            step = n - i;
        map[(to + i) / 64] |= get_bits(map, from + i, step) << ((to + i) % 64);
        i += step;
    }
}
