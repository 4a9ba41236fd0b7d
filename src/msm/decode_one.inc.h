/* One point of an array in any form: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; curve/encode.inc.h comes before. Name
 * defined: g1_decode_one. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_AFFINE_T G(affine_t)

/* *out = point i, native. */
static enum point_fault G(decode_one)(G_AFFINE_T *out, const struct points_view *points, size_t i)
{
    enum point_fault fault;

    switch (points->form) {
    case POINTS_NATIVE: *out = ((const G_AFFINE_T *)points->data)[i]; return POINT_OK;
    case POINTS_PLAIN:
        G(affine_from_plain)(out, &((const G_AFFINE_T *)points->data)[i]);
        return POINT_OK;
    default:
        fault = G(read_bytes)(out, (const uint8_t *)points->data + i * 2 * B(bytes), false);
        if (fault == POINT_OK && G(affine_is_infinity)(out))
            return POINT_INFINITY;
        return fault;
    }
}

#undef G
#undef B
#undef G_AFFINE_T
