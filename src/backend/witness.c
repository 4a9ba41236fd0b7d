#include "backend/witness.h"

#include <string.h>

size_t witness_rank_fill(uint32_t *full_rank, const uint64_t *full_map, size_t n_aux)
{
    size_t n_words = witness_map_words(n_aux), n_full = 0;

    for (size_t w = 0; w < n_words; w++) {
        if (w % (WITNESS_RANK_STEP / 64) == 0)
            full_rank[w / (WITNESS_RANK_STEP / 64)] = (uint32_t)n_full;
        n_full += (size_t)__builtin_popcountll(full_map[w]);
    }
    full_rank[witness_rank_entries(n_aux) - 1] = (uint32_t)n_full;
    return n_full;
}

void witness_value(uint64_t *out, const struct witness *w, int input, size_t index)
{
    size_t words = w->fr_bytes / 8;

    if (input)
        memcpy(out, w->inputs + index * words, w->fr_bytes);
    else if (witness_bit(w->full_map, index))
        memcpy(out, w->full + witness_rank(w->full_map, w->full_rank, index) * words, w->fr_bytes);
    else {
        memset(out, 0, w->fr_bytes);
        out[0] = (uint64_t)witness_bit(w->bits, index);
    }
}
