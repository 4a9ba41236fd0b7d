/* Products of many pairings in eight lanes: Miller's loops of eight pairs at once.
 *
 * Parameters: fp, fp2 with the tower (field/tower.inc.h), in lanes and lazy; LANE_CURVE, the curve
 * with its portable operations; and of params/<curve>.h what curve/pairing.inc.h asks for.
 *
 * Every lane has its own f, and all go through the steps of curve/ate_steps.inc.h, with the same
 * lines as the portable loop: what they have grown to is multiplied in the end, so that the result
 * is the same element of Fp12. More than eight pairs take several vectors, which share the f of
 * their lane and so its squarings:
 *
 *             lane 7       ...  lane 1       lane 0
 *     f        f7                f1           f0         squared once a digit
 *     vector 0  P7, Q7           P1, Q1       P0, Q0     a line each
 *     vector 1  unit             known lines  P8, Q8
 *
 * Lanes whose lines are known read them from memory; those without a pair have the *unit* for all
 * lines, whose value at every P is one. They stand behind the others, so that most vectors have
 * neither. The final exponentiation is the portable one.
 *
 * Names defined: pairing_lanes_replace; pairing_lanes_product, without regard to what it costs. */
#define TOWER_NAME(field, name) TEMPLATE_JOIN(field, TEMPLATE_JOIN(lazy, name))
#include "field/tower_products.inc.h"
#include "curve/ate_steps.inc.h"
#undef TOWER_NAME

#define TOWER_NAME(field, name) TEMPLATE_JOIN(field, name)
#include "curve/ate_steps.inc.h" /* for the lines in memory */
#undef TOWER_NAME

/* ---- eight pairs ----------------------------------------------------------------------------- */

struct pairing_lanes {
    fp_lanes_t minus_x, y; /* of P */
    fp2_lazy_t qx, qy, minus_qy;
    ate_lazy_point_t t;
    __mmask8 known;          /* the lanes that take their lines from memory: */
    const void *next[LANES]; /* in order, native, */
    size_t step[LANES];      /* so many bytes further each time; of the unit none */
};

/* The line that is one at the P of lanes without a pair, (0, 1). */
static const ate_line_t pairing_unit_line = {
#if TWIST_IS_M
    .constant = {{FP_ONE}, {{0}}},
#else
    .by_y = {{FP_ONE}, {{0}}},
#endif
};
static const fp2_t pairing_twist_b = {G2_B};
static const struct g1_point pairing_unit_p = {.w = {[FP_LIMBS] = 1}};
static const struct g2_point pairing_unit_q;

/* Takes the lines of lanes that know them. */
static __attribute__((noinline)) void pairing_lanes_known(ate_lazy_line_t *line,
                                                          struct pairing_lanes *v)
{
    fp_lanes_t factor, part;
    fp_lazy_t *const to[6] = {&line->constant.c0, &line->constant.c1, &line->by_x.c0,
                              &line->by_x.c1,     &line->by_y.c0,     &line->by_y.c1};

    fp_lanes_set(&factor, fp_lane_from_native);
    for (size_t i = 0; i < 6; i++) {
        fp_lanes_import(&part, v->next, i * sizeof(fp_t), &factor);
        fp_lanes_select(to[i], v->known, to[i], &part);
    }
    for (int lane = 0; lane < LANES; lane++)
        v->next[lane] = (const char *)v->next[lane] + v->step[lane];
}

static inline void pairing_lanes_line(fp12_lazy_t *f, ate_lazy_line_t *line,
                                      struct pairing_lanes *v)
{
    if (v->known)
        pairing_lanes_known(line, v);
    ate_lazy_mul_line(f, line, &v->minus_x, &v->y);
}

static __attribute__((noinline)) void pairing_lanes_double(fp12_lazy_t *f, struct pairing_lanes *v,
                                                           const fp2_lazy_t *b)
{
    ate_lazy_line_t line;

    if (v->known == 0xff)
        memset(&line, 0, sizeof line);
    else
        ate_lazy_double(&v->t, &line, b);
    pairing_lanes_line(f, &line, v);
}

static __attribute__((noinline)) void pairing_lanes_add(fp12_lazy_t *f, struct pairing_lanes *v,
                                                        const fp2_lazy_t *qx, const fp2_lazy_t *qy)
{
    ate_lazy_line_t line;

    if (v->known == 0xff)
        memset(&line, 0, sizeof line);
    else
        ate_lazy_add(&v->t, &line, qx, qy);
    pairing_lanes_line(f, &line, v);
}

#if FAMILY_IS_BN
/* g2_psi of curve/subgroup.inc.h */
static void pairing_lanes_psi(fp2_lazy_t *x, fp2_lazy_t *y)
{
    static const fp2_t x_factor = {PSI_X}, y_factor = {PSI_Y};
    fp2_lazy_t factor;
    fp_lazy_t zero;

    fp_lazy_clear(&zero);
    fp_lazy_sub(&x->c1, &zero, &x->c1);
    fp_lazy_sub(&y->c1, &zero, &y->c1);
    fp2_lanes_all(&factor, &x_factor);
    fp2_lazy_mul(x, x, &factor);
    fp2_lanes_all(&factor, &y_factor);
    fp2_lazy_mul(y, y, &factor);
}

static void pairing_lanes_add_images(fp12_lazy_t *f, struct pairing_lanes *v)
{
    fp2_lazy_t zero;

    pairing_lanes_psi(&v->qx, &v->qy);
    pairing_lanes_add(f, v, &v->qx, &v->qy);
    pairing_lanes_psi(&v->qx, &v->qy);
    memset(&zero, 0, sizeof zero);
    fp2_lazy_sub(&v->qy, &zero, &v->qy);
    pairing_lanes_add(f, v, &v->qx, &v->qy);
}
#endif

/* *f = eight products of Miller values, one a lane; of the family BLS12 with a negative u, their
 * conjugates. */
static void pairing_lanes_miller(fp12_lazy_t *f, struct pairing_lanes *vectors, size_t n)
{
    static const signed char digits[] = MILLER_DIGITS;
    fp2_lazy_t b;

    fp2_lanes_all(&b, &pairing_twist_b);
    memset(f, 0, sizeof *f);
    fp_lanes_set_one(&f->c0.c0.c0);
    for (size_t i = 1; i < sizeof digits; i++) {
        if (i > 1)
            fp12_lazy_sqr(f, f);
        for (size_t k = 0; k < n; k++) {
            struct pairing_lanes *v = &vectors[k];

            pairing_lanes_double(f, v, &b);
            if (digits[i] != 0)
                pairing_lanes_add(f, v, &v->qx, digits[i] > 0 ? &v->qy : &v->minus_qy);
        }
    }
#if FAMILY_IS_BN
    for (size_t k = 0; k < n; k++)
        pairing_lanes_add_images(f, &vectors[k]);
#endif
}

/* ---- many pairs ------------------------------------------------------------------------------ */

/* Vectors that share their squarings. */
#define PAIRING_LANES_VECTORS 8

/* A pair, or the P of one and its known lines. */
struct pairing_seat {
    const struct g1_point *p;
    const struct g2_point *q;
    const ate_line_t *lines; /* or NULL */
};

/* The next pair without infinity, those with known lines behind the others; at the end false and
 * *ret as it was. */
static bool pairing_lanes_next(struct pairing_seat *ret, const struct pairing_product *product,
                               size_t *at)
{
    while (*at < product->n + product->n_fixed) {
        const bool known = *at >= product->n;
        const size_t i = known ? *at - product->n : *at;
        const struct pairing_seat seat = {
            .p = known ? &product->fixed_p[i] : &product->p[i],
            .q = known ? &pairing_unit_q : &product->q[i],
            .lines = known ? product->lines[i] : NULL,
        };

        ++*at;
        if (!limbs_are_zero(seat.p->w, 2 * FP_LIMBS) &&
            (known || !limbs_are_zero(seat.q->w, 4 * FP_LIMBS))) {
            *ret = seat;
            return true;
        }
    }
    return false;
}

/* The next eight, fewer at the end; returns how many. */
static size_t pairing_lanes_fill(struct pairing_lanes *v, const struct pairing_product *product,
                                 size_t *at)
{
    const void *p[LANES], *q[LANES];
    fp_lanes_t factor, zero;
    size_t taken = 0;

    v->known = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        struct pairing_seat seat = {&pairing_unit_p, &pairing_unit_q, NULL};

        if (pairing_lanes_next(&seat, product, at))
            taken++;
        else
            seat.lines = &pairing_unit_line;
        p[lane] = seat.p;
        q[lane] = seat.q;
        v->next[lane] = seat.lines ? seat.lines : &pairing_unit_line;
        v->step[lane] = v->next[lane] == &pairing_unit_line ? 0 : sizeof pairing_unit_line;
        if (seat.lines)
            v->known |= (__mmask8)(1u << lane);
    }
    fp_lanes_set(&factor, fp_lane_from_plain);
    fp_cell_import(&v->minus_x, &v->y, p, &factor);
    fp2_cell_import(&v->qx, &v->qy, q, &factor);
    fp_lazy_clear(&zero);
    fp_lanes_sub(&v->minus_x, &zero, &v->minus_x, 2);
    memset(&v->minus_qy, 0, sizeof v->minus_qy);
    fp2_lazy_sub(&v->minus_qy, &v->minus_qy, &v->qy);
    v->t.x = v->qx;
    v->t.y = v->qy;
    fp2_lanes_set_one(&v->t.z);
    return taken;
}

/* value *= the f of the first n lanes */
static void pairing_lanes_multiply(fp12_t *value, const fp12_lazy_t *f, size_t n)
{
    const fp_lazy_t *part = (const fp_lazy_t *)f; /* of either kind there are twelve */
    fp12_t each[LANES];
    void *at[LANES];

    for (int lane = 0; lane < LANES; lane++)
        at[lane] = &each[lane];
    for (size_t i = 0; i < sizeof *f / sizeof *part; i++) {
        fp_lanes_t x;

        fp_lazy_settle(&x, &part[i]);
        fp_lanes_export(at, i * sizeof(fp_t), &x, n);
    }
    for (size_t lane = 0; lane < n; lane++) {
        if (!FAMILY_IS_BN && U_IS_NEGATIVE)
            fp12_conj(&each[lane], &each[lane]);
        fp12_mul(value, value, &each[lane]);
    }
}

/* What pairing_value of struct curve leaves. */
static void pairing_lanes_product(fp12_t *value, const struct pairing_product *product)
{
    struct pairing_lanes vectors[PAIRING_LANES_VECTORS];
    size_t at = 0, n, taken;

    *value = fp12_one;
    if (product->value)
        memcpy(value, product->value, sizeof *value);
    do {
        fp12_lazy_t f;
        size_t first = 0; /* pairs of the first vector */

        for (n = 0; n < PAIRING_LANES_VECTORS; n++) {
            taken = pairing_lanes_fill(&vectors[n], product, &at);
            if (taken == 0)
                break;
            if (n == 0)
                first = taken;
        }
        if (n == 0)
            break;
        pairing_lanes_miller(&f, vectors, n);
        pairing_lanes_multiply(value, &f, first);
    } while (n == PAIRING_LANES_VECTORS);
}

/* ---- what struct curve shows ----------------------------------------------------------------- */

/* Fewer pairs than this the portable loop does in less time. */
#define PAIRING_LANES_MIN 4

static void pairing_lanes_value(void *value, const struct pairing_product *product)
{
    fp12_t f;

    if (product->n + product->n_fixed < PAIRING_LANES_MIN) {
        LANE_CURVE.pairing_value(value, product);
    } else {
        pairing_lanes_product(&f, product);
        memcpy(value, &f, sizeof f);
    }
}

static bool pairing_lanes_product_is_one(const struct pairing_product *product)
{
    fp12_t f;

    if (product->n + product->n_fixed < PAIRING_LANES_MIN)
        return LANE_CURVE.pairing_product_is_one(product);
    pairing_lanes_product(&f, product);
    return LANE_CURVE.pairing_product_is_one(&(struct pairing_product){.value = &f});
}

static bool pairing_lanes_is_one(const struct g1_point *p, const struct g2_point *q, size_t n)
{
    return pairing_lanes_product_is_one(&(struct pairing_product){.p = p, .q = q, .n = n});
}

static void pairing_lanes_replace(struct curve *curve)
{
    curve->pairing_value = pairing_lanes_value;
    curve->pairing_product_is_one = pairing_lanes_product_is_one;
    curve->pairing_is_one = pairing_lanes_is_one;
}
