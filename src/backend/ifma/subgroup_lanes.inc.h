/* Are eight points of the curve, none infinity, in the subgroup of order r? As curve/subgroup.inc.h
 * asks it, where it is also shown that nothing else passes.
 *
 * Parameters: g1 and g2 in lanes (point_lanes.inc.h), and PSI_X, PSI_Y, G1_BETA, FAMILY_IS_BN of
 * params/<curve>.h.
 *
 * The lanes returned are in the subgroup: their chains met none of the cases that additions leave
 * out. Where the parameter u is large no other lane is: the multiples of P on the way are smaller
 * than r, so they have different x and none is infinity, if P has order r. (A toy's u is not; a
 * lane that is not returned may still be in its subgroup.)
 *
 * Names defined: g1_lanes_in_subgroup, g2_lanes_in_subgroup: (x, y) below 2p */

static __mmask8 g1_lanes_in_subgroup(const fp_lanes_t *x, const fp_lanes_t *y)
{
#if FAMILY_IS_BN
    (void)x;
    (void)y;
    return 0xff;
#else
    static const fp_t beta = {G1_BETA};
    fp_lanes_t image;
    g1_lanes_t p;

    g1_lanes_from_affine(&p, x, y);
    g1_lanes_mul_u(&p, &p);
    g1_lanes_mul_u(&p, &p);
    g1_lanes_neg(&p, &p);
    fp_lanes_all(&image, &beta);
    fp_lanes_mul(&image, &image, x);
    return g1_lanes_are(&p, &image, y);
#endif
}

/* The coordinates of psi: the conjugate, times a constant. */
static inline void fp2_lanes_psi(fp2_lanes_t *out, const fp2_lanes_t *a, const fp2_t *constant)
{
    fp2_lanes_t factor;

    *out = *a;
    fp_lanes_neg_where(&out->c1, 0xff);
    fp_lanes_fold(&out->c1, &out->c1);
    fp2_lanes_all(&factor, constant);
    fp2_lanes_mul(out, out, &factor);
}

static __mmask8 g2_lanes_in_subgroup(const fp2_lanes_t *x, const fp2_lanes_t *y)
{
    static const fp2_t x_factor = {PSI_X}, y_factor = {PSI_Y};
    fp2_lanes_t image_x, image_y;
    g2_lanes_t p;

    g2_lanes_from_affine(&p, x, y);
    g2_lanes_mul_u(&p, &p);
#if FAMILY_IS_BN
    g2_lanes_t q;

    g2_lanes_mul_u(&p, &p);
    g2_lanes_dbl(&q, &p);
    g2_lanes_add(&p, &p, &q);
    g2_lanes_dbl(&p, &p);
#elif U_IS_NEGATIVE
    g2_lanes_neg(&p, &p);
#endif
    fp2_lanes_psi(&image_x, x, &x_factor);
    fp2_lanes_psi(&image_y, y, &y_factor);
    return g2_lanes_are(&p, &image_x, &image_y);
}
