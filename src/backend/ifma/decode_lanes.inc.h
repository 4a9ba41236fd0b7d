/* Points of a key, decoded and checked in eight lanes; what is wrong with one is found out by the
 * portable operations.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; LANE_CURVE, the curve with its portable
 * operations; adder_lanes.inc.h comes before. Names defined: entries of struct group_kernels,
 * g1_lane_decode g1_lane_check; g1_in_subgroup, for msm/subgroup_sums.inc.h. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define G_AFFINE_T G(affine_t)
#define B_LANES_T B(lanes_t)
#define PORTABLE (LANE_CURVE.GROUP)

static bool G(lane_decode)(void *out, const struct points_view *points, size_t begin, size_t end,
                           struct points_fault *fault)
{
    G_AFFINE_T *const native = out;
    struct G(reader) reader;

    if (points->form == POINTS_NATIVE)
        return PORTABLE->decode(out, points, begin, end, fault);
    G(reader_init)(&reader, points->form);
    for (size_t i = begin; i < end; i += LANES) {
        const size_t m = end - i < LANES ? end - i : LANES;
        const void *at[LANES];
        void *to[LANES];
        B_LANES_T x, y;
        __mmask8 infinite;

        for (size_t k = 0; k < LANES; k++) {
            const size_t place = i + (k < m ? k : 0);

            at[k] = (const char *)points->data + place * sizeof(G_AFFINE_T); /* encoded, too */
            to[k] = &native[place - begin];
        }
        if (G(reader_get)(&reader, &x, &y, &infinite, at) != 0)
            return PORTABLE->decode(native + (i - begin), points, i, i + m, fault);
        B(cell_export)(to, &x, &y, m);
    }
    return true;
}

static bool G(lane_check)(const void *native, size_t n, struct points_fault *fault)
{
    const G_AFFINE_T *points = native;
    fp_lanes_t factor;
    B_LANES_T constant;

    fp_lanes_set(&factor, fp_lane_from_native);
    B(lanes_all)(&constant, &G(b));
    for (size_t i = 0; i < n; i += LANES) {
        const size_t m = n - i < LANES ? n - i : LANES;
        const void *at[LANES];
        B_LANES_T x, y;

        for (size_t k = 0; k < LANES; k++)
            at[k] = &points[i + (k < m ? k : 0)];
        B(cell_import)(&x, &y, at, &factor);
        if ((B(cell_is_reduced)(at) & G(lanes_on_curve)(&x, &y, &constant)) != 0xff) {
            PORTABLE->check(&points[i], m, fault);
            fault->index += i;
            return false;
        }
    }
    return true;
}

static bool G(in_subgroup)(const G_AFFINE_T *a)
{
    struct G(point) plain = {{0}};
    G_AFFINE_T affine;

    G(affine_to_plain)(&affine, a);
    memcpy(&plain, &affine, sizeof affine);
    return G(affine_is_infinity)(a) || LANE_CURVE.G(check)(&plain) == POINT_OK;
}

#undef G
#undef B
#undef G_AFFINE_T
#undef B_LANES_T
#undef PORTABLE
