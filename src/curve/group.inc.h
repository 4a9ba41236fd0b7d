/* A group of points of y^2 = x^3 + b: the template.
 *
 * Parameters, defined before the include and kept, so that further templates of the same group can
 * follow; curves/unit.inc.h undefines them:
 *   GROUP        the prefix of everything defined here: g1 or g2
 *   BASE         the field of the coordinates: fp or fp2
 *   GROUP_PARAM  the prefix of the constants in params/<curve>.h: G1 or G2
 *
 * Names defined, for GROUP = g1:
 *   g1_affine_t {x, y}                    Montgomery form; infinity is all zeros
 *   g1_t {x, y, z}                        Jacobian: (x/z^2, y/z^3); infinity is any with z = 0
 *   g1_b                                  the curve's constant
 *   g1_affine_infinity g1_affine_generator g1_infinity
 *   g1_affine_is_infinity g1_affine_eq g1_affine_neg g1_on_curve
 *   g1_affine_from_plain g1_affine_to_plain
 *   g1_is_infinity g1_eq g1_neg
 *   g1_dbl g1_add g1_add_mixed            complete: equal, opposite, infinite operands are handled
 *   g1_from_affine g1_to_affine g1_to_affine_batch
 *   g1_mul_plain                          by a plain integer of any length
 *   g1_multiples                          0, 1, ... 8 times a point
 *   g1_in_subgroup                        declared here, defined in curve/subgroup.inc.h
 *
 * out may be any operand. Nothing here asks for the subgroup of order r. Variable time. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define P(name) TEMPLATE_JOIN(GROUP_PARAM, name)
#define G_T G(t)
#define G_AFFINE_T G(affine_t)
#define B_T B(t)

typedef struct {
    B_T x, y;
} G_AFFINE_T;

typedef struct {
    B_T x, y, z;
} G_T;

static const B_T G(b) = {P(B)};
static const G_AFFINE_T G(affine_generator) = {P(GENERATOR)};
static const G_AFFINE_T G(affine_infinity);
static const G_T G(infinity);

/* ---- affine points --------------------------------------------------------------------------- */

static inline bool G(affine_is_infinity)(const G_AFFINE_T *a)
{
    return B(is_zero)(&a->x) && B(is_zero)(&a->y);
}

static inline bool G(affine_eq)(const G_AFFINE_T *a, const G_AFFINE_T *b)
{
    return B(eq)(&a->x, &b->x) && B(eq)(&a->y, &b->y);
}

static inline void G(affine_neg)(G_AFFINE_T *out, const G_AFFINE_T *a)
{
    out->x = a->x;
    B(neg)(&out->y, &a->y);
}

/* x^3 + b */
static inline void G(curve_rhs)(B_T *out, const B_T *x)
{
    B_T t;

    B(sqr)(&t, x);
    B(mul)(&t, &t, x);
    B(add)(out, &t, &G(b));
}

/* Does it satisfy the curve's equation? Infinity does. */
static inline bool G(on_curve)(const G_AFFINE_T *a)
{
    B_T left, right;

    if (G(affine_is_infinity)(a))
        return true;
    B(sqr)(&left, &a->y);
    G(curve_rhs)(&right, &a->x);
    return B(eq)(&left, &right);
}

/* Coordinates below the modulus, plain <-> Montgomery. */
static inline void G(affine_from_plain)(G_AFFINE_T *out, const G_AFFINE_T *in)
{
    B(from_plain)(&out->x, &in->x);
    B(from_plain)(&out->y, &in->y);
}

static inline void G(affine_to_plain)(G_AFFINE_T *out, const G_AFFINE_T *in)
{
    B(to_plain)(&out->x, &in->x);
    B(to_plain)(&out->y, &in->y);
}

/* ---- Jacobian points ------------------------------------------------------------------------- */

static inline bool G(is_infinity)(const G_T *a)
{
    return B(is_zero)(&a->z);
}

static inline void G(from_affine)(G_T *out, const G_AFFINE_T *a)
{
    const bool infinite = G(affine_is_infinity)(a);

    out->x = a->x;
    out->y = a->y;
    out->z = infinite ? B(zero) : B(one);
}

static inline void G(neg)(G_T *out, const G_T *a)
{
    out->x = a->x;
    B(neg)(&out->y, &a->y);
    out->z = a->z;
}

/* The same point? */
static inline bool G(eq)(const G_T *a, const G_T *b)
{
    B_T az, bz, s, t;

    if (G(is_infinity)(a) || G(is_infinity)(b))
        return G(is_infinity)(a) == G(is_infinity)(b);
    B(sqr)(&az, &a->z);
    B(sqr)(&bz, &b->z);
    B(mul)(&s, &a->x, &bz);
    B(mul)(&t, &b->x, &az);
    if (!B(eq)(&s, &t))
        return false;
    B(mul)(&az, &az, &a->z);
    B(mul)(&bz, &bz, &b->z);
    B(mul)(&s, &a->y, &bz);
    B(mul)(&t, &b->y, &az);
    return B(eq)(&s, &t);
}

/* out = 2a; 2M + 5S ("dbl-2009-l" of the Explicit-Formulas Database, curves with a = 0). A point
 * with y = 0 or z = 0 gives z = 0. */
static inline void G(dbl)(G_T *out, const G_T *a)
{
    B_T xx, yy, yyyy, d, e, t;

    B(sqr)(&xx, &a->x);
    B(sqr)(&yy, &a->y);
    B(sqr)(&yyyy, &yy);
    B(add)(&d, &a->x, &yy);
    B(sqr)(&d, &d);
    B(sub)(&d, &d, &xx);
    B(sub)(&d, &d, &yyyy);
    B(dbl)(&d, &d);
    B(dbl)(&e, &xx);
    B(add)(&e, &e, &xx);
    B(mul)(&t, &a->y, &a->z);
    B(dbl)(&out->z, &t);
    B(sqr)(&t, &e);
    B(sub)(&t, &t, &d);
    B(sub)(&out->x, &t, &d);
    B(sub)(&t, &d, &out->x);
    B(mul)(&t, &t, &e);
    B(dbl)(&yyyy, &yyyy);
    B(dbl)(&yyyy, &yyyy);
    B(dbl)(&yyyy, &yyyy);
    B(sub)(&out->y, &t, &yyyy);
}

/* The end that both additions share: from u1 = x of a over the common z, s1 = y of a, h = u2 - u1,
 * r = s2 - s1 and z3 = h times the common z, "add-1998-cmo-2". h != 0. */
static inline void G(add_end)(G_T *out, const B_T *u1, const B_T *s1, const B_T *h, const B_T *r)
{
    B_T hh, hhh, v, t;

    B(sqr)(&hh, h);
    B(mul)(&hhh, &hh, h);
    B(mul)(&v, u1, &hh);
    B(mul)(&hh, s1, &hhh); /* hh is done with: now s1 h^3 */
    B(sqr)(&t, r);
    B(sub)(&t, &t, &hhh);
    B(sub)(&t, &t, &v);
    B(sub)(&out->x, &t, &v);
    B(sub)(&v, &v, &out->x);
    B(mul)(&v, &v, r);
    B(sub)(&out->y, &v, &hh);
}

/* out = a + b; 12M + 4S. */
static inline void G(add)(G_T *out, const G_T *a, const G_T *b)
{
    B_T az, bz, u1, u2, s1, s2;

    if (G(is_infinity)(a)) {
        *out = *b;
        return;
    }
    if (G(is_infinity)(b)) {
        *out = *a;
        return;
    }
    B(sqr)(&az, &a->z);
    B(sqr)(&bz, &b->z);
    B(mul)(&u1, &a->x, &bz);
    B(mul)(&u2, &b->x, &az);
    B(mul)(&bz, &bz, &b->z);
    B(mul)(&az, &az, &a->z);
    B(mul)(&s1, &a->y, &bz);
    B(mul)(&s2, &b->y, &az);
    B(sub)(&u2, &u2, &u1);
    B(sub)(&s2, &s2, &s1);
    if (B(is_zero)(&u2)) {
        if (B(is_zero)(&s2))
            G(dbl)(out, a);
        else
            *out = G(infinity);
        return;
    }
    B(mul)(&az, &a->z, &b->z);
    B(mul)(&out->z, &az, &u2);
    G(add_end)(out, &u1, &s1, &u2, &s2);
}

/* out = a + b, b affine; 8M + 3S. */
static inline void G(add_mixed)(G_T *out, const G_T *a, const G_AFFINE_T *b)
{
    B_T zz, h, r;
    G_T sum;

    if (G(affine_is_infinity)(b)) {
        *out = *a;
        return;
    }
    if (G(is_infinity)(a)) {
        G(from_affine)(out, b);
        return;
    }
    B(sqr)(&zz, &a->z);
    B(mul)(&h, &b->x, &zz);
    B(mul)(&zz, &zz, &a->z);
    B(mul)(&r, &b->y, &zz);
    B(sub)(&h, &h, &a->x);
    B(sub)(&r, &r, &a->y);
    if (B(is_zero)(&h)) {
        if (B(is_zero)(&r))
            G(dbl)(out, a);
        else
            *out = G(infinity);
        return;
    }
    B(mul)(&sum.z, &a->z, &h);
    G(add_end)(&sum, &a->x, &a->y, &h, &r);
    *out = sum;
}

/* ---- back to affine -------------------------------------------------------------------------- */

/* With z_inverse = 1/a.z, or 0 for infinity, which then comes out as zeros. */
static inline void G(scale_to_affine)(G_AFFINE_T *out, const G_T *a, const B_T *z_inverse)
{
    B_T power;

    B(sqr)(&power, z_inverse);
    B(mul)(&out->x, &a->x, &power);
    B(mul)(&power, &power, z_inverse);
    B(mul)(&out->y, &a->y, &power);
}

static inline void G(to_affine)(G_AFFINE_T *out, const G_T *a)
{
    B_T z_inverse;

    B(inv)(&z_inverse, &a->z);
    G(scale_to_affine)(out, a, &z_inverse);
}

/* n points with one inversion. scratch: 2n elements of BASE. out may not overlap the inputs. */
static inline void G(to_affine_batch)(G_AFFINE_T *out, const G_T *a, size_t n, B_T *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = a[i].z;
    B(inv_batch)(scratch, n, scratch + n);
    for (size_t i = 0; i < n; i++)
        G(scale_to_affine)(&out[i], &a[i], &scratch[i]);
}

/* ---- multiples ------------------------------------------------------------------------------- */

/* multiple[i] = i a, i = 0 ... 8 */
static inline void G(multiples)(G_T multiple[9], const G_T *a)
{
    multiple[0] = G(infinity);
    multiple[1] = *a;
    for (size_t i = 2; i <= 8; i++) {
        if (i % 2 == 0)
            G(dbl)(&multiple[i], &multiple[i / 2]);
        else
            G(add)(&multiple[i], &multiple[i - 1], a);
    }
}

/* out = k a, k: n plain words, least significant first; any k, any point of the curve. */
static inline void G(mul_plain)(G_T *out, const G_T *a, const uint64_t *k, size_t n)
{
    G_T multiple[9], sum = G(infinity);

    G(multiples)(multiple, a);
    for (size_t i = 16 * n + 1; i-- > 0;) {
        const int digit = limbs_booth_digit(k, n, i);
        G_T term;

        for (int j = 0; j < 4 && !G(is_infinity)(&sum); j++)
            G(dbl)(&sum, &sum);
        if (digit < 0)
            G(neg)(&term, &multiple[-digit]);
        else
            term = multiple[digit];
        G(add)(&sum, &sum, &term);
    }
    *out = sum;
}

#undef G
#undef B
#undef P
#undef G_T
#undef G_AFFINE_T
#undef B_T
