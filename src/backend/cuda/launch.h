/* The kernels as the C side of this back end sees them: one function a launch.
 *
 * Launchers return at once; the work is ordered on `stream`. Pointers are device memory unless a
 * name begins with host_. They allocate nothing: scratch is given. Their value is the CUDA error of
 * the launch. The grid follows from the sizes, block sizes stand beside the kernels.
 *
 * Kernels that know a curve are compiled once a curve (curve_unit.cuh says which), and found in a
 * table, struct cuda_kernels; those of sum_plan.cu know none.
 *
 * Scalars are 32 bytes, plain, below r, unless said otherwise. */
#ifndef BACKEND_CUDA_LAUNCH_H
#define BACKEND_CUDA_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "backend/lagrange.h"
#include "curve/curve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scalars (fr_kernels.cu) ---------------------------------------------------------------- */

enum { CUDA_CONST_BYTES = 64 }; /* a constant factor with its quotient (fr.cuh) */
/* ---- transforms (ntt_kernels.cu) ------------------------------------------------------------ */

/* One pass: a DFT over one digit of the index, natural order inside the digit, then a product by a
 * table entry. See cuda_domain.c for how passes make a transform. */
struct ntt_pass {
    const void *from;
    void *to;            /* may be from */
    unsigned lg_n;       /* of the whole vector */
    unsigned lg_points;  /* of the DFT: 3 .. 9 */
    unsigned lg_stride;  /* distance of its elements; 0 when they lie side by side */
    unsigned root_power; /* the transform's 8th root as an odd power of dft.cuh's */
    const void *inner;   /* constants: w^(b t) at b n/8 + t, then w^(8 a m) at m n/64 + a */
    const void *table;   /* constants at position & mask, or NULL */
    uint64_t mask;
    /* NULL, or: the constants are products of two. Position = k 2^lg_x + x, x = x1 2^lg_low + x0:
     * table at k 2^lg_low + x0, this one at k 2^(lg_x - lg_low) + x1. */
    const void *table_high;
    unsigned lg_x, lg_low;
    const void *other; /* a vector whose Montgomery product with the result is wanted, or NULL */
    bool canonical;    /* results below r rather than 2r */
};

/* The digits of an index, least significant first in `lg`, as the passes leave them: element
 * k = k0 + 2^lg[0] (k1 + 2^lg[1] (..)) lies at position ((k0 * 2^lg[1] + k1) * 2^lg[2] + k2) ... */
enum { NTT_MAX_DIGITS = 4 };
struct ntt_digits {
    unsigned n;
    unsigned lg[NTT_MAX_DIGITS];
};
enum ntt_order {
    NTT_TO_NATURAL, /* out[k] = in[position(k)] */
    NTT_TO_DIGITS,  /* out[position(k)] = in[k] */
    NTT_IN_DIGITS,  /* out[position(k)] = in[position(k)] */
};
/* Moves elements between natural and digit order, and scales element k on the way by
 *   x^(k & mask)      low[e % 2^14] high[e >> 14], constants; NULL: not
 *   last_digit[top digit of k]                     constants; NULL: not
 * then subtracts the same element of `minus` (NULL: not). */
struct ntt_permute {
    void *out;
    const void *in, *minus;
    unsigned lg_n;
    struct ntt_digits digits;
    enum ntt_order order;
    const void *low, *high;
    uint64_t mask;
    const void *last_digit;
};
/* ---- points (group_kernels.cu), of G1 and G2 ---------------------------------- */

/* A group and its curve. */
enum cuda_group { CUDA_BLS12_381_G1, CUDA_BLS12_381_G2, CUDA_BN254_G1, CUDA_BN254_G2 };
static inline bool cuda_is_g1(enum cuda_group group)
{
    return group == CUDA_BLS12_381_G1 || group == CUDA_BN254_G1;
}
static inline bool cuda_is_bn254(enum cuda_group group)
{
    return group >= CUDA_BN254_G1;
}

/* Tables hold points in native form (x, y: Montgomery, below p), but infinity is all ones. An array
 * of temporaries is an array of x and one of y. References and slots count from the table's start
 * through the temporaries: see point.cuh. */
struct cuda_points {
    const void *table;
    void *temp_x, *temp_y; /* of slot n_table on */
    uint32_t n_table;
};
static inline size_t cuda_coordinate_bytes(enum cuda_group group)
{
    const size_t base = cuda_is_bn254(group) ? 32 : 48;

    return cuda_is_g1(group) ? base : 2 * base;
}

/* n_pairs additions (batch_add.cuh): operands from `pairs`, references a, b, or, when it is NULL,
 * slots first + (i >> lg_half << (lg_half + 1)) + (i mod 2^lg_half) and that + 2^lg_half. Results
 * in slots out + i. far: operands scattered over the table. scratch: batch_add_bytes(n_pairs). */
struct cuda_batch {
    struct cuda_points points;
    const uint32_t *pairs;
    uint32_t n_pairs, first, lg_half, out;
    bool far;
    void *scratch;
};

/* xyzz[run * out_jump + k] = sum over m in [0, size) of slot
 * first + run * jump + k * step + m * stride, where group g is number k = g mod 2^lg_run of run
 * g >> lg_run, g in [0, n_groups); members at or beyond slot `end` are left out. */
struct cuda_group_sum {
    struct cuda_points points;
    uint32_t first, n_groups, size, stride, lg_run, jump, step, end, out_jump;
    void *xyzz;
};
/* Sums of lists of XYZZ points, `stride` apart: the first n_row_lists have n_rows points and
 * weights 0, 1, .., the others n_columns points and weights 1, 2, ..; not `weighted`: plain sums.
 * out: n_lists points, reduced. scratch: weighted_bytes(stride, n_lists). in and out do not
 * overlap. */
struct cuda_weighted {
    void *out;
    const void *in;
    uint32_t stride, n_lists, n_row_lists, n_rows, n_columns;
    bool weighted;
    void *scratch;
};
/* ---- multiples of one base (fixed_base_kernels.cu) ------------------------------------------- */

/* Table entry w 2^15 + j - 1 is j 2^(16 w) base, w in [0, 16), j in [1, 2^15]; infinity follows. */
enum { CUDA_FIXED_BITS = 16, CUDA_FIXED_WINDOWS = 16 };
enum { CUDA_FIXED_POINTS = CUDA_FIXED_WINDOWS << (CUDA_FIXED_BITS - 1) };
/* ---- planning a sum (sum_plan.cu) ----------------------------------------------------------- */

/* Windows of c bits of a scalar s, the first n_wide of them of c + 1, as signed digits of
 * s + (i mod spread) r: the multiples of r fill the top window as evenly as the others.
 *
 * Where a table holds multiples 2^(c n_sets j) of every base, `stride` points apart, window
 * j n_sets + k belongs to set k: all windows of a set fill the same buckets. Without multiples
 * every window is a set; only then some may be wide. */
struct cuda_digits {
    const void *scalars;
    const uint32_t *scalar_index, *base_index; /* of entry i; NULL: i, and first_base + i */
    uint32_t first_base, n;
    uint32_t c, n_wide, n_windows, spread, n_sets, stride; /* windows beyond n_windows are 0 */
    /* what is wanted: sets [first_set, + sets), of one width; multiples [first_multiple,
     * + multiples) */
    uint32_t first_set, sets, first_multiple, multiples;
    uint64_t modulus[4];   /* r */
    uint32_t *keys, *refs; /* sets * multiples * n: (set << (bits - 1)) + |digit| - 1, counted from
                              first_set, or sets << (bits - 1) for digit 0; reference of the base's
                              multiple with the digit's sign */
};

/* A plan makes the lists of pairs of all rounds from the sorted entries. Bucket state: first slot
 * (or entry), count, a reference left over from an odd count (REF_NONE: none). */
enum { CUDA_ROUNDS = 32 };
struct cuda_plan {
    uint32_t n_buckets;
    uint32_t *start, *count, *left; /* n_buckets + 1 each */
    uint32_t *n_pairs, *place;      /* n_buckets + 1 each */
    uint32_t *long_list;            /* n_buckets + 1: [0] how many */
    uint64_t *totals;               /* CUDA_ROUNDS: pairs of each round */
    void *scratch;                  /* cuda_scan_bytes(n_buckets) */
};
/* ---- packed witnesses (sum_plan.cu) --------------------------------------------------------- */

struct cuda_select {
    const uint64_t *map;      /* variables that have a base; NULL: all */
    const uint32_t *map_rank; /* ones of map before each 512 variables; NULL with map */
    const uint64_t *full_map, *bits;
    const uint32_t *full_rank;
    size_t n; /* variables */
    uint32_t first_base, first_full;
    uint32_t *bit_base;                /* bases of variables whose bit is set */
    uint32_t *full_base, *full_scalar; /* bases and places of full values */
    uint32_t *counts;                  /* 2 (n / 64 + 1) scratch, becomes offsets */
    uint32_t *totals;                  /* 2: how many of each kind */
    void *scratch;                     /* cuda_scan_bytes(2 (n / 64 + 1)) */
};

/* Rows with more terms than this are in long_rows. */
enum { CUDA_SHORT_TERMS = 24 };
/* A segment of backend/matrix.h, with the witness and the rows [from, to) of the matrix wanted. */
struct cuda_segment {
    const uint32_t *row_end, *var, *coef32, *imports, *long_rows;
    const uint16_t *coef16;
    uint32_t n_rows, count, n_ports, n_long;
    uint32_t aux_base, aux_stride, input_base, input_stride;
    uint64_t first_row;
    const void *plain, *mont; /* the dictionary */
    const int64_t *small;
    const void *records, *values; /* the witness: inputs come first among the values */
    uint32_t n_inputs;
    uint64_t from, to;
    void *out;
};

/* Transposed: sums of M[row][variable] rows[row - from] for variables [first, first + n) of the
 * inputs or of the aux. A variable's sum is eight counters of 64 bits, one a word of the values, n
 * apart. Of the segment's fields those of the witness, and `out`, are not looked at. */
enum { CUDA_COUNTER_BYTES = 64 };
struct cuda_transposed {
    const void *rows;
    bool inputs;
    uint64_t first, n;
    uint64_t *counters; /* zeroed beforehand */
};
/* The terms of rows [from_row, to_row) of the block, in copies [from_copy, to_copy), whose variable
 * is one of [first, first + n), as var_t numbers them, in any order: keys[e] = variable - first,
 * refs[e] = the row, its sign the coefficient's, where that is 1 or -1; the o-th other's is
 * first_other + o, and its row and coefficient are listed. counts: {entries, others}, zeroed
 * beforehand. */
struct cuda_point_terms {
    uint32_t from_row, to_row, from_copy, to_copy;
    uint64_t first, n;
    uint32_t *counts, *keys, *refs, *other_rows, *other_coefs;
    uint32_t first_other;
};

/* ---- what knows no curve (sum_plan.cu) ------------------------------------------------------- */

cudaError_t cuda_digits(const struct cuda_digits *digits, cudaStream_t stream);

/* Sorts n (key, reference) pairs by the low `bits` of the keys. Each array comes with a second one
 * of its size; *which tells where the result is, 0 or 1. */
size_t cuda_sort_bytes(size_t n);
cudaError_t cuda_sort(uint32_t *keys[2], uint32_t *refs[2], size_t n, unsigned bits, int *which,
                      void *scratch, cudaStream_t stream);
size_t cuda_scan_bytes(size_t n);
/* out[i] = in[0] + .. + in[i - 1]; out may be in */
cudaError_t cuda_exclusive_sum(uint32_t *out, const uint32_t *in, size_t n, void *scratch,
                               cudaStream_t stream);
/* Buckets' starts and counts of n sorted keys, and the totals. */
cudaError_t cuda_plan_begin(const struct cuda_plan *plan, const uint32_t *keys, size_t n,
                            cudaStream_t stream);
/* The pairs of one round, whose results will be slots slot0 + i. refs: the entries in the first
 * round, NULL after it. */
cudaError_t cuda_plan_round(const struct cuda_plan *plan, const uint32_t *refs, uint32_t *pairs,
                            uint32_t slot0, unsigned n_sm, cudaStream_t stream);
cudaError_t cuda_select(const struct cuda_select *select, cudaStream_t stream);
/* a[i] = value for i in [begin, end) */
cudaError_t cuda_fill(uint32_t *a, uint32_t value, size_t begin, size_t end, cudaStream_t stream);
/* a[i] = i for i in [0, n) */
cudaError_t cuda_count_up(uint32_t *a, size_t n, cudaStream_t stream);

/* ---- the kernels of a curve ------------------------------------------------------------------ */

struct cuda_kernels {
    /* ---- scalars (fr_kernels.cu) ---- */

    /* out[i] = first * base^i; host_first and host_base are read during the call */
    cudaError_t (*powers)(void *out, const struct scalar *host_first,
                          const struct scalar *host_base, size_t n, cudaStream_t stream);
    /* Plain scale / (y root^-i - 1): backend/lagrange.h. */
    cudaError_t (*lagrange)(void *out, const struct lagrange *host, size_t n, cudaStream_t stream);
    /* out[i] = the constant first * base^(i * step) */
    cudaError_t (*const_powers)(void *out, const struct scalar *host_first,
                                const struct scalar *host_base, uint64_t step, size_t n,
                                cudaStream_t stream);
    cudaError_t (*mul)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
    /* out[i] = a[i] b[i] / 2^256 */
    cudaError_t (*mul_mont)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
    cudaError_t (*sub)(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
    /* out[i] = factor * a[i], or out[i] + factor * a[i] if add */
    cudaError_t (*scale)(void *out, const void *a, const struct scalar *host_factor, bool add,
                         size_t n, cudaStream_t stream);
    /* counts[w] = ones of map[w] among its first n bits, w in [0, n / 64] */
    cudaError_t (*count_ones)(uint32_t *counts, const uint64_t *map, size_t n, cudaStream_t stream);
    /* out = the a[i], i in [0, n), whose bit of map is set; offsets[w]: ones before map[w] */
    cudaError_t (*select_scalars)(void *out, const void *a, const uint64_t *map,
                                  const uint32_t *offsets, size_t n, cudaStream_t stream);
    /* *first = the smallest of itself and the indices of zeros among a[0, n) */
    cudaError_t (*first_zero)(uint64_t *first, const void *a, size_t n, cudaStream_t stream);

    /* ---- transforms (ntt_kernels.cu, ntt_pass_512.cu) ---- */

    cudaError_t (*ntt_pass)(const struct ntt_pass *pass, cudaStream_t stream);
    /* The same for lg_points 9, unrolled; 2^lg_n is at least 2^11, lg_stride 0 or at least 2. */
    cudaError_t (*ntt_pass_512)(const struct ntt_pass *pass, cudaStream_t stream);

    /* table entry (row, col) at (row << lg_cols) + col = w^(row col) * g^(row), w and g given by
     * powers: w^e = low[e % 2^14] high[e >> 14], in Montgomery form; a constant or, if mont, a
     * scalar in Montgomery form */
    cudaError_t (*twiddle_table)(void *table, bool mont, unsigned lg_rows, unsigned lg_cols,
                                 const void *w_low, const void *w_high, const void *g_low,
                                 const void *g_high, cudaStream_t stream);
    /* Montgomery-form powers for the call above: out[i] = base^(i step) */
    cudaError_t (*mont_powers)(void *out, const struct scalar *host_base, uint64_t step, size_t n,
                               cudaStream_t stream);
    cudaError_t (*ntt_permute)(const struct ntt_permute *permute, cudaStream_t stream);
    /* In place, 1, 2 or 4 elements: out[j] = first * post^j * (sum over k of pre^k in[k] w^(j k)).
     */
    cudaError_t (*ntt_tiny)(void *data, unsigned lg_n, const struct scalar *host_w,
                            const struct scalar *host_pre, const struct scalar *host_first,
                            const struct scalar *host_post, cudaStream_t stream);

    /* ---- points (group_kernels.cu, fixed_base_kernels.cu) ---- */

    /* native infinities (all zeros) of points [0, n) -> all ones */
    cudaError_t (*points_prepare)(enum cuda_group group, void *table, size_t n,
                                  cudaStream_t stream);

    /* and back */
    cudaError_t (*points_native)(enum cuda_group group, void *table, size_t n, cudaStream_t stream);
    /* native points to plain and back, in place; infinity is all zeros in both */
    cudaError_t (*points_to_plain)(enum cuda_group group, void *points, size_t n,
                                   cudaStream_t stream);
    cudaError_t (*points_from_plain)(enum cuda_group group, void *points, size_t n,
                                     cudaStream_t stream);
    /* out[i] = slot first + i, native, i in [0, n) */
    cudaError_t (*points_take)(enum cuda_group group, void *out, const struct cuda_points *points,
                               uint32_t first, size_t n, cudaStream_t stream);
    size_t (*batch_add_bytes)(enum cuda_group group, size_t n_pairs); /* grows with n_pairs */
    cudaError_t (*batch_add)(enum cuda_group group, const struct cuda_batch *batch, unsigned n_sm,
                             cudaStream_t stream);
    cudaError_t (*group_sum)(enum cuda_group group, const struct cuda_group_sum *sum,
                             cudaStream_t stream);
    size_t (*weighted_bytes)(enum cuda_group group, size_t n, size_t n_lists);
    cudaError_t (*weighted_sums)(enum cuda_group group, const struct cuda_weighted *weighted,
                                 cudaStream_t stream);

    /* ---- multiples of one base (fixed_base_kernels.cu) ---- */

    /* From the points 2^(16 w) base in slots 0 .. 15: pairs whose sums are multiples known + 1 ..
     * 2 known of every window, and belong in slots 16 known on; known: a power of two, from 1 on.
     */
    cudaError_t (*fixed_pairs)(uint32_t *pairs, uint32_t known, cudaStream_t stream);
    /* What they left in slots 0 .. 2^19 - 1 -> the table's CUDA_FIXED_POINTS, native. */
    cudaError_t (*fixed_table)(enum cuda_group group, void *table, const struct cuda_points *points,
                               cudaStream_t stream);
    /* refs[16 i + w] = the table point of digit w of scalar i */
    cudaError_t (*fixed_refs)(uint32_t *refs, const void *scalars, size_t n, cudaStream_t stream);
    /* ---- points times scalars of their own (group_ntt_kernels.cu) ---- */

    /* Arrays of XYZZ points, 4 cuda_coordinate_bytes each, from native or table points i or
     * index[i].
     */
    cudaError_t (*xyzz_load)(enum cuda_group group, void *out, const void *points,
                             const uint32_t *index, size_t n, cudaStream_t stream);
    /* point i -> native points[i], or, lg_reversed > 0, points[the lg_reversed bits of i reversed]
     */
    cudaError_t (*xyzz_affine)(enum cuda_group group, void *points, const void *xyzz, size_t n,
                               unsigned lg_reversed, cudaStream_t stream);
    /* the same into temporaries, whose infinity is all ones */
    cudaError_t (*xyzz_slots)(enum cuda_group group, void *x, void *y, const void *xyzz, size_t n,
                              cudaStream_t stream);
    /* points[i] *= 2^times */
    cudaError_t (*xyzz_double)(enum cuda_group group, void *points, size_t n, unsigned times,
                               cudaStream_t stream);
    /* points[i] *= scalars[i] */
    cudaError_t (*xyzz_scale)(enum cuda_group group, void *points, const void *scalars, size_t n,
                              cudaStream_t stream);
    /* One layer of a transform that leaves bit-reversed order: in every block of 2^(lg_half + 1) of
     * the 2^lg_n points (a, b) -> (a + b, powers[j 2^(lg_n - 1 - lg_half)] (a - b)), j the place in
     * the block's half; powers: 2^(lg_n - 1) scalars. */
    cudaError_t (*xyzz_butterflies)(enum cuda_group group, void *points, unsigned lg_n,
                                    unsigned lg_half, const void *powers, cudaStream_t stream);
    /* After the last round: bucket b's sum to slot out + b (infinity if it is empty). */
    cudaError_t (*plan_collect)(enum cuda_group group, const struct cuda_plan *plan,
                                const struct cuda_points *points, uint32_t out,
                                cudaStream_t stream);
    /* ---- recorded matrices (spmv_kernels.cu) ---- */

    /* records[w] = {full map, bits, full values before, 0} of 32 variables; n_words of 64 */
    cudaError_t (*witness_records)(void *records, const uint64_t *full_map, const uint64_t *bits,
                                   const uint32_t *full_rank, size_t n_words, cudaStream_t stream);
    /* A dictionary of n plain coefficients in Montgomery form, and as integers where they or their
     * negatives are below 2^32, else 0. */
    cudaError_t (*dictionary)(const void *plain, void *mont, int64_t *small, size_t n,
                              cudaStream_t stream);
    cudaError_t (*spmv_segment)(const struct cuda_segment *segment, cudaStream_t stream);
    cudaError_t (*transpose_segment)(const struct cuda_segment *segment,
                                     const struct cuda_transposed *transposed, cudaStream_t stream);
    cudaError_t (*point_terms)(const struct cuda_segment *segment,
                               const struct cuda_point_terms *terms, cudaStream_t stream);
    /* out[i] = dictionary[index[i]], plain */
    cudaError_t (*gather_scalars)(void *out, const void *dictionary, const uint32_t *index,
                                  size_t n, cudaStream_t stream);
    /* out[i] += the scalar that the counters of variable i hold */
    cudaError_t (*add_counted)(void *out, const uint64_t *counters, size_t n, cudaStream_t stream);
};
/* The names of all of them. */
#define CUDA_KERNELS(X)                                                                            \
    X(powers)                                                                                      \
    X(lagrange)                                                                                    \
    X(const_powers)                                                                                \
    X(mul)                                                                                         \
    X(mul_mont)                                                                                    \
    X(sub)                                                                                         \
    X(scale)                                                                                       \
    X(count_ones) X(select_scalars) X(first_zero) X(ntt_pass) X(ntt_pass_512) X(twiddle_table)     \
        X(mont_powers) X(ntt_permute) X(ntt_tiny) X(points_prepare) X(points_native)               \
            X(points_to_plain) X(points_from_plain) X(points_take) X(batch_add_bytes) X(batch_add) \
                X(group_sum) X(weighted_bytes) X(weighted_sums) X(fixed_pairs) X(fixed_table)      \
                    X(fixed_refs) X(xyzz_load) X(xyzz_affine) X(xyzz_slots) X(xyzz_double)         \
                        X(xyzz_scale) X(xyzz_butterflies) X(plan_collect) X(witness_records)       \
                            X(dictionary) X(spmv_segment) X(transpose_segment) X(point_terms)      \
                                X(gather_scalars) X(add_counted)
extern const struct cuda_kernels cuda_kernels_bls12_381, cuda_kernels_bn254;

static inline const struct cuda_kernels *cuda_kernels_of(enum cuda_group group)
{
    return cuda_is_bn254(group) ? &cuda_kernels_bn254 : &cuda_kernels_bls12_381;
}
/* A launcher whose first argument is the group. */
#define BY_CURVE(name, group, ...) (cuda_kernels_of(group)->name((group), __VA_ARGS__))

#ifdef __cplusplus
}
#endif
#endif
