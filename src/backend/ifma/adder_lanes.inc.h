/* Additions of affine points in eight lanes: what msm/cell.inc.h and msm/adder.inc.h are to one
 * point, in the same words.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before, with msm/convert.inc.h
 * and the lanes of BASE.
 *
 * Pair k of a batch goes through lane k % 8 of vector k / 8; every lane has its own running product
 * of denominators, and the eight products share one scalar inversion. For 8 pairs:
 *
 *     forward    d = x_b - x_a                    product = product d         1 M
 *     backward   1/d = inverse product'           inverse = inverse d         2 M
 *                slope = (y_b - y_a) / d          x = slope^2 - x_a - x_b     1 M + 1 S
 *                y = slope (x_a - x) - y_a                                    1 M
 *
 * Coordinates in memory are below 2p. Bounds: d, y_b - y_a, x_a - x < 4p; products < 2p; 3 x_a^2 <
 * 6p where points are doubled; so factors are at most 6p and 2p. x and y are folded.
 *
 * Special pairs. Infinite operands are seen when loaded. Equal x are not looked for: they make the
 * lane's product zero, which the inversion notices, and the batch goes forward again, *exactly*: d
 * is compared with the multiples of p, equal points are doubled (d = 2 y_a, rise 3 x_a^2), opposite
 * ones give infinity. What needs no division is written on the way forward; its d is 1 and its lane
 * is not stored on the way back. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)
#define G_CELL_T G(cell_t)
#define B_LANES_T B(lanes_t)

/* ---- cells ----------------------------------------------------------------------------------- */

typedef B(cell_t) G_CELL_T;

static inline bool G(cell_is_infinity)(const G_CELL_T *cell)
{
    return *((const uint64_t *)cell + FP_CELL_MARK) >> 63;
}

static inline void G(cell_to_affine)(G_AFFINE_T *out, const G_CELL_T *cell)
{
    if (G(cell_is_infinity)(cell))
        *out = G(affine_infinity);
    else
        B(cell_get)(&out->x, &out->y, cell);
}

static inline void G(cells_clear)(G_CELL_T *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cells[i] = B(cell_infinity);
}

/* x^3 + b, below 3p; x < 2p */
static inline void G(lanes_curve_rhs)(B_LANES_T *out, const B_LANES_T *x, const B_LANES_T *constant)
{
    B_LANES_T cube;

    B(lanes_sqr)(&cube, x);
    B(lanes_mul)(&cube, &cube, x);
    B(lanes_add)(out, &cube, constant);
}

/* The lanes whose points satisfy the curve's equation; infinity (zeros) does not. */
static __attribute__((noinline)) __mmask8 G(lanes_on_curve)(const B_LANES_T *x, const B_LANES_T *y,
                                                            const B_LANES_T *constant)
{
    B_LANES_T right, left;

    G(lanes_curve_rhs)(&right, x, constant);
    B(lanes_sqr)(&left, y);
    return B(lanes_equal)(&left, &right);
}

/* How points of a view come into lanes. */
struct G(reader) {
    enum points_form form;
    fp_lanes_t factor;
    B_LANES_T constant; /* of the curve's equation, for encoded ones */
};

static void G(reader_init)(struct G(reader) * reader, enum points_form form)
{
    reader->form = form;
    fp_lanes_set(&reader->factor, form == POINTS_NATIVE ? fp_lane_from_native : fp_lane_from_plain);
    if (form == POINTS_ZCASH)
        B(lanes_all)(&reader->constant, &G(b));
}

/* Eight points; returns the lanes that are bad, *infinite the ones at infinity. */
static __mmask8 G(reader_get)(const struct G(reader) * reader, B_LANES_T *x, B_LANES_T *y,
                              __mmask8 *infinite, const void *const at[LANES])
{
    __mmask8 good;

    *infinite = 0;
    if (reader->form != POINTS_ZCASH) {
        *infinite = B(cell_import)(x, y, at, &reader->factor);
        return 0;
    }
    good = B(cell_decode)(x, y, at, &reader->factor);
    return (__mmask8) ~(good & G(lanes_on_curve)(x, y, &reader->constant));
}

/* out[i] = point index[i], or first + i without an index; its negative where negative[i] (NULL:
 * nowhere). Returns n, or the i of the first bad point. */
static size_t G(cells_load)(G_CELL_T *out, const struct points_view *points, const uint32_t *index,
                            size_t first, size_t n, const bool *negative)
{
    struct G(reader) reader;

    G(reader_init)(&reader, points->form);
    for (size_t i = 0; i < n; i += LANES) {
        const size_t m = n - i < LANES ? n - i : LANES;
        const __mmask8 used = (__mmask8)((1u << m) - 1);
        const void *at[LANES];
        void *to[LANES];
        B_LANES_T x, y;
        __mmask8 bad, infinite, signs = 0;

        for (size_t k = 0; k < LANES; k++) {
            const size_t place = i + (k < m ? k : 0), point = index ? index[place] : first + place;

            at[k] = (const char *)points->data + point * sizeof(G_AFFINE_T); /* encoded, too */
            to[k] = &out[place];
            if (negative && negative[place])
                signs |= (__mmask8)(1u << k);
        }
        bad = G(reader_get)(&reader, &x, &y, &infinite, at) & used;
        if (bad)
            return i + (size_t)__builtin_ctz(bad);
        B(lanes_neg_where)(&y, signs);
        B(lanes_fold)(&y, &y);
        B(cell_store)(to, &x, &y, used);
        for (infinite &= used; infinite; infinite &= (__mmask8)(infinite - 1))
            out[i + (size_t)__builtin_ctz(infinite)] = B(cell_infinity);
    }
    return n;
}

/* The other way; infinity becomes zeros, as its coordinates are in lanes. */
static void G(cells_to_affine)(G_AFFINE_T *out, const G_CELL_T *cells, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        const size_t m = n - i < LANES ? n - i : LANES;
        const void *from[LANES];
        void *to[LANES];
        B_LANES_T x, y;

        for (size_t k = 0; k < LANES; k++) {
            from[k] = &cells[i + (k < m ? k : 0)];
            to[k] = &out[i + (k < m ? k : 0)];
        }
        B(cell_load)(&x, &y, from);
        B(cell_export)(to, &x, &y, m);
    }
}

/* ---- references ------------------------------------------------------------------------------ */

/* A cell or its negative: the address, plus 1 for the negative. */
typedef uintptr_t G(ref_t);

static inline G(ref_t) G(ref)(const G_CELL_T *cell, bool negative)
{
    return (uintptr_t)cell | (negative ? 1 : 0);
}

static inline const G_CELL_T *G(ref_cell)(G(ref_t) ref)
{
    return (const G_CELL_T *)(ref & ~(uintptr_t)1);
}

static inline void G(ref_load)(G_CELL_T *out, G(ref_t) ref)
{
    *out = *G(ref_cell)(ref);
    if (ref & 1)
        B(cell_negate)(out);
}

/* ---- the adder ------------------------------------------------------------------------------- */

/* Pairs that share an inversion. */
#ifndef ADDER_PAIRS
#define ADDER_PAIRS 2048
#endif

struct G(adder) {
    B_LANES_T denominator[ADDER_PAIRS / LANES];
    B_LANES_T product[ADDER_PAIRS / LANES]; /* of the denominators up to this one */
    G(ref_t) a[ADDER_PAIRS], b[ADDER_PAIRS];
    G_CELL_T *out[ADDER_PAIRS];
    __mmask8 doubled[ADDER_PAIRS / LANES];
    __mmask8 done[ADDER_PAIRS / LANES];
    struct pool *pool;
    size_t n;
};

static inline void G(adder_init)(struct G(adder) * adder, struct pool *pool)
{
    adder->pool = pool;
    adder->n = 0;
}

/* Eight references as addresses; returns the negative ones. */
LANE_INLINE __mmask8 G(adder_cells)(const void *at[LANES], const G(ref_t) ref[LANES])
{
    for (int i = 0; i < LANES; i++)
        at[i] = G(ref_cell)(ref[i]);
    return _mm512_test_epi64_mask(_mm512_loadu_si512(ref), lanes_set(1));
}

/* The sum of pair k, of which one is infinite. */
static void G(adder_copy)(struct G(adder) * adder, size_t k)
{
    const bool first = G(cell_is_infinity)(G(ref_cell)(adder->a[k]));
    const G(ref_t) other = first ? adder->b[k] : adder->a[k];

    if (G(cell_is_infinity)(G(ref_cell)(other)))
        *adder->out[k] = B(cell_infinity);
    else
        G(ref_load)(adder->out[k], other);
}

/* Vector g has special lanes: those of `infinite`, and of equal x if exact. Settles them. */
static __attribute__((noinline)) void G(adder_special)(struct G(adder) * adder, size_t g,
                                                       __mmask8 infinite, bool exact)
{
    B_LANES_T *d = &adder->denominator[g], one, rise, xa, ya, xb, yb;
    const void *at[LANES];
    __mmask8 done = infinite, same = 0, negative;

    if (exact && (same = B(lanes_zeros)(d, 4) & (__mmask8)~infinite) != 0) {
        negative = G(adder_cells)(at, &adder->a[LANES * g]);
        B(cell_load)(&xa, &ya, at);
        B(lanes_neg_where)(&ya, negative);
        negative = G(adder_cells)(at, &adder->b[LANES * g]);
        B(cell_load)(&xb, &yb, at);
        B(lanes_neg_where)(&yb, negative);
        B(lanes_sub)(&rise, &yb, &ya, 2);
        done |= same & (__mmask8)~B(lanes_zeros)(&rise, 4);
        B(lanes_add)(&ya, &ya, &ya);
        done |= same & B(lanes_zeros)(&ya, 4);
        adder->doubled[g] = same & (__mmask8)~done;
        B(lanes_select)(d, adder->doubled[g], d, &ya);
    }
    B(lanes_set_one)(&one);
    B(lanes_select)(d, done, d, &one);
    for (__mmask8 left = infinite & (__mmask8)~adder->done[g]; left; left &= (__mmask8)(left - 1))
        G(adder_copy)(adder, LANES * g + (size_t)__builtin_ctz(left));
    for (__mmask8 left = done & (__mmask8) ~(infinite | adder->done[g]); left;
         left &= (__mmask8)(left - 1))
        *adder->out[LANES * g + (size_t)__builtin_ctz(left)] = B(cell_infinity);
    adder->done[g] |= done;
}

static inline void G(adder_prefetch)(const G(ref_t) ref[LANES])
{
    for (int i = 0; i < LANES; i++)
        for (size_t byte = 0; byte < sizeof(G_CELL_T); byte += 64)
            __builtin_prefetch((const char *)G(ref_cell)(ref[i]) + byte);
}

static void G(adder_forward)(struct G(adder) * adder, size_t n_vectors, bool exact)
{
    const size_t ahead = 2;

    for (size_t g = 0; g < n_vectors; g++) {
        const void *at_a[LANES], *at_b[LANES];
        B_LANES_T *d = &adder->denominator[g], xa, xb;
        __mmask8 infinite;

        if (g + ahead < n_vectors) {
            G(adder_prefetch)(&adder->a[LANES * (g + ahead)]);
            G(adder_prefetch)(&adder->b[LANES * (g + ahead)]);
        }
        G(adder_cells)(at_a, &adder->a[LANES * g]);
        G(adder_cells)(at_b, &adder->b[LANES * g]);
        infinite = B(cell_load_x)(&xa, at_a);
        infinite |= B(cell_load_x)(&xb, at_b);
        infinite |= adder->done[g];
        B(lanes_sub)(d, &xb, &xa, 2);
        if (infinite | exact)
            G(adder_special)(adder, g, infinite, exact);
        if (g == 0)
            adder->product[0] = *d;
        else
            B(lanes_mul)(&adder->product[g], d, &adder->product[g - 1]);
    }
}

/* Lanes that double: rise = 3 x_a^2. */
static __attribute__((noinline)) void G(adder_rise)(B_LANES_T *rise, __mmask8 where,
                                                    const B_LANES_T *xa)
{
    B_LANES_T square, x = *xa;

    B(lanes_sqr)(&square, &x);
    B(lanes_add)(&x, &square, &square);
    B(lanes_add)(&x, &x, &square);
    B(lanes_select)(rise, where, rise, &x);
}

/* inverse: 1 / the product of all. */
static void G(adder_backward)(struct G(adder) * adder, size_t n_vectors, B_LANES_T *inverse)
{
    for (size_t g = n_vectors; g-- > 0;) {
        const void *at[LANES];
        B_LANES_T xa, ya, xb, yb, t, slope;
        __mmask8 negative;

        if (g > 0) {
            B(lanes_mul)(&slope, inverse, &adder->product[g - 1]);
            B(lanes_mul)(inverse, &adder->denominator[g], inverse);
        } else {
            slope = *inverse;
        }
        if (g > 1) {
            G(adder_prefetch)(&adder->a[LANES * (g - 2)]);
            G(adder_prefetch)(&adder->b[LANES * (g - 2)]);
        }
        negative = G(adder_cells)(at, &adder->a[LANES * g]);
        B(cell_load)(&xa, &ya, at);
        B(lanes_neg_where)(&ya, negative);
        negative = G(adder_cells)(at, &adder->b[LANES * g]);
        B(cell_load)(&xb, &yb, at);
        B(lanes_neg_where)(&yb, negative);
        B(lanes_sub)(&t, &yb, &ya, 2);
        if (adder->doubled[g])
            G(adder_rise)(&t, adder->doubled[g], &xa);
        B(lanes_mul)(&slope, &t, &slope);
        B(lanes_sqr)(&t, &slope);
        B(lanes_raw_sub)(&t, &t, &xa);
        B(lanes_raw_sub)(&t, &t, &xb);
        B(lanes_fold)(&xb, &t);
        B(lanes_sub)(&t, &xa, &xb, 2);
        B(lanes_mul)(&t, &t, &slope);
        B(lanes_raw_sub)(&t, &t, &ya);
        B(lanes_fold)(&yb, &t);
        B(cell_store)((void *const *)&adder->out[LANES * g], &xb, &yb, (__mmask8)~adder->done[g]);
    }
}

static void G(adder_flush)(struct G(adder) * adder)
{
    const size_t n_vectors = (adder->n + LANES - 1) / LANES;
    B_LANES_T inverse;

    if (adder->n == 0)
        return;
    pool_may_go_on(adder->pool);
    memset(adder->doubled, 0, n_vectors);
    memset(adder->done, 0, n_vectors);
    for (size_t k = adder->n; k < LANES * n_vectors; k++) { /* lanes without a pair */
        adder->a[k] = adder->b[k] = adder->a[0];
        adder->out[k] = adder->out[0];
        adder->done[k / LANES] |= (__mmask8)(1u << k % LANES);
    }
    G(adder_forward)(adder, n_vectors, false);
    if (B(lanes_inv)(&inverse, &adder->product[n_vectors - 1])) {
        G(adder_forward)(adder, n_vectors, true);
        B(lanes_inv)(&inverse, &adder->product[n_vectors - 1]);
    }
    G(adder_backward)(adder, n_vectors, &inverse);
    adder->n = 0;
}

/* out may be a or b themselves, but nothing else that waits may read or write it. */
static inline void G(adder_push)(struct G(adder) * adder, G(ref_t) a, G(ref_t) b, G_CELL_T *out)
{
    adder->a[adder->n] = a;
    adder->b[adder->n] = b;
    adder->out[adder->n] = out;
    if (++adder->n == ADDER_PAIRS)
        G(adder_flush)(adder);
}

#undef G
#undef B
#undef G_T
#undef G_AFFINE_T
#undef G_CELL_T
#undef B_LANES_T
