/* Random C1s of any shape, and every form of a C1 as text or bytes. */
#ifndef SUPPORT_C1_SAMPLE_H
#define SUPPORT_C1_SAMPLE_H

#include <stdio.h>

#include "base/rng.h"
#include "filecoin/vanilla.h"

/* Random values of the right form: reduced scalars, indices below their arity. */
void c1_sample(struct vanilla_porep *ret, const struct porep_shape *shape, unsigned partitions,
               struct rng *rng);

/* What a C1 with these proofs looks like. proof NULL: the native form. The parents of labels, which
 * vanilla proofs do not keep, are random. */
void c1_write_json(FILE *out, const struct vanilla_porep *vanilla, const struct seal_proof *proof);
void c1_write_bincode(FILE *out, const struct vanilla_porep *vanilla);

/* The wrapper around a text. */
void c1_write_wrapper(FILE *out, const char *text, size_t n, uint64_t sector_num,
                      uint64_t sector_size);

/* All values, in one order: equal C1s have equal digests. */
void c1_digest(uint8_t out[32], const struct vanilla_porep *vanilla);

#endif
