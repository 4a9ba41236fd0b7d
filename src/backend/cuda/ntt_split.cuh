/* Twiddles as products of two constants (struct ntt_pass). */
#pragma once
#include "backend/cuda/fr.cuh"
#include "backend/cuda/launch.h"

struct ntt_split {
    const fr_const *low, *high;
    u32 lg_x, lg_low;
};
static inline ntt_split ntt_split_of(const struct ntt_pass *pass)
{
    return {(const fr_const *)pass->table, (const fr_const *)pass->table_high, pass->lg_x,
            pass->lg_low};
}
/* y times the twiddle of a position */
DEVICE fr_t ntt_split_mul(const fr_t &y, const ntt_split &s, u32 position)
{
    const u32 k = position >> s.lg_x, x = position & ((1u << s.lg_x) - 1);
    const u32 x0 = x & ((1u << s.lg_low) - 1), x1 = x >> s.lg_low;

    return fr_mul_table(fr_mul_table(y, s.low + (k << s.lg_low) + x0),
                        s.high + (k << (s.lg_x - s.lg_low)) + x1);
}
