/* Multiples of points of the subgroup of order r, with the endomorphism phi(x, y) = (beta x, y),
 * which acts there as multiplication by lambda (Gallant, Lambert, Vanstone 2001): the template.
 *
 * Parameters, kept: GROUP, BASE, GROUP_PARAM as in curve/group.inc.h, which comes before, and
 * curve/glv.inc.h.
 *
 * Names defined, for GROUP = g1:
 *   g1_phi                                of an affine point
 *   g1_mul                                out = k a
 *   g1_mul_u                              out = |u| a, u the parameter of the curve's family; any
 *                                         point of the curve
 *
 * out may be any operand. Variable time. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define P(name) TEMPLATE_JOIN(GROUP_PARAM, name)
#define G_AFFINE_T G(affine_t)
#define G_T G(t)
#define B_T B(t)

static const B_T G(beta) = {P(BETA)};

static inline void G(phi)(G_AFFINE_T *out, const G_AFFINE_T *a)
{
    B(mul)(&out->x, &a->x, &G(beta));
    out->y = a->y;
}

/* sum += digit * A, or digit * phi(A) if `image`; multiple[d] = d A. */
static inline void G(add_digit)(G_T *sum, const G_T multiple[9], int digit, bool image)
{
    G_T term;

    if (digit == 0)
        return;
    if (digit < 0)
        G(neg)(&term, &multiple[-digit]);
    else
        term = multiple[digit];
    if (image)
        B(mul)(&term.x, &term.x, &G(beta));
    G(add)(sum, sum, &term);
}

/* out = k a, k plain and reduced, a in the subgroup of order r: half of mul_plain's doublings. */
static inline void G(mul)(G_T *out, const G_T *a, const fr_t *k)
{
    struct glv_half half[2];
    G_T multiple[9], sum = G(infinity);

    glv_split(half, k);
    G(multiples)(multiple, a);
    for (size_t i = GLV_BITS / 4 + 1; i-- > 0;) {
        for (int j = 0; j < 4 && !G(is_infinity)(&sum); j++)
            G(dbl)(&sum, &sum);
        for (int h = 0; h < 2; h++) {
            const int digit = limbs_booth_digit(half[h].l, GLV_WORDS, i);

            G(add_digit)(&sum, multiple, half[h].negative ? -digit : digit, h == 1);
        }
    }
    *out = sum;
}

#define POINT GROUP
#include "curve/multiple_by_u.inc.h"
#undef POINT

#undef G
#undef B
#undef G_AFFINE_T
#undef G_T
#undef B_T
#undef P
