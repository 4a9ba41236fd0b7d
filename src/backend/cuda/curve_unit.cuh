/* Which curve this unit is for. Every unit with a curve is compiled once for each; the builder says
 * CUDA_CURVE=bls12_381 or CUDA_CURVE=bn254, and what it exports has that name before its own. */
#pragma once
#ifndef CUDA_CURVE
#error "CUDA_CURVE names the curve of this unit"
#endif

#define CUDA_JOIN_(a, b) a##_##b
#define CUDA_JOIN(a, b) CUDA_JOIN_(a, b)
#define CUDA_IS_bls12_381 0
#define CUDA_IS_bn254 1
#define CUDA_IS_BN254 CUDA_JOIN(CUDA_IS, CUDA_CURVE)

#if CUDA_IS_BN254
#include "params/bn254.h"
#else
#include "params/bls12_381.h"
#endif

#include "backend/cuda/launch.h"

/* The launcher of that name in struct cuda_kernels. */
#define KERNEL(name) CUDA_JOIN(CUDA_CURVE, name)

#ifdef __cplusplus
#include <type_traits>
#define CUDA_DECLARE(name) std::remove_pointer<decltype(cuda_kernels::name)>::type KERNEL(name);
extern "C" {
CUDA_KERNELS(CUDA_DECLARE)
}
#endif
