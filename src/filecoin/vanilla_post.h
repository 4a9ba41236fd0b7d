/* Vanilla PoSt proofs: for each sector, its commitments and paths to the challenged leaves of its
 * TreeRLast. They come in bincode, one FallbackPoStSectorProof a sector (docs/filecoin.md, 7.6):
 *
 *     sector_id        u64
 *     comm_r           32 bytes
 *     vanilla_proof    a list of one: inclusion_proofs (66 or 10), comm_c, comm_r_last
 *
 * What the reader lets through has reduced numbers and paths of the tree's shape; post_check looks
 * at the rest. */
#ifndef FILECOIN_VANILLA_POST_H
#define FILECOIN_VANILLA_POST_H

#include <stdio.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/reader.h"
#include "filecoin/merkle.h"
#include "filecoin/post.h"

/* Sectors of one call. Far above what a deadline can hold; it keeps sizes in range. */
#define POST_SECTORS_MAX (1u << 20)

struct vanilla_sector {
    struct scalar comm_c, comm_r_last;
    struct merkle_path *paths; /* post_sector_challenges() */
};

struct vanilla_post {
    struct post post; /* its sectors live below */
    struct vanilla_sector *sectors;

    struct arena memory; /* MEM_REQUEST; everything above lives in it */
};

/* Bytes that vanilla_post_new takes from the budget: 25 KB a sector of 32 GiB. */
size_t vanilla_post_bytes(const struct post_config *config, size_t n_sectors);

/* Room for n_sectors proofs, all to be read; none before them (post.n_before may be set).
 * CUZK_BAD_INPUT for no sectors, more than one for Winning PoSt, more than POST_SECTORS_MAX. */
MUST_CHECK enum cuzk_status vanilla_post_new(struct vanilla_post *ret,
                                             const struct post_config *config,
                                             const uint8_t randomness[32], size_t n_sectors,
                                             struct budget *budget, struct cuzk_error *err);
void vanilla_post_done(struct vanilla_post *vanilla); /* accepts a zeroed one */

/* Reads the proof of sector number i: all that `r` holds. */
MUST_CHECK enum cuzk_status vanilla_post_read(struct vanilla_post *vanilla, size_t i,
                                              struct reader *r, struct cuzk_error *err);

/* Writes the proof of sector number i; a failed write shows in ferror(out). */
void vanilla_post_write(FILE *out, const struct vanilla_post *vanilla, size_t i);

/* ---- are they what they should be? ---- */

/* What is public: the randomness is a reduced number, no sector occurs twice, every path belongs to
 * its sector and leads to the leaf that the randomness asks for, comm_r = H2(comm_c, comm_r_last).
 * CUZK_BAD_INPUT names the first sector and challenge that is wrong. */
MUST_CHECK enum cuzk_status post_check(const struct vanilla_post *vanilla, struct cuzk_error *err);

/* Besides, that all paths lead to their roots: what is accepted satisfies the circuit. Sectors in
 * parallel; about 1 ms of one core each at 32 GiB. */
MUST_CHECK enum cuzk_status post_check_deep(const struct vanilla_post *vanilla, struct pool *pool,
                                            struct cuzk_error *err);

#endif
