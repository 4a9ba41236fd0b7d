/* Is a point of the curve in the subgroup of order r?
 *
 * Parameters: g1, g2 with their multiples, and PSI_X, PSI_Y, FAMILY_IS_BN of params/<curve>.h.
 *
 * Both tests compare an endomorphism with the integer that it is on the subgroup (Bowe 2019, Scott
 * 2021). Why nothing else passes:
 *
 *   G1   BN: the whole curve has order r.
 *        BLS12: phi(P) = -u^2 P is asked. phi^2 + phi + 1 = 0 on the whole curve, so
 *        (u^4 - u^2 + 1) P = 0, and that number is r.
 *   G2   psi(Q) = (t - 1) Q is asked; t - 1 is u (BLS12) or 6 u^2 (BN). psi^2 - t psi + p = 0, so
 *        ((t - 1)^2 - t (t - 1) + p) Q = (p + 1 - t) Q = h1 r Q = 0. Also h2 r Q = 0, and h1 and
 *        h2 are coprime (tools/params.py asserts it).
 *
 * Names defined: g2_psi, g1_in_subgroup, g2_in_subgroup */

/* Frobenius, brought to the twist and back; on the subgroup it is multiplication by p. */
static inline void g2_psi(g2_affine_t *out, const g2_affine_t *a)
{
    static const fp2_t x_factor = {PSI_X}, y_factor = {PSI_Y};

    fp2_conj(&out->x, &a->x);
    fp2_mul(&out->x, &out->x, &x_factor);
    fp2_conj(&out->y, &a->y);
    fp2_mul(&out->y, &out->y, &y_factor);
}

static inline bool g1_in_subgroup(const g1_affine_t *a)
{
#if FAMILY_IS_BN
    (void)a;
    return true;
#else
    g1_affine_t image;
    g1_t p, q;

    g1_from_affine(&p, a);
    g1_mul_u(&p, &p);
    g1_mul_u(&p, &p);
    g1_phi(&image, a);
    g1_affine_neg(&image, &image);
    g1_from_affine(&q, &image);
    return g1_eq(&p, &q);
#endif
}

static inline bool g2_in_subgroup(const g2_affine_t *a)
{
    g2_affine_t image;
    g2_t p, q;

    g2_from_affine(&p, a);
    g2_mul_u(&p, &p);
#if FAMILY_IS_BN
    g2_mul_u(&p, &p);
    g2_dbl(&q, &p);
    g2_add(&p, &p, &q);
    g2_dbl(&p, &p);
#elif U_IS_NEGATIVE
    g2_neg(&p, &p);
#endif
    g2_psi(&image, a);
    g2_from_affine(&q, &image);
    return g2_eq(&p, &q);
}
