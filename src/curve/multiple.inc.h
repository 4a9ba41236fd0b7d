/* Multiples by scalars and the test for the subgroup of order r: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before.
 *
 * Names defined, for GROUP = g1:
 *   g1_mul                                out = k a, k plain, reduced; a in the subgroup
 *   g1_in_subgroup                        of an affine point of the curve: is r a infinity?
 *
 * Variable time. */
#define G(name) TEMPLATE_JOIN(GROUP, name)

static inline void G(mul)(G(t) * out, const G(t) * a, const fr_t *k)
{
    G(mul_plain)(out, a, k->l, FR_LIMBS);
}

static inline bool G(in_subgroup)(const G(affine_t) * a)
{
    G(t) p;

    G(from_affine)(&p, a);
    G(mul_plain)(&p, &p, fr_modulus_words.l, FR_LIMBS);
    return G(is_infinity)(&p);
}

#undef G
