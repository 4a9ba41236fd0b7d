/* Points in the form for long sums, (x, y, zz, zzz) = (x/zz, y/zzz) with zz^3 = zzz^2: adding costs
 * less than in Jacobian form (mixed 8M + 2S, full 12M + 2S), doubling more. The template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before.
 *
 * Names defined, for GROUP = g1:
 *   g1_xyzz_t                                 infinity is any with zz = 0
 *   g1_xyzz_infinity g1_xyzz_is_infinity
 *   g1_xyzz_from_affine
 *   g1_xyzz_dbl g1_xyzz_add g1_xyzz_add_mixed complete, like those of group.inc.h
 *   g1_xyzz_to_jacobian
 *
 * Formulas: Explicit-Formulas Database, short Weierstrass, xyzz-3, a = 0. out may be any operand.
 * Variable time. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define X(name) TEMPLATE_JOIN(GROUP, TEMPLATE_JOIN(xyzz, name))
#define B(name) TEMPLATE_JOIN(BASE, name)
#define B_T B(t)
#define X_T X(t)
#define G_AFFINE_T G(affine_t)
#define G_T G(t)

typedef struct {
    B_T x, y, zz, zzz;
} X_T;

static const X_T X(infinity); /* zeros */

static inline bool X(is_infinity)(const X_T *a)
{
    return B(is_zero)(&a->zz);
}

static inline void X(from_affine)(X_T *out, const G_AFFINE_T *a)
{
    const bool infinite = G(affine_is_infinity)(a);

    out->x = a->x;
    out->y = a->y;
    out->zz = infinite ? B(zero) : B(one);
    out->zzz = out->zz;
}

/* "dbl-2008-s-1" */
static inline void X(dbl)(X_T *out, const X_T *a)
{
    B_T u, v, w, s, m;

    B(dbl)(&u, &a->y);
    B(sqr)(&v, &u);
    B(mul)(&w, &u, &v);
    B(mul)(&s, &a->x, &v);
    B(sqr)(&u, &a->x);
    B(dbl)(&m, &u);
    B(add)(&m, &m, &u);
    B(mul)(&out->zz, &v, &a->zz);
    B(mul)(&out->zzz, &w, &a->zzz);
    B(mul)(&v, &w, &a->y);
    B(sqr)(&u, &m);
    B(sub)(&u, &u, &s);
    B(sub)(&out->x, &u, &s);
    B(sub)(&s, &s, &out->x);
    B(mul)(&s, &s, &m);
    B(sub)(&out->y, &s, &v);
}

/* x and y of the sum from u1, s1 (coordinates of a over the common denominators), p = u2 - u1,
 * r = s2 - s1; leaves p^2 and p^3 for the denominators. */
static inline void X(add_end)(X_T *out, const B_T *u1, const B_T *s1, const B_T *p, const B_T *r,
                              B_T *pp, B_T *ppp)
{
    B_T q, t, s1_ppp;

    B(sqr)(pp, p);
    B(mul)(ppp, pp, p);
    B(mul)(&q, u1, pp);
    B(mul)(&s1_ppp, s1, ppp);
    B(sqr)(&t, r);
    B(sub)(&t, &t, ppp);
    B(sub)(&t, &t, &q);
    B(sub)(&out->x, &t, &q);
    B(sub)(&t, &q, &out->x);
    B(mul)(&t, &t, r);
    B(sub)(&out->y, &t, &s1_ppp);
}

/* "add-2008-s" */
static inline void X(add)(X_T *out, const X_T *a, const X_T *b)
{
    B_T u1, s1, p, r, pp, ppp;
    X_T sum;

    if (X(is_infinity)(b)) {
        *out = *a;
        return;
    }
    if (X(is_infinity)(a)) {
        *out = *b;
        return;
    }
    B(mul)(&u1, &a->x, &b->zz);
    B(mul)(&s1, &a->y, &b->zzz);
    B(mul)(&p, &b->x, &a->zz);
    B(mul)(&r, &b->y, &a->zzz);
    B(sub)(&p, &p, &u1);
    B(sub)(&r, &r, &s1);
    if (B(is_zero)(&p)) {
        if (B(is_zero)(&r))
            X(dbl)(out, a);
        else
            *out = X(infinity);
        return;
    }
    X(add_end)(&sum, &u1, &s1, &p, &r, &pp, &ppp);
    B(mul)(&sum.zz, &a->zz, &b->zz);
    B(mul)(&sum.zz, &sum.zz, &pp);
    B(mul)(&sum.zzz, &a->zzz, &b->zzz);
    B(mul)(&sum.zzz, &sum.zzz, &ppp);
    *out = sum;
}

/* "madd-2008-s" */
static inline void X(add_mixed)(X_T *out, const X_T *a, const G_AFFINE_T *b)
{
    B_T p, r, pp, ppp;
    X_T sum;

    if (G(affine_is_infinity)(b)) {
        *out = *a;
        return;
    }
    if (X(is_infinity)(a)) {
        X(from_affine)(out, b);
        return;
    }
    B(mul)(&p, &b->x, &a->zz);
    B(mul)(&r, &b->y, &a->zzz);
    B(sub)(&p, &p, &a->x);
    B(sub)(&r, &r, &a->y);
    if (B(is_zero)(&p)) {
        if (B(is_zero)(&r))
            X(dbl)(out, a);
        else
            *out = X(infinity);
        return;
    }
    X(add_end)(&sum, &a->x, &a->y, &p, &r, &pp, &ppp);
    B(mul)(&sum.zz, &a->zz, &pp);
    B(mul)(&sum.zzz, &a->zzz, &ppp);
    *out = sum;
}

/* z = zz: x zz / zz^2 = x/zz, and y zzz / zz^3 = y zzz / zzz^2 = y/zzz. */
static inline void X(to_jacobian)(G_T *out, const X_T *a)
{
    B(mul)(&out->x, &a->x, &a->zz);
    B(mul)(&out->y, &a->y, &a->zzz);
    out->z = a->zz;
}

#undef G
#undef X
#undef B
#undef X_T
#undef G_AFFINE_T
#undef G_T
#undef B_T
