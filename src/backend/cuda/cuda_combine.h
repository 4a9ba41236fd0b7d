/* The last steps of a sum of points, on the host. */
#ifndef BACKEND_CUDA_CUDA_COMBINE_H
#define BACKEND_CUDA_CUDA_COMBINE_H

#include "backend/cuda/cuda_device.h"

/* result->finish of a sum over n_windows sets of buckets, window_bits apart: `landed` holds
 * 1 + 2 n_windows points of the group, XYZZ, Montgomery, reduced: T, then R_w, then C_w.
 * *result->out, plain affine, becomes
 *     T + sum over w of 2^(window_bits w) (2^row_bits R_w + C_w). */
typedef void cuda_combine(const struct result *result, const void *landed);
cuda_combine cuda_combine_bls12_381_g1, cuda_combine_bls12_381_g2;
cuda_combine cuda_combine_bn254_g1, cuda_combine_bn254_g2;

static inline cuda_combine *cuda_combine_of(enum cuda_group group)
{
    static cuda_combine *const all[] = {
        [CUDA_BLS12_381_G1] = cuda_combine_bls12_381_g1,
        [CUDA_BLS12_381_G2] = cuda_combine_bls12_381_g2,
        [CUDA_BN254_G1] = cuda_combine_bn254_g1,
        [CUDA_BN254_G2] = cuda_combine_bn254_g2,
    };

    return all[group];
}

#endif
