#include "circuit/packed_witness.h"

#include <string.h>

static size_t inputs_bytes(const struct r1cs *cs)
{
    return arena_piece(cs->n_inputs * sizeof(struct scalar));
}

static size_t bits_bytes(const struct r1cs *cs)
{
    return arena_piece(witness_map_words(cs->n_aux) * sizeof(uint64_t));
}

size_t packed_witness_bytes(const struct r1cs *cs)
{
    return region_bytes(inputs_bytes(cs) + bits_bytes(cs) + cs->n_full * sizeof(struct scalar));
}

enum cuzk_status packed_witness_new(struct packed_witness *ret, const struct r1cs *cs,
                                    struct budget *budget, struct cuzk_error *err)
{
    struct packed_witness w = {0}; /* nobody listens */

    TRY(region_map(&w.memory, budget, MEM_WITNESS, packed_witness_bytes(cs), err));
    w.room = (struct witness_room){
        .inputs = (uint64_t *)w.memory.base,
        .bits = (uint64_t *)(w.memory.base + inputs_bytes(cs)),
        .full = (uint64_t *)(w.memory.base + inputs_bytes(cs) + bits_bytes(cs)),
    };
    w.values = (struct witness){
        .n_inputs = cs->n_inputs,
        .n_aux = cs->n_aux,
        .n_full = cs->n_full,
        .fr_bytes = sizeof(struct scalar),
        .inputs = w.room.inputs,
        .full_map = cs->full_map,
        .full_rank = cs->full_rank,
        .bits = w.room.bits,
        .full = w.room.full,
    };
    *ret = w;
    return CUZK_OK;
}

/* Only the bits: sinks join them at the ends of their ranges and overwrite the rest. */
void packed_witness_clear(struct packed_witness *w)
{
    memset(w->room.bits, 0, witness_map_words(w->values.n_aux) * sizeof(uint64_t));
}

void packed_witness_done(struct packed_witness *w)
{
    region_unmap(&w->memory);
    memset(w, 0, sizeof(*w));
}
