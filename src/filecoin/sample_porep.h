/* Sample sectors: vanilla PoRep proofs of any size that satisfy the circuit, of a sector that
 * nobody sealed.
 *
 *     data      the first nodes are random, all others have one value; so TreeD and comm_d, and
 *               from them the replica id and the challenges, are known without the sector
 *     columns   those of the challenged nodes' parents are random; those of the challenged nodes
 *               follow from them, layer by layer, as in sealing
 *     replica   data + last label at the challenged nodes
 *     the rest  one leaf in TreeC and one in TreeRLast (sample_tree.h)
 *
 * That works where challenges depend on what is known first, replica id and seed: synthetic and
 * non-interactive ones depend on comm_r. */
#ifndef FILECOIN_SAMPLE_POREP_H
#define FILECOIN_SAMPLE_POREP_H

#include "filecoin/vanilla.h"

/* The sector belongs to this miner and has the seed as its number. */
enum { SAMPLE_MINER = 1000 };

/* Bytes taken while a sample is made, besides those of the result: 10 MB for 32 GiB. */
size_t sample_porep_bytes(const struct porep_config *config);

/* All partitions of `config`, whose challenges are interactive. The same seed gives the same
 * sector. What it makes passes vanilla_check_deep. */
MUST_CHECK enum cuzk_status sample_porep(struct vanilla_porep *ret,
                                         const struct porep_config *config, uint64_t seed,
                                         struct budget *budget, struct cuzk_error *err);

#endif
