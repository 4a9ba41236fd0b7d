/* SHA-256 as a circuit (FIPS 180-4). */
#ifndef CIRCUIT_SHA256_GADGET_H
#define CIRCUIT_SHA256_GADGET_H

#include "circuit/uint32.h"

/* The digest of n bits, first bit = most significant bit of the first byte; padding is constant. */
void sha256_gadget(struct sink *sink, const bool_t *message, size_t n, bool_t digest[256]);

/* One compression: state becomes the next state. */
void sha256_compress_gadget(struct sink *sink, const bool_t block[512], struct uint32 state[8]);

/* The words that a message begins with. */
void sha256_initial_state(struct uint32 state[8]);

#endif
