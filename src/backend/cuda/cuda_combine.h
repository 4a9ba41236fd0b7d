/* The last steps of a sum of points, on the host. */
#ifndef BACKEND_CUDA_CUDA_COMBINE_H
#define BACKEND_CUDA_CUDA_COMBINE_H

#include "backend/cuda/cuda_device.h"

/* result->finish of a sum over n_windows sets of buckets, window_bits apart: `landed` holds
 * 1 + 2 n_windows points of the group, XYZZ, Montgomery, reduced: T, then R_w, then C_w.
 * *result->out, plain affine, becomes
 *     T + sum over w of 2^(window_bits w) (2^row_bits R_w + C_w). */
void cuda_combine_g1(const struct result *result, const void *landed);
void cuda_combine_g2(const struct result *result, const void *landed);

#endif
