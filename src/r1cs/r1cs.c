#include "r1cs/r1cs.h"

#include "r1cs/memory.h"

void r1cs_done(struct r1cs *cs)
{
    struct r1cs_memory *memory = cs->memory;

    if (memory)
        for (size_t i = 0; i < memory->n; i++)
            region_unmap(&memory->regions[i]);
    mem_free(memory);
    *cs = (struct r1cs){0};
}

unsigned r1cs_lg_domain(const struct r1cs *cs)
{
    unsigned lg = 0;

    while ((uint64_t)1 << lg < cs->a.n_rows)
        lg++;
    return lg;
}
