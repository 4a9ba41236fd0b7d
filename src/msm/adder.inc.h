/* Additions of affine points that share one inversion: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before.
 *
 *     struct g1_adder       a batch of pairs waiting to be added
 *     g1_adder_init         none waiting; before each batch, `pool` is asked whether it may go on
 *     g1_adder_push         *out = a + b, at the latest by the next flush
 *     g1_adder_flush        computes what waits
 *
 * An addition needs 1 / (x_b - x_a). Montgomery's trick turns n inversions into one and 3n
 * products, so an affine addition costs 5M + 1S, where the best mixed addition costs 8M + 2S.
 * Forward, the running product of the denominators is kept beside each pair; backward, the inverse
 * of the whole product is unwound.
 *
 * Every pair is right: infinite operands, equal points (doubled), opposite points (infinity). What
 * needs no denominator is done on the way forward and marked with a = 0; a doubling is marked with
 * b = 0. Such pairs are rare except in adversarial input, where they are cheaper than the others.
 */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define B_T B(t)
#define G_AFFINE_T G(affine_t)

/* Pairs that share an inversion, which costs as much as 15 additions. G1 of BLS12-381, 2^16 terms
 * (bench_msm, EPYC family 26): 512 pairs 296 ms, 1024 pairs 270, 2048 pairs 268; with 8192 points
 * in lists (lists.inc.h) the same. */
#ifndef ADDER_PAIRS
#define ADDER_PAIRS 1024
#endif

/* Pairs that go through the steps of an addition together. */
#define ADDER_LANES 8

/* A point or its negative: the address, plus 1 for the negative. */
typedef uintptr_t G(ref_t);

struct G(adder) {
    struct pool *pool;
    size_t n;
    struct G(adder_pair) {
        G(ref_t) a, b;
        G_AFFINE_T *out;
    } pair[ADDER_PAIRS];
    B_T denominator[ADDER_PAIRS];
    B_T product[ADDER_PAIRS + 1]; /* of the denominators before this one */
};

static inline G(ref_t) G(ref)(const G_AFFINE_T *point, bool negative)
{
    return (uintptr_t)point | (negative ? 1 : 0);
}

static inline const G_AFFINE_T *G(ref_point)(G(ref_t) ref)
{
    return (const G_AFFINE_T *)(ref & ~(uintptr_t)1);
}

/* out = the point meant. */
static inline void G(ref_load)(G_AFFINE_T *out, G(ref_t) ref)
{
    if (ref & 1)
        G(affine_neg)(out, G(ref_point)(ref));
    else
        *out = *G(ref_point)(ref);
}

/* A pair whose x are equal or one of which may be infinite. False: its sum is written, no division
 * was needed. Else its denominator is in place, and b = 0 if it is a doubling. */
static bool G(adder_special)(struct G(adder_pair) * pair, B_T *denominator)
{
    G_AFFINE_T a, b;

    G(ref_load)(&a, pair->a);
    G(ref_load)(&b, pair->b);
    if (G(affine_is_infinity)(&a)) {
        *pair->out = b;
        return false;
    }
    if (G(affine_is_infinity)(&b)) {
        *pair->out = a;
        return false;
    }
    if (!B(eq)(&a.x, &b.x))
        return true;
    if (!B(eq)(&a.y, &b.y) || B(is_zero)(&a.y)) {
        *pair->out = G(affine_infinity);
        return false;
    }
    pair->b = 0;
    B(dbl)(denominator, &a.y);
    return true;
}

static inline void G(adder_prefetch)(const struct G(adder_pair) * pair)
{
    const char *a = (const char *)G(ref_point)(pair->a);
    const char *b = (const char *)G(ref_point)(pair->b);

    for (size_t i = 0; i < sizeof(G_AFFINE_T); i += 64) {
        __builtin_prefetch(a + i);
        __builtin_prefetch(b + i);
    }
}

/* Denominators and their running products. Pairs that are done leave the batch. */
static void G(adder_forward)(struct G(adder) * adder)
{
    const size_t n = adder->n, ahead = 8;
    size_t kept = 0;

    adder->product[0] = B(one);
    for (size_t k = 0; k < n; k++) {
        struct G(adder_pair) *pair = &adder->pair[kept];
        B_T *denominator = &adder->denominator[kept];
        const B_T *xa, *xb;

        if (k + ahead < n)
            G(adder_prefetch)(&adder->pair[k + ahead]);
        *pair = adder->pair[k];
        xa = &G(ref_point)(pair->a)->x;
        xb = &G(ref_point)(pair->b)->x;
        B(sub)(denominator, xb, xa);
        if ((B(is_zero)(denominator) || B(is_zero)(xa) || B(is_zero)(xb)) &&
            !G(adder_special)(pair, denominator))
            continue;
        B(mul)(&adder->product[kept + 1], &adder->product[kept], denominator);
        kept++;
    }
    adder->n = kept;
}

/* One pair on the way back. */
struct G(adder_lane) {
    G_AFFINE_T a;
    B_T xs; /* x_a + x_b */
    B_T slope;
    G_AFFINE_T *out;
};

/* The slope's numerator, y_b - y_a or 3 x_a^2, and what is needed after it. */
static inline void G(adder_open)(const struct G(adder_pair) * pair, struct G(adder_lane) * lane,
                                 B_T *rise)
{
    G(ref_load)(&lane->a, pair->a);
    if (pair->b) {
        G_AFFINE_T b;

        G(ref_load)(&b, pair->b);
        B(add)(&lane->xs, &lane->a.x, &b.x);
        B(sub)(rise, &b.y, &lane->a.y);
    } else {
        B_T square;

        B(dbl)(&lane->xs, &lane->a.x);
        B(sqr)(&square, &lane->a.x);
        B(dbl)(rise, &square);
        B(add)(rise, rise, &square);
    }
    lane->out = pair->out;
}

/* From the inverse of the product of all denominators: slope = rise / denominator,
 * x = slope^2 - x_a - x_b, y = slope (x_a - x) - y_a. Pairs go through these steps a few at a time,
 * so that what waits in one pair is hidden behind the products of the others (a tenth of the time).
 */
static void G(adder_backward)(struct G(adder) * adder, B_T *inverse)
{
    struct G(adder_lane) lanes[ADDER_LANES];
    size_t k = adder->n;

    while (k > 0) {
        size_t n = 0;
        B_T t;

        for (; k > 0 && n < ADDER_LANES; k--, n++) {
            struct G(adder_lane) *lane = &lanes[n];

            G(adder_open)(&adder->pair[k - 1], lane, &t);
            B(mul)(&t, &t, &adder->product[k - 1]);
            B(mul)(&lane->slope, &t, inverse);
            B(mul)(inverse, inverse, &adder->denominator[k - 1]);
        }
        for (size_t i = 0; i < n; i++) {
            B(sqr)(&t, &lanes[i].slope);
            B(sub)(&lanes[i].out->x, &t, &lanes[i].xs);
        }
        for (size_t i = 0; i < n; i++) {
            B(sub)(&t, &lanes[i].a.x, &lanes[i].out->x);
            B(mul)(&t, &t, &lanes[i].slope);
            B(sub)(&lanes[i].out->y, &t, &lanes[i].a.y);
        }
    }
}

static void G(adder_flush)(struct G(adder) * adder)
{
    B_T inverse;

    pool_may_go_on(adder->pool);
    G(adder_forward)(adder);
    if (adder->n == 0)
        return;
    B(inv)(&inverse, &adder->product[adder->n]);
    G(adder_backward)(adder, &inverse);
    adder->n = 0;
}

static inline void G(adder_init)(struct G(adder) * adder, struct pool *pool)
{
    adder->pool = pool;
    adder->n = 0;
}

/* out may be a or b themselves, but nothing else that waits may read or write it. */
static inline void G(adder_push)(struct G(adder) * adder, G(ref_t) a, G(ref_t) b, G_AFFINE_T *out)
{
    adder->pair[adder->n].a = a;
    adder->pair[adder->n].b = b;
    adder->pair[adder->n].out = out;
    if (++adder->n == ADDER_PAIRS)
        G(adder_flush)(adder);
}

#undef G
#undef B
#undef B_T
#undef G_AFFINE_T
