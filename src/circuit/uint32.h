/* 32-bit words of Bools, and their addition.
 *
 * A word keeps the kinds and values of its Bools as masks, so that a witness sink handles 32 Bools
 * with a few instructions; only a shape sink looks at single variables. Bit i is 2^i. */
#ifndef CIRCUIT_UINT32_H
#define CIRCUIT_UINT32_H

#include "circuit/boolean.h"
#include "circuit/lc.h"

struct uint32 {
    uint32_t is_var; /* not constant */
    uint32_t is_not; /* a negated variable; within is_var */
    uint32_t value;  /* of the Bools; in a shape sink zero within is_var */
    var_t var[32];   /* shape sink only: where is_var */
};

void uint32_set_constant(struct uint32 *out, uint32_t value);
/* bits: 32 Bools, most significant first. */
void uint32_of_bits_be(struct uint32 *out, const bool_t *bits);
void uint32_to_bits_be(bool_t *bits, const struct uint32 *a);

/* ---- results go to *out, which may be an operand except where said ---- */

/* Rotation right; no allocation. out may not be a. */
void uint32_rotr(const struct sink *sink, struct uint32 *out, const struct uint32 *a, unsigned n);
/* Shift right, constant false from above. out may not be a. */
void uint32_shr(const struct sink *sink, struct uint32 *out, const struct uint32 *a, unsigned n);

/* Bit by bit from bit 0: bool_xor, bool_ch, bool_maj. */
void uint32_xor(struct sink *sink, struct uint32 *out, const struct uint32 *a,
                const struct uint32 *b);
void uint32_ch(struct sink *sink, struct uint32 *out, const struct uint32 *a,
               const struct uint32 *b, const struct uint32 *c);
void uint32_maj(struct sink *sink, struct uint32 *out, const struct uint32 *a,
                const struct uint32 *b, const struct uint32 *c);

/* ---- sums ----------------------------------------------------------------------------------- */

/* Several equations between sums of bits in one row: with `used` bits taken, the next pair of sides
 * is added times 2^used. A row [left] * 1 = [right] is written when the next pair would reach 254
 * bits, and at the end. */
enum { UINT32_OPERANDS_MAX = 10, MULTIEQ_LEFT_MAX = 7 * 32 * UINT32_OPERANDS_MAX + 1 };

struct multieq {
    struct sink *sink;
    unsigned used;
    struct lc left, right; /* shape sink only */
    struct term left_terms[MULTIEQ_LEFT_MAX];
    struct term right_terms[256];
};

void multieq_init(struct multieq *eq, struct sink *sink);
/* Makes room for a pair of n bits; the pair is then added to eq->left and eq->right times
 * 2^(returned shift). */
unsigned multieq_room(struct multieq *eq, unsigned n);
void multieq_done(struct multieq *eq);

/* out = sum of n words mod 2^32, 1 <= n <= UINT32_OPERANDS_MAX. All constant: a constant. Else the
 * bits of the largest possible sum are allocated (33 to 36 of them) with their boolean rows, and
 * the equation goes to eq. out may not be an operand. */
void uint32_sum(struct multieq *eq, struct uint32 *out, const struct uint32 *const *operands,
                unsigned n);

#endif
