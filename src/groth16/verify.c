/* IC(x) with tables. Every ic point P has, for each 8-bit window j of a scalar, the multiples
 * d 2^(8j) P, d = 1 .. 128; a scalar is written with signed digits in [-128, 128). The sum is then
 * one addition a window and point, all of them affine, done by the class-sum kernel as one tree
 * that shares its inversions: 32 x 40 additions for a PoRep key and no doubling. */
#include "groth16/verify.h"

#include "msm/group_kernels.h"
#include "ntt/scalar_kernels.h"

#define WINDOW_BITS 8u
#define WINDOW_MULTIPLES 128u /* |digit| <= 2^(WINDOW_BITS - 1) */

/* One more bit than the scalar has, so that the last digit takes the carry. */
static size_t n_windows(const struct curve *curve)
{
    return curve->fr_bits / WINDOW_BITS + 1;
}

/* ---- tables --------------------------------------------------------------------------------- */

static size_t table_points(const struct curve *curve, size_t n_inputs)
{
    return n_windows(curve) * n_inputs * WINDOW_MULTIPLES;
}

static bool has_tables(size_t n_inputs, bool tables)
{
    return tables && n_inputs <= VERIFIER_TABLE_INPUTS;
}

size_t verifier_table_bytes(const struct curve *curve, size_t n_inputs, bool tables)
{
    if (!has_tables(n_inputs, tables))
        return 0;
    return region_bytes(table_points(curve, n_inputs) * curve->g1_bytes);
}

/* Order: multiple, then window, then input, so that each step is one batch. */
static enum cuzk_status fill_tables(struct verifier *v, struct budget *budget,
                                    struct cuzk_error *err)
{
    const struct curve *curve = v->vk->curve;
    const struct group_kernels *g1 = curve->g1;
    size_t n = v->vk->n_inputs, layer = n_windows(curve) * n, bytes = curve->g1_bytes;
    uint8_t *table = v->tables.base;
    struct region scratch;

    TRY(region_map(&scratch, budget, MEM_SCRATCH, g1->add_batch_bytes(layer, 1), err));
    g1->from_plain(table, v->vk->ic.base, n);
    for (size_t j = 1; j < n_windows(curve); j++) {
        uint8_t *next = table + j * n * bytes;

        memcpy(next, next - n * bytes, n * bytes);
        for (unsigned bit = 0; bit < WINDOW_BITS; bit++)
            g1->add_batch(next, next, next, n, scratch.base, NULL);
    }
    for (size_t d = 1; d < WINDOW_MULTIPLES; d++)
        g1->add_batch(table + d * layer * bytes, table + (d - 1) * layer * bytes, table, layer,
                      scratch.base, NULL);
    region_unmap(&scratch);
    return CUZK_OK;
}

/* ---- the sum over the inputs ---------------------------------------------------------------- */

/* Signed digits of a plain scalar, least significant first. */
static void signed_digits(int16_t *digits, size_t windows, const uint64_t *scalar, size_t bytes)
{
    int carry = 0;

    for (size_t j = 0; j < windows; j++) {
        int digit = carry;

        if (j < bytes)
            digit += (int)(scalar[j / 8] >> (8 * (j % 8)) & 0xff);
        carry = digit >= (int)WINDOW_MULTIPLES;
        digits[j] = (int16_t)(digit - (carry << WINDOW_BITS));
    }
}

/* The table points of all digits that are not zero; returns how many. */
static size_t gather(const struct verifier *v, uint8_t *out, const uint8_t *packed)
{
    const uint64_t *scalars = (const uint64_t *)(const void *)packed;
    const struct curve *curve = v->vk->curve;
    size_t n = v->vk->n_inputs, windows = n_windows(curve), bytes = curve->g1_bytes, taken = 0;
    int16_t digits[34];

    for (size_t i = 0; i < n; i++) {
        signed_digits(digits, windows, scalars + i * (curve->fr_bytes / 8), curve->fr_bytes);
        for (size_t j = 0; j < windows; j++) {
            size_t multiple = (size_t)(digits[j] < 0 ? -digits[j] : digits[j]);

            if (multiple == 0)
                continue;
            memcpy(out + taken * bytes,
                   v->tables.base + (((multiple - 1) * windows + j) * n + i) * bytes, bytes);
            if (digits[j] < 0)
                curve->g1->neg_batch(out + taken * bytes, 1);
            taken++;
        }
    }
    return taken;
}

/* Room of a sum: the scalars, then what the way chosen needs. */
struct sum_layout {
    size_t scalars, select, points, total;
};

static struct sum_layout lay_out_sum(const struct curve *curve, size_t n_inputs, bool tables,
                                     unsigned n_threads)
{
    size_t most = n_windows(curve) * n_inputs;
    struct sum_layout room = {.scalars = arena_piece(n_inputs * curve->fr_bytes)};

    if (tables) {
        room.select = arena_piece(8 * witness_map_words(most));
        room.points = arena_piece(most * curve->g1_bytes);
    }
    room.total = room.scalars + room.select + room.points +
                 (tables ? curve->g1->sum_bytes(most, n_threads)
                         : curve->g1->msm_bytes(n_inputs, n_threads));
    return room;
}

size_t verifier_room_bytes(const struct curve *curve, size_t n_inputs, bool tables,
                           unsigned n_threads)
{
    tables = has_tables(n_inputs, tables);
    return region_bytes(lay_out_sum(curve, n_inputs, tables, n_threads).total);
}

enum cuzk_status verifier_ic_sum(struct verifier *v, const struct scalar *first, const void *inputs,
                                 struct g1_point *out, struct cuzk_error *err)
{
    const struct verifying_key *vk = v->vk;
    const struct curve *curve = vk->curve;
    const size_t n = vk->n_inputs;
    const struct sum_layout room = lay_out_sum(curve, n, v->tables.base, pool_size(v->pool));
    uint8_t *scalars = v->room.base, *select = scalars + room.scalars;
    uint8_t *points = select + room.select, *scratch = points + room.points;
    struct points_view view = {POINTS_PLAIN, vk->ic.base, n};

    memcpy(scalars, first, curve->fr_bytes);
    if (n > 1)
        memcpy(scalars + curve->fr_bytes, inputs, (n - 1) * curve->fr_bytes);
    *out = (struct g1_point){{0}};
    if (!v->tables.base)
        return curve->g1->msm(out, &view, NULL, (const void *)scalars, n, scratch, v->pool, err);
    view = (struct points_view){POINTS_NATIVE, points, gather(v, points, scalars)};
    memset(select, 0xff, room.select);
    return curve->g1->sum(out, &view, (const void *)select, view.n, scratch, v->pool, err);
}

/* ---- the verifier --------------------------------------------------------------------------- */

enum cuzk_status verifier_init(struct verifier *v, const struct verifying_key *vk, bool tables,
                               struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    const struct curve *curve = vk->curve;
    enum cuzk_status st;

    *v = (struct verifier){.vk = vk, .pool = pool};
    curve->g1_neg(&v->minus_alpha, &vk->alpha_g1);
    TRY_GOTO(st, fail,
             region_map(&v->tables, budget, MEM_KEY,
                        verifier_table_bytes(curve, vk->n_inputs, tables), err));
    if (v->tables.base)
        TRY_GOTO(st, fail, fill_tables(v, budget, err));
    TRY_GOTO(st, fail,
             region_map(&v->room, budget, MEM_SCRATCH,
                        verifier_room_bytes(curve, vk->n_inputs, tables, pool_size(pool)), err));
    return CUZK_OK;
fail:
    verifier_done(v);
    return st;
}

void verifier_done(struct verifier *v)
{
    region_unmap(&v->room);
    region_unmap(&v->tables);
    *v = (struct verifier){0};
}

/* ---- one proof ------------------------------------------------------------------------------ */

enum cuzk_status statement_check(const struct verifier *v, const struct statement *statement,
                                 struct cuzk_error *err)
{
    const struct curve *curve = v->vk->curve;

    if (statement->n + 1 != v->vk->n_inputs)
        return error_set(err, CUZK_BAD_INPUT, "%zu public inputs, the key is for %zu", statement->n,
                         v->vk->n_inputs - 1);
    for (size_t i = 0; i < statement->n; i++) {
        struct scalar x = {{0}};

        memcpy(&x, (const uint8_t *)statement->inputs + i * curve->fr_bytes, curve->fr_bytes);
        if (!curve->fr_is_reduced(&x))
            return error_set(err, CUZK_BAD_INPUT,
                             "public input %zu is not below the order of the group", i);
    }
    return CUZK_OK;
}

enum cuzk_status groth16_verify(struct verifier *v, const struct proof *proof,
                                const struct statement *statement, struct cuzk_error *err)
{
    const struct verifying_key *vk = v->vk;
    const struct curve *curve = vk->curve;
    struct g1_point p[4] = {proof->a, v->minus_alpha, {{0}}, proof->c};
    const struct g2_point q[4] = {proof->b, vk->beta_g2, vk->gamma_g2, vk->delta_g2};
    const struct scalar one = {{1}};

    TRY(statement_check(v, statement, err));
    if (proof_has_infinity(curve, proof))
        return error_set(err, CUZK_INVALID, "the proof is not valid: a point is infinity");
    TRY(verifier_ic_sum(v, &one, statement->inputs, &p[2], err));
    curve->g1_neg(&p[2], &p[2]);
    curve->g1_neg(&p[3], &p[3]);
    if (!curve->pairing_is_one(p, q, 4))
        return error_set(err, CUZK_INVALID, "the proof is not valid");
    return CUZK_OK;
}
