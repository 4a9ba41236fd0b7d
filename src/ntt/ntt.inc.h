/* Number-theoretic transforms over the scalar field: the template.
 *
 * Parameters: fr (field/field.inc.h), fr_root and fr_face_in (curve/scalar_face.inc.h).
 * Names defined: fr_ntt_*, as the members of struct scalar_kernels are called.
 *
 * Two networks, with w the root of order n and brv(i) the lg n bits of i read backwards:
 *
 *   down   natural -> reversed   blocks halve in each layer   (a, b) -> (a + w^e b, a - w^e b)
 *   up     reversed -> natural   blocks double in each layer  (a, b) -> (a + b, (a - b) w^e)
 *
 * (Cooley, Tukey 1965; Gentleman, Sande 1966.) Each is the transpose of the other, so both compute
 * the transform itself. In a layer of 2^t blocks, block j has one factor for all its butterflies,
 * and its exponent e = brv(j) does not depend on t if the table of roots is kept in reversed order:
 *
 *   roots[j] = w^brv(j), j in [0, n / 2), brv over lg n - 1 bits
 *
 * So all layers read the same table from its start, a block and its descendants read consecutive
 * entries, and block 0 multiplies by one, that is, not at all (n of the n lg n / 2 products). The
 * inverse needs no second table: w^-e = -w^(n/2 - e), and that entry is `mirror(j)`.
 *
 * Memory. A vector does not fit in the caches, so the layers are grouped in passes:
 *
 *   wide    2^d rows, a stride apart, of a few consecutive columns are gathered into a tile on the
 *           stack, taken through d layers and scattered: 7 to 10 layers for one read and write
 *   narrow  the last 10 layers: consecutive elements, in place
 *
 * 2^20 is one wide and one narrow pass, 2^28 two and one. Inside, layers go in pairs (radix 4). */
#include <string.h>

#include "base/pool.h"
#include "ntt/reversed_order.inc.h"
#include "ntt/scalar_kernels.h"

#define NTT_LG_NARROW 10u /* 32 KiB of a 4-limb field: the first cache */
#define NTT_LG_TILE 12u   /* 128 KiB: the second, and the stack */
#define NTT_LG_ROWS 10u   /* at least 4 columns, two cache lines, a row */

/* ---- table ---------------------------------------------------------------------------------- */

/* shift^k for k = brv(i) as low[i mod 2^lg_low] * high[i / 2^lg_low]. */
struct fr_progression {
    fr_t *low, *high;
};

struct fr_ntt_table {
    unsigned lg_n, lg_low;
    fr_t n_inv;
    fr_t *roots;
    struct fr_progression shifts[2][2]; /* [coset - 1][direction] */
    fr_t vanishing[3];                  /* x^n - 1 on each coset */
};

static size_t fr_ntt_n_roots(unsigned lg_n)
{
    return lg_n ? (size_t)1 << (lg_n - 1) : 1;
}

static size_t fr_ntt_header_bytes(void)
{
    return (sizeof(struct fr_ntt_table) + 63) / 64 * 64;
}

static size_t fr_ntt_table_bytes(unsigned lg_n)
{
    unsigned lg_low = lg_n / 2, lg_high = lg_n - lg_low;
    size_t per_shift = ((size_t)1 << lg_low) + ((size_t)1 << lg_high);

    return fr_ntt_header_bytes() + (fr_ntt_n_roots(lg_n) + 4 * per_shift) * sizeof(fr_t);
}

struct fr_doubling {
    fr_t *a;
    size_t half;
    fr_t factor;
};

static void fr_doubling_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const struct fr_doubling *d = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        fr_mul(&d->a[d->half + i], &d->a[i], &d->factor);
}

/* a[i] = base^brv(i), i in [0, 2^lg_n): each bit of i, from the lowest, is worth the base
 * to a power half as large as the bit before it. */
static void fr_reversed_powers(fr_t *a, unsigned lg_n, const fr_t *base, struct pool *pool)
{
    fr_t squares[NTT_LG_MAX + 1]; /* base^(2^k) */

    squares[0] = *base;
    for (unsigned k = 1; k < lg_n; k++)
        fr_sqr(&squares[k], &squares[k - 1]);
    a[0] = fr_one;
    for (unsigned k = 0; k < lg_n; k++) {
        struct fr_doubling d = {.a = a, .half = (size_t)1 << k, .factor = squares[lg_n - 1 - k]};

        pool_for(pool, d.half, 1 << 14, fr_doubling_range, &d);
    }
}

static void fr_progression_init(const struct fr_ntt_table *t, const struct fr_progression *p,
                                const fr_t *shift)
{
    unsigned lg_high = t->lg_n - t->lg_low;
    fr_t leap = *shift; /* the low bits of i are the high bits of brv(i) */

    for (unsigned i = 0; i < lg_high; i++)
        fr_sqr(&leap, &leap);
    fr_reversed_powers(p->low, t->lg_low, &leap, NULL);
    fr_reversed_powers(p->high, lg_high, shift, NULL);
}

static void fr_ntt_place(struct fr_ntt_table *t)
{
    size_t n_low = (size_t)1 << t->lg_low, n_high = (size_t)1 << (t->lg_n - t->lg_low);
    fr_t *at;

    t->roots = (fr_t *)((uint8_t *)t + fr_ntt_header_bytes());
    at = t->roots + fr_ntt_n_roots(t->lg_n);
    for (int i = 0; i < 4; i++) {
        t->shifts[i / 2][i % 2] = (struct fr_progression){.low = at, .high = at + n_low};
        at += n_low + n_high;
    }
}

static bool fr_ntt_table_init(void *table, unsigned lg_n, uint64_t g, struct pool *pool)
{
    struct fr_ntt_table *t = table;
    fr_t root, shift[2], n;

    if (lg_n > NTT_LG_MAX || !fr_root(&root, g, lg_n))
        return false;
    *t = (struct fr_ntt_table){.lg_n = lg_n, .lg_low = lg_n / 2};
    fr_ntt_place(t);
    fr_from_u64(&n, (uint64_t)1 << lg_n);
    fr_inv(&t->n_inv, &n);
    fr_reversed_powers(t->roots, lg_n ? lg_n - 1 : 0, &root, pool);

    fr_from_u64(&shift[0], g);
    if (!fr_root(&shift[1], g, lg_n + 1))
        fr_sqr(&shift[1], &shift[0]);
    for (int i = 0; i < 2; i++) {
        fr_t inverse;

        fr_inv(&inverse, &shift[i]);
        fr_progression_init(t, &t->shifts[i][NTT_FORWARD], &shift[i]);
        fr_progression_init(t, &t->shifts[i][NTT_INVERSE], &inverse);
        t->vanishing[i + 1] = shift[i];
        for (unsigned k = 0; k < lg_n; k++)
            fr_sqr(&t->vanishing[i + 1], &t->vanishing[i + 1]);
        fr_sub(&t->vanishing[i + 1], &t->vanishing[i + 1], &fr_one);
    }
    return true;
}

static void fr_ntt_vanishing(struct scalar *out, const void *table, enum ntt_coset coset)
{
    const struct fr_ntt_table *t = table;
    fr_t plain;

    fr_to_plain(&plain, &t->vanishing[coset]);
    *out = (struct scalar){{0}};
    memcpy(out, &plain, sizeof plain);
}

/* ---- butterflies ---------------------------------------------------------------------------- */

#define NTT_INLINE static inline __attribute__((always_inline))

/* The factor of a block: `negative` says that minus *w is meant; block 0 has none (one). */
struct fr_twiddle {
    const fr_t *w;
    bool one, negative;
};

/* For the inverse: -1 / roots[j] is at the place with the same leading bit and all others inverted.
 */
NTT_INLINE struct fr_twiddle fr_twiddle(const fr_t *roots, size_t j, bool inverse)
{
    if (j == 0)
        return (struct fr_twiddle){.w = roots, .one = true};
    if (inverse)
        j = ((size_t)3 << (63 - __builtin_clzll(j))) - 1 - j;
    return (struct fr_twiddle){.w = &roots[j], .negative = inverse};
}

/* In both, results go straight to where they stay: a vector that was written word by word and is
 * then copied two words at a time costs a stall. */

/* (a, b) -> (a + w b, a - w b) */
NTT_INLINE void fr_butterfly_down(fr_t *a, fr_t *b, const struct fr_twiddle *twiddle)
{
    fr_t wb;

    if (twiddle->one)
        wb = *b;
    else
        fr_mul(&wb, b, twiddle->w);
    if (twiddle->negative) {
        fr_add(b, a, &wb);
        fr_sub(a, a, &wb);
    } else {
        fr_sub(b, a, &wb);
        fr_add(a, a, &wb);
    }
}

/* (a, b) -> (a + b, (a - b) w) */
NTT_INLINE void fr_butterfly_up(fr_t *a, fr_t *b, const struct fr_twiddle *twiddle)
{
    fr_t difference;

    if (twiddle->negative)
        fr_sub(&difference, b, a);
    else
        fr_sub(&difference, a, b);
    fr_add(a, a, b);
    if (twiddle->one)
        *b = difference;
    else
        fr_mul(b, &difference, twiddle->w);
}

/* ---- layers --------------------------------------------------------------------------------- */

/* One layer: n_blocks blocks of 2 * half consecutive elements, numbered from `block`. */
NTT_INLINE void fr_layer(fr_t *x, size_t half, size_t n_blocks, size_t block, const fr_t *roots,
                         bool inverse, bool up)
{
    for (size_t j = block; j < block + n_blocks; j++, x += 2 * half) {
        const struct fr_twiddle w = fr_twiddle(roots, j, inverse);

        for (size_t i = 0; i < half; i++)
            if (up)
                fr_butterfly_up(&x[i], &x[half + i], &w);
            else
                fr_butterfly_down(&x[i], &x[half + i], &w);
    }
}

/* Two layers: n_blocks blocks of 4 * quarter elements, numbered from `block`, and their halves. */
NTT_INLINE void fr_two_layers(fr_t *x, size_t quarter, size_t n_blocks, size_t block,
                              const fr_t *roots, bool inverse, bool up)
{
    for (size_t j = block; j < block + n_blocks; j++, x += 4 * quarter) {
        const struct fr_twiddle w = fr_twiddle(roots, j, inverse);
        const struct fr_twiddle w0 = fr_twiddle(roots, 2 * j, inverse);
        const struct fr_twiddle w1 = fr_twiddle(roots, 2 * j + 1, inverse);

        for (fr_t *a = x; a < x + quarter; a++) {
            fr_t *b = a + quarter, *c = b + quarter, *d = c + quarter;

            if (up) {
                fr_butterfly_up(a, b, &w0);
                fr_butterfly_up(c, d, &w1);
                fr_butterfly_up(a, c, &w);
                fr_butterfly_up(b, d, &w);
            } else {
                fr_butterfly_down(b, d, &w);
                fr_butterfly_down(a, c, &w);
                fr_butterfly_down(c, d, &w1);
                fr_butterfly_down(a, b, &w0);
            }
        }
    }
}

/* A tile: 2^lg_rows rows of `width` elements that make up block `block` of a layer; all its layers.
 */
NTT_INLINE void fr_tile(fr_t *x, unsigned lg_rows, size_t width, size_t block, const fr_t *roots,
                        bool inverse, bool up)
{
    unsigned odd = lg_rows % 2;

    if (odd && !up)
        fr_layer(x, width << (lg_rows - 1), 1, block, roots, inverse, up);
    for (unsigned k = odd; k < lg_rows; k += 2) {
        unsigned t = up ? lg_rows - 2 - (k - odd) : k;

        fr_two_layers(x, width << (lg_rows - t - 2), (size_t)1 << t, block << t, roots, inverse,
                      up);
    }
    if (odd && up)
        fr_layer(x, width << (lg_rows - 1), 1, block, roots, inverse, up);
}

static void fr_tile_any(fr_t *x, unsigned lg_rows, size_t width, size_t block, const fr_t *roots,
                        bool inverse, bool up)
{
    if (up && inverse)
        fr_tile(x, lg_rows, width, block, roots, true, true);
    else if (up)
        fr_tile(x, lg_rows, width, block, roots, false, true);
    else if (inverse)
        fr_tile(x, lg_rows, width, block, roots, true, false);
    else
        fr_tile(x, lg_rows, width, block, roots, false, false);
}

/* ---- passes --------------------------------------------------------------------------------- */

struct fr_pass {
    fr_t *a;
    const fr_t *roots;
    unsigned lg_rows, lg_width, lg_stride; /* of a tile; stride: from row to row */
    bool inverse, up;
};

static void fr_narrow_tile(void *ctx, size_t i, unsigned worker)
{
    const struct fr_pass *p = ctx;

    (void)worker;
    fr_tile_any(p->a + (i << p->lg_rows), p->lg_rows, 1, i, p->roots, p->inverse, p->up);
}

static void fr_wide_tile(void *ctx, size_t i, unsigned worker)
{
    const struct fr_pass *p = ctx;
    fr_t tile[(size_t)1 << NTT_LG_TILE];
    unsigned lg_width = p->lg_width;
    size_t n_rows = (size_t)1 << p->lg_rows, row_bytes = sizeof(fr_t) << lg_width;
    size_t block = i >> (p->lg_stride - lg_width);
    size_t column = (i << lg_width) & (((size_t)1 << p->lg_stride) - 1);
    fr_t *corner = p->a + (block << (p->lg_rows + p->lg_stride)) + column;

    (void)worker;
    for (size_t r = 0; r < n_rows; r++)
        memcpy(tile + (r << lg_width), corner + (r << p->lg_stride), row_bytes);
    fr_tile_any(tile, p->lg_rows, (size_t)1 << lg_width, block, p->roots, p->inverse, p->up);
    for (size_t r = 0; r < n_rows; r++)
        memcpy(corner + (r << p->lg_stride), tile + (r << lg_width), row_bytes);
}

/* All layers, in the order of the network. The wide passes share their layers evenly. */
static void fr_passes(fr_t *a, const struct fr_ntt_table *t, bool inverse, bool up,
                      struct pool *pool)
{
    unsigned lg_narrow = t->lg_n < NTT_LG_NARROW ? t->lg_n : NTT_LG_NARROW;
    unsigned lg_wide = t->lg_n - lg_narrow;
    unsigned n_wide = (lg_wide + NTT_LG_ROWS - 1) / NTT_LG_ROWS;

    for (unsigned k = 0; k <= n_wide; k++) {
        unsigned pass = up ? n_wide - k : k;
        struct fr_pass p = {.a = a, .roots = t->roots, .inverse = inverse, .up = up};

        if (pass == n_wide) {
            p.lg_rows = lg_narrow;
            pool_run(pool, (size_t)1 << lg_wide, fr_narrow_tile, &p);
        } else {
            unsigned first = lg_wide * pass / n_wide, end = lg_wide * (pass + 1) / n_wide;

            p.lg_rows = end - first;
            p.lg_stride = t->lg_n - end;
            p.lg_width = NTT_LG_TILE - p.lg_rows;
            if (p.lg_width > p.lg_stride)
                p.lg_width = p.lg_stride;
            pool_run(pool, (size_t)1 << (t->lg_n - p.lg_rows - p.lg_width), fr_wide_tile, &p);
        }
    }
}

static void fr_ntt_to_reversed(void *a, const void *table, enum ntt_direction direction,
                               struct pool *pool)
{
    fr_passes(a, table, direction == NTT_INVERSE, false, pool);
}

static void fr_ntt_from_reversed(void *a, const void *table, enum ntt_direction direction,
                                 struct pool *pool)
{
    fr_passes(a, table, direction == NTT_INVERSE, true, pool);
}

/* ---- order ---------------------------------------------------------------------------------- */

static void fr_ntt_reverse(void *a, const void *table, struct pool *pool)
{
    fr_reverse_order(a, ((const struct fr_ntt_table *)table)->lg_n, pool);
}

/* ---- cosets ---------------------------------------------------------------------------------- */

struct fr_shift {
    fr_t *a;
    unsigned lg_block;               /* a block shares its entry of `high` */
    const struct fr_progression *by; /* NULL: shift 1 */
    fr_t factor;
};

static void fr_shift_block(void *ctx, size_t block, unsigned worker)
{
    const struct fr_shift *s = ctx;
    size_t n = (size_t)1 << s->lg_block;
    fr_t *a = s->a + (block << s->lg_block), factor = s->factor, x;

    (void)worker;
    if (s->by)
        fr_mul(&factor, &factor, &s->by->high[block]);
    for (size_t i = 0; i < n; i++) {
        if (s->by)
            fr_mul(&x, &factor, &s->by->low[i]);
        fr_mul(&a[i], &a[i], s->by ? &x : &factor);
    }
}

static void fr_shift(fr_t *a, const struct fr_ntt_table *t, enum ntt_direction direction,
                     enum ntt_coset coset, const fr_t *factor, struct pool *pool)
{
    struct fr_shift s = {.a = a, .lg_block = t->lg_low, .factor = *factor};

    if (coset != NTT_SUBGROUP)
        s.by = &t->shifts[coset - 1][direction];
    else if (fr_is_one(factor))
        return;
    pool_run(pool, (size_t)1 << (t->lg_n - t->lg_low), fr_shift_block, &s);
}

static void fr_ntt_shift(void *a, const void *table, enum ntt_direction direction,
                         enum ntt_coset coset, const struct scalar *factor, struct pool *pool)
{
    fr_t native = fr_one;

    if (factor)
        fr_face_in(&native, factor);
    fr_shift(a, table, direction, coset, &native, pool);
}

static void fr_ntt(void *a, const void *table, enum ntt_direction direction, enum ntt_coset coset,
                   struct pool *pool)
{
    const struct fr_ntt_table *t = table;

    if (direction == NTT_FORWARD) {
        fr_ntt_reverse(a, table, pool);
        fr_shift(a, t, direction, coset, &fr_one, pool);
        fr_ntt_from_reversed(a, table, direction, pool);
    } else {
        fr_ntt_to_reversed(a, table, direction, pool);
        fr_shift(a, t, direction, coset, &t->n_inv, pool);
        fr_ntt_reverse(a, table, pool);
    }
}

static void fr_ntt_move(void *a, const void *table, enum ntt_coset coset, struct pool *pool)
{
    const struct fr_ntt_table *t = table;

    fr_ntt_to_reversed(a, table, NTT_INVERSE, pool);
    fr_shift(a, t, NTT_FORWARD, coset, &t->n_inv, pool);
    fr_ntt_from_reversed(a, table, NTT_FORWARD, pool);
}

#undef NTT_INLINE
#undef NTT_LG_NARROW
#undef NTT_LG_TILE
#undef NTT_LG_ROWS
