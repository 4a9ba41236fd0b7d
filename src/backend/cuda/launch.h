/* The kernels as the C side of this back end sees them: one function a launch.
 *
 * Launchers return at once; the work is ordered on `stream`. Pointers are device memory unless a
 * name begins with host_. They allocate nothing: scratch is given. Their value is the CUDA error of
 * the launch. Kernels are BLS12-381's; the grid follows from the sizes, block sizes stand beside
 * the kernels.
 *
 * Scalars are 32 bytes, plain, below r, unless said otherwise. */
#ifndef BACKEND_CUDA_LAUNCH_H
#define BACKEND_CUDA_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "curve/curve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scalars (fr_kernels.cu) ---------------------------------------------------------------- */

enum { CUDA_CONST_BYTES = 64 }; /* a constant factor with its quotient (fr.cuh) */

/* out[i] = first * base^i; host_first and host_base are read during the call */
cudaError_t cuda_powers(void *out, const struct scalar *host_first, const struct scalar *host_base,
                        size_t n, cudaStream_t stream);
/* out[i] = the constant first * base^(i * step) */
cudaError_t cuda_const_powers(void *out, const struct scalar *host_first,
                              const struct scalar *host_base, uint64_t step, size_t n,
                              cudaStream_t stream);
cudaError_t cuda_mul(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
/* out[i] = a[i] b[i] / 2^256 */
cudaError_t cuda_mul_mont(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
cudaError_t cuda_sub(void *out, const void *a, const void *b, size_t n, cudaStream_t stream);
/* out[i] = factor * a[i], or out[i] + factor * a[i] if add */
cudaError_t cuda_scale(void *out, const void *a, const struct scalar *host_factor, bool add,
                       size_t n, cudaStream_t stream);

/* ---- transforms (ntt_kernels.cu) ------------------------------------------------------------ */

/* One pass: a DFT over one digit of the index, natural order inside the digit, then a product by a
 * table entry. See cuda_domain.c for how passes make a transform. */
struct ntt_pass {
    const void *from;
    void *to;            /* may be from */
    unsigned lg_n;       /* of the whole vector */
    unsigned lg_points;  /* of the DFT: 3 .. 9 */
    unsigned lg_stride;  /* distance of its elements; 0 when they lie side by side */
    unsigned root_power; /* the 8th root of the transform as an odd power of the kernels' own one */
    const void *inner;   /* constants: w^(b t) at b n/8 + t, then w^(8 a m) at m n/64 + a */
    const void *table;   /* constants at position & mask, or NULL */
    uint64_t mask;
    const void *other; /* a vector whose Montgomery product with the result is wanted, or NULL */
    bool canonical;    /* results below r rather than 2r */
};
cudaError_t cuda_ntt_pass(const struct ntt_pass *pass, cudaStream_t stream);
/* The kernels' own 8th root (its square is |z|^3) goes to constant memory; once a device. */
cudaError_t cuda_ntt_init(void);

/* table entry (row, col) at (row << lg_cols) + col = w^(row col) * g^(row), w and g given by
 * powers: w^e = low[e % 2^14] high[e >> 14], in Montgomery form */
cudaError_t cuda_twiddle_table(void *table, unsigned lg_rows, unsigned lg_cols, const void *w_low,
                               const void *w_high, const void *g_low, const void *g_high,
                               cudaStream_t stream);
/* Montgomery-form powers for the call above: out[i] = base^(i step) */
cudaError_t cuda_mont_powers(void *out, const struct scalar *host_base, uint64_t step, size_t n,
                             cudaStream_t stream);

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
cudaError_t cuda_ntt_permute(const struct ntt_permute *permute, cudaStream_t stream);
/* In place, 1, 2 or 4 elements: out[j] = first * post^j * (sum over k of pre^k in[k] w^(j k)). */
cudaError_t cuda_ntt_tiny(void *data, unsigned lg_n, const struct scalar *host_w,
                          const struct scalar *host_pre, const struct scalar *host_first,
                          const struct scalar *host_post, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
