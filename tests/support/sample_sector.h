/* Made-up sectors: vanilla proofs of any size that satisfy the circuit, of a sector nobody sealed.
 *
 * Almost all of the sector is uniform, so its trees are known without building them. Only the
 * challenged nodes and their parents have columns of their own: parents' columns are random,
 * challenged ones follow from them, layer by layer. */
#ifndef SUPPORT_SAMPLE_SECTOR_H
#define SUPPORT_SAMPLE_SECTOR_H

#include "filecoin/vanilla.h"

/* All partitions of `config`; interactive challenges only (the others depend on the commitments
 * that are being made up). The same seed gives the same sector. */
void sample_sector(struct vanilla_porep *ret, const struct porep_config *config, uint64_t seed);

#endif
