/* Points as bytes, and back: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h, which comes before.
 *
 * x, then y unless compressed, big-endian (coordinate.inc.h). Flags sit in the top bits of the
 * first byte.
 *
 *   three spare bits: Zcash's layout on BLS12-381; the toys follow it
 *       0x80   compressed
 *       0x40   infinity, all else zero
 *       0x20   y is the larger root; compressed finite points only
 *   two spare bits: gnark-crypto's layout on BN254
 *       0x00   uncompressed; infinity is all zeros
 *       0x80   compressed, y is the smaller root
 *       0xc0   compressed, y is the larger root
 *       0x40   compressed infinity, all else zero
 *
 * No curve here has a point with y = 0 (all orders are odd), so the two roots always differ.
 *
 * Names defined, for GROUP = g1:
 *   g1_encoded_bytes(compressed)
 *   g1_flag_mask g1_flags      the flags' bits, and which of them stand for what
 *   g1_lift_x                  the point with this x and the smaller or larger y
 *   g1_write_bytes             Montgomery affine -> bytes
 *   g1_read_bytes              bytes -> Montgomery affine; checks flags, range and curve, not the
 *                              subgroup; out is written on POINT_OK only */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define B(name) TEMPLATE_JOIN(BASE, name)
#define B_T B(t)
#define G_AFFINE_T G(affine_t)

#define FLAGS_ARE_ZCASH (64 * FP_LIMBS - FP_BITS >= 3)

static inline size_t G(encoded_bytes)(bool compressed)
{
    return compressed ? B(bytes) : 2 * B(bytes);
}

static inline uint8_t G(flag_mask)(void)
{
    return FLAGS_ARE_ZCASH ? 0xe0 : 0xc0;
}

/* The flags of an encoding; larger only for a compressed finite point. */
static inline uint8_t G(flags)(bool compressed, bool infinite, bool larger)
{
    if (FLAGS_ARE_ZCASH)
        return (uint8_t)((compressed ? 0x80 : 0) | (infinite ? 0x40 : 0) | (larger ? 0x20 : 0));
    if (!compressed)
        return 0;
    return infinite ? 0x40 : larger ? 0xc0 : 0x80;
}

static inline void G(write_bytes)(uint8_t *out, const G_AFFINE_T *a, bool compressed)
{
    const bool infinite = G(affine_is_infinity)(a);
    G_AFFINE_T plain;

    G(affine_to_plain)(&plain, a);
    B(write_be)(out, &plain.x);
    if (!compressed)
        B(write_be)(out + B(bytes), &plain.y);
    out[0] |= G(flags)(compressed, infinite, compressed && B(is_larger_root)(&plain.y));
}

/* y of the point with this x, from its sign; false if the curve has none. */
static inline bool G(lift_x)(G_AFFINE_T *out, const B_T *x, bool larger)
{
    B_T y, plain;

    G(curve_rhs)(&y, x);
    if (!B(sqrt)(&y, &y))
        return false;
    B(to_plain)(&plain, &y);
    if (B(is_larger_root)(&plain) != larger)
        B(neg)(&y, &y);
    out->x = *x;
    out->y = y;
    return true;
}

static inline bool G(bytes_are_zero)(const uint8_t *bytes, size_t n)
{
    uint8_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= bytes[i];
    return any == 0;
}

static inline enum point_fault G(read_bytes)(G_AFFINE_T *out, const uint8_t *in, bool compressed)
{
    const uint8_t mask = G(flag_mask)(), flags = in[0] & mask;
    uint8_t first[B(bytes)];
    G_AFFINE_T plain, point;
    bool larger;

    memcpy(first, in, sizeof first);
    first[0] &= (uint8_t)~mask;
    if (flags == G(flags)(compressed, true, false)) {
        const size_t rest = compressed ? 0 : B(bytes);

        if (G(bytes_are_zero)(first, sizeof first) && G(bytes_are_zero)(in + sizeof first, rest)) {
            *out = G(affine_infinity);
            return POINT_OK;
        }
        if (flags != 0)
            return POINT_BAD_FLAGS;
    }
    larger = compressed && flags == G(flags)(true, false, true);
    if (flags != G(flags)(compressed, false, larger))
        return POINT_BAD_FLAGS;
    B(read_be)(&plain.x, first);
    if (!B(plain_is_reduced)(&plain.x))
        return POINT_NOT_CANONICAL;
    B(from_plain)(&point.x, &plain.x);
    if (compressed) {
        if (!G(lift_x)(&point, &point.x, larger))
            return POINT_NOT_ON_CURVE;
    } else {
        B(read_be)(&plain.y, in + B(bytes));
        if (!B(plain_is_reduced)(&plain.y))
            return POINT_NOT_CANONICAL;
        B(from_plain)(&point.y, &plain.y);
        if (G(affine_is_infinity)(&point) || !G(on_curve)(&point))
            return POINT_NOT_ON_CURVE;
    }
    *out = point;
    return POINT_OK;
}

#undef FLAGS_ARE_ZCASH
#undef G
#undef B
#undef B_T
#undef G_AFFINE_T
