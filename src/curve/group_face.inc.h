/* One group as struct curve shows it (curve.h): plain affine points in, plain affine points out.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h. The templates group, encode and multiple
 * come before.
 *
 * Names defined, for GROUP = g1:
 *   g1_face_add g1_face_neg g1_face_mul g1_face_check g1_face_encode g1_face_decode */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_POINT struct G(point)
#define G_AFFINE_T G(affine_t)
#define G_T G(t)

/* Is a point of the curve in the subgroup of order r? Defined in curve/subgroup.inc.h. */
static inline bool G(in_subgroup)(const G_AFFINE_T *a);

static inline void G(face_in)(G_AFFINE_T *out, const G_POINT *a)
{
    G_AFFINE_T plain;

    memcpy(&plain, a, sizeof plain);
    G(affine_from_plain)(out, &plain);
}

static inline void G(face_out)(G_POINT *out, const G_AFFINE_T *a)
{
    G_AFFINE_T plain;

    G(affine_to_plain)(&plain, a);
    memset(out, 0, sizeof *out);
    memcpy(out, &plain, sizeof plain);
}

static void G(face_add)(G_POINT *out, const G_POINT *a, const G_POINT *b)
{
    G_AFFINE_T p, q;
    G_T sum;

    G(face_in)(&p, a);
    G(face_in)(&q, b);
    G(from_affine)(&sum, &p);
    G(add_mixed)(&sum, &sum, &q);
    G(to_affine)(&p, &sum);
    G(face_out)(out, &p);
}

static void G(face_neg)(G_POINT *out, const G_POINT *a)
{
    G_AFFINE_T p;

    G(face_in)(&p, a);
    G(affine_neg)(&p, &p);
    G(face_out)(out, &p);
}

static void G(face_mul)(G_POINT *out, const G_POINT *a, const struct scalar *k)
{
    G_AFFINE_T p;
    G_T product;
    fr_t plain;

    memcpy(&plain, k, sizeof plain);
    G(face_in)(&p, a);
    G(from_affine)(&product, &p);
    G(mul)(&product, &product, &plain);
    G(to_affine)(&p, &product);
    G(face_out)(out, &p);
}

static enum point_fault G(face_check)(const G_POINT *a)
{
    G_AFFINE_T p;

    memcpy(&p, a, sizeof p);
    if (!B(plain_is_reduced)(&p.x) || !B(plain_is_reduced)(&p.y))
        return POINT_NOT_CANONICAL;
    G(affine_from_plain)(&p, &p);
    if (!G(on_curve)(&p))
        return POINT_NOT_ON_CURVE;
    return G(in_subgroup)(&p) ? POINT_OK : POINT_NOT_IN_SUBGROUP;
}

static void G(face_encode)(uint8_t *out, const G_POINT *a, bool compressed)
{
    G_AFFINE_T p;

    G(face_in)(&p, a);
    G(write_bytes)(out, &p, compressed);
}

static enum point_fault G(face_decode)(G_POINT *out, const uint8_t *in, bool compressed,
                                       bool subgroup)
{
    G_AFFINE_T p;
    const enum point_fault fault = G(read_bytes)(&p, in, compressed);

    if (fault != POINT_OK)
        return fault;
    if (subgroup && !G(in_subgroup)(&p))
        return POINT_NOT_IN_SUBGROUP;
    G(face_out)(out, &p);
    return POINT_OK;
}

#undef G
#undef B
#undef G_T
#undef G_POINT
#undef G_AFFINE_T
