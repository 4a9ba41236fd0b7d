/* Sample sectors for proofs of spacetime: vanilla PoSt proofs that satisfy the circuit. Of each
 * sector's TreeRLast the challenged leaves are random and the others have one value
 * (sample_tree.h); TreeC is a random root. Challenges depend on the randomness and the sector's
 * number alone. */
#ifndef FILECOIN_SAMPLE_POST_H
#define FILECOIN_SAMPLE_POST_H

#include "filecoin/vanilla_post.h"

/* Bytes taken while a sample is made, besides those of the result: 60 KB. */
size_t sample_post_bytes(const struct post_config *config);

/* Sectors number seed, seed + 1, ... (modulo 2^64), with randomness of the seed. The same seed
 * gives the same sectors, however many. What it makes passes post_check_deep. CUZK_BAD_INPUT for
 * counts as in vanilla_post_new. */
MUST_CHECK enum cuzk_status sample_post(struct vanilla_post *ret, const struct post_config *config,
                                        size_t n_sectors, uint64_t seed, struct budget *budget,
                                        struct cuzk_error *err);

#endif
