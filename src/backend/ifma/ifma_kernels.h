/* The operations of a curve in lanes: what the ifma back end puts in the place of the portable
 * ones.
 *
 * Each function replaces entries of a table that holds the portable kernels of the same group
 * (msm/group_kernels.h) or scalars (ntt/scalar_kernels.h); contracts and results are the same. */
#ifndef BACKEND_IFMA_IFMA_KERNELS_H
#define BACKEND_IFMA_IFMA_KERNELS_H

#include "msm/group_kernels.h"
#include "ntt/scalar_kernels.h"

struct ifma_kernels {
    void (*replace_g1)(struct group_kernels *kernels);
    void (*replace_g2)(struct group_kernels *kernels);
    void (*replace_poseidon)(struct scalar_kernels *kernels);
};

/* The same for scalars, on curves whose scalars have four words. */
void ifma_scalars_bls12_381(struct scalar_kernels *kernels);
void ifma_scalars_bn254(struct scalar_kernels *kernels);

/* The pairings of a curve that holds the portable ones. */
void ifma_pairing_bls12_381(struct curve *curve);
void ifma_pairing_bn254(struct curve *curve);
void ifma_pairing_toy_bn(struct curve *curve);
void ifma_pairing_toy_bls12(struct curve *curve);

extern const struct ifma_kernels ifma_bls12_381, ifma_bn254, ifma_toy_bn, ifma_toy_bls12;

/* The same curve with its bulk operations in lanes. Only where cpu_features()->avx512_ifma. */
const struct curve *ifma_curve(const struct curve *curve);

#endif
