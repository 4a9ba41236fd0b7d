/* What a finished constraint system lives in: the regions that the recorder filled. */
#ifndef R1CS_MEMORY_H
#define R1CS_MEMORY_H

#include <stddef.h>

#include "base/mem.h"

enum { R1CS_MEMORY_MAX = 16 };

struct r1cs_memory {
    size_t n;
    struct region regions[R1CS_MEMORY_MAX];
};

/* Takes over what a grow holds, trimmed; returns its address. The grow is empty afterwards. */
static inline void *r1cs_memory_adopt(struct r1cs_memory *memory, struct grow *grow)
{
    void *base;

    grow_trim(grow);
    base = grow->region.base;
    memory->regions[memory->n++] = grow->region;
    grow->region.base = NULL;
    grow->region.bytes = 0;
    grow->used = 0;
    return base;
}

#endif
