/* A scalar in two halves: k = k1 + k2 lambda mod r with both of half the length of r.
 *
 * Parameters: fr, and GLV_* of params/<curve>.h, which also explains the arithmetic;
 * tools/params.py finds the lattice's short basis and the bound GLV_BITS.
 *
 * Names defined: struct glv_half, glv_split */
#include "field/limbs.h"

struct glv_half {
    uint64_t l[GLV_WORDS]; /* magnitude, below 2^GLV_BITS */
    bool negative;
};

/* acc += a * b mod 2^(64 GLV_WORDS) */
static inline void glv_mul_add(uint64_t *acc, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < GLV_WORDS; i++) {
        uint64_t carry = 0;

        for (size_t j = 0; i + j < GLV_WORDS; j++)
            acc[i + j] = limb_mul_add(acc[i + j], a[i], b[j], &carry);
    }
}

/* out = floor(k q / 2^(64 FR_LIMBS)), GLV_WORDS words */
static inline void glv_quotient(uint64_t *out, const fr_t *k, const uint64_t *q)
{
    uint64_t product[FR_LIMBS + GLV_WORDS] = {0};

    for (size_t i = 0; i < FR_LIMBS; i++) {
        uint64_t carry = 0;

        for (size_t j = 0; j < GLV_WORDS; j++)
            product[i + j] = limb_mul_add(product[i + j], k->l[i], q[j], &carry);
        product[i + GLV_WORDS] = carry;
    }
    for (size_t i = 0; i < GLV_WORDS; i++)
        out[i] = product[FR_LIMBS + i];
}

/* From two's complement to sign and magnitude. */
static inline void glv_sign(struct glv_half *half)
{
    const uint64_t mask = 0 - (half->l[GLV_WORDS - 1] >> 63);
    uint64_t carry = mask & 1;

    half->negative = mask != 0;
    for (size_t i = 0; i < GLV_WORDS; i++)
        half->l[i] = limb_add(half->l[i] ^ mask, 0, &carry);
}

/* k plain, reduced */
static inline void glv_split(struct glv_half half[2], const fr_t *k)
{
    static const uint64_t quotient[2][GLV_WORDS] = {GLV_QUOTIENT_1, GLV_QUOTIENT_2};
    static const uint64_t step[2][2][GLV_WORDS] = {{GLV_STEP_1}, {GLV_STEP_2}};

    memset(half, 0, 2 * sizeof *half);
    for (size_t i = 0; i < GLV_WORDS && i < FR_LIMBS; i++)
        half[0].l[i] = k->l[i];
    for (size_t i = 0; i < 2; i++) {
        uint64_t c[GLV_WORDS];

        glv_quotient(c, k, quotient[i]);
        glv_mul_add(half[0].l, c, step[i][0]);
        glv_mul_add(half[1].l, c, step[i][1]);
    }
    glv_sign(&half[0]);
    glv_sign(&half[1]);
}
