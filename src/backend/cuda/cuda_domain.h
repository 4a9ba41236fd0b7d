/* A domain's numbers and tables on the device: cuda_domain.c says how they make a transform. */
#ifndef BACKEND_CUDA_CUDA_DOMAIN_H
#define BACKEND_CUDA_CUDA_DOMAIN_H

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/launch.h"

enum direction { FORWARD, INVERSE };

/* Products after the last inverse pass, by k_last; M = N / n_last, R = 2^256. */
enum last_table {
    LAST_PLAIN,      /* 1 / N */
    LAST_COSET,      /* g^(M k) / N */
    LAST_MONT_COSET, /* g^(M k) R / N:        before a Montgomery product, or after one */
    LAST_MONT_PLAIN, /* R / N:                the same for another coset */
    LAST_MONT,       /* R / (N Z):            c = a b / R of H_POWERS, Z = g^N - 1 */
    LAST_Z,          /* 1 / (N Z):            the same for c as it is */
    LAST_MONT_BACK,  /* g^-(M k) R / (N Z):   the product on the coset, on its way back */
    LAST_G,          /* g^(M k):              before a lone forward transform */
    LAST_N,
};

/* Domains of 2^this many elements and more hold the twiddles of the first digit as scalars in
 * Montgomery form rather than as constants (TABLES_FAST): half of the memory. Tests lower it. */
extern unsigned cuda_compact_from;

struct domain {
    struct device *device;
    const struct cuda_kernels *kernels;
    unsigned lg_n;
    enum domain_tables tables;
    uint64_t g_generator; /* g as the curve's table of roots knows it */
    struct scalar root[2], g, g_inverse, n_inverse;
    struct ntt_digits digits;
    unsigned root_power[2];
    struct piece *piece;
    uint8_t *inner[2][NTT_MAX_DIGITS];
    uint8_t *twiddle[2][NTT_MAX_DIGITS]; /* not for the last digit */
    uint8_t *twiddle_high[2];            /* of the first digit, where it is split */
    uint8_t *last[LAST_N];
    uint8_t *back_low, *back_high; /* powers of 1/g */
    uint8_t *odd_low, *odd_high;   /* powers of s/g, s the shift of H_ODD_COSET */
};

#endif
