/* Additions of affine points that share one inversion: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before.
 *
 *     struct g1_adder       a batch of pairs waiting to be added
 *     g1_adder_init         none waiting
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

/* Pairs that share an inversion. An inversion costs as much as 15 additions at most, so it adds 3
 * %; 512 pairs of 96 bytes, their sums and 2 products each stay in 256 KiB. */
#ifndef ADDER_PAIRS
#define ADDER_PAIRS 512
#endif

/* A point or its negative: the address, plus 1 for the negative. */
typedef uintptr_t G(ref_t);

struct G(adder) {
    size_t n;
    struct {
        G(ref_t) a, b;
        G_AFFINE_T *out;
    } pair[ADDER_PAIRS];
    B_T denominator[ADDER_PAIRS];
    B_T before[ADDER_PAIRS]; /* product of the denominators of earlier pairs */
};

static inline G(ref_t) G(ref)(const G_AFFINE_T *point, bool negative)
{
    return (uintptr_t)point | (negative ? 1 : 0);
}

static inline const G_AFFINE_T *G(ref_point)(G(ref_t) ref)
{
    return (const G_AFFINE_T *)(ref & ~(uintptr_t)1);
}

/* out = the point meant, without a branch on its sign. */
static inline void G(ref_load)(G_AFFINE_T *out, G(ref_t) ref)
{
    const G_AFFINE_T *point = G(ref_point)(ref);
    B_T negative;

    B(neg)(&negative, &point->y);
    out->x = point->x;
    for (size_t i = 0; i < sizeof(B_T) / sizeof(fp_t); i++)
        fp_select_ct((fp_t *)&out->y + i, (const fp_t *)&negative + i, (const fp_t *)&point->y + i,
                     ref & 1);
}

/* A pair whose x are equal or one of which may be infinite: does it (a = 0), or makes it a doubling
 * (b = 0) with its denominator 2y, or finds it ordinary after all. */
static void G(adder_special)(struct G(adder) * adder, size_t k)
{
    G_AFFINE_T a, b;
    G_AFFINE_T *out = adder->pair[k].out;

    G(ref_load)(&a, adder->pair[k].a);
    G(ref_load)(&b, adder->pair[k].b);
    if (G(affine_is_infinity)(&a)) {
        *out = b;
    } else if (G(affine_is_infinity)(&b)) {
        *out = a;
    } else if (!B(eq)(&a.x, &b.x)) {
        return;
    } else if (B(eq)(&a.y, &b.y) && !B(is_zero)(&a.y)) {
        adder->pair[k].b = 0;
        B(dbl)(&adder->denominator[k], &a.y);
        return;
    } else {
        *out = G(affine_infinity);
    }
    adder->pair[k].a = 0;
}

static inline void G(adder_prefetch)(const struct G(adder) * adder, size_t k)
{
    const char *a = (const char *)G(ref_point)(adder->pair[k].a);
    const char *b = (const char *)G(ref_point)(adder->pair[k].b);

    for (size_t i = 0; i < sizeof(G_AFFINE_T); i += 64) {
        __builtin_prefetch(a + i);
        __builtin_prefetch(b + i);
    }
}

/* Denominators and their running product; the whole product is returned in *product. */
static void G(adder_forward)(struct G(adder) * adder, B_T *product)
{
    const size_t n = adder->n, ahead = 8;

    *product = B(one);
    for (size_t k = 0; k < n; k++) {
        const G_AFFINE_T *a = G(ref_point)(adder->pair[k].a);
        const G_AFFINE_T *b = G(ref_point)(adder->pair[k].b);

        if (k + ahead < n)
            G(adder_prefetch)(adder, k + ahead);
        B(sub)(&adder->denominator[k], &b->x, &a->x);
        if (B(is_zero)(&adder->denominator[k]) || B(is_zero)(&a->x) || B(is_zero)(&b->x)) {
            G(adder_special)(adder, k);
            if (!adder->pair[k].a)
                continue;
        }
        adder->before[k] = *product;
        B(mul)(product, product, &adder->denominator[k]);
    }
}

/* Slope, then x = slope^2 - x_a - x_b, y = slope (x_a - x) - y_a. inverse: of all denominators. */
static void G(adder_backward)(struct G(adder) * adder, B_T *inverse)
{
    for (size_t k = adder->n; k-- > 0;) {
        G_AFFINE_T a, b, *out = adder->pair[k].out;
        B_T slope, t;

        if (!adder->pair[k].a)
            continue;
        B(mul)(&slope, inverse, &adder->before[k]);
        B(mul)(inverse, inverse, &adder->denominator[k]);
        G(ref_load)(&a, adder->pair[k].a);
        if (adder->pair[k].b) {
            G(ref_load)(&b, adder->pair[k].b);
            B(sub)(&t, &b.y, &a.y);
        } else {
            b = a;
            B(sqr)(&t, &a.x);
            B(add)(&b.y, &t, &t);
            B(add)(&t, &t, &b.y);
        }
        B(mul)(&slope, &slope, &t);
        B(sqr)(&t, &slope);
        B(sub)(&t, &t, &a.x);
        B(sub)(&out->x, &t, &b.x);
        B(sub)(&t, &a.x, &out->x);
        B(mul)(&t, &t, &slope);
        B(sub)(&out->y, &t, &a.y);
    }
}

static void G(adder_flush)(struct G(adder) * adder)
{
    B_T product;

    if (adder->n == 0)
        return;
    G(adder_forward)(adder, &product);
    B(inv)(&product, &product);
    G(adder_backward)(adder, &product);
    adder->n = 0;
}

static inline void G(adder_init)(struct G(adder) * adder)
{
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
