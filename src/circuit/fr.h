/* The scalar field of BLS12-381 for the gadgets: the field template, inlined into each unit.
 *
 * fr_t is in Montgomery form. Values that come from or go to the outside are plain `struct scalar`
 * or 32 little-endian bytes, as everywhere in Filecoin. */
#ifndef CIRCUIT_FR_H
#define CIRCUIT_FR_H

#include <string.h>

#include "base/reader.h"
#include "curve/curve.h"
#include "params/bls12_381.h"

#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"

/* Number of bits that always fit: packing works in pieces of so many. */
enum { FR_CAPACITY = FR_BITS - 1 };

/* plain: reduced. */
static inline fr_t fr_of_scalar(const struct scalar *plain)
{
    fr_t r;

    memcpy(r.l, plain->w, sizeof r.l);
    fr_from_plain(&r, &r);
    return r;
}
static inline struct scalar fr_to_scalar(const fr_t *a)
{
    struct scalar plain;
    fr_t r;

    fr_to_plain(&r, a);
    memcpy(plain.w, r.l, sizeof plain.w);
    return plain;
}
static inline fr_t fr_of_u64(uint64_t x)
{
    fr_t r;

    fr_from_u64(&r, x);
    return r;
}

/* 32 bytes, little-endian; the number need not be reduced (a SHA-256 digest with its two top bits
 * cleared always is). */
static inline fr_t fr_of_bytes(const uint8_t bytes[32])
{
    fr_t r;

    for (int i = 0; i < FR_LIMBS; i++)
        r.l[i] = load_u64_le(bytes + 8 * i);
    fr_from_plain(&r, &r);
    return r;
}
static inline void fr_to_bytes(uint8_t bytes[32], const fr_t *a)
{
    fr_t r;

    fr_to_plain(&r, a);
    for (int i = 0; i < FR_LIMBS; i++)
        store_u64_le(bytes + 8 * i, r.l[i]);
}

#endif
