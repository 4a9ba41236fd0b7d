/* Points as an adder wants them in memory, *cells*: the portable template, in which a cell is a
 * native point. The lanes of backend/ifma have another.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; msm/decode_one.inc.h comes before.
 *
 * Names defined:
 *   g1_cell_t
 *   g1_cell_is_infinity g1_cell_to_affine
 *   g1_cells_clear         n cells at infinity
 *   g1_cells_load          points in any form to cells
 *   g1_cells_to_affine     cells to native points */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_AFFINE_T G(affine_t)

typedef G_AFFINE_T G(cell_t);

static inline bool G(cell_is_infinity)(const G(cell_t) * cell)
{
    return G(affine_is_infinity)(cell);
}

static inline void G(cell_to_affine)(G_AFFINE_T *out, const G(cell_t) * cell)
{
    *out = *cell;
}

static inline void G(cells_clear)(G(cell_t) * cells, size_t n)
{
    memset(cells, 0, n * sizeof *cells);
}

/* out[i] = point index[i], or first + i without an index; its negative where negative[i] (NULL:
 * nowhere). Returns n, or the i of the first bad point. */
static size_t G(cells_load)(G(cell_t) * out, const struct points_view *points,
                            const uint32_t *index, size_t first, size_t n, const bool *negative)
{
    for (size_t i = 0; i < n; i++) {
        if (G(decode_one)(&out[i], points, index ? index[i] : first + i) != POINT_OK)
            return i;
        if (negative && negative[i])
            G(affine_neg)(&out[i], &out[i]);
    }
    return n;
}

static inline void G(cells_to_affine)(G_AFFINE_T *out, const G(cell_t) * cells, size_t n)
{
    memcpy(out, cells, n * sizeof *out);
}

#undef G
#undef G_AFFINE_T
