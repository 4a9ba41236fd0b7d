/* Arrays of points from one form to another: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/decode_one.inc.h and curve/multiple.inc.h
 * come before, g1_in_subgroup (curve/subgroup.inc.h) is declared. Names defined: entries of struct
 * group_kernels, whose contracts they fulfil: g1_bulk_decode g1_bulk_decompress g1_bulk_to_plain
 * g1_bulk_from_plain g1_bulk_encode g1_bulk_neg g1_bulk_check. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_AFFINE_T G(affine_t)

static bool G(bulk_decode)(void *out, const struct points_view *points, size_t begin, size_t end,
                           struct points_fault *fault)
{
    for (size_t i = begin; i < end; i++) {
        const enum point_fault why = G(decode_one)((G_AFFINE_T *)out + (i - begin), points, i);

        if (why != POINT_OK) {
            *fault = (struct points_fault){.index = i, .fault = why};
            return false;
        }
    }
    return true;
}

static bool G(bulk_decompress)(void *out, const uint8_t *const *in, size_t n,
                               struct points_fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        G_AFFINE_T *point = (G_AFFINE_T *)out + i;
        enum point_fault why = G(read_bytes)(point, in[i], true);

        if (why == POINT_OK && !G(in_subgroup)(point))
            why = POINT_NOT_IN_SUBGROUP;
        if (why != POINT_OK) {
            *fault = (struct points_fault){.index = i, .fault = why};
            return false;
        }
    }
    return true;
}

static void G(bulk_to_plain)(void *out, const void *native, size_t n)
{
    for (size_t i = 0; i < n; i++)
        G(affine_to_plain)((G_AFFINE_T *)out + i, (const G_AFFINE_T *)native + i);
}

static void G(bulk_from_plain)(void *out, const void *plain, size_t n)
{
    for (size_t i = 0; i < n; i++)
        G(affine_from_plain)((G_AFFINE_T *)out + i, (const G_AFFINE_T *)plain + i);
}

static void G(bulk_encode)(uint8_t *out, const void *native, size_t n)
{
    for (size_t i = 0; i < n; i++)
        G(write_bytes)(out + i * 2 * B(bytes), (const G_AFFINE_T *)native + i, false);
}

static void G(bulk_neg)(void *a, size_t n)
{
    G_AFFINE_T *points = a;

    for (size_t i = 0; i < n; i++)
        G(affine_neg)(&points[i], &points[i]);
}

static bool G(bulk_check)(const void *native, size_t n, struct points_fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        const G_AFFINE_T *point = (const G_AFFINE_T *)native + i;
        enum point_fault why = POINT_OK;

        if (!B(plain_is_reduced)(&point->x) || !B(plain_is_reduced)(&point->y))
            why = POINT_NOT_CANONICAL;
        else if (G(affine_is_infinity)(point))
            why = POINT_INFINITY;
        else if (!G(on_curve)(point))
            why = POINT_NOT_ON_CURVE;
        if (why != POINT_OK) {
            *fault = (struct points_fault){.index = i, .fault = why};
            return false;
        }
    }
    return true;
}

#undef G
#undef B
#undef G_AFFINE_T
