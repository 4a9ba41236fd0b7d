/* The graph that labels follow: which 14 nodes come before a node. docs/filecoin.md, 4.5.
 *
 *   DRG parents       6: five drawn by bucket sampling (DRSample; Alwen, Blocki, Harsha 2017) from
 *                     a ChaCha8 generator seeded with porep_id and the node, and the neighbour
 *   expander parents  8: places of a Feistel permutation of 8 * nodes numbers, keyed by porep_id
 *
 * API 1.0.0 puts the neighbour last and truncates expander places to 32 bits, which matters for
 * sectors of 16 GiB and more; 1.1.0 and later put it first and do not truncate. */
#ifndef FILECOIN_GRAPH_H
#define FILECOIN_GRAPH_H

#include "filecoin/seal_proof.h"

struct graph {
    uint64_t nodes;
    enum api_version version;
    uint8_t drg_seed[28];
    uint64_t expander_keys[3];
};

struct graph graph_make(unsigned lg_nodes, enum api_version version, const uint8_t porep_id[32]);

/* DRG parents first, each kind in graph order; duplicates occur. node < graph->nodes. */
void graph_parents(const struct graph *graph, uint64_t node, uint32_t parents[N_PARENTS]);

/* ---- parts, for tests ------------------------------------------------------------------------ */

/* The permutation of [0, n) that the expander uses: three Feistel rounds, walked until below n. */
uint64_t feistel_permute(uint64_t x, uint64_t n, const uint64_t keys[3]);

/* One 64-byte block of the ChaCha stream with a 64-bit counter and zero nonce, as 16 words. */
void chacha_block(uint32_t out[16], const uint8_t key[32], uint64_t counter, unsigned rounds);

#endif
