/* A prime field in eight lanes: the template.
 *
 * Parameters, defined before the include and undefined by it: FIELD and PARAM as in
 * field/field.inc.h, which comes before for the same field.
 *
 * Lanes. A number is N limbs of 52 bits, least significant first; limb j of eight numbers shares a
 * vector. They are Montgomery forms with S = 2^(52 N): S = 2^416 for 381 bits, 2^260 for 254 and
 * 255. All eight go through the same instructions, and no carry ever crosses from lane to lane.
 *
 *             lane 7  ...  lane 1   lane 0
 *     l[0]     a7_0         a1_0     a0_0       limb 0: bits 0 .. 51
 *     l[1]     a7_1         a1_1     a0_1
 *      :
 *
 * Carries. A limb has 12 bits to spare above its 52. *Normal* numbers do not use them; the factors
 * of a product must be normal, because the multiplier sees 52 bits. *Raw* numbers have signed
 * limbs, and are sums of a few normal ones taken limb by limb; normalising runs once through the
 * limbs. A row of a product adds 4 numbers of 52 bits to a limb, which lives through N <= 8 rows:
 * 57 bits.
 *
 * Bounds. Numbers are not reduced below p: S leaves at least 5 bits, and a comment or an argument k
 * says that a number is below k p. A product of a < A p and b < B p is below p (1 + A B p / S), so
 *
 *     A B <= 35   keeps products below 2p on every field of ours.
 *
 * Differences add k p to stay positive; *folding* brings a raw number back below 2p for ten
 * instructions more than normalising it, by a quotient estimated from the top limb.
 *
 * Pairs. In memory two numbers stand together: one row of 64 bytes if they fit there as 64-bit
 * words (below 2p < 2^(64 limbs)), else two rows of limbs. Bit 63 of the last word of the first is
 * free; points mark infinity with it.
 *
 * Names defined, for FIELD = fp:
 *   fp_lanes_t                             N vectors
 *   fp_lane_modulus fp_lane_one ...        constants, limbs
 *   fp_lanes_set                           one constant in all lanes
 *   fp_lanes_mul fp_lanes_sqr              normal, below 2p; out may be any operand
 *   fp_lanes_mul_sum                       (a b + c d) / S
 *   fp_lanes_sub                           a - b + k p, normal
 *   fp_lanes_add                           a + b, normal
 *   fp_lanes_raw_sub                       a - b, raw
 *   fp_lanes_neg_where                     2p - a in some lanes, raw
 *   fp_lanes_fold                          raw, above -4p and below 3p, to normal, below 2p
 *   fp_lanes_multiple                      a small multiple, folded
 *   fp_lanes_select                        lane by lane
 *   fp_lanes_zeros fp_lanes_equal          the lanes that are 0 mod p, that are the same mod p
 *   fp_lanes_exchange fp_lanes_first fp_lanes_all
 *   fp_lanes_inv                           all lanes for one scalar inversion (lanes_inv.inc.h)
 *   fp_lanes_split fp_lanes_join           64-bit words <-> limbs, in lanes
 *   fp_lanes_import fp_lanes_export        words in memory <-> lanes, a factor on the way
 *   fp_lanes_decode                        from big-endian bytes, which may be too large
 *   fp_lanes_are_reduced                   are words in memory below p?
 *   fp_pair_t, fp_pair_load fp_pair_load_first fp_pair_store
 *   fp_pair_set_limbs fp_pair_get fp_pair_negate     one pair, scalar
 *
 * Variable time. */
#include "backend/ifma/lanes.h"

#define F(name) TEMPLATE_JOIN(FIELD, name)
#define P(name) TEMPLATE_JOIN(PARAM, name)
#define F_T F(t)
#define F_LANES_T F(lanes_t)
#define F_PAIR_T F(pair_t)
#define F_LIMBS P(LIMBS)
#define F_N P(LANE_LIMBS)
#define F_PACKED (2 * P(LIMBS) <= 8)

typedef struct {
    __m512i l[F_N];
} F_LANES_T;

#define LANE_LIMB(limb) UINT64_C(limb),
static const uint64_t F(lane_modulus)[F_N] = {P(LANE_EACH)(LANE_LIMB)};
#undef LANE_LIMB
static const uint64_t F(lane_one)[F_N] = P(LANE_ONE);
static const uint64_t F(lane_from_native)[F_N] = P(LANE_FROM_NATIVE);
static const uint64_t F(lane_from_plain)[F_N] = P(LANE_FROM_PLAIN);
static const uint64_t F(lane_to_native)[F_N] = P(LANE_TO_NATIVE);

LANE_INLINE void F(lanes_set)(F_LANES_T *out, const uint64_t limbs[F_N])
{
    for (int j = 0; j < F_N; j++)
        out->l[j] = lanes_set(limbs[j]);
}

LANE_INLINE void F(lanes_set_one)(F_LANES_T *out)
{
    F(lanes_set)(out, F(lane_one));
}

/* ---- checks ---------------------------------------------------------------------------------- */

#ifdef CUZK_LANE_CHECKS
/* Are all lanes normal and below k p? */
static inline bool F(lanes_are_below)(const F_LANES_T *a, unsigned k)
{
    __m512i borrow = _mm512_setzero_si512(), high = borrow; /* of a - k p, limb by limb */

    for (int j = 0; j < F_N; j++) {
        const __m512i multiple = lanes_set(k * F(lane_modulus)[j]);

        high = _mm512_or_si512(high, _mm512_srli_epi64(a->l[j], LANE_BITS));
        borrow = _mm512_add_epi64(borrow, _mm512_sub_epi64(a->l[j], multiple));
        borrow = _mm512_srai_epi64(borrow, LANE_BITS);
    }
    return _mm512_test_epi64_mask(high, high) == 0 && _mm512_movepi64_mask(borrow) == 0xff;
}
#endif

/* ---- carries --------------------------------------------------------------------------------- */

/* out = t with its carries run through; the value is not negative. */
LANE_INLINE void F(lanes_normalize)(F_LANES_T *out, const __m512i t[F_N])
{
    const __m512i mask = lanes_set(LANE_MASK);
    __m512i carry = _mm512_setzero_si512();

    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        const __m512i limb = _mm512_add_epi64(t[j], carry);

        carry = _mm512_srai_epi64(limb, LANE_BITS);
        out->l[j] = _mm512_and_si512(limb, mask);
    }
}

/* a < A p, b < B p: below (A + B) p, which S must hold. */
LANE_INLINE void F(lanes_add)(F_LANES_T *out, const F_LANES_T *a, const F_LANES_T *b)
{
    __m512i t[F_N];

    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        t[j] = _mm512_add_epi64(a->l[j], b->l[j]);
    F(lanes_normalize)(out, t);
}

/* a normal or raw, b <= k p normal or raw, a - b + k p >= 0. */
LANE_INLINE void F(lanes_sub)(F_LANES_T *out, const F_LANES_T *a, const F_LANES_T *b, unsigned k)
{
    __m512i t[F_N];

    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        t[j] =
            _mm512_add_epi64(_mm512_sub_epi64(a->l[j], b->l[j]), lanes_set(k * F(lane_modulus)[j]));
    F(lanes_normalize)(out, t);
}

LANE_INLINE void F(lanes_raw_sub)(F_LANES_T *out, const F_LANES_T *a, const F_LANES_T *b)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_sub_epi64(a->l[j], b->l[j]);
}

/* a < 2p: raw, in [0, 2p]. */
LANE_INLINE void F(lanes_neg_where)(F_LANES_T *a, __mmask8 where)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        a->l[j] = _mm512_mask_sub_epi64(a->l[j], where, lanes_set(2 * F(lane_modulus)[j]), a->l[j]);
}

/* Multiples of p that folding adds, limb by limb: 5p less the quotient times p. */
#define FOLD_ROW(limb)                                                                             \
    {5 * INT64_C(limb), 4 * INT64_C(limb), 3 * INT64_C(limb),  2 * INT64_C(limb),                  \
     INT64_C(limb),     0 * INT64_C(limb), -1 * INT64_C(limb), -2 * INT64_C(limb)},
static const int64_t F(lane_fold)[F_N][8] __attribute__((aligned(64))) = {P(LANE_EACH)(FOLD_ROW)};
#undef FOLD_ROW

/* a raw with limbs below 2^55 in size, value in (-4p, 3p). With W = 2^(52 (N - 1)), P the top limb
 * of p and u = a + 5p in (p, 8p), u / W differs from the top limb of u by less than 8; less 8, that
 * is never negative (P > 100), and its product with 2^52 / (P + 1) is q 2^52, q <= u / p, and above
 * u / p - 1 - 33/P - 8 P / 2^52: what is left is below 2p. */
LANE_INLINE void F(lanes_fold)(F_LANES_T *out, const F_LANES_T *a)
{
    const uint64_t top_of_p = F(lane_modulus)[F_N - 1];
    const __m512i top = _mm512_add_epi64(a->l[F_N - 1], lanes_set(5 * top_of_p - 8));
    const __m512i q = lanes_high(_mm512_setzero_si512(), top, lanes_set(P(LANE_RECIPROCAL)));
    __m512i t[F_N];

    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        t[j] = _mm512_add_epi64(a->l[j],
                                _mm512_permutexvar_epi64(q, _mm512_load_si512(F(lane_fold)[j])));
    F(lanes_normalize)(out, t);
    LANE_ASSERT(F(lanes_are_below)(out, 2));
}

/* k a - less p, a normal, k <= 4: the value in (-4p, 3p), as folding asks. */
LANE_INLINE void F(lanes_multiple)(F_LANES_T *out, const F_LANES_T *a, unsigned k, unsigned less)
{
    F_LANES_T t;

    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        t.l[j] = _mm512_sub_epi64(a->l[j], lanes_set(less * F(lane_modulus)[j]));
        for (unsigned i = 1; i < k; i++)
            t.l[j] = _mm512_add_epi64(t.l[j], a->l[j]);
    }
    F(lanes_fold)(out, &t);
}

/* a normal, below 2p, to below p. */
LANE_INLINE void F(lanes_reduce_once)(F_LANES_T *out, const F_LANES_T *a)
{
    const __m512i mask = lanes_set(LANE_MASK);
    __m512i carry = _mm512_setzero_si512();
    F_LANES_T less;
    __mmask8 negative;

    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        const __m512i limb =
            _mm512_add_epi64(_mm512_sub_epi64(a->l[j], lanes_set(F(lane_modulus)[j])), carry);

        carry = _mm512_srai_epi64(limb, LANE_BITS);
        less.l[j] = _mm512_and_si512(limb, mask);
    }
    negative = _mm512_movepi64_mask(carry);
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_mask_blend_epi64(negative, less.l[j], a->l[j]);
}

/* out = where ? b : a */
LANE_INLINE void F(lanes_select)(F_LANES_T *out, __mmask8 where, const F_LANES_T *a,
                                 const F_LANES_T *b)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_mask_blend_epi64(where, a->l[j], b->l[j]);
}

/* The lanes of a that are 0 mod p; a normal, a <= k p. */
static inline __mmask8 F(lanes_zeros)(const F_LANES_T *a, unsigned k)
{
    __mmask8 zeros = 0;

    for (unsigned i = 0; i <= k; i++) {
        __mmask8 same = 0xff;
        uint64_t carry = 0;

        for (int j = 0; j < F_N; j++) {
            carry += i * F(lane_modulus)[j];
            same &= _mm512_cmpeq_epi64_mask(a->l[j], lanes_set(carry & LANE_MASK));
            carry >>= LANE_BITS;
        }
        zeros |= same;
    }
    return zeros;
}

/* The lanes where a = b mod p; a < 3p, b < 4p. */
static inline __mmask8 F(lanes_equal)(const F_LANES_T *a, const F_LANES_T *b)
{
    F_LANES_T t;

    F(lanes_raw_sub)(&t, a, b);
    F(lanes_fold)(&t, &t);
    return F(lanes_zeros)(&t, 1);
}

/* ---- multiplication -------------------------------------------------------------------------- */

/* t += a b, the low halves of limb products to t[0 .. N - 1] or the high ones to t[1 .. N]. */
LANE_INLINE void F(lanes_low_row)(__m512i *t, const F_LANES_T *a, __m512i b)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        t[j] = lanes_low(t[j], a->l[j], b);
}

LANE_INLINE void F(lanes_high_row)(__m512i *t, const F_LANES_T *a, __m512i b)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        t[j + 1] = lanes_high(t[j + 1], a->l[j], b);
}

/* t += a a: the mixed products once, doubled. */
LANE_INLINE void F(lanes_square)(__m512i t[2 * F_N], const F_LANES_T *a)
{
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        LANE_UNROLL
        for (int j = i + 1; j < F_N; j++) {
            t[i + j] = lanes_low(t[i + j], a->l[i], a->l[j]);
            t[i + j + 1] = lanes_high(t[i + j + 1], a->l[i], a->l[j]);
        }
    }
    LANE_UNROLL
    for (int j = 1; j < 2 * F_N - 1; j++)
        t[j] = _mm512_add_epi64(t[j], t[j]);
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        t[2 * i] = lanes_low(t[2 * i], a->l[i], a->l[i]);
        t[2 * i + 1] = lanes_high(t[2 * i + 1], a->l[i], a->l[i]);
    }
}

/* The multiple of p whose lowest limb clears that of t[0]. */
LANE_INLINE __m512i F(lanes_quotient)(const __m512i *t)
{
    return lanes_low(_mm512_setzero_si512(), t[0], lanes_set(P(LANE_N0)));
}

/* t += q p, but for t[0], which is done: it would come to the next multiple of 2^52, and what that
 * carries to t[1] is known without the product. */
LANE_INLINE void F(lanes_take_quotient)(__m512i *t, __m512i q)
{
    __m512i carry = _mm512_add_epi64(t[0], lanes_set(LANE_MASK));

    carry = _mm512_srli_epi64(carry, LANE_BITS);
    carry = lanes_high(carry, q, lanes_set(F(lane_modulus)[0]));
    LANE_UNROLL
    for (int j = 1; j < F_N; j++)
        t[j] = lanes_low(t[j], q, lanes_set(F(lane_modulus)[j]));
    t[1] = _mm512_add_epi64(t[1], carry);
    LANE_UNROLL
    for (int j = 1; j < F_N; j++)
        t[j + 1] = lanes_high(t[j + 1], q, lanes_set(F(lane_modulus)[j]));
}

/* t / S stands in t + N after N steps: each adds the multiple of p that clears the lowest limb.
 * Carries wait there. */
LANE_INLINE void F(lanes_reduce_rows)(__m512i t[2 * F_N])
{
    LANE_UNROLL
    for (int i = 0; i < F_N; i++)
        F(lanes_take_quotient)(t + i, F(lanes_quotient)(t + i));
}

LANE_INLINE void F(lanes_reduce)(F_LANES_T *out, __m512i t[2 * F_N])
{
    F(lanes_reduce_rows)(t);
    F(lanes_normalize)(out, t + F_N);
    LANE_ASSERT(F(lanes_are_below)(out, 2));
}

LANE_INLINE void F(lanes_clear)(__m512i t[2 * F_N])
{
    LANE_UNROLL
    for (int j = 0; j < 2 * F_N; j++)
        t[j] = _mm512_setzero_si512();
}

/* Rows of the product and of the reduction in turn: a chain of quotients, each waiting for the one
 * before, has the product to hide behind. (Fp381, Zen 5: 5.3 ns a lane; the product first and then
 * the reduction 6.5.) */
static __attribute__((noinline)) void F(lanes_mul)(F_LANES_T *out, const F_LANES_T *a,
                                                   const F_LANES_T *b)
{
    __m512i t[2 * F_N];

    F(lanes_clear)(t);
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        __m512i q;

        F(lanes_low_row)(t + i, a, b->l[i]);
        q = F(lanes_quotient)(t + i);
        F(lanes_high_row)(t + i, a, b->l[i]);
        F(lanes_take_quotient)(t + i, q);
    }
    F(lanes_normalize)(out, t + F_N);
    LANE_ASSERT(F(lanes_are_below)(out, 2));
}

/* (a b + c d) / S; a < A p and so on: (A B + C D) p <= S. */
static __attribute__((noinline, unused)) void F(lanes_mul_sum)(F_LANES_T *out, const F_LANES_T *a,
                                                               const F_LANES_T *b,
                                                               const F_LANES_T *c,
                                                               const F_LANES_T *d)
{
    __m512i t[2 * F_N];

    F(lanes_clear)(t);
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        __m512i q;

        F(lanes_low_row)(t + i, a, b->l[i]);
        F(lanes_low_row)(t + i, c, d->l[i]);
        q = F(lanes_quotient)(t + i);
        F(lanes_high_row)(t + i, a, b->l[i]);
        F(lanes_high_row)(t + i, c, d->l[i]);
        F(lanes_take_quotient)(t + i, q);
    }
    F(lanes_normalize)(out, t + F_N);
    LANE_ASSERT(F(lanes_are_below)(out, 2));
}

static __attribute__((noinline, unused)) void F(lanes_sqr)(F_LANES_T *out, const F_LANES_T *a)
{
    __m512i t[2 * F_N];

    F(lanes_clear)(t);
    F(lanes_square)(t, a);
    F(lanes_reduce)(out, t);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* 64-bit words to limbs. */
LANE_INLINE void F(lanes_split)(F_LANES_T *out, const __m512i word[F_LIMBS])
{
    const __m512i mask = lanes_set(LANE_MASK);

    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        const int k = LANE_BITS * j / 64, shift = LANE_BITS * j % 64;
        __m512i limb = _mm512_setzero_si512();

        if (k < F_LIMBS)
            limb = _mm512_srli_epi64(word[k < F_LIMBS ? k : 0], (unsigned)shift);
        if (shift > 64 - LANE_BITS && k + 1 < F_LIMBS)
            limb = _mm512_or_si512(
                limb, _mm512_slli_epi64(word[k + 1 < F_LIMBS ? k + 1 : 0], (unsigned)(64 - shift)));
        out->l[j] = _mm512_and_si512(limb, mask);
    }
}

/* Limbs of a normal number below 2^(64 limbs) to words. */
LANE_INLINE void F(lanes_join)(__m512i word[F_LIMBS], const F_LANES_T *a)
{
    LANE_UNROLL
    for (int k = 0; k < F_LIMBS; k++) {
        const int j = 64 * k / LANE_BITS, shift = 64 * k % LANE_BITS;

        word[k] = _mm512_srli_epi64(a->l[j], (unsigned)shift);
        if (j + 1 < F_N)
            word[k] = _mm512_or_si512(
                word[k], _mm512_slli_epi64(a->l[j + 1 < F_N ? j + 1 : 0], (unsigned)(52 - shift)));
        if (2 * LANE_BITS - shift < 64 && j + 2 < F_N)
            word[k] = _mm512_or_si512(
                word[k], _mm512_slli_epi64(a->l[j + 2 < F_N ? j + 2 : 0], (unsigned)(104 - shift)));
    }
}

/* One number of each, from words at byte `offset` of at[i] times factor (limbs, < p); false lanes
 * of the result: the words were not all zero. */
LANE_INLINE __mmask8 F(lanes_import)(F_LANES_T *out, const void *const at[LANES], size_t offset,
                                     const F_LANES_T *factor)
{
    const __mmask8 words = (__mmask8)((1u << F_LIMBS) - 1);
    __m512i row[8], any;

    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_maskz_loadu_epi64(words, (const char *)at[i] + offset);
    lanes_transpose(row, row);
    any = row[0];
    for (int j = 1; j < F_LIMBS; j++)
        any = _mm512_or_si512(any, row[j]);
    F(lanes_split)(out, row);
    F(lanes_mul)(out, out, factor);
    return _mm512_testn_epi64_mask(any, any);
}

/* The lanes whose words are below p. */
LANE_INLINE __mmask8 F(lanes_words_below)(const __m512i word[F_LIMBS])
{
    __mmask8 below = 0;

    LANE_UNROLL
    for (int k = 0; k < F_LIMBS; k++) {
        const __m512i modulus = lanes_set(F(modulus_words).l[k]);

        below &= _mm512_cmpeq_epu64_mask(word[k], modulus);
        below |= _mm512_cmplt_epu64_mask(word[k], modulus);
    }
    return below;
}

/* The same of words at byte `offset` of at[i]. */
LANE_INLINE __mmask8 F(lanes_are_reduced)(const void *const at[LANES], size_t offset)
{
    const __mmask8 words = (__mmask8)((1u << F_LIMBS) - 1);
    __m512i row[8];

    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_maskz_loadu_epi64(words, (const char *)at[i] + offset);
    lanes_transpose(row, row);
    return F(lanes_words_below)(row);
}

/* One number of each, from big-endian bytes at `offset` of at[i], times factor (limbs, < p).
 * Returns the lanes whose number is below p; the others are zero. */
LANE_INLINE __mmask8 F(lanes_decode)(F_LANES_T *out, const void *const at[LANES], size_t offset,
                                     const F_LANES_T *factor)
{
    const __mmask8 words = (__mmask8)((1u << F_LIMBS) - 1);
    const __m512i swap = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    __m512i row[8], word[F_LIMBS];
    __mmask8 below;

    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_maskz_loadu_epi64(words, (const char *)at[i] + offset);
    lanes_transpose(row, row);
    LANE_UNROLL
    for (int k = 0; k < F_LIMBS; k++) /* the last word of the bytes is the lowest */
        word[k] = _mm512_shuffle_epi8(row[F_LIMBS - 1 - k], swap);
    below = F(lanes_words_below)(word);
    LANE_UNROLL
    for (int k = 0; k < F_LIMBS; k++)
        word[k] = _mm512_maskz_mov_epi64(below, word[k]);
    F(lanes_split)(out, word);
    F(lanes_mul)(out, out, factor);
    return below;
}

/* One number below 2p of each of the first n, native, at byte `offset` of at[i]. */
LANE_INLINE void F(lanes_export)(void *const at[LANES], size_t offset, const F_LANES_T *a, size_t n)
{
    const __mmask8 words = (__mmask8)((1u << F_LIMBS) - 1);
    F_LANES_T t;
    __m512i row[8];

    F(lanes_set)(&t, F(lane_to_native));
    F(lanes_mul)(&t, a, &t);
    F(lanes_reduce_once)(&t, &t);
    F(lanes_join)(row, &t);
    for (int i = F_LIMBS; i < 8; i++)
        row[i] = _mm512_setzero_si512();
    lanes_transpose(row, row);
    for (size_t i = 0; i < n; i++)
        _mm512_mask_storeu_epi64((char *)at[i] + offset, words, row[i]);
}

/* Words to limbs and back for one number. */
static inline void F(lane_split)(uint64_t limb[F_N], const uint64_t word[F_LIMBS])
{
    for (int j = 0; j < F_N; j++) {
        const int k = LANE_BITS * j / 64, shift = LANE_BITS * j % 64;

        limb[j] = k < F_LIMBS ? word[k] >> shift : 0;
        if (shift > 64 - LANE_BITS && k + 1 < F_LIMBS)
            limb[j] |= word[k + 1] << (64 - shift);
        limb[j] &= LANE_MASK;
    }
}

static inline void F(lane_join)(uint64_t word[F_LIMBS], const uint64_t limb[F_N])
{
    for (int k = 0; k < F_LIMBS; k++)
        word[k] = 0;
    for (int j = 0; j < F_N; j++) {
        const int k = LANE_BITS * j / 64, shift = LANE_BITS * j % 64;

        if (k < F_LIMBS)
            word[k] |= limb[j] << shift;
        if (shift > 64 - LANE_BITS && k + 1 < F_LIMBS)
            word[k + 1] |= limb[j] >> (64 - shift);
    }
}

/* ---- one number, between the two Montgomery forms -------------------------------------------- */

/* limb: normal, below 2p. */
static inline void F(lane_get)(F_T *out, const uint64_t limb[F_N])
{
    static const F_T factor = {P(NATIVE_FROM_LANE)};
    F_T words;

    F(lane_join)(words.l, limb);
    F(mul)(out, &factor, &words);
}

static inline void F(lane_put)(uint64_t limb[F_N], const F_T *in)
{
    static const F_T factor = {P(NATIVE_TO_LANE)};
    F_T words;

    F(mul)(&words, in, &factor);
    F(lane_split)(limb, words.l);
}

/* All eight lanes as scalars, and back. */
static inline void F(lanes_to_native)(F_T out[LANES], const F_LANES_T *a)
{
    uint64_t word[F_N][LANES], limb[F_N];

    for (int j = 0; j < F_N; j++)
        _mm512_storeu_si512(word[j], a->l[j]);
    for (int lane = 0; lane < LANES; lane++) {
        for (int j = 0; j < F_N; j++)
            limb[j] = word[j][lane];
        F(lane_get)(&out[lane], limb);
    }
}

static inline void F(lanes_of_native)(F_LANES_T *out, const F_T in[LANES])
{
    uint64_t word[F_N][LANES], limb[F_N];

    for (int lane = 0; lane < LANES; lane++) {
        F(lane_put)(limb, &in[lane]);
        for (int j = 0; j < F_N; j++)
            word[j][lane] = limb[j];
    }
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_loadu_si512(word[j]);
}

/* out[i] = a[i ^ distance], lane by lane */
LANE_INLINE void F(lanes_exchange)(F_LANES_T *out, const F_LANES_T *a, unsigned distance)
{
    const __m512i from =
        _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), lanes_set(distance));

    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_permutexvar_epi64(from, a->l[j]);
}

/* Lane 0, below 2p, as a scalar; and a scalar in all lanes. */
static inline void F(lanes_first)(F_T *out, const F_LANES_T *a)
{
    uint64_t limb[F_N];

    for (int j = 0; j < F_N; j++)
        limb[j] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a->l[j]));
    F(lane_get)(out, limb);
}

static inline void F(lanes_all)(F_LANES_T *out, const F_T *in)
{
    uint64_t limb[F_N];

    F(lane_put)(limb, in);
    F(lanes_set)(out, limb);
}

/* out = 1 / a, lane by lane, a < 2p: for when some are zero. */
static inline __mmask8 F(lanes_inv_each)(F_LANES_T *out, const F_LANES_T *a)
{
    F_T x[LANES], scratch[LANES];
    unsigned zeros = 0;

    F(lanes_to_native)(x, a);
    for (int lane = 0; lane < LANES; lane++)
        zeros |= (unsigned)F(is_zero)(&x[lane]) << lane;
    F(inv_batch)(x, LANES, scratch);
    F(lanes_of_native)(out, x);
    return (__mmask8)zeros;
}

#undef F
#include "backend/ifma/lanes_inv.inc.h"
#define F(name) TEMPLATE_JOIN(FIELD, name)

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct {
    uint64_t w[F_PACKED ? 8 : 16];
} __attribute__((aligned(64))) F_PAIR_T;

#define F_PAIR_MARK (F_PACKED ? F_LIMBS - 1 : F_N - 1) /* the word with the free bit */

/* The lanes whose free bit is set; clears it. */
LANE_INLINE __mmask8 F(pair_marks)(__m512i column[8])
{
    const __mmask8 marked = _mm512_movepi64_mask(column[F_PAIR_MARK]);

    column[F_PAIR_MARK] = _mm512_and_si512(column[F_PAIR_MARK], lanes_set(UINT64_MAX >> 1));
    return marked;
}

/* Eight pairs, at byte `offset` of at[i]; returns the lanes whose free bit is set. */
LANE_INLINE __mmask8 F(pair_load)(F_LANES_T *first, F_LANES_T *second, const void *const at[LANES],
                                  size_t offset)
{
    __m512i row[8];
    __mmask8 marked;

    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_load_si512((const char *)at[i] + offset);
    lanes_transpose(row, row);
    marked = F(pair_marks)(row);
#if F_PACKED
    F(lanes_split)(first, row);
    F(lanes_split)(second, row + F_LIMBS);
#else
    for (int j = 0; j < F_N; j++)
        first->l[j] = row[j];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_load_si512((const char *)at[i] + offset + 64);
    lanes_transpose(row, row);
    for (int j = 0; j < F_N; j++)
        second->l[j] = row[j];
#endif
    return marked;
}

LANE_INLINE __mmask8 F(pair_load_first)(F_LANES_T *first, const void *const at[LANES],
                                        size_t offset)
{
    __m512i row[8];
    __mmask8 marked;

    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_load_si512((const char *)at[i] + offset);
    lanes_transpose(row, row);
    marked = F(pair_marks)(row);
#if F_PACKED
    F(lanes_split)(first, row);
#else
    for (int j = 0; j < F_N; j++)
        first->l[j] = row[j];
#endif
    return marked;
}

/* Into the lanes of `where`. */
LANE_INLINE void F(pair_store)(void *const at[LANES], size_t offset, const F_LANES_T *first,
                               const F_LANES_T *second, __mmask8 where)
{
    __m512i row[8];

#if F_PACKED
    F(lanes_join)(row, first);
    F(lanes_join)(row + F_LIMBS, second);
    for (int i = 2 * F_LIMBS; i < 8; i++)
        row[i] = _mm512_setzero_si512();
    lanes_transpose(row, row);
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        if (where >> i & 1)
            _mm512_store_si512((char *)at[i] + offset, row[i]);
#else
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < F_N; j++)
            row[j] = half ? second->l[j] : first->l[j];
        lanes_transpose(row, row);
        LANE_UNROLL
        for (int i = 0; i < LANES; i++)
            if (where >> i & 1)
                _mm512_store_si512((char *)at[i] + offset + 64 * (size_t)half, row[i]);
    }
#endif
}

/* One number of a pair, as limbs. */
static inline void F(pair_limbs)(uint64_t limb[F_N], const F_PAIR_T *pair, int which)
{
#if F_PACKED
    F(lane_split)(limb, pair->w + which * F_LIMBS);
#else
    memcpy(limb, pair->w + 8 * which, F_N * sizeof *limb);
#endif
}

static inline void F(pair_set_limbs)(F_PAIR_T *pair, int which, const uint64_t limb[F_N])
{
#if F_PACKED
    F(lane_join)(pair->w + which * F_LIMBS, limb);
#else
    memcpy(pair->w + 8 * which, limb, F_N * sizeof *limb);
#endif
}

static inline void F(pair_get)(F_T *out, const F_PAIR_T *pair, int which)
{
    uint64_t limb[F_N];

    F(pair_limbs)(limb, pair, which);
    F(lane_get)(out, limb);
}

/* 2p - a, folded to below 2p: 0 becomes 0. */
static inline void F(pair_negate)(F_PAIR_T *pair, int which)
{
    uint64_t limb[F_N], any = 0;
    int64_t carry = 0;

    F(pair_limbs)(limb, pair, which);
    for (int j = 0; j < F_N; j++)
        any |= limb[j];
    if (any == 0)
        return;
    for (int j = 0; j < F_N; j++) {
        carry += (int64_t)(2 * F(lane_modulus)[j]) - (int64_t)limb[j];
        limb[j] = (uint64_t)carry & LANE_MASK;
        carry >>= LANE_BITS;
    }
    F(pair_set_limbs)(pair, which, limb);
}

#undef F
#undef P
#undef F_T
#undef F_LANES_T
#undef F_PAIR_T
#undef F_LIMBS
#undef F_N
#undef F_PACKED
#undef F_PAIR_MARK
#undef FIELD
#undef PARAM
