/* Number-theoretic transforms in eight lanes: the template.
 *
 * Parameters: fr (field/field.inc.h, field_lanes.inc.h, constant_lanes.inc.h,
 * ntt/reversed_order.inc.h), of 4 words; PORTABLE, a struct scalar_kernels with the same
 * operations. Names defined: fr_lane_ntt_*, as the members of struct scalar_kernels are called.
 *
 * A vector of n = 2^L elements is cut in two or three levels of 2^d rows each, d <= 10,
 *
 *     index      d_0 | d_1 | d_2         element (k_0, k_1, k_2)
 *
 * and each level is transformed by itself (Gentleman, Sande 1966): *down*, natural to reversed
 * order, takes level 0 first, *up* level 0 last. Between two levels every element is multiplied by
 * a power of the root, the *twist*. A task takes 2^d rows of 8 neighbours, one a lane,
 *
 *     tile       2^d vectors of 8 numbers in limbs: 320 KiB, in the second cache
 *
 * where the neighbours are columns, or on the last level, whose rows are neighbours themselves,
 * blocks. So lanes never meet, all lanes share their factors, and these are the roots of order 2^10
 * at most: constants with quotients (constant_lanes.inc.h), 40 KiB for each direction. Up is the
 * same transform of tiles as down: a row's place is reversed where it is read and written.
 *
 * In a tile layers go in pairs, first those across rows 2^(d/2) apart, then those inside each group
 * of 2^(d/2) rows; both fit in the first cache. The order of roots is that of ntt/ntt.inc.h: block
 * j of any layer has the factor roots[j] = w^brv(j).
 *
 * Twist. Row k, of a tile's outcome, is multiplied by A Y^k, where lanes have their own A and Y:
 * with w a root of order 2^L, the factor is w^(c k) for column c, so Y = w^c. Powers are not read
 * from a table as large as the vector, but made for each tile: k = k' + 2^h k'', h = d/2, 2^h
 * values of A Y^k' and 2^(d-h) of Y^(2^h k''), two products an element. What else is to be
 * multiplied rides on that: 1/n and other factors on A; and for a coset s, where coefficient j =
 * j_0 + 2^d_0 j_1 + .. is multiplied by s^j, s^j_0 is in the Y of level 0, and so on. Only the last
 * level's share takes products of its own, by 2^d constants.
 *
 * From the values on the subgroup to those on a coset (fr_lane_ntt_move) is down and up again; the
 * last level does both without going to memory in between.
 *
 * Bounds, in units of p; S > 35 p. A tile begins below 2, or below 3 if it was multiplied by the
 * coset's constants. The first layer has no factors and doubles that; where d is even the second
 * layer goes with it, has only the factor i, and doubles again. Each further layer adds a product,
 * below 3, to what is not multiplied:
 *     d = 10: 2 3 + 9 3 = 33      d = 9, 7, ..: less      d = 8: 4 3 + 6 3 = 30      d = 6, ..:
 * less Twisted values are below (1 + 6 / 35) p and stored as words; the last level's are reduced.
 */
#define NTT_LANE_LG_MIN 6u
#define NTT_LANE_LG_ROWS 10u
#define NTT_LANE_LG_GROUP 5u /* half of it */
#define NTT_LANE_LEVELS 3u

/* ---- table ---------------------------------------------------------------------------------- */

struct fr_lane_level {
    unsigned lg_rows, lg_above, lg_stride; /* d, the d of the levels before, of those after */
};

/* s^j for one coset and direction. */
struct fr_lane_shift {
    fr_t s;
    fr_t *low, *high;           /* s^brv(i) = low[i mod 2^lg_low] high[i / 2^lg_low] */
    struct fr_constant *column; /* s^(2^lg_above j) of the last level */
};

struct fr_lane_table {
    unsigned lg_n, lg_low, n_levels;
    struct fr_lane_level level[NTT_LANE_LEVELS];
    struct fr_constant *roots[2];      /* [direction], reversed order */
    fr_t *low, *high;                  /* w^i = low[i mod 2^lg_low] high[i / 2^lg_low] */
    fr_t n_inv, vanishing[3];          /* [coset] */
    struct fr_lane_shift shifts[2][2]; /* [coset - 1][direction] */
    void *portable;                    /* below 2^NTT_LANE_LG_MIN: the portable table */
};

static void fr_lane_levels(struct fr_lane_table *t)
{
    unsigned above = 0;

    t->n_levels = t->lg_n <= 2 * NTT_LANE_LG_ROWS ? 2 : 3;
    for (unsigned k = 0; k < t->n_levels; k++) {
        const unsigned left = t->lg_n - above, parts = t->n_levels - k;

        t->level[k] =
            (struct fr_lane_level){.lg_rows = (left + parts - 1) / parts, .lg_above = above};
        above += t->level[k].lg_rows;
        t->level[k].lg_stride = t->lg_n - above;
    }
}

static inline const struct fr_lane_level *fr_lane_last(const struct fr_lane_table *t)
{
    return &t->level[t->n_levels - 1];
}

/* Takes `bytes` of the table. */
static void *fr_lane_take(struct fr_lane_table *t, size_t *used, size_t bytes)
{
    void *at = (uint8_t *)t + *used;

    *used += (bytes + 63) / 64 * 64;
    return at;
}

/* Places the parts; returns their bytes. */
static size_t fr_lane_place(struct fr_lane_table *t)
{
    size_t used = (sizeof *t + 63) / 64 * 64;
    size_t n_low, n_high, n_roots, n_columns;

    if (t->lg_n < NTT_LANE_LG_MIN) {
        t->portable = fr_lane_take(t, &used, PORTABLE->ntt_table_bytes(t->lg_n));
        return used;
    }
    fr_lane_levels(t);
    t->lg_low = t->lg_n / 2;
    n_low = (size_t)1 << t->lg_low;
    n_high = (size_t)1 << (t->lg_n - t->lg_low);
    n_roots = (size_t)1 << (t->level[0].lg_rows - 1);
    n_columns = (size_t)1 << fr_lane_last(t)->lg_rows;
    for (int direction = 0; direction < 2; direction++)
        t->roots[direction] = fr_lane_take(t, &used, n_roots * sizeof(struct fr_constant));
    t->low = fr_lane_take(t, &used, n_low * sizeof(fr_t));
    t->high = fr_lane_take(t, &used, n_high * sizeof(fr_t));
    for (int i = 0; i < 4; i++) {
        struct fr_lane_shift *shift = &t->shifts[i / 2][i % 2];

        shift->low = fr_lane_take(t, &used, n_low * sizeof(fr_t));
        shift->high = fr_lane_take(t, &used, n_high * sizeof(fr_t));
        shift->column = fr_lane_take(t, &used, n_columns * sizeof(struct fr_constant));
    }
    return used;
}

static size_t fr_lane_ntt_table_bytes(unsigned lg_n)
{
    struct fr_lane_table t = {.lg_n = lg_n};

    return fr_lane_place(&t);
}

/* a[i] = base^i, or base^brv(i), i in [0, 2^lg_n) */
static void fr_lane_powers(fr_t *a, unsigned lg_n, const fr_t *base, bool reversed)
{
    fr_t x = fr_one;

    for (size_t i = 0; i < (size_t)1 << lg_n; i++) {
        a[reversed ? fr_reverse_bits(i, lg_n) : i] = x;
        fr_mul(&x, &x, base);
    }
}

static void fr_lane_constants(struct fr_constant *out, unsigned lg_n, const fr_t *base,
                              bool reversed, const uint64_t n0[FR_LANE_LIMBS])
{
    fr_t x = fr_one;

    for (size_t i = 0; i < (size_t)1 << lg_n; i++) {
        fr_constant_set(&out[reversed ? fr_reverse_bits(i, lg_n) : i], &x, n0);
        fr_mul(&x, &x, base);
    }
}

/* base^(2^k) */
static fr_t fr_lane_raise(fr_t base, unsigned k)
{
    while (k-- > 0)
        fr_sqr(&base, &base);
    return base;
}

static void fr_lane_shift_init(const struct fr_lane_table *t, struct fr_lane_shift *shift,
                               const fr_t *s, const uint64_t n0[FR_LANE_LIMBS])
{
    const fr_t leap = fr_lane_raise(*s, t->lg_n - t->lg_low);
    const fr_t column = fr_lane_raise(*s, fr_lane_last(t)->lg_above);

    shift->s = *s;
    fr_lane_powers(shift->low, t->lg_low, &leap, true);
    fr_lane_powers(shift->high, t->lg_n - t->lg_low, s, true);
    fr_lane_constants(shift->column, fr_lane_last(t)->lg_rows, &column, false, n0);
}

static bool fr_lane_root(fr_t *out, uint64_t g, unsigned lg_n)
{
    struct scalar root;

    if (!LANE_CURVE.fr_root(&root, g, lg_n))
        return false;
    fr_face_in(out, &root);
    return true;
}

static bool fr_lane_ntt_table_init(void *table, unsigned lg_n, uint64_t g, struct pool *pool)
{
    struct fr_lane_table *t = table;
    uint64_t n0[FR_LANE_LIMBS];
    fr_t root, leap, shift[2], n;

    if (lg_n > NTT_LG_MAX || !fr_lane_root(&root, g, lg_n))
        return false;
    *t = (struct fr_lane_table){.lg_n = lg_n};
    fr_lane_place(t);
    if (t->portable)
        return PORTABLE->ntt_table_init(t->portable, lg_n, g, pool);

    fr_constant_n0(n0);
    fr_from_u64(&n, (uint64_t)1 << lg_n);
    fr_inv(&t->n_inv, &n);
    fr_lane_powers(t->low, t->lg_low, &root, false);
    leap = fr_lane_raise(root, t->lg_low);
    fr_lane_powers(t->high, lg_n - t->lg_low, &leap, false);
    for (int direction = 0; direction < 2; direction++) {
        leap = fr_lane_raise(root, lg_n - t->level[0].lg_rows);
        if (direction == NTT_INVERSE)
            fr_inv(&leap, &leap);
        fr_lane_constants(t->roots[direction], t->level[0].lg_rows - 1, &leap, true, n0);
    }

    fr_from_u64(&shift[0], g);
    if (!fr_lane_root(&shift[1], g, lg_n + 1))
        fr_sqr(&shift[1], &shift[0]);
    for (int i = 0; i < 2; i++) {
        fr_t inverse;

        fr_inv(&inverse, &shift[i]);
        fr_lane_shift_init(t, &t->shifts[i][NTT_FORWARD], &shift[i], n0);
        fr_lane_shift_init(t, &t->shifts[i][NTT_INVERSE], &inverse, n0);
        t->vanishing[i + 1] = fr_lane_raise(shift[i], lg_n);
        fr_sub(&t->vanishing[i + 1], &t->vanishing[i + 1], &fr_one);
    }
    return true;
}

static void fr_lane_ntt_vanishing(struct scalar *out, const void *table, enum ntt_coset coset)
{
    const struct fr_lane_table *t = table;
    fr_t plain;

    if (t->portable) {
        PORTABLE->ntt_vanishing(out, t->portable, coset);
        return;
    }
    fr_to_plain(&plain, &t->vanishing[coset]);
    *out = (struct scalar){{0}};
    memcpy(out, &plain, sizeof plain);
}

/* w^e, or w^-e */
static void fr_lane_root_power(fr_t *out, const struct fr_lane_table *t, size_t e, bool inverse)
{
    const size_t n = (size_t)1 << t->lg_n;

    e = (inverse ? n - e : e) & (n - 1);
    fr_mul(out, &t->low[e & (((size_t)1 << t->lg_low) - 1)], &t->high[e >> t->lg_low]);
}

/* ---- a tile --------------------------------------------------------------------------------- */

/* Vector r begins at slot r N + r / 2^lg_group: the group is longer by one, so that rows a group
 * apart do not meet in the same few sets of the cache. */
#define FR_TILE_SLOTS                                                                              \
    (((size_t)FR_LANE_LIMBS << NTT_LANE_LG_ROWS) + ((size_t)1 << NTT_LANE_LG_GROUP))

struct fr_tile {
    __m512i slot[FR_TILE_SLOTS];
    unsigned lg_rows, lg_group;
    fr_lanes_t first[1 << NTT_LANE_LG_GROUP];         /* A Y^k' */
    struct fr_constants leap[1 << NTT_LANE_LG_GROUP]; /* Y^(2^h k'') */
};

static inline __m512i *fr_tile_row(struct fr_tile *tile, size_t r)
{
    return tile->slot + r * FR_LANE_LIMBS + (r >> tile->lg_group);
}

LANE_INLINE void fr_slot_load(fr_raw_t *x, const __m512i *slot)
{
    LANE_UNROLL
    for (int j = 0; j < FR_LANE_LIMBS; j++)
        x->l[j] = slot[j];
}

LANE_INLINE void fr_slot_store(__m512i *slot, const fr_raw_t *x)
{
    LANE_UNROLL
    for (int j = 0; j < FR_LANE_LIMBS; j++)
        slot[j] = x->l[j];
}

/* (a, b) -> (a + b, a - b), b <= k p */
LANE_INLINE void fr_lane_sum(fr_raw_t *a, fr_raw_t *b, unsigned k)
{
    const fr_raw_t x = *a;

    fr_raw_add(a, &x, b);
    fr_raw_sub(b, &x, b, k);
}

/* (a, b) -> (a + w b, a - w b) */
LANE_INLINE void fr_lane_butterfly(fr_raw_t *a, fr_raw_t *b, const struct fr_constant *w)
{
    fr_raw_mul(b, b, w);
    fr_lane_sum(a, b, 3);
}

/* Rows of a layer are `pitch` slots apart. One layer of n_blocks blocks, numbered from `block`. */
static __attribute__((noinline)) void fr_lane_layer(__m512i *x, size_t pitch, size_t half,
                                                    size_t n_blocks, size_t block,
                                                    const struct fr_constant *roots)
{
    for (size_t j = block; j < block + n_blocks; j++, x += 2 * half * pitch)
        for (__m512i *at = x; at < x + half * pitch; at += pitch) {
            fr_raw_t a, b;

            fr_slot_load(&a, at);
            fr_slot_load(&b, at + half * pitch);
            fr_lane_butterfly(&a, &b, &roots[j]);
            fr_slot_store(at, &a);
            fr_slot_store(at + half * pitch, &b);
        }
}

static __attribute__((noinline)) void fr_lane_two_layers(__m512i *x, size_t pitch, size_t quarter,
                                                         size_t n_blocks, size_t block,
                                                         const struct fr_constant *roots)
{
    const size_t step = quarter * pitch;

    for (size_t j = block; j < block + n_blocks; j++, x += 4 * step)
        for (__m512i *at = x; at < x + step; at += pitch) {
            fr_raw_t a, b, c, d;

            fr_slot_load(&a, at);
            fr_slot_load(&c, at + 2 * step);
            fr_lane_butterfly(&a, &c, &roots[j]);
            fr_slot_load(&b, at + step);
            fr_slot_load(&d, at + 3 * step);
            fr_lane_butterfly(&b, &d, &roots[j]);
            fr_lane_butterfly(&a, &b, &roots[2 * j]);
            fr_slot_store(at, &a);
            fr_slot_store(at + step, &b);
            fr_lane_butterfly(&c, &d, &roots[2 * j + 1]);
            fr_slot_store(at + 2 * step, &c);
            fr_slot_store(at + 3 * step, &d);
        }
}

/* The first layer of all: no factors. Values are at most 3p. */
static __attribute__((noinline)) void fr_lane_first_layer(__m512i *x, size_t pitch, size_t half)
{
    for (__m512i *at = x; at < x + half * pitch; at += pitch) {
        fr_raw_t a, b;

        fr_slot_load(&a, at);
        fr_slot_load(&b, at + half * pitch);
        fr_lane_sum(&a, &b, 3);
        fr_slot_store(at, &a);
        fr_slot_store(at + half * pitch, &b);
    }
}

/* The first two: one factor, i = roots[1]. */
static __attribute__((noinline)) void
fr_lane_first_two_layers(__m512i *x, size_t pitch, size_t quarter, const struct fr_constant *roots)
{
    const size_t step = quarter * pitch;

    for (__m512i *at = x; at < x + step; at += pitch) {
        fr_raw_t a, b, c, d;

        fr_slot_load(&a, at);
        fr_slot_load(&b, at + step);
        fr_slot_load(&c, at + 2 * step);
        fr_slot_load(&d, at + 3 * step);
        fr_lane_sum(&a, &c, 3);
        fr_lane_sum(&b, &d, 3);
        fr_lane_sum(&a, &b, 6);
        fr_lane_butterfly(&c, &d, &roots[1]);
        fr_slot_store(at, &a);
        fr_slot_store(at + step, &b);
        fr_slot_store(at + 2 * step, &c);
        fr_slot_store(at + 3 * step, &d);
    }
}

/* All layers of 2^lg_rows rows that are block `block` of one. */
static void fr_lane_layers(__m512i *x, size_t pitch, unsigned lg_rows, size_t block,
                           const struct fr_constant *roots, bool first)
{
    unsigned t = lg_rows % 2;

    if (first && t)
        fr_lane_first_layer(x, pitch, (size_t)1 << (lg_rows - 1));
    else if (first)
        fr_lane_first_two_layers(x, pitch, (size_t)1 << (lg_rows - 2), roots);
    else if (t)
        fr_lane_layer(x, pitch, (size_t)1 << (lg_rows - 1), 1, block, roots);
    if (first && t == 0)
        t = 2;
    for (; t < lg_rows; t += 2)
        fr_lane_two_layers(x, pitch, (size_t)1 << (lg_rows - t - 2), (size_t)1 << t, block << t,
                           roots);
}

/* Rows in natural order to rows in reversed order. */
static void fr_tile_transform(struct fr_tile *tile, const struct fr_constant *roots)
{
    const unsigned lg_groups = tile->lg_rows - tile->lg_group;
    const size_t n_groups = (size_t)1 << lg_groups, group = (size_t)1 << tile->lg_group;

    for (size_t r = 0; r < group; r++)
        fr_lane_layers(fr_tile_row(tile, r), group * FR_LANE_LIMBS + 1, lg_groups, 0, roots, true);
    for (size_t g = 0; g < n_groups; g++)
        fr_lane_layers(fr_tile_row(tile, g * group), FR_LANE_LIMBS, tile->lg_group, g, roots,
                       false);
}

/* ---- between tiles and memory ---------------------------------------------------------------- */

/* Where the rows of a tile are: `stride` elements apart, 8 columns each; or, for stride 1, eight
 * rows of 2^lg_rows elements, side by side. */
struct fr_tile_place {
    fr_t *corner;
    size_t stride;
    bool reversed; /* row i is the tile's row brv(i) */
};

static inline size_t fr_tile_index(const struct fr_tile *tile, const struct fr_tile_place *at,
                                   size_t row)
{
    return at->reversed ? fr_reverse_bits(row, tile->lg_rows) : row;
}

/* column: NULL, or what row r is multiplied by */
LANE_INLINE void fr_tile_put(struct fr_tile *tile, size_t r, const __m512i word[4],
                             const struct fr_constant *column)
{
    fr_lanes_t limbs;
    fr_raw_t x;

    fr_lanes_split(&limbs, word);
    LANE_UNROLL
    for (int j = 0; j < FR_LANE_LIMBS; j++)
        x.l[j] = limbs.l[j];
    if (column)
        fr_raw_mul(&x, &x, &column[r]);
    fr_slot_store(fr_tile_row(tile, r), &x);
}

static void fr_tile_load(struct fr_tile *tile, const struct fr_tile_place *at,
                         const struct fr_constant *column)
{
    const size_t n_rows = (size_t)1 << tile->lg_rows;
    __m512i word[8];

    if (at->stride > 1) {
        for (size_t i = 0; i < n_rows; i++) {
            fr_elements_load(word, at->corner + i * at->stride);
            fr_tile_put(tile, fr_tile_index(tile, at, i), word, column);
        }
        return;
    }
    for (size_t i = 0; i < n_rows; i += 2) {
        LANE_UNROLL
        for (int lane = 0; lane < LANES; lane++)
            word[lane] = _mm512_loadu_si512(at->corner + (size_t)lane * n_rows + i);
        lanes_transpose(word, word);
        fr_tile_put(tile, fr_tile_index(tile, at, i), word, column);
        fr_tile_put(tile, fr_tile_index(tile, at, i + 1), word + 4, column);
    }
}

/* Of slots that hold words. */
static void fr_tile_store(struct fr_tile *tile, const struct fr_tile_place *at)
{
    const size_t n_rows = (size_t)1 << tile->lg_rows;
    __m512i word[8];

    if (at->stride > 1) {
        for (size_t i = 0; i < n_rows; i++)
            fr_elements_store(at->corner + i * at->stride,
                              fr_tile_row(tile, fr_tile_index(tile, at, i)));
        return;
    }
    for (size_t i = 0; i < n_rows; i += 2) {
        const __m512i *row[2] = {fr_tile_row(tile, fr_tile_index(tile, at, i)),
                                 fr_tile_row(tile, fr_tile_index(tile, at, i + 1))};

        LANE_UNROLL
        for (int k = 0; k < 8; k++)
            word[k] = row[k / 4][k % 4];
        lanes_transpose(word, word);
        LANE_UNROLL
        for (int lane = 0; lane < LANES; lane++)
            _mm512_storeu_si512(at->corner + (size_t)lane * n_rows + i, word[lane]);
    }
}

/* ---- what follows the layers: rows are in reversed order ------------------------------------- */

/* A and Y of the eight lanes. */
struct fr_twist {
    fr_t first[LANES], base[LANES];
};

/* out[i] = first base^i, i in [0, 2^lg_n); base becomes base^(2^lg_n) */
static void fr_lane_progression(fr_lanes_t *out, unsigned lg_n, fr_lanes_t *base)
{
    for (unsigned k = 0; k < lg_n; k++) {
        for (size_t i = 0; i < (size_t)1 << k; i++)
            fr_lanes_mul(&out[((size_t)1 << k) + i], &out[i], base);
        fr_lanes_sqr(base, base);
    }
}

static void fr_tile_twist_init(struct fr_tile *tile, const struct fr_twist *twist)
{
    fr_lanes_t base, leap[1 << NTT_LANE_LG_GROUP];
    uint64_t n0[FR_LANE_LIMBS];

    fr_lanes_of_native(&base, twist->base);
    fr_lanes_of_native(&tile->first[0], twist->first);
    fr_lane_progression(tile->first, tile->lg_rows - tile->lg_group, &base);
    fr_lanes_set_one(&leap[0]);
    fr_lane_progression(leap, tile->lg_group, &base);
    fr_constant_n0(n0);
    for (size_t i = 0; i < (size_t)1 << tile->lg_group; i++)
        fr_constants_set(&tile->leap[i], &leap[i], n0);
}

/* Rows times A Y^k, as words. */
static void fr_tile_twist(struct fr_tile *tile, const struct fr_twist *twist)
{
    const unsigned lg_groups = tile->lg_rows - tile->lg_group;

    fr_tile_twist_init(tile, twist);
    for (size_t g = 0; g < (size_t)1 << lg_groups; g++) {
        const fr_lanes_t *first = &tile->first[fr_reverse_bits(g, lg_groups)];

        for (size_t i = 0; i < (size_t)1 << tile->lg_group; i++) {
            __m512i *slot = fr_tile_row(tile, (g << tile->lg_group) + i);
            fr_lanes_t product;
            fr_raw_t x;

            fr_slot_load(&x, slot);
            fr_raw_mul_each(&x, &x, &tile->leap[fr_reverse_bits(i, tile->lg_group)]);
            fr_raw_carry(&product, &x);
            fr_lanes_mul(&product, &product, first);
            fr_lanes_join(slot, &product);
        }
    }
}

/* Rows times column[k], reduced, as words. */
static void fr_tile_reduce(struct fr_tile *tile, const struct fr_constant *column)
{
    for (size_t r = 0; r < (size_t)1 << tile->lg_rows; r++) {
        __m512i *slot = fr_tile_row(tile, r);
        fr_lanes_t reduced;
        fr_raw_t x;

        fr_slot_load(&x, slot);
        if (column)
            fr_raw_mul(&x, &x, &column[fr_reverse_bits(r, tile->lg_rows)]);
        fr_raw_reduce(&reduced, &x);
        fr_lanes_join(slot, &reduced);
    }
}

/* Rows times column[k], in natural order. */
static void fr_tile_turn(struct fr_tile *tile, const struct fr_constant *column)
{
    for (size_t r = 0; r < (size_t)1 << tile->lg_rows; r++) {
        const size_t image = fr_reverse_bits(r, tile->lg_rows);
        fr_raw_t x, y;

        if (image < r)
            continue;
        fr_slot_load(&x, fr_tile_row(tile, r));
        fr_slot_load(&y, fr_tile_row(tile, image));
        fr_raw_mul(&x, &x, &column[image]);
        fr_raw_mul(&y, &y, &column[r]);
        fr_slot_store(fr_tile_row(tile, image), &x);
        fr_slot_store(fr_tile_row(tile, r), &y);
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

struct fr_lane_pass {
    fr_t *a;
    const struct fr_lane_table *t;
    const struct fr_lane_shift *shift; /* NULL: none */
    const fr_t *factor;                /* NULL: none; taken on the way down */
    fr_t base_factor;                  /* down: the shift's share of this level's Y */
    unsigned level;
    bool inverse, up, through; /* through: the last level, inverse down and then forward up */
};

/* Down, after level k: column c of the level and what is above it. */
static void fr_twist_down(struct fr_twist *twist, const struct fr_lane_pass *p, size_t column)
{
    const struct fr_lane_table *t = p->t;

    for (int lane = 0; lane < LANES; lane++) {
        const size_t c = column + fr_lane_element[lane];

        twist->first[lane] = p->factor && p->level == 0 ? *p->factor : fr_one;
        fr_lane_root_power(&twist->base[lane], t, c << t->level[p->level].lg_above, p->inverse);
        if (p->shift)
            fr_mul(&twist->base[lane], &twist->base[lane], &p->base_factor);
    }
}

/* Up, after level k > 0: place (k_0 .. k_k-1) of the block is j = brv(k_k-1) of the level above,
 * and element x of the block is multiplied by w^(2^lg_above j x), lg_above of that level. */
static void fr_twist_up(struct fr_twist *twist, const struct fr_lane_pass *p, size_t block,
                        size_t column)
{
    const struct fr_lane_table *t = p->t;
    const struct fr_lane_level *level = &t->level[p->level], *above = level - 1;
    const bool last = level->lg_stride == 0, inverse = p->inverse && !p->through;
    const size_t mask = ((size_t)1 << above->lg_rows) - 1;
    const size_t low = ((size_t)1 << t->lg_low) - 1;

    for (size_t lane = 0; lane < LANES; lane++) {
        const size_t b = last ? block + lane : block, place = b << level->lg_rows;
        const size_t j = fr_reverse_bits(b & mask, above->lg_rows) << above->lg_above;

        fr_lane_root_power(&twist->base[lane], t, j << level->lg_stride, inverse);
        if (!last)
            fr_lane_root_power(&twist->first[lane], t, j * (column + fr_lane_element[lane]),
                               inverse);
        else if (p->shift && !p->through)
            fr_mul(&twist->first[lane], &p->shift->low[place & low],
                   &p->shift->high[place >> t->lg_low]);
        else
            twist->first[lane] = fr_one;
    }
}

static void fr_lane_tile(void *ctx, size_t i, unsigned worker)
{
    const struct fr_lane_pass *p = ctx;
    const struct fr_lane_table *t = p->t;
    const struct fr_lane_level *level = &t->level[p->level];
    const bool last = level->lg_stride == 0;
    const unsigned lg_columns = last ? 0 : level->lg_stride - 3; /* eights of them */
    const size_t block = last ? LANES * i : i >> lg_columns;
    const size_t column = last ? 0 : LANES * (i & (((size_t)1 << lg_columns) - 1));
    struct fr_tile_place at = {
        .corner = p->a + (block << (level->lg_rows + level->lg_stride)) + column,
        .stride = (size_t)1 << level->lg_stride,
        .reversed = p->up,
    };
    struct fr_twist twist;
    struct fr_tile tile;

    (void)worker;
    tile.lg_rows = level->lg_rows;
    tile.lg_group = level->lg_rows / 2;
    fr_tile_load(&tile, &at, p->up && last && p->shift ? p->shift->column : NULL);
    fr_tile_transform(&tile, t->roots[p->inverse]);
    if (p->through) {
        fr_tile_turn(&tile, p->shift->column);
        fr_tile_transform(&tile, t->roots[NTT_FORWARD]);
    }
    if (p->up || p->through ? p->level == 0 : last) {
        fr_tile_reduce(&tile, !p->up && p->shift ? p->shift->column : NULL);
    } else {
        if (p->up || p->through)
            fr_twist_up(&twist, p, block, column);
        else
            fr_twist_down(&twist, p, column);
        fr_tile_twist(&tile, &twist);
    }
    at.reversed = p->up || p->through;
    fr_tile_store(&tile, &at);
}

static void fr_lane_run(struct fr_lane_pass *p, unsigned level, struct pool *pool)
{
    p->level = level;
    if (p->shift)
        p->base_factor = fr_lane_raise(p->shift->s, p->t->level[level].lg_above);
    pool_run(pool, (size_t)1 << (p->t->lg_n - p->t->level[level].lg_rows - 3), fr_lane_tile, p);
}

static void fr_lane_down(struct fr_lane_pass *p, unsigned n_levels, struct pool *pool)
{
    for (unsigned level = 0; level < n_levels; level++)
        fr_lane_run(p, level, pool);
}

static void fr_lane_up(struct fr_lane_pass *p, unsigned n_levels, struct pool *pool)
{
    p->up = true;
    while (n_levels-- > 0)
        fr_lane_run(p, n_levels, pool);
}

/* ---- the operations -------------------------------------------------------------------------- */

static void fr_lane_ntt_to_reversed(void *a, const void *table, enum ntt_direction direction,
                                    struct pool *pool)
{
    const struct fr_lane_table *t = table;
    struct fr_lane_pass p = {.a = a, .t = t, .inverse = direction == NTT_INVERSE};

    if (t->portable)
        PORTABLE->ntt_to_reversed(a, t->portable, direction, pool);
    else
        fr_lane_down(&p, t->n_levels, pool);
}

static void fr_lane_ntt_from_reversed(void *a, const void *table, enum ntt_direction direction,
                                      struct pool *pool)
{
    const struct fr_lane_table *t = table;
    struct fr_lane_pass p = {.a = a, .t = t, .inverse = direction == NTT_INVERSE};

    if (t->portable)
        PORTABLE->ntt_from_reversed(a, t->portable, direction, pool);
    else
        fr_lane_up(&p, t->n_levels, pool);
}

static void fr_lane_ntt_reverse(void *a, const void *table, struct pool *pool)
{
    fr_reverse_order(a, ((const struct fr_lane_table *)table)->lg_n, pool);
}

static const struct fr_lane_shift *
fr_lane_shift_of(const struct fr_lane_table *t, enum ntt_direction direction, enum ntt_coset coset)
{
    return coset == NTT_SUBGROUP ? NULL : &t->shifts[coset - 1][direction];
}

static void fr_lane_ntt(void *a, const void *table, enum ntt_direction direction,
                        enum ntt_coset coset, struct pool *pool)
{
    const struct fr_lane_table *t = table;
    struct fr_lane_pass p = {.a = a, .t = t, .shift = fr_lane_shift_of(t, direction, coset)};

    if (t->portable) {
        PORTABLE->ntt(a, t->portable, direction, coset, pool);
    } else if (direction == NTT_FORWARD) {
        fr_reverse_order(a, t->lg_n, pool);
        fr_lane_up(&p, t->n_levels, pool);
    } else {
        p.inverse = true;
        p.factor = &t->n_inv;
        fr_lane_down(&p, t->n_levels, pool);
        fr_reverse_order(a, t->lg_n, pool);
    }
}

static void fr_lane_ntt_move(void *a, const void *table, enum ntt_coset coset, struct pool *pool)
{
    const struct fr_lane_table *t = table;
    const unsigned last = t->n_levels - 1;
    struct fr_lane_pass p = {.a = a, .t = t, .inverse = true, .factor = &t->n_inv};

    assert(coset != NTT_SUBGROUP);
    if (t->portable) {
        PORTABLE->ntt_move(a, t->portable, coset, pool);
        return;
    }
    p.shift = fr_lane_shift_of(t, NTT_FORWARD, coset);
    fr_lane_down(&p, last, pool);
    p.through = true;
    fr_lane_run(&p, last, pool);
    p = (struct fr_lane_pass){.a = a, .t = t};
    fr_lane_up(&p, last, pool);
}

/* ---- shifts by themselves -------------------------------------------------------------------- */

struct fr_lane_scaling {
    fr_t *a;
    const struct fr_lane_table *t;
    const struct fr_lane_shift *shift; /* NULL: none */
    fr_t factor;
};

static void fr_lane_shift_block(void *ctx, size_t block, unsigned worker)
{
    const struct fr_lane_scaling *s = ctx;
    const size_t n = (size_t)1 << s->t->lg_low;
    fr_t *a = s->a + (block << s->t->lg_low), factor = s->factor;
    fr_lanes_t all;

    (void)worker;
    if (s->shift)
        fr_mul(&factor, &factor, &s->shift->high[block]);
    fr_lanes_all(&all, &factor);
    for (size_t i = 0; i < n; i += LANES) {
        fr_lanes_t x, y;

        if (s->shift) {
            fr_native_load(&y, &s->shift->low[i]);
            fr_lanes_mul(&y, &y, &all);
            fr_native_load_scaled(&x, &a[i]);
            fr_lanes_mul(&x, &x, &y);
        } else {
            fr_native_load(&x, &a[i]);
            fr_lanes_mul(&x, &x, &all);
        }
        fr_native_store(&a[i], &x);
    }
}

static void fr_lane_ntt_shift(void *a, const void *table, enum ntt_direction direction,
                              enum ntt_coset coset, const struct scalar *factor, struct pool *pool)
{
    const struct fr_lane_table *t = table;
    struct fr_lane_scaling s = {.a = a, .t = t, .factor = fr_one};

    if (t->portable) {
        PORTABLE->ntt_shift(a, t->portable, direction, coset, factor, pool);
        return;
    }
    if (factor)
        fr_face_in(&s.factor, factor);
    s.shift = fr_lane_shift_of(t, direction, coset);
    if (s.shift || !fr_is_one(&s.factor))
        pool_run(pool, (size_t)1 << (t->lg_n - t->lg_low), fr_lane_shift_block, &s);
}

#undef NTT_LANE_LG_MIN
#undef NTT_LANE_LG_ROWS
#undef NTT_LANE_LG_GROUP
#undef NTT_LANE_LEVELS
#undef FR_TILE_SLOTS
