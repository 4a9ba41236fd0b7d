/* Points as the lanes want them in memory: the templates' cell (msm/cell.inc.h), G1 and G2.
 *
 * Parameters: fp and fp2 in lanes. Names defined, for the base field fp of G1 (fp2 of G2 the same):
 *   fp_cell_t             affine, coordinates below 2p in Montgomery form with S
 *   fp_cell_load          both coordinates of eight; returns the lanes at infinity
 *   fp_cell_load_x fp_cell_store
 *   fp2_lanes_decode      as fp_lanes_decode
 *
 *     G1   { x, y }                       one pair
 *     G2   { x.c0, x.c1 } { y.c0, y.c1 }  two
 *
 * Infinity: the free bit of the first pair, all else zero. */

typedef struct {
    fp_pair_t xy;
} fp_cell_t;

typedef struct {
    fp_pair_t x, y;
} fp2_cell_t;

enum { FP_CELL_MARK = 2 * FP_LIMBS <= 8 ? FP_LIMBS - 1 : FP_LANE_LIMBS - 1 }; /* a word's top bit */

static const fp_cell_t fp_cell_infinity = {.xy = {.w = {[FP_CELL_MARK] = UINT64_C(1) << 63}}};
static const fp2_cell_t fp2_cell_infinity = {.x = {.w = {[FP_CELL_MARK] = UINT64_C(1) << 63}}};

LANE_INLINE __mmask8 fp_cell_load_x(fp_lanes_t *x, const void *const at[LANES])
{
    return fp_pair_load_first(x, at, 0);
}

LANE_INLINE __mmask8 fp_cell_load(fp_lanes_t *x, fp_lanes_t *y, const void *const at[LANES])
{
    return fp_pair_load(x, y, at, 0);
}

LANE_INLINE void fp_cell_store(void *const at[LANES], const fp_lanes_t *x, const fp_lanes_t *y,
                               __mmask8 where)
{
    fp_pair_store(at, 0, x, y, where);
}

static inline void fp_cell_negate(fp_cell_t *cell)
{
    fp_pair_negate(&cell->xy, 1);
}

static inline void fp_cell_get(fp_t *x, fp_t *y, const fp_cell_t *cell)
{
    fp_pair_get(x, &cell->xy, 0);
    fp_pair_get(y, &cell->xy, 1);
}

LANE_INLINE __mmask8 fp2_cell_load_x(fp2_lanes_t *x, const void *const at[LANES])
{
    return fp_pair_load(&x->c0, &x->c1, at, 0);
}

LANE_INLINE __mmask8 fp2_cell_load(fp2_lanes_t *x, fp2_lanes_t *y, const void *const at[LANES])
{
    fp_pair_load(&y->c0, &y->c1, at, sizeof(fp_pair_t));
    return fp_pair_load(&x->c0, &x->c1, at, 0);
}

LANE_INLINE void fp2_cell_store(void *const at[LANES], const fp2_lanes_t *x, const fp2_lanes_t *y,
                                __mmask8 where)
{
    fp_pair_store(at, 0, &x->c0, &x->c1, where);
    fp_pair_store(at, sizeof(fp_pair_t), &y->c0, &y->c1, where);
}

static inline void fp2_cell_negate(fp2_cell_t *cell)
{
    fp_pair_negate(&cell->y, 0);
    fp_pair_negate(&cell->y, 1);
}

static inline void fp2_cell_get(fp2_t *x, fp2_t *y, const fp2_cell_t *cell)
{
    fp_pair_get(&x->c0, &cell->x, 0);
    fp_pair_get(&x->c1, &cell->x, 1);
    fp_pair_get(&y->c0, &cell->y, 0);
    fp_pair_get(&y->c1, &cell->y, 1);
}

/* ---- eight points from memory ---------------------------------------------------------------- */

/* {x, y} of eight points at at[i]; returns the lanes that are all zero: infinity. */
LANE_INLINE __mmask8 fp_cell_import(fp_lanes_t *x, fp_lanes_t *y, const void *const at[LANES],
                                    const fp_lanes_t *factor)
{
    return fp_lanes_import(x, at, 0, factor) & fp_lanes_import(y, at, sizeof(fp_t), factor);
}

LANE_INLINE __mmask8 fp2_cell_import(fp2_lanes_t *x, fp2_lanes_t *y, const void *const at[LANES],
                                     const fp_lanes_t *factor)
{
    return fp_lanes_import(&x->c0, at, 0, factor) &
           fp_lanes_import(&x->c1, at, sizeof(fp_t), factor) &
           fp_lanes_import(&y->c0, at, 2 * sizeof(fp_t), factor) &
           fp_lanes_import(&y->c1, at, 3 * sizeof(fp_t), factor);
}

/* One coordinate from bytes (curve/coordinate.inc.h). */
LANE_INLINE __mmask8 fp2_lanes_decode(fp2_lanes_t *out, const void *const at[LANES], size_t offset,
                                      const fp_lanes_t *factor)
{
    return fp_lanes_decode(&out->c1, at, offset, factor) &
           fp_lanes_decode(&out->c0, at, offset + fp_bytes, factor);
}

/* Both from bytes, uncompressed (curve/encode.inc.h). Returns the lanes whose coordinates are
 * below p; flags make the first one larger than that. */
LANE_INLINE __mmask8 fp_cell_decode(fp_lanes_t *x, fp_lanes_t *y, const void *const at[LANES],
                                    const fp_lanes_t *factor)
{
    return fp_lanes_decode(x, at, 0, factor) & fp_lanes_decode(y, at, fp_bytes, factor);
}

LANE_INLINE __mmask8 fp2_cell_decode(fp2_lanes_t *x, fp2_lanes_t *y, const void *const at[LANES],
                                     const fp_lanes_t *factor)
{
    return fp2_lanes_decode(x, at, 0, factor) & fp2_lanes_decode(y, at, fp2_bytes, factor);
}

/* The lanes whose coordinates, native words, are below p. */
LANE_INLINE __mmask8 fp_cell_is_reduced(const void *const at[LANES])
{
    return fp_lanes_are_reduced(at, 0) & fp_lanes_are_reduced(at, sizeof(fp_t));
}

LANE_INLINE __mmask8 fp2_cell_is_reduced(const void *const at[LANES])
{
    return fp_lanes_are_reduced(at, 0) & fp_lanes_are_reduced(at, sizeof(fp_t)) &
           fp_lanes_are_reduced(at, 2 * sizeof(fp_t)) & fp_lanes_are_reduced(at, 3 * sizeof(fp_t));
}

/* ---- and to memory --------------------------------------------------------------------------- */

LANE_INLINE void fp_cell_export(void *const at[LANES], const fp_lanes_t *x, const fp_lanes_t *y,
                                size_t n)
{
    fp_lanes_export(at, 0, x, n);
    fp_lanes_export(at, sizeof(fp_t), y, n);
}

LANE_INLINE void fp2_cell_export(void *const at[LANES], const fp2_lanes_t *x, const fp2_lanes_t *y,
                                 size_t n)
{
    fp_lanes_export(at, 0, &x->c0, n);
    fp_lanes_export(at, sizeof(fp_t), &x->c1, n);
    fp_lanes_export(at, 2 * sizeof(fp_t), &y->c0, n);
    fp_lanes_export(at, 3 * sizeof(fp_t), &y->c1, n);
}
