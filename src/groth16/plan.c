#include "groth16/plan.h"

#include <assert.h>

#include "groth16/query_slices.h"
#include "groth16/verify.h"

const char *prove_stage_name(enum prove_stage stage)
{
    static const char *const names[PROVE_N_STAGES] = {
        [PROVE_WITNESS] = "put witness", [PROVE_ROWS_A] = "rows of A", [PROVE_ROWS_B] = "rows of B",
        [PROVE_QUOTIENT] = "quotient",   [PROVE_SUM_H] = "sum H",      [PROVE_SUM_L] = "sum L",
        [PROVE_SUM_A] = "sum A",         [PROVE_SUM_B_G1] = "sum B1",  [PROVE_SUM_B_G2] = "sum B2",
        [PROVE_ASSEMBLE] = "assemble",
    };

    return names[stage];
}

/* ---- parts ---------------------------------------------------------------------------------- */

#define BIT(part) (1u << (part))
#define BASES(query) BIT(PART_BASES + (query))

static const struct {
    unsigned made, ended;
} parts_of[PROVE_N_STAGES] = {
    [PROVE_WITNESS] = {BIT(PART_WITNESS), 0},
    [PROVE_ROWS_A] = {BIT(PART_COLUMN_A) | BIT(PART_MATRIX_A), BIT(PART_MATRIX_A)},
    [PROVE_ROWS_B] = {BIT(PART_COLUMN_B) | BIT(PART_MATRIX_B), BIT(PART_MATRIX_B)},
    [PROVE_QUOTIENT] = {BIT(PART_MATRIX_C) | BIT(PART_DOMAIN),
                        BIT(PART_MATRIX_C) | BIT(PART_DOMAIN) | BIT(PART_COLUMN_B)},
    [PROVE_SUM_H] = {BASES(QUERY_H), BASES(QUERY_H) | BIT(PART_COLUMN_A)},
    [PROVE_SUM_L] = {BASES(QUERY_L), BASES(QUERY_L)},
    [PROVE_SUM_A] = {BASES(QUERY_A), BASES(QUERY_A)},
    [PROVE_SUM_B_G1] = {BASES(QUERY_B_G1), BASES(QUERY_B_G1)},
    [PROVE_SUM_B_G2] = {BASES(QUERY_B_G2), BASES(QUERY_B_G2) | BIT(PART_WITNESS)},
};

#define ALL_PARTS (BIT(PROVE_N_PARTS) - 1)

unsigned plan_parts_kept(enum plan_form form)
{
    if (form == PLAN_STREAMED)
        return BIT(PART_WITNESS);
    return form == PLAN_STAGED ? 0 : ALL_PARTS;
}

/* Those of the table that come and go. */
static unsigned passing_parts(enum plan_form form)
{
    const unsigned parts = form == PLAN_STREAMED ? BIT(PART_BASES) - 1 : ALL_PARTS;

    return parts & ~plan_parts_kept(form);
}

unsigned plan_parts_made(enum plan_form form, enum prove_stage stage)
{
    return parts_of[stage].made & passing_parts(form);
}

unsigned plan_parts_ended(enum plan_form form, enum prove_stage stage)
{
    return parts_of[stage].ended & passing_parts(form);
}

static size_t part_bytes(const struct plan_input *in, enum prove_part part)
{
    const struct backend *backend = in->backend;
    const struct r1cs *cs = in->qap->cs;
    const struct curve *curve = cs->curve;
    const struct witness shape = {.n_inputs = cs->n_inputs,
                                  .n_aux = cs->n_aux,
                                  .n_full = cs->n_full,
                                  .fr_bytes = curve->fr_bytes};

    switch (part) {
    case PART_WITNESS: return backend->witness_bytes(curve, &shape);
    case PART_COLUMN_A:
    case PART_COLUMN_B: return backend->buf_bytes(curve, ELEMENT_SCALAR, in->qap->n_domain);
    case PART_MATRIX_A: return backend->matrix_bytes(curve, &cs->a);
    case PART_MATRIX_B: return backend->matrix_bytes(curve, &cs->b);
    case PART_MATRIX_C:
        return plan_has_matrix_c(in->form, in->key->h_basis) ? backend->matrix_bytes(curve, &cs->c)
                                                             : 0;
    case PART_DOMAIN:
        return backend->domain_bytes(curve, in->qap->lg_domain, plan_tables(in->form));
    default: break;
    }
    if (in->key_is_there)
        return 0;

    const struct bases_source source =
        proving_key_bases(in->key, in->qap, (enum key_query)(part - PART_BASES));

    return backend->bases_bytes(curve, &source);
}

static size_t bytes_of_parts(const struct plan_input *in, unsigned parts)
{
    size_t bytes = 0;

    for (enum prove_part p = PART_WITNESS; p < PROVE_N_PARTS; p++)
        if (parts & BIT(p))
            bytes += part_bytes(in, p);
    return bytes;
}

/* ---- stages --------------------------------------------------------------------------------- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Of a query or of a slice of it. */
static size_t sum_scratch(const struct plan_input *in, enum key_query query,
                          const struct bases_source *source)
{
    const struct curve *curve = in->qap->cs->curve;

    if (query == QUERY_H)
        return in->backend->msm_bytes(curve, ELEMENT_G1, source->points.n, in->n_threads);
    return in->backend->msm_witness_bytes(curve, source, in->qap->cs->n_full, in->n_threads);
}

/* Bases and scratch of the slice that needs most. */
static size_t slice_bytes(const struct plan_input *in, enum key_query query,
                          const struct bases_source *whole)
{
    const struct curve *curve = in->qap->cs->curve;
    struct bases_source slice;
    struct query_slices slices;
    size_t most = 0;

    query_slices_outline(&slices, curve, whole);
    while (query_slices_next(&slices, &slice))
        most =
            larger(most, in->backend->bases_bytes(curve, &slice) + sum_scratch(in, query, &slice));
    return most;
}

/* Scratch of a stage's operation. */
static size_t stage_scratch(const struct plan_input *in, enum prove_stage stage)
{
    const enum key_query query = (enum key_query)(QUERY_H + (stage - PROVE_SUM_H));
    struct bases_source source;

    if (stage == PROVE_QUOTIENT && !plan_has_matrix_c(in->form, in->key->h_basis))
        return in->backend->quotient_bytes(in->qap->cs->curve, in->qap->lg_domain,
                                           in->key->h_basis);
    if (stage < PROVE_SUM_H || stage > PROVE_SUM_B_G2)
        return 0;
    source = proving_key_bases(in->key, in->qap, query);
    return in->form == PLAN_STREAMED ? slice_bytes(in, query, &source)
                                     : sum_scratch(in, query, &source);
}

static void plan_staged(struct plan *ret, const struct plan_input *in)
{
    unsigned there = plan_parts_kept(in->form);

    for (enum prove_stage s = PROVE_WITNESS; s < PROVE_ASSEMBLE; s++) {
        const unsigned ended = plan_parts_ended(in->form, s);
        const unsigned own = plan_parts_made(in->form, s) & ended;

        there |= plan_parts_made(in->form, s);
        ret->stage[s].held = bytes_of_parts(in, there & ~own);
        ret->stage[s].scratch = bytes_of_parts(in, own) + stage_scratch(in, s);
        ret->arena_bytes = larger(ret->arena_bytes, ret->stage[s].held + ret->stage[s].scratch);
        there &= ~ended;
    }
}

/* More witnesses, which are there all the time. */
static void plan_batch(struct plan *ret, const struct plan_input *in)
{
    const size_t most = ret->arena_bytes / PLAN_BATCH_SHARE, one = part_bytes(in, PART_WITNESS);
    size_t more;

    while (ret->n_witnesses < PLAN_WITNESSES_MAX &&
           ((ret->n_witnesses + 1) * one <= most ||
            ret->arena_bytes + ret->n_witnesses * one <= in->room))
        ret->n_witnesses++;
    more = (ret->n_witnesses - 1) * one;
    for (enum prove_stage s = PROVE_WITNESS; s < PROVE_ASSEMBLE; s++)
        ret->stage[s].held += more;
    ret->arena_bytes += more;
}

static void plan_kept(struct plan *ret, const struct plan_input *in)
{
    const unsigned more = in->lone ? 0 : 1; /* witnesses */
    const size_t held = bytes_of_parts(in, ALL_PARTS) + more * part_bytes(in, PART_WITNESS);
    size_t chain = 0, classes = 0;

    ret->n_witnesses += more;
    for (enum prove_stage s = PROVE_WITNESS; s < PROVE_ASSEMBLE; s++) {
        ret->stage[s] = (struct plan_stage){held, stage_scratch(in, s)};
        if (s <= PROVE_SUM_H)
            chain = larger(chain, ret->stage[s].scratch);
        else
            classes = larger(classes, ret->stage[s].scratch);
    }
    ret->arena_bytes = held + larger(chain, classes);
    if (in->form == PLAN_OVERLAPPED) {
        ret->chain_scratch = larger(chain, classes); /* it takes classes when it is done */
        ret->class_scratch = classes;
        ret->arena_bytes = held + in->backend->stream_scratch_bytes(ret->chain_scratch) +
                           in->backend->stream_scratch_bytes(classes);
    }
}

void plan_prove(struct plan *ret, const struct plan_input *in)
{
    assert(in->form >= PLAN_STREAMED);
    *ret = (struct plan){.n_witnesses = 1};
    if (plan_is_staged(in->form))
        plan_staged(ret, in);
    else
        plan_kept(ret, in);
    if (in->form == PLAN_STREAMED && !in->lone)
        plan_batch(ret, in);
    ret->scratch_bytes = in->backend->beside_host ? 0 : region_bytes(ret->arena_bytes);
    if (in->form == PLAN_STREAMED)
        ret->scratch_bytes += region_bytes(query_slices_map_bytes(in->qap->cs->n_aux));
    ret->verifier_bytes =
        verifier_bytes(in->qap->cs->curve, in->qap->cs->n_inputs, false, in->n_threads);
    ret->peak_bytes = ret->scratch_bytes + ret->verifier_bytes;
}

enum plan_form plan_choose(const struct plan_input *in, size_t available)
{
    struct plan_input try = *in;
    struct plan plan;

    if (!in->backend->beside_host)
        return PLAN_STAGED;
    for (try.form = PLAN_OVERLAPPED; try.form > PLAN_STREAMED; try.form--) {
        plan_prove(&plan, &try);
        if (plan.arena_bytes <= available)
            break;
    }
    return try.form;
}

void proving_key_outline(struct proving_key *ret, const struct qap *qap, enum h_basis basis,
                         uint64_t domain_generator)
{
    *ret = (struct proving_key){.h_basis = basis, .domain_generator = domain_generator};
    ret->vk.curve = qap->cs->curve;
    ret->vk.n_inputs = qap->cs->n_inputs;
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        ret->query[q] = (struct points_view){POINTS_ZCASH, NULL,
                                             key_query_outline(qap, ret->h_basis, q).points.n};
}
