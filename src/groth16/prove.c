/* Groth16 over the waist (J. Groth, "On the size of pairing-based non-interactive arguments", 2016,
 * in bellman's arrangement of the key).
 *
 *     a = A w, b = B w                     values of the rows on the domain
 *     h = (a b - c) / Z, c = a b there     so c needs no matrix: a wrong witness fails at the end
 *     A = alpha + sum w_v u_v(tau) + r delta
 *     B = beta  + sum w_v v_v(tau) + s delta             in G2; B1 is the same in G1
 *     C = sum h_i H_i + sum w_j L_j + s A + r B1 - r s delta
 *
 * The arena is used as a stack, in the order of plan.c. */
#include "groth16/prove.h"

#include "groth16/verify.h"

/* The sums over the key's queries. */
struct sums {
    struct g1_point h, l, a, b_g1;
    struct g2_point b_g2;
};

struct prover {
    const struct backend *backend;
    const struct proving_key *key;
    const struct qap *qap;
    const struct witness *witness;
    const struct prove_options *options;
    struct device *device;
    struct stream *stream;
    struct witness_handle *w;
    struct buf *a, *b; /* values of the rows; `a` becomes h */
    struct sums sums;
};

/* ---- stages --------------------------------------------------------------------------------- */

static enum cuzk_status begin(struct prover *p, enum prove_stage stage, struct cuzk_error *err)
{
    const struct prove_options *o = p->options;

    if (o->cancel && atomic_load(o->cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled before %s", prove_stage_name(stage));
    if (o->progress)
        o->progress(o->progress_ctx, stage);
    return CUZK_OK;
}

static enum cuzk_status put_witness(struct prover *p, struct cuzk_error *err)
{
    TRY(begin(p, PROVE_WITNESS, err));
    TRY(p->backend->witness_put(p->stream, p->witness, &p->w, err));
    return p->backend->wait(p->stream, err);
}

/* *column = matrix * w, zero padded to the domain. */
static enum cuzk_status evaluate_rows(struct prover *p, enum prove_stage stage,
                                      const struct matrix *matrix, struct buf **column,
                                      struct cuzk_error *err)
{
    const struct backend *backend = p->backend;
    struct matrix_handle *m = NULL;
    enum cuzk_status st;

    TRY(begin(p, stage, err));
    TRY(backend->buf_new(p->device, ELEMENT_SCALAR, p->qap->n_domain, column, err));
    TRY_GOTO(st, out, backend->matrix_new(p->device, matrix, &m, err));
    backend->spmv(p->stream, *column, m, p->w, 0, matrix->n_rows);
    backend->buf_zero(p->stream, *column, matrix->n_rows, p->qap->n_domain - matrix->n_rows);
    st = backend->wait(p->stream, err);
out:
    backend->matrix_free(m);
    return st;
}

/* Leaves h in p->a and gives b back. */
static enum cuzk_status divide(struct prover *p, struct cuzk_error *err)
{
    const struct backend *backend = p->backend;
    struct domain *domain = NULL;
    enum cuzk_status st;

    TRY(begin(p, PROVE_QUOTIENT, err));
    TRY_GOTO(
        st, out,
        backend->domain_new(p->device, p->qap->lg_domain, p->key->domain_generator, &domain, err));
    backend->quotient(p->stream, domain, p->a, p->b, p->key->h_basis);
    st = backend->wait(p->stream, err);
out:
    backend->domain_free(domain);
    backend->buf_free(p->b);
    p->b = NULL;
    return st;
}

/* A point that could not be decoded: say in which file and query. */
static enum cuzk_status name_query(const struct prover *p, enum key_query query,
                                   enum cuzk_status st, struct cuzk_error *err)
{
    const struct file_map *map = &p->key->map;
    const uint8_t *data = p->key->query[query].data;

    if (st != CUZK_BAD_INPUT)
        return st;
    if (!map->data)
        return error_prefix(err, st, "key: %s", key_query_name(query));
    return error_prefix(err, st, "%s: %s: points from offset %zu", map->path, key_query_name(query),
                        (size_t)(data - map->data));
}

static enum cuzk_status sum_h(struct prover *p, struct cuzk_error *err)
{
    const struct backend *backend = p->backend;
    const struct bases_source source = proving_key_bases(p->key, p->qap, QUERY_H);
    struct bases *bases = NULL;
    enum cuzk_status st;

    TRY(begin(p, PROVE_SUM_H, err));
    TRY_GOTO(st, out, backend->bases_new(p->device, &source, &bases, err));
    backend->msm_g1(p->stream, bases, p->a, 0, source.points.n, &p->sums.h);
    st = backend->wait(p->stream, err);
out:
    backend->bases_free(bases);
    backend->buf_free(p->a);
    p->a = NULL;
    return name_query(p, QUERY_H, st, err);
}

/* *out = sum over the variables of a query of value * point; out is a point of the query's group.
 */
static enum cuzk_status sum_witness(struct prover *p, enum prove_stage stage, enum key_query query,
                                    void *out, struct cuzk_error *err)
{
    const struct backend *backend = p->backend;
    const struct bases_source source = proving_key_bases(p->key, p->qap, query);
    struct bases *bases = NULL;
    enum cuzk_status st;

    TRY(begin(p, stage, err));
    TRY_GOTO(st, out, backend->bases_new(p->device, &source, &bases, err));
    if (source.group == ELEMENT_G1)
        backend->msm_witness_g1(p->stream, bases, &p->w, 1, out);
    else
        backend->msm_witness_g2(p->stream, bases, &p->w, 1, out);
    st = backend->wait(p->stream, err);
out:
    backend->bases_free(bases);
    return name_query(p, query, st, err);
}

static enum cuzk_status compute_sums(struct prover *p, struct cuzk_error *err)
{
    const struct r1cs *cs = p->qap->cs;

    TRY(put_witness(p, err));
    TRY(evaluate_rows(p, PROVE_ROWS_A, &cs->a, &p->a, err));
    TRY(evaluate_rows(p, PROVE_ROWS_B, &cs->b, &p->b, err));
    TRY(divide(p, err));
    TRY(sum_h(p, err));
    TRY(sum_witness(p, PROVE_SUM_L, QUERY_L, &p->sums.l, err));
    TRY(sum_witness(p, PROVE_SUM_A, QUERY_A, &p->sums.a, err));
    TRY(sum_witness(p, PROVE_SUM_B_G1, QUERY_B_G1, &p->sums.b_g1, err));
    return sum_witness(p, PROVE_SUM_B_G2, QUERY_B_G2, &p->sums.b_g2, err);
}

/* Everything that needs the device, from opening to closing it. */
static enum cuzk_status run_on_device(struct prover *p, struct cuzk_error *err)
{
    const struct prove_options *o = p->options;
    const struct backend *backend = p->backend;
    struct plan plan;
    enum cuzk_status st;

    plan_prove(&plan, &(struct plan_input){backend, p->key, p->qap, pool_size(o->pool)});
    TRY(backend->open(&p->device,
                      &(struct device_options){.curve = p->key->vk.curve,
                                               .pool = o->pool,
                                               .budget = o->budget,
                                               .arena_bytes = plan.arena_bytes,
                                               .ordinal = o->ordinal,
                                               .cancel = o->cancel},
                      err));
    TRY_GOTO(st, out, backend->stream_new(p->device, &p->stream, err));
    st = compute_sums(p, err);
out:
    backend->buf_free(p->b);
    backend->buf_free(p->a);
    backend->witness_free(p->w);
    backend->stream_free(p->stream);
    backend->close(p->device);
    return st;
}

/* ---- the proof ------------------------------------------------------------------------------ */

static void assemble(const struct verifying_key *vk, const struct sums *sums,
                     const struct blinding *blinding, struct proof *ret)
{
    const struct curve *curve = vk->curve;
    const struct scalar *r = &blinding->r, *s = &blinding->s;
    struct g1_point b_g1, t;
    struct g2_point t2;
    struct scalar rs, minus_rs;
    const struct scalar zero = {{0}};

    /* A = alpha + a + r delta */
    curve->g1_mul(&t, &vk->delta_g1, r);
    curve->g1_add(&ret->a, &vk->alpha_g1, &sums->a);
    curve->g1_add(&ret->a, &ret->a, &t);

    /* B = beta + b + s delta, in both groups */
    curve->g2_mul(&t2, &vk->delta_g2, s);
    curve->g2_add(&ret->b, &vk->beta_g2, &sums->b_g2);
    curve->g2_add(&ret->b, &ret->b, &t2);
    curve->g1_mul(&t, &vk->delta_g1, s);
    curve->g1_add(&b_g1, &vk->beta_g1, &sums->b_g1);
    curve->g1_add(&b_g1, &b_g1, &t);

    /* C = h + l + s A + r B1 - r s delta */
    curve->g1_add(&ret->c, &sums->h, &sums->l);
    curve->g1_mul(&t, &ret->a, s);
    curve->g1_add(&ret->c, &ret->c, &t);
    curve->g1_mul(&t, &b_g1, r);
    curve->g1_add(&ret->c, &ret->c, &t);
    curve->fr_mul(&rs, r, s);
    curve->fr_sub(&minus_rs, &zero, &rs);
    curve->g1_mul(&t, &vk->delta_g1, &minus_rs);
    curve->g1_add(&ret->c, &ret->c, &t);
    mem_wipe(&rs, sizeof rs);
    mem_wipe(&minus_rs, sizeof minus_rs);
}

static enum cuzk_status verify_own(const struct prover *p, const struct proof *proof,
                                   struct cuzk_error *err)
{
    const struct curve *curve = p->key->vk.curve;
    const struct statement statement = {(const uint8_t *)p->witness->inputs + curve->fr_bytes,
                                        p->witness->n_inputs - 1};
    struct verifier verifier;
    enum point_fault fault;
    enum cuzk_status st;
    const char *bad;

    if ((bad = proof_fault(curve, proof, &fault)))
        return error_set(err, CUZK_INVALID, "the proof made cannot stand: %s is %s", bad,
                         point_fault_name(fault));
    TRY(verifier_init(&verifier, &p->key->vk, false, p->options->pool, p->options->budget, err));
    st = groth16_verify(&verifier, proof, &statement, err);
    verifier_done(&verifier);
    if (st == CUZK_INVALID)
        return error_set(err, st,
                         "the witness does not satisfy the circuit, or the key is not of "
                         "this circuit: the proof made does not verify");
    return st;
}

static enum cuzk_status check_arguments(const struct proving_key *key, const struct qap *qap,
                                        const struct witness *witness, struct cuzk_error *err)
{
    const struct r1cs *cs = qap->cs;
    const struct g1_point infinity = {{0}};
    const struct g2_point infinity2 = {{0}};

    TRY(proving_key_matches(key, qap, err));
    if (memcmp(&key->vk.delta_g1, &infinity, key->vk.curve->g1_bytes) == 0 ||
        memcmp(&key->vk.delta_g2, &infinity2, key->vk.curve->g2_bytes) == 0)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: delta is infinity: no proof would hide its "
                         "witness",
                         key->map.path ? key->map.path : "key");
    if (witness->n_inputs != cs->n_inputs || witness->n_aux != cs->n_aux ||
        witness->n_full != cs->n_full || witness->fr_bytes != cs->curve->fr_bytes)
        return error_set(err, CUZK_BAD_INPUT,
                         "a witness of %zu inputs and %zu aux (%zu full), the circuit has %zu and "
                         "%zu (%zu)",
                         witness->n_inputs, witness->n_aux, witness->n_full, (size_t)cs->n_inputs,
                         (size_t)cs->n_aux, (size_t)cs->n_full);
    return CUZK_OK;
}

enum cuzk_status groth16_prove(const struct proving_key *key, const struct qap *qap,
                               const struct witness *witness, const struct blinding *fixed,
                               const struct prove_options *options, struct proof *ret,
                               struct cuzk_error *err)
{
    struct prover p = {.backend = options->backend,
                       .key = key,
                       .qap = qap,
                       .witness = witness,
                       .options = options};
    struct blinding blinding;
    struct proof proof;

    TRY(check_arguments(key, qap, witness, err));
    TRY(run_on_device(&p, err));
    TRY(begin(&p, PROVE_ASSEMBLE, err));
    if (fixed)
        blinding = *fixed;
    else
        blinding_random(&blinding, key->vk.curve);
    assemble(&key->vk, &p.sums, &blinding, &proof);
    mem_wipe(&blinding, sizeof blinding);
    mem_wipe(&p.sums, sizeof p.sums);
    TRY(verify_own(&p, &proof, err));
    if (options->progress)
        options->progress(options->progress_ctx, PROVE_N_STAGES);
    *ret = proof;
    return CUZK_OK;
}
