/* Random C1s of any shape, the wrapper around one, and whether two are equal. */
#ifndef SUPPORT_C1_SAMPLE_H
#define SUPPORT_C1_SAMPLE_H

#include <stdio.h>

#include "base/rng.h"
#include "filecoin/vanilla.h"

/* Random values of the right form: reduced scalars, indices below their arity. */
void c1_sample(struct vanilla_porep *ret, const struct porep_shape *shape, unsigned partitions,
               struct rng *rng);

/* The wrapper around a text. */
void c1_write_wrapper(FILE *out, const char *text, size_t n, uint64_t sector_num,
                      uint64_t sector_size);

/* All values, in one order: equal C1s have equal digests. */
void c1_digest(uint8_t out[32], const struct vanilla_porep *vanilla);

#endif
