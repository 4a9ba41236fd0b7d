/* A packed witness: the values of all variables, small.
 *
 * Inputs (ONE first) are full values. An aux variable is a *bit* or *full*, as the class map says:
 *
 *     full_map   bit v = 1: aux v is a full value, found in `full` at rank(v)
 *                bit v = 0: aux v is 0 or 1, found in `bits` at bit v
 *     rank(v) =  full_rank[v / 512] + number of ones of full_map in [v / 512 * 512, v)
 *
 * A 32 GiB PoRep partition (130 M aux, 1.2 % of them full) takes 16 MB of bits and 52 MB of values;
 * the class map (16 MB and 1 MB of ranks) belongs to the circuit and is shared by all its
 * witnesses. Values are plain, packed with the curve's fr_bytes. Bitmaps are padded to whole words
 * with zeros. */
#ifndef BACKEND_WITNESS_H
#define BACKEND_WITNESS_H

#include <stddef.h>
#include <stdint.h>

#define WITNESS_RANK_STEP 512u

struct witness {
    size_t n_inputs; /* with ONE */
    size_t n_aux;
    size_t n_full;
    size_t fr_bytes;
    const uint64_t *inputs;    /* n_inputs values */
    const uint64_t *full_map;  /* n_aux bits */
    const uint32_t *full_rank; /* ceil(n_aux / 512) + 1 entries, the last is n_full */
    const uint64_t *bits;      /* n_aux bits, zero where full */
    const uint64_t *full;      /* n_full values */
};

static inline size_t witness_map_words(size_t n)
{
    return (n + 63) / 64;
}

static inline int witness_bit(const uint64_t *map, size_t v)
{
    return (int)(map[v / 64] >> (v % 64) & 1);
}

/* Number of full variables before aux v. */
static inline size_t witness_rank(const uint64_t *full_map, const uint32_t *full_rank, size_t v)
{
    size_t rank = full_rank[v / WITNESS_RANK_STEP];

    for (size_t w = v / WITNESS_RANK_STEP * (WITNESS_RANK_STEP / 64); w < v / 64; w++)
        rank += (size_t)__builtin_popcountll(full_map[w]);
    if (v % 64)
        rank += (size_t)__builtin_popcountll(full_map[v / 64] << (64 - v % 64));
    return rank;
}

/* Fills full_rank (witness_rank_entries(n_aux) entries) from full_map; returns n_full. */
static inline size_t witness_rank_entries(size_t n_aux)
{
    return (n_aux + WITNESS_RANK_STEP - 1) / WITNESS_RANK_STEP + 1;
}
size_t witness_rank_fill(uint32_t *full_rank, const uint64_t *full_map, size_t n_aux);

/* A part of a witness: aux [first, end), first a multiple of WITNESS_RANK_STEP; and the inputs, if
 * end is n_aux. Parts that follow each other make the whole. */
struct witness_part {
    size_t first, end;
};
static inline struct witness_part witness_whole(size_t n_aux)
{
    return (struct witness_part){0, n_aux};
}
/* Full values before aux v, a multiple of WITNESS_RANK_STEP or n_aux. */
static inline size_t witness_full_before(const struct witness *w, size_t v)
{
    return v == 0 ? 0 : v == w->n_aux ? w->n_full : w->full_rank[v / WITNESS_RANK_STEP];
}

/* The value of a variable: index into inputs if `input`, else into aux. out: fr_bytes / 8 words. */
void witness_value(uint64_t *out, const struct witness *w, int input, size_t index);

#endif
