/* Pieces of bincode that vanilla proofs are made of (docs/filecoin.md, 7.1, 7.2).
 *
 * Lists carry their length as a u64 even where the shape fixes it; every one is compared. Numbers
 * must be below the modulus. What is not as it should be is named at the reader's place. */
#ifndef FILECOIN_BINCODE_H
#define FILECOIN_BINCODE_H

#include "base/reader.h"
#include "filecoin/merkle.h"

/* The length of a list that must have `expected` entries; `of` is what they are, for the message.
 */
MUST_CHECK enum cuzk_status bincode_length(struct reader *r, uint64_t expected, const char *of,
                                           struct cuzk_error *err);
/* 32 bytes: a number of the scalar field, plain. */
MUST_CHECK enum cuzk_status bincode_scalar(struct reader *r, struct scalar *out,
                                           struct cuzk_error *err);
/* A list of n of them. */
MUST_CHECK enum cuzk_status bincode_scalars(struct reader *r, struct scalar *out, uint64_t n,
                                            const char *of, struct cuzk_error *err);
/* A MerkleProof in a tree of this shape, into path->siblings (tree_siblings() of room). */
MUST_CHECK enum cuzk_status bincode_merkle(struct reader *r, struct merkle_path *path,
                                           const struct tree_shape *tree, struct cuzk_error *err);

#endif
