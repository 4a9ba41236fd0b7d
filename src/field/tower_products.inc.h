/* Sums and products in the tower over Fp2 = Fp[i] / (i^2 + 1): Fp6 = Fp2[v] / (v^3 - xi), Fp12 =
 * Fp6[w] / (w^2 - v): the template, for whatever stands for a number.
 *
 * Parameters, kept: TOWER_NAME(field, name), what the names of a field begin with, fp_add being
 * TOWER_NAME(fp, add); fp_t with add, sub, mul_small and fp2_t {c0, c1} with add, sub, mul; XI_C0,
 * XI_C1 (params/<curve>.h).
 *
 * Names defined, fp for TOWER_NAME(fp, ..):
 *   fp2_mul_xi                            by xi, whose sixth root makes the twist
 *   fp6_t {c0, c1, c2}                    c0 + c1 v + c2 v^2
 *   fp6_add fp6_sub fp6_mul fp6_mul_v
 *   fp6_mul_01 fp6_mul_1 fp6_mul_fp2      by b0 + b1 v, by b1 v and by b0
 *   fp12_t {c0, c1}                       c0 + c1 w
 *   fp12_mul fp12_sqr
 *   fp12_mul_034 fp12_mul_014             by b0 + b3 w + b4 v w and by b0 + b1 v + b4 v w: lines
 *
 * out may be any operand. */
#define E1(name) TOWER_NAME(fp, name)
#define E2(name) TOWER_NAME(fp2, name)
#define E6(name) TOWER_NAME(fp6, name)
#define E12(name) TOWER_NAME(fp12, name)
#define E1_T E1(t)
#define E2_T E2(t)
#define E6_T E6(t)
#define E12_T E12(t)

typedef struct {
    E2_T c0, c1, c2;
} E6_T;

typedef struct {
    E6_T c0, c1;
} E12_T;

/* ---- Fp2 ------------------------------------------------------------------------------------- */

static inline void E2(mul_xi)(E2_T *out, const E2_T *a)
{
    E1_T c0_by_0, c0_by_1, c1_by_0, c1_by_1;

    E1(mul_small)(&c0_by_0, &a->c0, XI_C0);
    E1(mul_small)(&c1_by_0, &a->c1, XI_C0);
    E1(mul_small)(&c0_by_1, &a->c0, XI_C1);
    E1(mul_small)(&c1_by_1, &a->c1, XI_C1);
    E1(sub)(&out->c0, &c0_by_0, &c1_by_1);
    E1(add)(&out->c1, &c1_by_0, &c0_by_1);
}

/* ---- Fp6 ------------------------------------------------------------------------------------- */

static inline void E6(add)(E6_T *out, const E6_T *a, const E6_T *b)
{
    E2(add)(&out->c0, &a->c0, &b->c0);
    E2(add)(&out->c1, &a->c1, &b->c1);
    E2(add)(&out->c2, &a->c2, &b->c2);
}

static inline void E6(sub)(E6_T *out, const E6_T *a, const E6_T *b)
{
    E2(sub)(&out->c0, &a->c0, &b->c0);
    E2(sub)(&out->c1, &a->c1, &b->c1);
    E2(sub)(&out->c2, &a->c2, &b->c2);
}

static inline void E6(mul_v)(E6_T *out, const E6_T *a)
{
    E2_T top;

    E2(mul_xi)(&top, &a->c2);
    out->c2 = a->c1;
    out->c1 = a->c0;
    out->c0 = top;
}

/* (a_i + a_j)(b_i + b_j) - a_i b_i - a_j b_j = a_i b_j + a_j b_i */
static inline void E6(cross)(E2_T *out, const E2_T *ai, const E2_T *aj, const E2_T *bi,
                             const E2_T *bj, const E2_T *ii, const E2_T *jj)
{
    E2_T s, t;

    E2(add)(&s, ai, aj);
    E2(add)(&t, bi, bj);
    E2(mul)(&s, &s, &t);
    E2(sub)(&s, &s, ii);
    E2(sub)(out, &s, jj);
}

/* Karatsuba, six products (Devegili, O hEigeartaigh, Scott, Dahab 2006). */
static inline void E6(mul)(E6_T *out, const E6_T *a, const E6_T *b)
{
    E2_T p0, p1, p2, cross01, cross02, cross12;

    E2(mul)(&p0, &a->c0, &b->c0);
    E2(mul)(&p1, &a->c1, &b->c1);
    E2(mul)(&p2, &a->c2, &b->c2);
    E6(cross)(&cross12, &a->c1, &a->c2, &b->c1, &b->c2, &p1, &p2);
    E6(cross)(&cross01, &a->c0, &a->c1, &b->c0, &b->c1, &p0, &p1);
    E6(cross)(&cross02, &a->c0, &a->c2, &b->c0, &b->c2, &p0, &p2);
    E2(mul_xi)(&cross12, &cross12);
    E2(add)(&out->c0, &p0, &cross12);
    E2(mul_xi)(&p2, &p2);
    E2(add)(&out->c1, &cross01, &p2);
    E2(add)(&out->c2, &cross02, &p1);
}

static inline void E6(mul_01)(E6_T *out, const E6_T *a, const E2_T *b0, const E2_T *b1)
{
    E2_T p0, p1, cross, high, top;

    E2(mul)(&p0, &a->c0, b0);
    E2(mul)(&p1, &a->c1, b1);
    E6(cross)(&cross, &a->c0, &a->c1, b0, b1, &p0, &p1);
    E2(mul)(&high, &a->c2, b1);
    E2(mul)(&top, &a->c2, b0);
    E2(mul_xi)(&high, &high);
    E2(add)(&out->c0, &p0, &high);
    out->c1 = cross;
    E2(add)(&out->c2, &top, &p1);
}

static inline void E6(mul_1)(E6_T *out, const E6_T *a, const E2_T *b1)
{
    E2_T top;

    E2(mul)(&top, &a->c2, b1);
    E2(mul)(&out->c2, &a->c1, b1);
    E2(mul)(&out->c1, &a->c0, b1);
    E2(mul_xi)(&out->c0, &top);
}

static inline void E6(mul_fp2)(E6_T *out, const E6_T *a, const E2_T *b)
{
    E2(mul)(&out->c0, &a->c0, b);
    E2(mul)(&out->c1, &a->c1, b);
    E2(mul)(&out->c2, &a->c2, b);
}

/* ---- Fp12 ------------------------------------------------------------------------------------ */

/* From p0 = a0 b0, p1 = a1 b1 and mixed = (a0 + a1)(b0 + b1). */
static inline void E12(combine)(E12_T *out, const E6_T *p0, E6_T *p1, const E6_T *mixed)
{
    E6_T t;

    E6(sub)(&t, mixed, p0);
    E6(sub)(&out->c1, &t, p1);
    E6(mul_v)(p1, p1);
    E6(add)(&out->c0, p0, p1);
}

static inline void E12(mul)(E12_T *out, const E12_T *a, const E12_T *b)
{
    E6_T p0, p1, mixed, t;

    E6(add)(&mixed, &a->c0, &a->c1);
    E6(add)(&t, &b->c0, &b->c1);
    E6(mul)(&mixed, &mixed, &t);
    E6(mul)(&p0, &a->c0, &b->c0);
    E6(mul)(&p1, &a->c1, &b->c1);
    E12(combine)(out, &p0, &p1, &mixed);
}

/* (c0 + c1)(c0 + v c1) = c0^2 + v c1^2 + (1 + v) c0 c1 */
static inline void E12(sqr)(E12_T *out, const E12_T *a)
{
    E6_T s, t, product;

    E6(mul)(&product, &a->c0, &a->c1);
    E6(add)(&s, &a->c0, &a->c1);
    E6(mul_v)(&t, &a->c1);
    E6(add)(&t, &t, &a->c0);
    E6(mul)(&s, &s, &t);
    E6(sub)(&s, &s, &product);
    E6(mul_v)(&t, &product);
    E6(sub)(&out->c0, &s, &t);
    E6(add)(&out->c1, &product, &product);
}

static inline void E12(mul_034)(E12_T *out, const E12_T *a, const E2_T *b0, const E2_T *b3,
                                const E2_T *b4)
{
    E6_T p0, p1, mixed;
    E2_T sum;

    E2(add)(&sum, b0, b3);
    E6(add)(&mixed, &a->c0, &a->c1);
    E6(mul_01)(&mixed, &mixed, &sum, b4);
    E6(mul_fp2)(&p0, &a->c0, b0);
    E6(mul_01)(&p1, &a->c1, b3, b4);
    E12(combine)(out, &p0, &p1, &mixed);
}

static inline void E12(mul_014)(E12_T *out, const E12_T *a, const E2_T *b0, const E2_T *b1,
                                const E2_T *b4)
{
    E6_T p0, p1, mixed;
    E2_T sum;

    E2(add)(&sum, b1, b4);
    E6(add)(&mixed, &a->c0, &a->c1);
    E6(mul_01)(&mixed, &mixed, b0, &sum);
    E6(mul_01)(&p0, &a->c0, b0, b1);
    E6(mul_1)(&p1, &a->c1, b4);
    E12(combine)(out, &p0, &p1, &mixed);
}

#undef E1
#undef E2
#undef E6
#undef E12
#undef E1_T
#undef E2_T
#undef E6_T
#undef E12_T
