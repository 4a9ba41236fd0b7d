/* Products with known factors in eight lanes, and sums that are not reduced: the template.
 *
 * Parameters, defined before the include and undefined by it: FIELD and PARAM as in
 * field_lanes.inc.h, which comes before for the same field; its S, normal and bounds are meant
 * here.
 *
 * A factor w < p that is known beforehand comes with its quotient v = floor(w S / p). Then, for any
 * x < S,
 *
 *     q = floor(x v / S)   is at most x w / p, and above x w / p - 2;
 *     x w - q p            is the product, below 2p: only its residue mod S is ever computed,
 *                          so half of each product is left out (Shoup; Harvey 2014).
 *
 * q is not computed exactly either: the columns of x v below number N - 1, N the limbs, are left
 * out, which may cost one more: the result is below 3p (FIELD_CONSTANT_BOUND). Of 5 limbs this
 * takes 34 + 25 + 25 multiplications; a Montgomery product takes 105. And there is no factor S in
 * it: x may be in any Montgomery form, and the result is in the same.
 *
 * *Raw* numbers are N signed 64-bit limbs, and their value counts mod S: what has run out at the
 * top is no matter. Sums and differences of them are taken limb by limb, 5 instructions, and
 * carries are run only where a number is multiplied or stored. What is to be watched is two things:
 * the true value must stay in [0, S), for which differences add a multiple of p; and limbs must
 * stay below 2^63. A product leaves limbs below 2^(55 + lg N); fewer than 64 of them meet in a sum
 * of ours.
 *
 * Names defined, for FIELD = fr:
 *   fr_raw_t                     N vectors
 *   fr_constant, fr_constants    w and v: one for all lanes, and one for each lane
 *   fr_constant_set              from w, native
 *   fr_constants_set             from lanes in Montgomery form
 *   fr_raw_add fr_raw_sub        the second adds k p
 *   fr_raw_mul fr_raw_mul_each   below 3p
 *   fr_raw_carry                 to normal
 *   fr_raw_reduce                to normal and below p
 *
 * Variable time. */
#define F(name) TEMPLATE_JOIN(FIELD, name)
#define P(name) TEMPLATE_JOIN(PARAM, name)
#define F_T F(t)
#define F_N P(LANE_LIMBS)
#define F_LANES_T F(lanes_t)
#define F_RAW_T F(raw_t)

typedef struct {
    __m512i l[F_N];
} F_RAW_T;

struct F(constant) {
    uint64_t w[F_N], v[F_N];
};

struct F(constants) {
    F_LANES_T w, v;
};

/* ---- sums ------------------------------------------------------------------------------------ */

LANE_INLINE void F(raw_add)(F_RAW_T *out, const F_RAW_T *a, const F_RAW_T *b)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] = _mm512_add_epi64(a->l[j], b->l[j]);
}

/* a - b + k p, b <= k p */
LANE_INLINE void F(raw_sub)(F_RAW_T *out, const F_RAW_T *a, const F_RAW_T *b, unsigned k)
{
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        out->l[j] =
            _mm512_sub_epi64(_mm512_add_epi64(a->l[j], lanes_set(k * F(lane_modulus)[j])), b->l[j]);
}

LANE_INLINE void F(raw_carry)(F_LANES_T *out, const F_RAW_T *a)
{
    F(lanes_normalize)(out, a->l);
}

#ifdef CUZK_LANE_CHECKS
static inline bool F(raw_is_below)(const F_RAW_T *a, unsigned k)
{
    F_LANES_T normal;

    F(raw_carry)(&normal, a);
    return F(lanes_are_below)(&normal, k);
}
#endif

/* ---- products -------------------------------------------------------------------------------- */

/* How many p there are below S: what a factor of fr_raw_mul is below. */
#define F_ROOM P(LANE_RECIPROCAL)

/* Carries without the masks, for a factor: the multiplier looks at 52 bits. */
LANE_INLINE void F(raw_factor)(__m512i out[F_N], const F_RAW_T *a)
{
    out[0] = a->l[0];
    LANE_UNROLL
    for (int j = 1; j < F_N; j++)
        out[j] = _mm512_add_epi64(a->l[j], _mm512_srai_epi64(out[j - 1], LANE_BITS));
}

/* t += a b mod S */
LANE_INLINE void F(raw_low_product)(__m512i t[F_N], const __m512i a[F_N], const __m512i b[F_N])
{
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        LANE_UNROLL
        for (int j = 0; i + j < F_N; j++) {
            t[i + j] = lanes_low(t[i + j], a[j], b[i]);
            if (i + j + 1 < F_N)
                t[i + j + 1] = lanes_high(t[i + j + 1], a[j], b[i]);
        }
    }
}

/* x w - q p with q = floor(x v / S), or one less. */
LANE_INLINE void F(raw_mul_limbs)(F_RAW_T *out, const F_RAW_T *a, const __m512i w[F_N],
                                  const __m512i v[F_N])
{
    __m512i x[F_N], q[F_N + 1], minus_p[F_N]; /* q: columns N - 1 to 2N - 1 of x v */

    LANE_ASSERT(F_ROOM > 1000 || F(raw_is_below)(a, (unsigned)F_ROOM));
    F(raw_factor)(x, a);
    LANE_UNROLL
    for (int k = 0; k <= F_N; k++)
        q[k] = _mm512_setzero_si512();
    LANE_UNROLL
    for (int i = 0; i < F_N; i++) {
        LANE_UNROLL
        for (int j = 0; j < F_N; j++) {
            if (i + j >= F_N - 1)
                q[i + j - (F_N - 1)] = lanes_low(q[i + j - (F_N - 1)], x[j], v[i]);
            if (i + j + 1 >= F_N - 1)
                q[i + j + 1 - (F_N - 1)] = lanes_high(q[i + j + 1 - (F_N - 1)], x[j], v[i]);
        }
    }
    LANE_UNROLL
    for (int k = 0; k < F_N; k++) {
        q[k + 1] = _mm512_add_epi64(q[k + 1], _mm512_srli_epi64(q[k], LANE_BITS));
        minus_p[k] = lanes_set((k == 0) + LANE_MASK - F(lane_modulus)[k]); /* S - p */
        out->l[k] = _mm512_setzero_si512();
    }
    F(raw_low_product)(out->l, x, w);
    F(raw_low_product)(out->l, q + 1, minus_p);
    LANE_ASSERT(F(raw_is_below)(out, 3));
}

LANE_INLINE void F(raw_mul)(F_RAW_T *out, const F_RAW_T *a, const struct F(constant) * c)
{
    __m512i w[F_N], v[F_N];

    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        w[j] = lanes_set(c->w[j]);
        v[j] = lanes_set(c->v[j]);
    }
    F(raw_mul_limbs)(out, a, w, v);
}

LANE_INLINE void F(raw_mul_each)(F_RAW_T *out, const F_RAW_T *a, const struct F(constants) * c)
{
    F(raw_mul_limbs)(out, a, c->w.l, c->v.l);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* -1/p mod S, by Newton's steps on words of 52 bits. */
static void F(constant_n0)(uint64_t n0[F_N])
{
    /* n0 p = -1 mod 2^(52 k): limb k of n0 clears limb k of 1 + n0 p */
    uint64_t sum[F_N] = {1};

    for (int k = 0; k < F_N; k++) {
        uint64_t carry = 0;

        n0[k] = (sum[k] * P(LANE_N0)) & LANE_MASK;
        for (int j = k; j < F_N; j++) {
            const u128 t = (u128)n0[k] * F(lane_modulus)[j - k] + sum[j] + carry;

            sum[j] = (uint64_t)t & LANE_MASK;
            carry = (uint64_t)(t >> LANE_BITS);
        }
    }
}

/* v = floor(w S / p) = (w S - m) / p with m = w S mod p, so v = -m / p mod S. m: limbs, below p. */
static void F(constant_quotient)(uint64_t v[F_N], const uint64_t m[F_N], const uint64_t n0[F_N])
{
    u128 t = 0;

    for (int k = 0; k < F_N; k++) {
        u128 high = 0;

        for (int j = 0; j <= k; j++) {
            const u128 product = (u128)m[j] * n0[k - j];

            t += (uint64_t)product & LANE_MASK;
            high += product >> LANE_BITS;
        }
        v[k] = (uint64_t)t & LANE_MASK;
        t = (t >> LANE_BITS) + high;
    }
}

/* n0 as fr_constant_n0 leaves it */
static void F(constant_set)(struct F(constant) * out, const F_T *native, const uint64_t n0[F_N])
{
    static const F_T lane_form = {P(NATIVE_TO_LANE)};
    uint64_t m[F_N];
    F_T words;

    F(to_plain)(&words, native);
    F(lane_split)(out->w, words.l);
    F(mul)(&words, native, &lane_form);
    F(lane_split)(m, words.l);
    F(constant_quotient)(out->v, m, n0);
}

/* a: Montgomery form, below 2p */
static inline void F(constants_set)(struct F(constants) * out, const F_LANES_T *a,
                                    const uint64_t n0[F_N])
{
    F_LANES_T m, one;
    __m512i n[F_N];
    F_RAW_T v;

    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        one.l[j] = lanes_set(j == 0);
    F(lanes_mul)(&m, a, &one);
    F(lanes_reduce_once)(&out->w, &m);
    F(lanes_reduce_once)(&m, a);
    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        n[j] = lanes_set(n0[j]);
        v.l[j] = _mm512_setzero_si512();
    }
    F(raw_low_product)(v.l, m.l, n);
    F(raw_carry)(&out->v, &v);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* With P the top limb of p, of F_SHIFT + 1 bits: 2^(52 + F_SHIFT) / (P + 1), rounded down. */
#define F_SHIFT (P(BITS) - LANE_BITS * (F_N - 1) - 1)
#define F_TOP(limb) ((uint64_t)(((u128)1 << (LANE_BITS + F_SHIFT)) / ((limb) + 1)))

/* a below 64p and S. With T the top limb of its normal form, a / p is above T / (P + 1) and by less
 * than T / P^2 + 1 / P, which is below 1 as P > 64, so q = floor(T / (P + 1)), or one less where
 * the constant's rounding shows, leaves less than 2p. */
static inline void F(raw_reduce)(F_LANES_T *out, const F_RAW_T *a)
{
    F_LANES_T normal;
    F_RAW_T left;
    __m512i q;

    LANE_ASSERT(F(raw_is_below)(a, F_ROOM < 64 ? (unsigned)F_ROOM : 64));
    F(raw_carry)(&normal, a);
    q = lanes_high(_mm512_setzero_si512(), normal.l[F_N - 1],
                   lanes_set(F_TOP(F(lane_modulus)[F_N - 1])));
    q = _mm512_srli_epi64(q, F_SHIFT);
    LANE_UNROLL
    for (int j = 0; j < F_N; j++)
        left.l[j] = normal.l[j];
    LANE_UNROLL
    for (int j = 0; j < F_N; j++) {
        const __m512i minus_p = lanes_set((j == 0) + LANE_MASK - F(lane_modulus)[j]);

        left.l[j] = lanes_low(left.l[j], q, minus_p);
        if (j + 1 < F_N)
            left.l[j + 1] = lanes_high(left.l[j + 1], q, minus_p);
    }
    F(raw_carry)(&normal, &left);
    LANE_ASSERT(F(lanes_are_below)(&normal, 2));
    F(lanes_reduce_once)(out, &normal);
}

#undef F
#undef P
#undef F_T
#undef F_N
#undef F_LANES_T
#undef F_RAW_T
#undef F_ROOM
#undef F_TOP
#undef F_SHIFT
#undef FIELD
#undef PARAM
