/* The table of a curve's kernels. */
#include "backend/cuda/curve_unit.cuh"

#define CUDA_ENTRY(name) KERNEL(name),

extern "C" const struct cuda_kernels CUDA_JOIN(cuda_kernels,
                                               CUDA_CURVE) = {CUDA_KERNELS(CUDA_ENTRY)};
