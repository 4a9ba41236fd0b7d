#include "support/random_matrix.h"

#include <string.h>

#include "base/mem.h"

struct scalar random_scalar(const struct curve *curve, struct rng *rng)
{
    const struct scalar zero = {{0}}, one = {{1}};
    uint8_t wide[64];
    struct scalar x;

    rng_bytes(rng, wide, sizeof wide);
    curve->fr_sample_ct(&x, wide);
    switch (rng_below(rng, 8)) {
    case 0: return zero;
    case 1: return one;
    case 2: curve->fr_sub(&x, &zero, &one); return x;
    default: return x;
    }
}

struct scalar scalar_load(const struct curve *curve, const uint64_t *packed, size_t i)
{
    struct scalar x = {{0}};

    memcpy(&x, packed + i * (curve->fr_bytes / 8), curve->fr_bytes);
    return x;
}

void scalar_store(const struct curve *curve, uint64_t *packed, size_t i, const struct scalar *x)
{
    memcpy(packed + i * (curve->fr_bytes / 8), x, curve->fr_bytes);
}

/* ---- witness --------------------------------------------------------------------------------- */

struct witness *random_witness_new(const struct curve *curve, size_t n_inputs, size_t n_aux,
                                   struct rng *rng)
{
    struct witness *w = mem_new(sizeof *w);
    uint64_t *full_map = mem_new(8 * witness_map_words(n_aux) + 8);
    uint64_t *bits = mem_new(8 * witness_map_words(n_aux) + 8);
    uint32_t *rank = mem_new(4 * witness_rank_entries(n_aux));
    uint64_t *inputs = mem_new(n_inputs * curve->fr_bytes), *full;
    const struct scalar one = {{1}};

    for (size_t v = 0; v < n_aux; v++) {
        uint64_t bit = (uint64_t)1 << (v % 64);

        if (rng_below(rng, 5) == 0)
            full_map[v / 64] |= bit;
        else if (rng_below(rng, 2))
            bits[v / 64] |= bit;
    }
    *w = (struct witness){.n_inputs = n_inputs, .n_aux = n_aux, .fr_bytes = curve->fr_bytes};
    w->n_full = witness_rank_fill(rank, full_map, n_aux);
    full = mem_new(w->n_full * curve->fr_bytes);
    for (size_t i = 0; i < n_inputs + w->n_full; i++) {
        struct scalar x = i ? random_scalar(curve, rng) : one;

        if (i < n_inputs)
            scalar_store(curve, inputs, i, &x);
        else
            scalar_store(curve, full, i - n_inputs, &x);
    }
    w->inputs = inputs;
    w->full_map = full_map;
    w->full_rank = rank;
    w->bits = bits;
    w->full = full;
    return w;
}

void random_witness_free(struct witness *w)
{
    mem_free((void *)w->inputs);
    mem_free((void *)w->full_map);
    mem_free((void *)w->full_rank);
    mem_free((void *)w->bits);
    mem_free((void *)w->full);
    mem_free(w);
}

uint64_t *random_map_new(size_t n, unsigned kind, struct rng *rng)
{
    uint64_t *map = mem_new(8 * witness_map_words(n) + 8);
    bool on = rng_below(rng, 2) == 0;

    for (size_t i = 0; i < n; i++) {
        if (kind == 2 && rng_below(rng, 97) == 0)
            on = !on;
        if (kind == 0 || (kind == 2 && on) || (kind == 3 && rng_below(rng, 2)))
            map[i / 64] |= (uint64_t)1 << (i % 64);
    }
    return map;
}

/* ---- matrix ---------------------------------------------------------------------------------- */

enum {
    N_INPUTS_FIXED = 4,
    N_AUX_FIXED = 90,
    BLOCK_ROWS = 11,
    BLOCK_AUX = 17,
    N_PORTS = 3,
    N_COEFS = 23,
};

struct shape {
    uint64_t n_rows;
    bool is_repeat, wide_coefs;
    uint32_t n_inputs;
    uint64_t n_aux;
};

static var_t random_absolute(const struct shape *shape, struct rng *rng)
{
    if (rng_below(rng, 3) == 0)
        return VAR_INPUT | (var_t)rng_below(rng, rng_below(rng, 2) ? 1 : shape->n_inputs);
    return (var_t)rng_below(rng, shape->n_aux);
}

static var_t random_var(const struct shape *shape, struct rng *rng)
{
    if (!shape->is_repeat)
        return random_absolute(shape, rng);
    switch (rng_below(rng, 8)) {
    case 0: return random_absolute(shape, rng);
    case 1: return VAR_PORT | (var_t)rng_below(rng, N_PORTS);
    case 2: return VAR_RELATIVE_INPUT;
    default: return VAR_RELATIVE | (var_t)rng_below(rng, BLOCK_AUX);
    }
}

/* Rows of 0 to 6 terms. */
static void fill_rows(struct matrix_segment *s, const struct shape *shape, struct rng *rng)
{
    size_t n_terms_max = shape->n_rows * 6, n = 0;
    uint32_t *row_end = mem_new(shape->n_rows * 4);
    var_t *var = mem_new(n_terms_max * sizeof *var);
    uint16_t *coef16 = mem_new(n_terms_max * 2);
    uint32_t *coef32 = mem_new(n_terms_max * 4);

    for (uint64_t row = 0; row < shape->n_rows; row++) {
        for (uint64_t k = rng_below(rng, 7); k > 0; k--, n++) {
            var[n] = random_var(shape, rng);
            coef32[n] = (uint32_t)rng_below(rng, rng_below(rng, 2) ? 3 : N_COEFS);
            coef16[n] = (uint16_t)coef32[n];
        }
        row_end[row] = (uint32_t)n;
    }
    *s = (struct matrix_segment){
        .n_rows = shape->n_rows, .n_terms = n, .row_end = row_end, .var = var, .count = 1};
    if (shape->wide_coefs)
        s->coef32 = coef32;
    else
        s->coef16 = coef16;
    mem_free(shape->wide_coefs ? (void *)coef16 : (void *)coef32);
}

static uint64_t *random_coefs(const struct curve *curve, struct rng *rng)
{
    uint64_t *coefs = mem_new(N_COEFS * curve->fr_bytes);
    struct scalar x = {{1}};

    scalar_store(curve, coefs, 0, &x);
    for (size_t i = 1; i < N_COEFS; i++) {
        x = random_scalar(curve, rng);
        scalar_store(curve, coefs, i, &x);
    }
    return coefs;
}

static void fill_input_rows(struct matrix_segment *s, uint32_t n_inputs)
{
    uint32_t *row_end = mem_new(4);
    var_t *var = mem_new(4);

    row_end[0] = 1;
    var[0] = VAR_RELATIVE_INPUT;
    *s = (struct matrix_segment){.n_rows = 1,
                                 .n_terms = 1,
                                 .row_end = row_end,
                                 .var = var,
                                 .coef16 = mem_new(2),
                                 .count = n_inputs,
                                 .input_stride = 1};
}

struct random_matrix *random_matrix_new(const struct curve *curve, uint32_t count, struct rng *rng)
{
    struct random_matrix *m = mem_new(sizeof *m);
    struct shape shape = {.n_inputs = N_INPUTS_FIXED + count};
    struct matrix_segment *repeat = &m->segments[1];
    var_t *imports = mem_new((size_t)count * N_PORTS * sizeof *imports);

    shape.n_aux = N_AUX_FIXED + (uint64_t)count * BLOCK_AUX;
    shape.n_rows = 50;
    fill_rows(&m->segments[0], &shape, rng);
    shape.n_rows = 30;
    shape.wide_coefs = true;
    fill_rows(&m->segments[3], &shape, rng);
    shape.n_rows = BLOCK_ROWS;
    shape.wide_coefs = false;
    for (size_t i = 0; i < (size_t)count * N_PORTS; i++)
        imports[i] = random_absolute(&shape, rng);
    shape.is_repeat = true;
    fill_rows(repeat, &shape, rng);
    repeat->count = count;
    repeat->n_ports = N_PORTS;
    repeat->imports = imports;
    repeat->aux_base = N_AUX_FIXED;
    repeat->aux_stride = BLOCK_AUX;
    repeat->input_base = N_INPUTS_FIXED;
    repeat->input_stride = 1;
    m->segments[2] = (struct matrix_segment){.n_rows = 5, .row_end = mem_new(5 * 4), .count = 1};
    fill_input_rows(&m->segments[4], shape.n_inputs);

    m->matrix = (struct matrix){.n_inputs = shape.n_inputs,
                                .n_aux = shape.n_aux,
                                .n_segments = 5,
                                .segments = m->segments,
                                .n_coefs = N_COEFS,
                                .coefs = random_coefs(curve, rng)};
    for (size_t i = 0; i < 5; i++)
        m->matrix.n_rows += m->segments[i].n_rows * m->segments[i].count;
    return m;
}

void random_matrix_free(struct random_matrix *m)
{
    for (size_t i = 0; i < 5; i++) {
        mem_free((void *)m->segments[i].row_end);
        mem_free((void *)m->segments[i].var);
        mem_free((void *)m->segments[i].coef16);
        mem_free((void *)m->segments[i].coef32);
        mem_free((void *)m->segments[i].imports);
    }
    mem_free((void *)m->matrix.coefs);
    mem_free(m);
}

void matrix_terms(const struct curve *curve, const struct matrix *m, random_term_fn *f, void *ctx)
{
    uint64_t row = 0;

    for (size_t i = 0; i < m->n_segments; i++) {
        const struct matrix_segment *s = &m->segments[i];

        for (uint32_t k = 0; k < s->count; k++)
            for (uint64_t r = 0; r < s->n_rows; r++, row++)
                for (uint32_t t = r ? s->row_end[r - 1] : 0; t < s->row_end[r]; t++) {
                    struct scalar coef = scalar_load(curve, m->coefs, matrix_coef(s, t));

                    f(ctx, row, matrix_resolve(s, k, s->var[t]), &coef);
                }
    }
}
