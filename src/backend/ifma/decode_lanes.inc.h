/* Points of a key or of proofs, decoded and checked in eight lanes; what is wrong with one is found
 * out by the portable operations.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; LANE_CURVE, the curve with its portable
 * operations; adder_lanes.inc.h and root_lanes.inc.h come before. Names defined: entries of struct
 * group_kernels, g1_lane_decode g1_lane_check g1_lane_decompress; g1_in_subgroup, for
 * msm/subgroup_sums.inc.h. */
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

/* ---- compressed ------------------------------------------------------------------------------ */

/* Defined in subgroup_lanes.inc.h. */
static __mmask8 G(lanes_in_subgroup)(const B_LANES_T *x, const B_LANES_T *y);

/* Eight points from x, in bytes without flags, and which y is theirs. Are all good? */
static bool G(lanes_lift_x)(B_LANES_T *x, B_LANES_T *y, const struct G(reader) * reader,
                            const void *const at[LANES], __mmask8 larger)
{
    if (B(lanes_decode)(x, at, 0, &reader->factor) != 0xff)
        return false;
    G(lanes_curve_rhs)(y, x, &reader->constant);
    if (B(lanes_sqrt)(y, y) != 0xff)
        return false;
    B(lanes_neg_where)(y, B(lanes_is_larger_root)(y) ^ larger);
    B(lanes_fold)(y, y);
    return G(lanes_in_subgroup)(x, y) == 0xff;
}

/* n <= LANES finite points; false if one is anything else. */
static bool G(lanes_decompress)(G_AFFINE_T *out, const struct G(reader) * reader,
                                const uint8_t *const *in, size_t n)
{
    const uint8_t mask = G(flag_mask)();
    uint8_t bytes[LANES][B(bytes)];
    const void *at[LANES];
    void *to[LANES];
    B_LANES_T x, y;
    unsigned larger = 0;

    for (size_t k = 0; k < LANES; k++) {
        const size_t place = k < n ? k : 0;
        const uint8_t flags = in[place][0] & mask;
        const bool is_larger = flags == G(flags)(true, false, true);

        if (!is_larger && flags != G(flags)(true, false, false))
            return false;
        memcpy(bytes[k], in[place], sizeof bytes[k]);
        bytes[k][0] &= (uint8_t)~mask;
        larger |= (unsigned)is_larger << k;
        at[k] = bytes[k];
        to[k] = &out[place];
    }
    if (!G(lanes_lift_x)(&x, &y, reader, at, (__mmask8)larger))
        return false;
    B(cell_export)(to, &x, &y, n);
    return true;
}

static bool G(lane_decompress)(void *out, const uint8_t *const *in, size_t n,
                               struct points_fault *fault)
{
    G_AFFINE_T *const native = out;
    struct G(reader) reader;

    G(reader_init)(&reader, POINTS_ZCASH);
    for (size_t i = 0; i < n; i += LANES) {
        const size_t m = n - i < LANES ? n - i : LANES;

        /* A vector takes 73 us in G1 and 114 in G2 (Zen 5), one point by itself 49 and 70. */
        if (m > 1 && G(lanes_decompress)(&native[i], &reader, &in[i], m))
            continue;
        if (!PORTABLE->decompress(&native[i], &in[i], m, fault)) {
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
