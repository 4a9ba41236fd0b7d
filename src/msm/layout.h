/* Cutting a scratch area into pieces of 64-byte alignment; also used with no area, to learn how
 * much is needed. */
#ifndef MSM_LAYOUT_H
#define MSM_LAYOUT_H

#include <stddef.h>

struct layout {
    void *base; /* NULL: only count */
    size_t used;
};

static inline void *layout_take(struct layout *layout, size_t bytes)
{
    void *piece = layout->base ? (char *)layout->base + layout->used : NULL;

    layout->used += (bytes + 63) & ~(size_t)63;
    return piece;
}

#endif
