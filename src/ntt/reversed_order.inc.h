/* Natural and reversed order of a vector of 2^lg_n elements: the template.
 *
 * Parameters: fr (field/field.inc.h).
 * Names defined: fr_reverse_bits, and fr_reverse_order, which exchanges elements i and brv(i). */
#include <string.h>

#include "base/pool.h"

#define NTT_LG_SWAP 4u /* reordering exchanges squares of 16 x 16 elements */

/* The bits of a byte change places in pairs of 4, 2 and 1, and bytes all at once. */
static inline size_t fr_reverse_bits(size_t i, unsigned n_bits)
{
    uint64_t r = __builtin_bswap64(i);

    r = (r >> 4 & 0x0f0f0f0f0f0f0f0f) | (r & 0x0f0f0f0f0f0f0f0f) << 4;
    r = (r >> 2 & 0x3333333333333333) | (r & 0x3333333333333333) << 2;
    r = (r >> 1 & 0x5555555555555555) | (r & 0x5555555555555555) << 1;
    return n_bits ? r >> (64 - n_bits) : 0;
}

struct fr_reorder {
    fr_t *a;
    unsigned lg_n;
};

/* An index is high ‖ middle ‖ low with NTT_LG_SWAP bits at both ends, and its image is
 * brv(low) ‖ brv(middle) ‖ brv(high): the squares of `middle` and of brv(middle) change places,
 * each transposed with both coordinates reversed. Memory is read and written a row at a time. */
static void fr_swap_squares(void *ctx, size_t begin, size_t end, unsigned worker)
{
    enum { SIDE = 1 << NTT_LG_SWAP };
    const struct fr_reorder *o = ctx;
    unsigned lg_middle = o->lg_n - 2 * NTT_LG_SWAP, lg_row = o->lg_n - NTT_LG_SWAP;
    fr_t square[2][SIDE][SIDE];
    size_t reversed[SIDE];

    (void)worker;
    for (size_t i = 0; i < SIDE; i++)
        reversed[i] = fr_reverse_bits(i, NTT_LG_SWAP);
    for (size_t middle = begin; middle < end; middle++) {
        size_t image = fr_reverse_bits(middle, lg_middle);
        fr_t *corner[2] = {o->a + (middle << NTT_LG_SWAP), o->a + (image << NTT_LG_SWAP)};

        if (image < middle)
            continue;
        for (int s = 0; s < 2; s++)
            for (size_t row = 0; row < SIDE; row++)
                for (size_t column = 0; column < SIDE; column++)
                    square[s][reversed[column]][reversed[row]] =
                        corner[s][(row << lg_row) + column];
        for (int s = 0; s < 2; s++)
            for (size_t row = 0; row < SIDE; row++)
                memcpy(corner[1 - s] + (row << lg_row), square[s][row], sizeof square[s][row]);
    }
}

static void fr_reverse_order(fr_t *a, unsigned lg_n, struct pool *pool)
{
    struct fr_reorder o = {.a = a, .lg_n = lg_n};

    if (lg_n >= 2 * NTT_LG_SWAP) {
        pool_for(pool, (size_t)1 << (lg_n - 2 * NTT_LG_SWAP), 16, fr_swap_squares, &o);
        return;
    }
    for (size_t i = 0; i < (size_t)1 << lg_n; i++) {
        size_t image = fr_reverse_bits(i, lg_n);

        if (i < image) {
            fr_t x = a[i];

            a[i] = a[image];
            a[image] = x;
        }
    }
}

#undef NTT_LG_SWAP
