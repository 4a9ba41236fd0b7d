/* The run-time face of a curve: what Groth16, formats and commands see of it.
 *
 * Everything here is in *plain* form: integers below the modulus, 64-bit words, least significant
 * first; points are affine, x then y, and infinity is all zeros (no curve of ours contains (0, 0)).
 * A single value sits in a struct that is large enough for every curve; bulk arrays are packed with
 * the curve's own sizes (fr_bytes, g1_bytes, g2_bytes). The waist (backend/backend.h) speaks the
 * same language.
 *
 * Single-value operations convert, compute and convert back: right for the few dozen points of a
 * proof, wrong for arrays (those go through the waist). Variable time. out may be any operand. */
#ifndef CURVE_CURVE_H
#define CURVE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct scalar {
    uint64_t w[4];
};
struct g1_point {
    uint64_t w[12];
};
struct g2_point { /* x.c0 x.c1 y.c0 y.c1 */
    uint64_t w[24];
};

struct group_kernels;  /* msm/group_kernels.h */
struct scalar_kernels; /* ntt/scalar_kernels.h */

/* value * product of e(p[i], q[i]) * product of e(fixed_p[i], the q of lines[i]). */
struct pairing_product {
    const struct g1_point *p;
    const struct g2_point *q;
    size_t n;
    const struct g1_point *fixed_p;
    const void *const *lines;
    size_t n_fixed;
    const void *value; /* NULL: one */
};

/* Why an encoded point was refused. */
enum point_fault {
    POINT_OK,
    POINT_NOT_CANONICAL, /* a coordinate is not below the modulus, or spare bits are set */
    POINT_BAD_FLAGS,
    POINT_NOT_ON_CURVE,
    POINT_NOT_IN_SUBGROUP,
    POINT_INFINITY, /* where infinity is not allowed */
};
const char *point_fault_name(enum point_fault fault);

struct curve {
    const char *name; /* "bls12_381" */
    unsigned fr_bits, fp_bits, two_adicity;
    size_t fr_bytes, fp_bytes; /* of a packed plain element: 8 * limbs */
    size_t g1_bytes, g2_bytes; /* of a packed plain affine point: 2 and 4 coordinates */
    struct scalar fr_modulus;
    struct scalar fr_generator; /* the curve's own domain generator (7 on BLS12-381) */
    struct g1_point g1_generator;
    struct g2_point g2_generator;

    /* ---- scalars ---- */
    bool (*fr_is_reduced)(const struct scalar *a);
    void (*fr_add)(struct scalar *out, const struct scalar *a, const struct scalar *b);
    void (*fr_sub)(struct scalar *out, const struct scalar *a, const struct scalar *b);
    void (*fr_mul)(struct scalar *out, const struct scalar *a, const struct scalar *b);
    void (*fr_inv)(struct scalar *out, const struct scalar *a); /* 0 -> 0 */
    void (*fr_pow)(struct scalar *out, const struct scalar *a, uint64_t e);
    /* A generator of the subgroup of order 2^lg_n, from the domain generator g (7 or 5; see
     * tools/params.py); false if the curve has no root for g or lg_n is too large. */
    bool (*fr_root)(struct scalar *out, uint64_t g, unsigned lg_n);
    /* Uniform in [0, r) from 64 uniform bytes; constant time. */
    void (*fr_sample_ct)(struct scalar *out, const uint8_t wide[64]);

    /* ---- points ---- */
    void (*g1_add)(struct g1_point *out, const struct g1_point *a, const struct g1_point *b);
    void (*g1_neg)(struct g1_point *out, const struct g1_point *a);
    /* k reduced, a in the subgroup */
    void (*g1_mul)(struct g1_point *out, const struct g1_point *a, const struct scalar *k);
    enum point_fault (*g1_check)(const struct g1_point *a); /* reduced, on curve, in subgroup */
    void (*g2_add)(struct g2_point *out, const struct g2_point *a, const struct g2_point *b);
    void (*g2_neg)(struct g2_point *out, const struct g2_point *a);
    void (*g2_mul)(struct g2_point *out, const struct g2_point *a, const struct scalar *k);
    enum point_fault (*g2_check)(const struct g2_point *a);

    /* ---- encodings: Zcash's on BLS12-381 and the toys, gnark-crypto's on BN254 (encode.inc.h).
     * Compressed: fp_bytes (G1) and 2 fp_bytes (G2), big-endian, flags in the first byte;
     * uncompressed: twice that. Decoders check flags, range, curve equation and, if `subgroup`, the
     * subgroup; infinity is accepted. ---- */
    void (*g1_encode)(uint8_t *out, const struct g1_point *a, bool compressed);
    enum point_fault (*g1_decode)(struct g1_point *out, const uint8_t *in, bool compressed,
                                  bool subgroup);
    void (*g2_encode)(uint8_t *out, const struct g2_point *a, bool compressed);
    enum point_fault (*g2_decode)(struct g2_point *out, const uint8_t *in, bool compressed,
                                  bool subgroup);

    /* ---- pairing: is the product of e(p[i], q[i]) one? One final exponentiation. Pairs with a
     * point at infinity count as one. ---- */
    bool (*pairing_is_one)(const struct g1_point *p, const struct g2_point *q, size_t n);
    /* The same with parts known beforehand. lines: pairing_lines_bytes() bytes, 8-byte aligned, of
     * a q that is not infinity. value: pairing_value_bytes() bytes, of the product before the final
     * exponentiation. */
    size_t (*pairing_lines_bytes)(void);
    void (*pairing_lines)(void *lines, const struct g2_point *q);
    size_t (*pairing_value_bytes)(void);
    void (*pairing_value)(void *value, const struct pairing_product *product);
    bool (*pairing_product_is_one)(const struct pairing_product *product);

    /* ---- bulk, portable; only for back ends ---- */
    const struct group_kernels *g1, *g2;
    const struct scalar_kernels *fr;
};

extern const struct curve curve_bls12_381, curve_bn254, curve_toy_bn, curve_toy_bls12;

/* By name; NULL if there is none. */
const struct curve *curve_find(const char *name);

#endif
