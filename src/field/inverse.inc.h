/* The inverse in a prime field: part of field.inc.h.
 *
 * Parameters, kept: FIELD, PARAM, and the macros F, P, F_LIMBS, F_T of field.inc.h.
 *
 * Names defined, for FIELD = fp:
 *   fp_inv                                0 -> 0
 *
 * The binary greatest common divisor, 31 steps at a time on approximations of one word (T. Pornin,
 * "Optimized binary GCD for modular inversion", 2020, section 3). Beside x and y, which begin as a
 * and p, go u and v with a u = x and a v = y mod p; when x has come to 0, y is 1 and v the inverse.
 * An approximation holds the lowest 31 bits, which decide what is odd, and the highest 33, which
 * decide what is smaller; where these err, a value comes out negative and is negated. */

/* What 31 steps do: x becomes (f0 x + g0 y) / 2^31, y becomes (f1 x + g1 y) / 2^31. */
struct F(gcd_steps) {
    int64_t f0, g0, f1, g1; /* |f| + |g| <= 2^31 */
};

/* 31 steps on one word each. f and g of a row share a word: f + g 2^32. */
static inline void F(gcd_run)(struct F(gcd_steps) * steps, uint64_t x, uint64_t y)
{
    const uint64_t bias = UINT64_C(0x7fffffff7fffffff);
    uint64_t fg0 = 1, fg1 = UINT64_C(1) << 32;

    for (int i = 0; i < 31; i++) {
        const uint64_t odd = 0 - (x & 1), swap = odd & (0 - (uint64_t)(x < y));
        const uint64_t t = (x ^ y) & swap, fg = (fg0 ^ fg1) & swap;

        x ^= t;
        y ^= t;
        fg0 ^= fg;
        fg1 ^= fg;
        x = (x - (y & odd)) >> 1;
        fg0 -= fg1 & odd;
        fg1 <<= 1;
    }
    fg0 += bias;
    fg1 += bias;
    steps->f0 = (int64_t)(fg0 & UINT32_MAX) - INT32_MAX;
    steps->g0 = (int64_t)(fg0 >> 32) - INT32_MAX;
    steps->f1 = (int64_t)(fg1 & UINT32_MAX) - INT32_MAX;
    steps->g1 = (int64_t)(fg1 >> 32) - INT32_MAX;
}

/* The approximations of x and y, one of which is not 0. */
static inline void F(gcd_approximate)(uint64_t *xa, uint64_t *ya, const F_T *x, const F_T *y)
{
    const uint64_t low = (UINT64_C(1) << 31) - 1;
    uint64_t x_high, y_high;
    int top = F_LIMBS - 1, shift;

    while (top > 0 && (x->l[top] | y->l[top]) == 0)
        top--;
    if (top == 0) {
        *xa = x->l[0];
        *ya = y->l[0];
        return;
    }
    shift = __builtin_clzll(x->l[top] | y->l[top]);
    x_high = x->l[top] << shift;
    y_high = y->l[top] << shift;
    if (shift > 0) {
        x_high |= x->l[top - 1] >> (64 - shift);
        y_high |= y->l[top - 1] >> (64 - shift);
    }
    *xa = (x_high & ~low) | (x->l[0] & low);
    *ya = (y_high & ~low) | (y->l[0] & low);
}

/* out = |f x + g y| / 2^31; true if it was negative. */
static inline bool F(gcd_combine)(F_T *out, const F_T *x, int64_t f, const F_T *y, int64_t g)
{
    uint64_t t[F_LIMBS + 1], mask, carry;
    i128 sum = 0;

    for (int i = 0; i < F_LIMBS; i++) {
        sum += (i128)x->l[i] * f + (i128)y->l[i] * g;
        t[i] = (uint64_t)sum;
        sum >>= 64;
    }
    t[F_LIMBS] = (uint64_t)sum;
    mask = 0 - (t[F_LIMBS] >> 63);
    carry = mask & 1;
    for (int i = 0; i < F_LIMBS; i++)
        out->l[i] = limb_add((t[i] >> 31 | t[i + 1] << 33) ^ mask, 0, &carry);
    return mask != 0;
}

/* out = (f u + g v) / 2^31 mod p, exactly: a multiple of p clears the lowest bits first. */
static inline void F(gcd_combine_mod)(F_T *out, const F_T *u, int64_t f, const F_T *v, int64_t g)
{
    const uint64_t low = (UINT64_C(1) << 31) - 1;
    const int64_t q = (int64_t)((u->l[0] * (uint64_t)f + v->l[0] * (uint64_t)g) * P(N0) & low);
    uint64_t t[F_LIMBS + 1], mask, carry = 0;
    i128 sum = 0;
    F_T r;

    for (int i = 0; i < F_LIMBS; i++) {
        sum += (i128)u->l[i] * f + (i128)v->l[i] * g + (i128)F(modulus_words).l[i] * q;
        t[i] = (uint64_t)sum;
        sum >>= 64;
    }
    t[F_LIMBS] = (uint64_t)sum;
    mask = 0 - (t[F_LIMBS] >> 63); /* now in (-p, 2p) */
    for (int i = 0; i < F_LIMBS; i++)
        r.l[i] = limb_add(t[i] >> 31 | t[i + 1] << 33, F(modulus_words).l[i] & mask, &carry);
    F(reduce_once)(out, &r, 0);
}

static inline void F(inv)(F_T *out, const F_T *a)
{
    static const F_T r3 = {P(R3)}; /* 1/(a R) R^3 / R = (1/a) R */
    F_T x = *a, y = F(modulus_words), u = {{1}}, v = {{0}};

    while (!F(is_zero)(&x)) {
        struct F(gcd_steps) s;
        uint64_t xa, ya;
        F_T x_next, u_next;

        F(gcd_approximate)(&xa, &ya, &x, &y);
        F(gcd_run)(&s, xa, ya);
        if (F(gcd_combine)(&x_next, &x, s.f0, &y, s.g0)) {
            s.f0 = -s.f0;
            s.g0 = -s.g0;
        }
        if (F(gcd_combine)(&y, &x, s.f1, &y, s.g1)) {
            s.f1 = -s.f1;
            s.g1 = -s.g1;
        }
        F(gcd_combine_mod)(&u_next, &u, s.f0, &v, s.g0);
        F(gcd_combine_mod)(&v, &u, s.f1, &v, s.g1);
        x = x_next;
        u = u_next;
    }
    F(mul)(out, &v, &r3);
}
