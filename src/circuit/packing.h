/* Between field elements and bits.
 *
 * Two orders of bits occur. *Number order*: least significant first. *Byte order*: the bytes of the
 * little-endian number in order, the most significant bit of each byte first, which is what SHA-256
 * hashes; a number has 256 bits in it, the 249th (bit 7 of the last byte) constant false. */
#ifndef CIRCUIT_PACKING_H
#define CIRCUIT_PACKING_H

#include "circuit/num.h"

/* 255 allocated bits in number order, then the row 0 * 0 = sum 2^i b_i - x. Not a range check:
 * x + r would do as well if it fits. */
void num_to_bits(struct sink *sink, num_t x, bool_t bits[FR_BITS]);

/* The same without the last row (SnapDeals adds its own). */
void num_alloc_bits(struct sink *sink, num_t x, bool_t bits[FR_BITS]);

/* out: n bits, rounded up to whole bytes with constant false, each byte reversed. Between the two
 * orders, either way. out may not overlap bits. */
void bits_reverse_bytes(bool_t *out, const bool_t *bits, size_t n);

/* num_to_bits, then in byte order. */
void num_to_byte_bits(struct sink *sink, num_t x, bool_t bits[256]);

/* An aux x of the first min(n, 254) bits in number order, with the row (sum 2^i b_i) * 1 = x; also
 * for n = 0. */
num_t num_pack(struct sink *sink, const bool_t *bits, size_t n);

/* num_pack of 256 bits in byte order, such as a digest: the two top bits are left out. */
num_t num_pack_byte_bits(struct sink *sink, const bool_t bits[256]);

/* The row (sum 2^i b_i) * 1 = x for a given x; n <= 255, number order. */
void num_enforce_packed(struct sink *sink, const bool_t *bits, size_t n, num_t x);

/* Public inputs of 254 bits each, in number order: per piece an input x, then (sum 2^i b_i) * 1 =
 * x. */
void pack_into_inputs(struct sink *sink, const bool_t *bits, size_t n);

/* n <= 64 allocated bits of a number, least significant first. */
void bits_alloc_u64(struct sink *sink, uint64_t value, bool_t *bits, unsigned n);

/* n <= 64 constant bits, most significant first (as SHA-256 wants its fields). */
void bits_constant_be(uint64_t value, bool_t *bits, unsigned n);

/* The n bits in the opposite order. out may not overlap bits. */
void bits_reverse(bool_t *out, const bool_t *bits, size_t n);

#endif
