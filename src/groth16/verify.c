/* IC(x) with tables. Every ic point P has, for each 8-bit window j of a scalar, the multiples
 * d 2^(8j) P, d = 1 .. 128; a scalar is written with signed digits in [-128, 128). The sum is then
 * one addition a window and point, all of them affine, done by the class-sum kernel as one tree
 * that shares its inversions: 32 x 40 additions for a PoRep key and no doubling. */
#include "groth16/verify.h"

#include "backend/host.h"
#include "msm/group_kernels.h"
#include "ntt/scalar_kernels.h"

#define WINDOW_BITS 8u
#define WINDOW_MULTIPLES 128u /* |digit| <= 2^(WINDOW_BITS - 1) */

/* One more bit than the scalar has, so that the last digit takes the carry. */
static size_t n_windows(const struct curve *curve)
{
    return curve->fr_bits / WINDOW_BITS + 1;
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t table_points(const struct curve *curve, size_t n_inputs)
{
    return n_windows(curve) * n_inputs * WINDOW_MULTIPLES;
}

/* Sizes of the pieces, in order; those of a sum's room begin with `scalars`. */
struct layout {
    size_t lines, value, tables, scalars, select, points, scratch;
};

static struct layout lay_out(const struct curve *curve, size_t n_inputs, bool tables,
                             unsigned n_threads)
{
    const size_t most = n_windows(curve) * n_inputs; /* additions of a sum */
    struct layout l = {.lines = arena_piece(curve->pairing_lines_bytes()),
                       .value = arena_piece(curve->pairing_value_bytes()),
                       .scalars = arena_piece(n_inputs * curve->fr_bytes)};

    if (tables && n_inputs <= VERIFIER_TABLE_INPUTS) {
        l.tables = arena_piece(table_points(curve, n_inputs) * curve->g1_bytes);
        l.select = arena_piece(8 * witness_map_words(most));
        l.points = arena_piece(most * curve->g1_bytes);
        l.scratch = curve->g1->sum_bytes(most, n_threads);
    } else {
        l.scratch = curve->g1->msm_bytes(n_inputs, n_threads);
    }
    return l;
}

size_t verifier_bytes(const struct curve *curve, size_t n_inputs, bool tables, unsigned n_threads)
{
    const struct layout l = lay_out(host_curve(curve), n_inputs, tables, n_threads);

    return region_bytes(3 * l.lines + l.value + l.tables + l.scalars + l.select + l.points +
                        l.scratch);
}

/* ---- making one ready ----------------------------------------------------------------------- */

/* Order: multiple, then window, then input, so that each step is one batch. */
static enum cuzk_status fill_tables(struct verifier *v, struct budget *budget,
                                    struct cuzk_error *err)
{
    const struct curve *curve = v->curve;
    const struct group_kernels *g1 = curve->g1;
    size_t n = v->vk->n_inputs, layer = n_windows(curve) * n, bytes = curve->g1_bytes;
    uint8_t *table = v->tables;
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

static enum cuzk_status prepare_pairings(struct verifier *v, struct cuzk_error *err)
{
    const struct verifying_key *vk = v->vk;
    const struct curve *curve = v->curve;
    const struct g2_point *const fixed[] = {&vk->beta_g2, &vk->gamma_g2, &vk->delta_g2};
    const struct g2_point infinity = {{0}};
    const void *const lines[] = {v->lines[VERIFIER_BETA]};

    for (size_t i = 0; i < 3; i++) {
        struct g2_point minus;

        if (memcmp(fixed[i], &infinity, curve->g2_bytes) == 0)
            return error_set(err, CUZK_BAD_INPUT,
                             "verifying key: beta, gamma or delta is infinity");
        curve->g2_neg(&minus, fixed[i]);
        curve->pairing_lines(v->lines[i], &minus);
    }
    curve->pairing_value(
        v->alpha_beta,
        &(struct pairing_product){.fixed_p = &vk->alpha_g1, .lines = lines, .n_fixed = 1});
    return CUZK_OK;
}

enum cuzk_status verifier_init(struct verifier *v, const struct verifying_key *vk, bool tables,
                               struct pool *pool, struct budget *budget, struct cuzk_error *err)
{
    const unsigned n_threads = pool_size(pool);
    const struct curve *curve = host_curve(vk->curve);
    const struct layout l = lay_out(curve, vk->n_inputs, tables, n_threads);
    enum cuzk_status st;

    *v = (struct verifier){.vk = vk, .curve = curve, .pool = pool};
    TRY_GOTO(st, fail,
             region_map(&v->memory, budget, MEM_KEY,
                        verifier_bytes(curve, vk->n_inputs, tables, n_threads), err));
    for (size_t i = 0; i < 3; i++)
        v->lines[i] = v->memory.base + i * l.lines;
    v->alpha_beta = v->memory.base + 3 * l.lines;
    v->room = v->memory.base + 3 * l.lines + l.value + l.tables;
    TRY_GOTO(st, fail, prepare_pairings(v, err));
    if (l.tables) {
        v->tables = v->room - l.tables;
        TRY_GOTO(st, fail, fill_tables(v, budget, err));
    }
    return CUZK_OK;
fail:
    verifier_done(v);
    return st;
}

void verifier_done(struct verifier *v)
{
    region_unmap(&v->memory);
    *v = (struct verifier){0};
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
    const struct curve *curve = v->curve;
    size_t n = v->vk->n_inputs, windows = n_windows(curve), bytes = curve->g1_bytes, taken = 0;
    int16_t digits[34];

    for (size_t i = 0; i < n; i++) {
        signed_digits(digits, windows, scalars + i * (curve->fr_bytes / 8), curve->fr_bytes);
        for (size_t j = 0; j < windows; j++) {
            size_t multiple = (size_t)(digits[j] < 0 ? -digits[j] : digits[j]);

            if (multiple == 0)
                continue;
            memcpy(out + taken * bytes,
                   v->tables + (((multiple - 1) * windows + j) * n + i) * bytes, bytes);
            if (digits[j] < 0)
                curve->g1->neg_batch(out + taken * bytes, 1);
            taken++;
        }
    }
    return taken;
}

enum cuzk_status verifier_ic_sum(struct verifier *v, const struct scalar *first, const void *inputs,
                                 struct g1_point *out, struct cuzk_error *err)
{
    const struct verifying_key *vk = v->vk;
    const struct curve *curve = v->curve;
    const size_t n = vk->n_inputs;
    const struct layout l = lay_out(curve, n, v->tables, pool_size(v->pool));
    uint8_t *scalars = v->room, *select = scalars + l.scalars;
    uint8_t *points = select + l.select, *scratch = points + l.points;
    struct points_view view = {POINTS_PLAIN, vk->ic.base, n};

    memcpy(scalars, first, curve->fr_bytes);
    if (n > 1)
        memcpy(scalars + curve->fr_bytes, inputs, (n - 1) * curve->fr_bytes);
    *out = (struct g1_point){{0}};
    if (!v->tables)
        return curve->g1->msm(out, &view, NULL, (const void *)scalars, n, scratch, v->pool, err);
    view = (struct points_view){POINTS_NATIVE, points, gather(v, points, scalars)};
    memset(select, 0xff, l.select);
    return curve->g1->sum(out, &view, (const void *)select, view.n, scratch, v->pool, err);
}

/* ---- one proof ------------------------------------------------------------------------------ */

enum cuzk_status statement_check(const struct verifier *v, const struct statement *statement,
                                 struct cuzk_error *err)
{
    const struct curve *curve = v->curve;

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
    const struct curve *curve = v->curve;
    const struct scalar one = {{1}};
    struct g1_point fixed[2] = {{{0}}, proof->c}; /* IC(x) and C, against -gamma and -delta */
    const void *const lines[2] = {v->lines[VERIFIER_GAMMA], v->lines[VERIFIER_DELTA]};

    TRY(statement_check(v, statement, err));
    if (proof_has_infinity(curve, proof))
        return error_set(err, CUZK_INVALID, "the proof is not valid: a point is infinity");
    TRY(verifier_ic_sum(v, &one, statement->inputs, &fixed[0], err));
    if (!curve->pairing_product_is_one(&(struct pairing_product){.p = &proof->a,
                                                                 .q = &proof->b,
                                                                 .n = 1,
                                                                 .fixed_p = fixed,
                                                                 .lines = lines,
                                                                 .n_fixed = 2,
                                                                 .value = v->alpha_beta}))
        return error_set(err, CUZK_INVALID, "the proof is not valid");
    return CUZK_OK;
}
