/* Bulk operations on the points of one group, portable C: what backend/cpu is made of.
 *
 * *native* points are affine, Montgomery form, G1: {x, y}, G2: {x.c0, x.c1, y.c0, y.c1}; infinity
 * is all zeros. They take as many bytes as plain ones. Scalars are plain, packed (curve.h).
 *
 * Results are affine, so they are the same bytes for every thread count, window and tile. */
#ifndef MSM_GROUP_KERNELS_H
#define MSM_GROUP_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "curve/curve.h"

/* How the points of an array are written. */
enum points_form {
    POINTS_NATIVE, /* Montgomery affine, 64-bit little-endian words */
    POINTS_PLAIN,  /* the waist's form */
    POINTS_ZCASH,  /* big-endian uncompressed, as in bellperson's files */
};

/* A borrowed array of points, possibly a mapped file; any alignment for POINTS_ZCASH, 8 otherwise.
 */
struct points_view {
    enum points_form form;
    const void *data;
    size_t n;
};

/* A point of a view that could not be decoded. */
struct points_fault {
    size_t index;
    enum point_fault fault;
};

struct group_kernels {
    size_t point_bytes;   /* native and plain */
    size_t encoded_bytes; /* POINTS_ZCASH */

    /* Decodes points[begin, end) into out (native). Checks that coordinates are reduced, the curve
     * equation, flags, and refuses infinity; not the subgroup. NATIVE and PLAIN input is trusted
     * (our own memory or a checksummed file) and may hold infinity. False and *fault if one is bad.
     */
    bool (*decode)(void *out, const struct points_view *points, size_t begin, size_t end,
                   struct points_fault *fault);
    /* out[i] (native) = the point at in[i], compressed (curve.h), i in [0, n). All that g1_decode
     * checks is checked, the subgroup of each included; infinity is accepted. False and *fault,
     * the first bad one, if one is bad. */
    bool (*decompress)(void *out, const uint8_t *const *in, size_t n, struct points_fault *fault);
    void (*to_plain)(void *out, const void *native, size_t n);  /* in place allowed */
    void (*from_plain)(void *out, const void *plain, size_t n); /* in place allowed */
    void (*encode)(uint8_t *out, const void *native, size_t n); /* POINTS_ZCASH */

    /* *out (one plain point) = sum over i in [0, n) of scalars[i] * points[index ? index[i] : i].
     * scratch: msm_bytes(n, pool_size(pool)) bytes, 64-byte aligned. Bad points: CUZK_BAD_INPUT
     * with "point <i>: <why>". A cancelled pool gives CUZK_CANCELLED. */
    size_t (*msm_bytes)(size_t n, unsigned n_threads);
    enum cuzk_status (*msm)(void *out, const struct points_view *points, const uint32_t *index,
                            const uint64_t *scalars, size_t n, void *scratch, struct pool *pool,
                            struct cuzk_error *err);

    /* *out = sum of points[i] over i in [0, n) whose bit of `select` is set (bit i % 64 of word
     * i / 64). A whole class of a witness: the values that are 0 or 1. */
    size_t (*sum_bytes)(size_t n, unsigned n_threads);
    enum cuzk_status (*sum)(void *out, const struct points_view *points, const uint64_t *select,
                            size_t n, void *scratch, struct pool *pool, struct cuzk_error *err);

    /* Fixed-base multiplication: out[i] (native) = scalars[i] * base. table: fixed_table_bytes().
     */
    size_t (*fixed_table_bytes)(void);
    void (*fixed_table_init)(void *table, const void *base_plain, struct pool *pool);
    size_t (*fixed_mul_bytes)(size_t n, unsigned n_threads);
    void (*fixed_mul)(void *out, const void *table, const uint64_t *scalars, size_t n,
                      void *scratch, struct pool *pool);

    /* out[i] = a[i] + b[i], native, complete; n additions share inversions. out may be a or b. */
    size_t (*add_batch_bytes)(size_t n, unsigned n_threads);
    void (*add_batch)(void *out, const void *a, const void *b, size_t n, void *scratch,
                      struct pool *pool);
    /* out[i] = scalars[i] * points[i], native, no sum (group NTT, key transforms). */
    void (*mul_each)(void *out, const void *points, const uint64_t *scalars, size_t n,
                     struct pool *pool);
    /* in place: a[i] = -a[i], native */
    void (*neg_batch)(void *a, size_t n);

    /* Are all of points[0, n) (native words of any origin) reduced, on the curve, not infinity? False
     * and *fault if one is not. Not the subgroup. */
    bool (*check)(const void *native, size_t n, struct points_fault *fault);
    /* Index of the first point of [0, n) (native, on the curve) outside the subgroup of order r, or
     * n. Random sums of many points are looked at instead of each: an array with points outside is
     * taken for a good one with probability 2^-66 (msm/subgroup_sums.inc.h); a good one never fails.
     * scratch: subgroup_bytes(n, pool_size(pool)) bytes, 64-byte aligned. */
    size_t (*subgroup_bytes)(size_t n, unsigned n_threads);
    size_t (*subgroup_check)(const void *native, size_t n, void *scratch, struct pool *pool);
};

#endif
