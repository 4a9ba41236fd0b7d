/* Sizes of launches, and the card they are for. */
#pragma once
#include <stddef.h>

static inline size_t ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}
/* blocks of `block` threads for n items; n < 2^31 * block */
static inline unsigned grid_of(size_t n, unsigned block)
{
    return (unsigned)ceil_div(n, block);
}
