/* Writing a C1, byte for byte as serde does (docs/filecoin.md, 7.1 to 7.4): what c1_json and
 * c1_bincode read.
 *
 * labeling_proofs and encoding_proof, which vanilla proofs do not keep, follow from the parents'
 * columns. Both write as a stream and take no memory; a write that fails shows in ferror(out),
 * which out_commit looks at. */
#ifndef FILECOIN_C1_WRITE_H
#define FILECOIN_C1_WRITE_H

#include <stdio.h>

#include "filecoin/vanilla.h"

/* The API's form with the names of `proof`; NULL: the native form. */
void c1_write_json(FILE *out, const struct vanilla_porep *vanilla, const struct seal_proof *proof);

/* The native SealCommitPhase1Output. */
void c1_write_bincode(FILE *out, const struct vanilla_porep *vanilla);

#endif
