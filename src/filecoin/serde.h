/* Writing values as serde does, in JSON or in bincode, with the same calls: in bincode names and
 * brackets vanish and lists get a length. docs/filecoin.md, 7.1, 7.2.
 *
 * A stream: nothing is kept, and a write that fails shows in ferror(out). */
#ifndef FILECOIN_SERDE_H
#define FILECOIN_SERDE_H

#include <stdio.h>

#include "filecoin/merkle.h"

struct serde_writer {
    FILE *out;
    bool json;
    bool first; /* nothing before in this object or list; true at the start */
};

/* Of a field; its value follows. */
void serde_name(struct serde_writer *w, const char *key);

/* An object: { and }. A list is ended with ]. */
void serde_begin(struct serde_writer *w, char bracket);
void serde_end(struct serde_writer *w, char bracket);
void serde_list(struct serde_writer *w, uint64_t n);

/* bytes: the width in bincode, at most 8. */
void serde_number(struct serde_writer *w, uint64_t value, size_t bytes);
void serde_bytes32(struct serde_writer *w, const uint8_t bytes[32]);
void serde_scalar(struct serde_writer *w, const struct scalar *a);

/* MerkleProof of a path in a tree of this shape. */
void serde_merkle_proof(struct serde_writer *w, const struct merkle_path *path,
                        const struct tree_shape *tree);

#endif
