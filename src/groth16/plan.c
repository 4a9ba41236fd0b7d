#include "groth16/plan.h"

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

/* Bytes of a sum over the witness: the bases and what adds them up. */
static size_t witness_sum_bytes(const struct plan_input *in, enum key_query query)
{
    const struct backend *backend = in->backend;
    const struct curve *curve = in->qap->cs->curve;
    struct bases_source source = proving_key_bases(in->key, in->qap, query);

    return backend->bases_bytes(curve, &source) +
           backend->msm_witness_bytes(curve, &source, in->qap->cs->n_full, in->n_threads);
}

static size_t h_sum_bytes(const struct plan_input *in)
{
    const struct curve *curve = in->qap->cs->curve;
    struct bases_source source = proving_key_bases(in->key, in->qap, QUERY_H);

    return in->backend->bases_bytes(curve, &source) +
           in->backend->msm_bytes(curve, ELEMENT_G1, source.points.n, in->n_threads);
}

void plan_prove(struct plan *ret, const struct plan_input *in)
{
    const struct backend *backend = in->backend;
    const struct r1cs *cs = in->qap->cs;
    const struct curve *curve = cs->curve;
    const struct witness shape = {.n_inputs = cs->n_inputs,
                                  .n_aux = cs->n_aux,
                                  .n_full = cs->n_full,
                                  .fr_bytes = curve->fr_bytes};
    const size_t witness = backend->witness_bytes(curve, &shape);
    const size_t column = backend->buf_bytes(curve, ELEMENT_SCALAR, in->qap->n_domain);
    const unsigned lg = in->qap->lg_domain;

    *ret = (struct plan){
        .stage = {
            [PROVE_WITNESS] = {witness, 0},
            [PROVE_ROWS_A] = {witness + column, backend->matrix_bytes(curve, &cs->a)},
            [PROVE_ROWS_B] = {witness + 2 * column, backend->matrix_bytes(curve, &cs->b)},
            [PROVE_QUOTIENT] = {witness + 2 * column,
                                backend->domain_bytes(curve, lg) +
                                    backend->quotient_bytes(curve, lg, in->key->h_basis)},
            [PROVE_SUM_H] = {witness + column, h_sum_bytes(in)},
            [PROVE_SUM_L] = {witness, witness_sum_bytes(in, QUERY_L)},
            [PROVE_SUM_A] = {witness, witness_sum_bytes(in, QUERY_A)},
            [PROVE_SUM_B_G1] = {witness, witness_sum_bytes(in, QUERY_B_G1)},
            [PROVE_SUM_B_G2] = {witness, witness_sum_bytes(in, QUERY_B_G2)},
        }};
    for (enum prove_stage s = PROVE_WITNESS; s < PROVE_N_STAGES; s++)
        if (ret->stage[s].held + ret->stage[s].scratch > ret->arena_bytes)
            ret->arena_bytes = ret->stage[s].held + ret->stage[s].scratch;
    ret->scratch_bytes = region_bytes(ret->arena_bytes);
    ret->verifier_bytes = verifier_bytes(curve, cs->n_inputs, false, in->n_threads);
    ret->peak_bytes =
        ret->scratch_bytes > ret->verifier_bytes ? ret->scratch_bytes : ret->verifier_bytes;
}

void proving_key_outline(struct proving_key *ret, const struct qap *qap, uint64_t domain_generator)
{
    *ret = (struct proving_key){.h_basis = H_POWERS, .domain_generator = domain_generator};
    ret->vk.curve = qap->cs->curve;
    ret->vk.n_inputs = qap->cs->n_inputs;
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        ret->query[q] = (struct points_view){POINTS_ZCASH, NULL,
                                             key_query_outline(qap, ret->h_basis, q).points.n};
}
