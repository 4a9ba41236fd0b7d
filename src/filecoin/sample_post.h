/* Sample sectors for proofs of spacetime: vanilla PoSt proofs that satisfy the circuit.
 *
 * In a made-up sector the challenged leaves of TreeRLast are random and the others have one value
 * (sample_tree.h); TreeC is a random root. Challenges depend on the randomness and the sector's
 * number alone. */
#ifndef FILECOIN_SAMPLE_POST_H
#define FILECOIN_SAMPLE_POST_H

#include "filecoin/sample_sector.h"
#include "filecoin/vanilla_post.h"

/* Bytes taken while a sample is made, besides those of the result: 8 KB a thread for window, 50 for
 * winning. */
size_t sample_post_bytes(const struct post_config *config, unsigned n_threads);

/* Sectors facts->number, facts->number + 1, ... (modulo 2^64). The same facts and randomness give
 * the same sectors, however many, on any number of threads. What it makes passes post_check_deep.
 * CUZK_BAD_INPUT for counts as in vanilla_post_new. 5 ms of one core a sector of 32 GiB. */
MUST_CHECK enum cuzk_status sample_post(struct vanilla_post *ret, const struct post_config *config,
                                        size_t n_sectors, const uint8_t randomness[32],
                                        const struct sample_facts *facts, struct pool *pool,
                                        struct budget *budget, struct cuzk_error *err);

/* Sector number i of `vanilla` is this one, which is dense: its id and its proof. */
void sample_post_sector(struct vanilla_post *vanilla, size_t i, const struct sample_sector *sector);

#endif
