/* Groth16 over the waist (J. Groth, "On the size of pairing-based non-interactive arguments", 2016,
 * in bellman's arrangement of the key).
 *
 *     a = A w, b = B w                     values of the rows on the domain
 *     h = (a b - c) / Z, c = a b there     so c needs no matrix: a wrong witness fails at the end
 *     A = alpha + sum w_v u_v(tau) + r delta
 *     B = beta  + sum w_v v_v(tau) + s delta             in G2; B1 is the same in G1
 *     C = sum h_i H_i + sum w_j L_j + s A + r B1 - r s delta
 *
 * Two streams. The chain: rows, quotient, sum over H. The classes: sums over L, A, B1 and B2, which
 * need the witness only. In the overlapped form (plan.h) they are two on the device as well, each
 * with a thread of the host, because a sum's rounds are known only when its scalars are sorted; and
 * when the chain is done it takes classes too. */
#include "groth16/prove.h"

#include <string.h>

#include "base/thread.h"

struct prover {
    const struct backend *backend;
    const struct proving_key *key; /* its numbers; and its points, unless they are on the device */
    const struct verifying_key *vk;
    const struct resident_key *resident; /* NULL: none */
    const struct qap *qap;
    struct prove_options options;
    enum plan_form form;
    struct verifier verifier;

    struct device *device, *own_device; /* own_device: to be closed at the end */
    struct stream *chain, *classes;     /* the same one, unless they overlap */
    struct stream *uploads;
    struct proving_key outline; /* of a resident key */
    struct witness waiting;     /* with one slot: put when the run begins */

    /* parts */
    struct witness_handle *w[2];
    struct buf *a, *b; /* values of the rows; `a` becomes h */
    struct matrix_handle *matrix_a, *matrix_b;
    struct domain *domain;
    struct bases *bases[KEY_N_QUERIES];
};

/* ---- parts ---------------------------------------------------------------------------------- */

static const char *key_name(const struct prover *p)
{
    return p->key->map.path ? p->key->map.path : "key";
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

static struct witness shape_of(const struct r1cs *cs)
{
    return (struct witness){
        .n_inputs = cs->n_inputs,
        .n_aux = cs->n_aux,
        .n_full = cs->n_full,
        .fr_bytes = cs->curve->fr_bytes,
        .full_map = cs->full_map,
        .full_rank = cs->full_rank,
    };
}

static enum cuzk_status make_witnesses(struct prover *p, struct cuzk_error *err)
{
    const struct witness shape = shape_of(p->qap->cs);

    for (unsigned i = 0; i < plan_witnesses(p->form, p->options.lone); i++)
        TRY(p->backend->witness_new(p->device, &shape, &p->w[i], err));
    return CUZK_OK;
}

static enum cuzk_status make_bases(struct prover *p, enum key_query query, struct cuzk_error *err)
{
    const struct bases_source source = proving_key_bases(p->key, p->qap, query);

    if (p->resident) {
        p->bases[query] = p->resident->bases[query];
        return CUZK_OK;
    }
    return name_query(p, query, p->backend->bases_new(p->device, &source, &p->bases[query], err),
                      err);
}

static enum cuzk_status make_part(struct prover *p, enum prove_part part, struct cuzk_error *err)
{
    const struct backend *backend = p->backend;
    const struct qap *qap = p->qap;

    switch (part) {
    case PART_WITNESS: return make_witnesses(p, err);
    case PART_COLUMN_A:
        return backend->buf_new(p->device, ELEMENT_SCALAR, qap->n_domain, &p->a, err);
    case PART_COLUMN_B:
        return backend->buf_new(p->device, ELEMENT_SCALAR, qap->n_domain, &p->b, err);
    case PART_MATRIX_A: return backend->matrix_new(p->device, &qap->cs->a, &p->matrix_a, err);
    case PART_MATRIX_B: return backend->matrix_new(p->device, &qap->cs->b, &p->matrix_b, err);
    case PART_DOMAIN:
        return backend->domain_new(p->device, qap->lg_domain, p->key->domain_generator, &p->domain,
                                   err);
    default: return make_bases(p, (enum key_query)(part - PART_BASES), err);
    }
}

/* Accepts a part that is not there. */
static void end_part(struct prover *p, enum prove_part part)
{
    const struct backend *backend = p->backend;

#define END(free, handle) (backend->free(handle), (handle) = NULL)
    switch (part) {
    case PART_WITNESS:
        END(witness_free, p->w[1]);
        END(witness_free, p->w[0]);
        break;
    case PART_COLUMN_A: END(buf_free, p->a); break;
    case PART_COLUMN_B: END(buf_free, p->b); break;
    case PART_MATRIX_A: END(matrix_free, p->matrix_a); break;
    case PART_MATRIX_B: END(matrix_free, p->matrix_b); break;
    case PART_DOMAIN: END(domain_free, p->domain); break;
    default:
        if (!p->resident)
            backend->bases_free(p->bases[part - PART_BASES]);
        p->bases[part - PART_BASES] = NULL;
    }
#undef END
}

static enum cuzk_status make_parts(struct prover *p, unsigned parts, struct cuzk_error *err)
{
    for (unsigned part = 0; part < PROVE_N_PARTS; part++)
        if (parts >> part & 1)
            TRY(make_part(p, (enum prove_part)part, err));
    return CUZK_OK;
}

static void end_parts(struct prover *p, unsigned parts)
{
    for (unsigned part = PROVE_N_PARTS; part-- > 0;)
        if (parts >> part & 1)
            end_part(p, (enum prove_part)part);
}

#define ALL_PARTS ((1u << PROVE_N_PARTS) - 1)

/* ---- stages --------------------------------------------------------------------------------- */

/* A stage begins: what it works with is there. */
static enum cuzk_status begin(struct prover *p, enum prove_stage stage, struct cuzk_error *err)
{
    const struct prove_options *o = &p->options;

    if (o->cancel && atomic_load(o->cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled before %s", prove_stage_name(stage));
    if (o->progress)
        o->progress(o->progress_ctx, stage);
    return p->form == PLAN_STAGED ? make_parts(p, plan_parts_made(stage), err) : CUZK_OK;
}

/* In the staged form a stage ends before the next one begins. */
static enum cuzk_status end(struct prover *p, enum prove_stage stage, struct cuzk_error *err)
{
    enum cuzk_status st;

    if (p->form != PLAN_STAGED)
        return CUZK_OK;
    st = p->backend->wait(p->chain, err);
    end_parts(p, plan_parts_ended(stage));
    return st;
}

static enum cuzk_status put_witness(struct prover *p, struct cuzk_error *err)
{
    if (p->form != PLAN_STAGED)
        return CUZK_OK; /* prover_put has done it */
    TRY(begin(p, PROVE_WITNESS, err));
    p->backend->witness_put(p->chain, p->w[0], &p->waiting);
    return end(p, PROVE_WITNESS, err);
}

/* column = matrix * w, zero padded to the domain. */
static void evaluate_rows(struct prover *p, struct buf *column, const struct matrix_handle *handle,
                          const struct matrix *matrix, const struct witness_handle *w)
{
    p->backend->spmv(p->chain, column, handle, w, 0, matrix->n_rows);
    p->backend->buf_zero(p->chain, column, matrix->n_rows, p->qap->n_domain - matrix->n_rows);
}

/* a = A w, b = B w, then h in place of a. */
static enum cuzk_status make_h(struct prover *p, unsigned slot, struct cuzk_error *err)
{
    const struct r1cs *cs = p->qap->cs;

    TRY(begin(p, PROVE_ROWS_A, err));
    evaluate_rows(p, p->a, p->matrix_a, &cs->a, p->w[slot]);
    TRY(end(p, PROVE_ROWS_A, err));

    TRY(begin(p, PROVE_ROWS_B, err));
    evaluate_rows(p, p->b, p->matrix_b, &cs->b, p->w[slot]);
    TRY(end(p, PROVE_ROWS_B, err));

    TRY(begin(p, PROVE_QUOTIENT, err));
    p->backend->quotient(p->chain, p->domain, p->a, p->b, p->key->h_basis);
    return end(p, PROVE_QUOTIENT, err);
}

static enum cuzk_status sum_h(struct prover *p, struct g1_point *out, struct cuzk_error *err)
{
    TRY(begin(p, PROVE_SUM_H, err));
    p->backend->msm_g1(p->chain, p->bases[QUERY_H], p->a, 0, p->key->query[QUERY_H].n, out);
    return name_query(p, QUERY_H, end(p, PROVE_SUM_H, err), err);
}

/* The sum over the variables of a query of value * point, to where it belongs in `sums`. */
static enum cuzk_status sum_class(struct prover *p, enum key_query query, struct stream *stream,
                                  unsigned slot, struct prove_sums *sums, struct cuzk_error *err)
{
    const enum prove_stage stage = (enum prove_stage)(PROVE_SUM_H + (query - QUERY_H));
    struct g1_point *const g1[KEY_N_QUERIES] = {
        [QUERY_L] = &sums->l, [QUERY_A] = &sums->a, [QUERY_B_G1] = &sums->b_g1};

    TRY(begin(p, stage, err));
    if (query == QUERY_B_G2)
        p->backend->msm_witness_g2(stream, p->bases[query], &p->w[slot], 1, &sums->b_g2);
    else
        p->backend->msm_witness_g1(stream, p->bases[query], &p->w[slot], 1, g1[query]);
    return name_query(p, query, end(p, stage, err), err);
}

/* One stream, one thread: in the order of the stages. */
static enum cuzk_status sum_in_order(struct prover *p, unsigned slot, struct prove_sums *sums,
                                     struct cuzk_error *err)
{
    TRY(make_h(p, slot, err));
    TRY(sum_h(p, &sums->h, err));
    for (enum key_query query = QUERY_L; query < KEY_N_QUERIES; query++)
        TRY(sum_class(p, query, p->classes, slot, sums, err));
    return CUZK_OK;
}

/* What two threads share; classes are taken longest first, by whoever is free. */
struct shared_work {
    struct prover *p;
    unsigned slot;
    struct prove_sums *sums;
    atomic_uint taken;
    enum cuzk_status st; /* of the chain */
    struct cuzk_error err;
};

static enum cuzk_status take_classes(struct shared_work *w, struct stream *stream,
                                     struct cuzk_error *err)
{
    static const enum key_query order[] = {QUERY_B_G2, QUERY_L, QUERY_A, QUERY_B_G1};
    unsigned i;

    while ((i = atomic_fetch_add(&w->taken, 1)) < sizeof order / sizeof *order)
        TRY(sum_class(w->p, order[i], stream, w->slot, w->sums, err));
    return CUZK_OK;
}

static enum cuzk_status run_chain(struct shared_work *w, struct cuzk_error *err)
{
    TRY(make_h(w->p, w->slot, err));
    TRY(sum_h(w->p, &w->sums->h, err));
    return take_classes(w, w->p->chain, err);
}

static void chain_main(void *ctx)
{
    struct shared_work *w = ctx;

    w->st = run_chain(w, &w->err);
}

static enum cuzk_status sum_on_two_threads(struct prover *p, unsigned slot, struct prove_sums *sums,
                                           struct cuzk_error *err)
{
    struct shared_work w = {.p = p, .slot = slot, .sums = sums};
    struct thread chain;
    enum cuzk_status st;

    TRY(thread_begin(&chain, chain_main, &w, err));
    st = take_classes(&w, p->classes, err);
    thread_end(&chain);
    if (st == CUZK_OK && w.st != CUZK_OK) {
        st = w.st;
        if (err)
            *err = w.err;
    }
    return st;
}

static enum cuzk_status compute_sums(struct prover *p, unsigned slot, struct prove_sums *sums,
                                     struct cuzk_error *err)
{
    TRY(put_witness(p, err));
    if (p->form == PLAN_OVERLAPPED && p->backend->beside_host)
        return sum_on_two_threads(p, slot, sums, err);
    return sum_in_order(p, slot, sums, err);
}

/* The one synchronisation of a proof. What is on its way still writes to the sums, so this comes
 * after a failure too. */
static enum cuzk_status settle(struct prover *p, enum cuzk_status st, struct cuzk_error *err)
{
    struct stream *const streams[] = {p->chain, p->classes};

    for (size_t i = 0; i < 2; i++) {
        struct cuzk_error other = {0};
        enum cuzk_status found = p->backend->wait(streams[i], &other);

        if (st == CUZK_OK && found != CUZK_OK) {
            st = found;
            if (err)
                *err = other;
        }
    }
    if (p->form == PLAN_STAGED)
        end_parts(p, ALL_PARTS);
    return st;
}

enum cuzk_status prover_run(struct prover *p, unsigned slot, struct prove_sums *ret,
                            struct cuzk_error *err)
{
    struct prove_sums sums;
    enum cuzk_status st = settle(p, compute_sums(p, slot, &sums, err), err);

    if (st == CUZK_OK)
        *ret = sums;
    mem_wipe(&sums, sizeof sums);
    return st;
}

unsigned prover_slots(const struct prover *p)
{
    return plan_witnesses(p->form, p->options.lone);
}

enum cuzk_status prover_put(struct prover *p, unsigned slot, const struct witness *witness,
                            struct cuzk_error *err)
{
    const struct r1cs *cs = p->qap->cs;

    if (witness->n_inputs != cs->n_inputs || witness->n_aux != cs->n_aux ||
        witness->n_full != cs->n_full || witness->fr_bytes != cs->curve->fr_bytes)
        return error_set(err, CUZK_BAD_INPUT,
                         "a witness of %zu inputs and %zu aux (%zu full), the circuit has %zu and "
                         "%zu (%zu)",
                         witness->n_inputs, witness->n_aux, witness->n_full, (size_t)cs->n_inputs,
                         (size_t)cs->n_aux, (size_t)cs->n_full);
    if (p->form == PLAN_STAGED) {
        p->waiting = *witness;
        return CUZK_OK;
    }
    p->backend->witness_put(p->uploads, p->w[slot], witness);
    return p->backend->wait(p->uploads, err);
}

/* ---- opening -------------------------------------------------------------------------------- */

static enum cuzk_status open_streams(struct prover *p, const struct plan *plan,
                                     struct cuzk_error *err)
{
    const struct backend *backend = p->backend;

    TRY(backend->stream_new(p->device, &p->chain, err));
    p->classes = p->chain;
    if (p->form != PLAN_STAGED)
        TRY(backend->stream_new(p->device, &p->uploads, err));
    if (p->form != PLAN_OVERLAPPED)
        return CUZK_OK;
    p->classes = NULL;
    TRY(backend->stream_new(p->device, &p->classes, err));
    TRY(backend->stream_scratch(p->chain, plan->chain_scratch, err));
    return backend->stream_scratch(p->classes, plan->class_scratch, err);
}

static enum cuzk_status check_key(const struct prover *p, struct cuzk_error *err)
{
    const struct g1_point infinity = {{0}};
    const struct g2_point infinity2 = {{0}};

    if (memcmp(&p->vk->delta_g1, &infinity, p->vk->curve->g1_bytes) == 0 ||
        memcmp(&p->vk->delta_g2, &infinity2, p->vk->curve->g2_bytes) == 0)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: delta is infinity: no proof would hide its "
                         "witness",
                         key_name(p));
    return CUZK_OK;
}

static enum cuzk_status open_device(struct prover *p, size_t arena_bytes, struct cuzk_error *err)
{
    const struct prove_options *o = &p->options;

    TRY(p->backend->open(&p->own_device,
                         &(struct device_options){.curve = p->vk->curve,
                                                  .pool = o->pool,
                                                  .budget = o->budget,
                                                  .arena_bytes = arena_bytes,
                                                  .ordinal = o->ordinal,
                                                  .cancel = o->cancel,
                                                  .timeline = o->timeline},
                         err));
    p->device = p->own_device;
    return CUZK_OK;
}

/* Everything but the device that is given. */
static enum cuzk_status fill(struct prover *p, const struct plan_input *in, struct cuzk_error *err)
{
    const struct prove_options *o = &p->options;
    struct plan plan;

    TRY(check_key(p, err));
    TRY(verifier_init(&p->verifier, p->vk, false, o->pool, o->budget, err));
    plan_prove(&plan, in);
    if (!p->device)
        TRY(open_device(p, plan.arena_bytes, err));
    if (p->form != PLAN_STAGED)
        TRY(make_parts(p, ALL_PARTS, err));
    return open_streams(p, &plan, err);
}

static enum cuzk_status prover_new(struct prover **ret, const struct qap *qap,
                                   const struct prove_options *options, struct cuzk_error *err)
{
    struct prover *p = mem_new(sizeof *p);

    if (!p)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a prover");
    p->backend = options->backend;
    p->qap = qap;
    p->options = *options;
    *ret = p;
    return CUZK_OK;
}

static enum cuzk_status available_bytes(size_t *ret, const struct prove_options *options,
                                        struct cuzk_error *err)
{
    TRY(options->backend->memory_free(options->ordinal, ret, err));
    if (options->device_memory && *ret > options->device_memory)
        *ret = options->device_memory;
    return CUZK_OK;
}

/* Even the form with the least memory may be too large. */
static enum cuzk_status check_arena(const struct plan_input *in, size_t available,
                                    struct cuzk_error *err)
{
    struct plan plan;

    plan_prove(&plan, in);
    if (!in->backend->beside_host || plan.arena_bytes <= available)
        return CUZK_OK;
    return error_set(err, CUZK_NO_MEMORY,
                     "a proof takes %zu bytes of the device's memory, %zu may be taken",
                     plan.arena_bytes, available);
}

enum cuzk_status prover_open(struct prover **ret, const struct proving_key *key,
                             const struct qap *qap, const struct prove_options *options,
                             struct cuzk_error *err)
{
    struct plan_input in = {.backend = options->backend,
                            .key = key,
                            .qap = qap,
                            .n_threads = pool_size(options->pool),
                            .lone = options->lone};
    size_t available = 0;
    struct prover *p;
    enum cuzk_status st;

    TRY(proving_key_matches(key, qap, err));
    if (options->backend->beside_host)
        TRY(available_bytes(&available, options, err));
    in.form = plan_choose(&in, available);
    TRY(check_arena(&in, available, err));
    TRY(prover_new(&p, qap, options, err));
    p->key = key;
    p->vk = &key->vk;
    p->form = in.form;
    st = fill(p, &in, err);
    if (st == CUZK_OK)
        *ret = p;
    else
        prover_close(p);
    return st;
}

static struct proving_key outline_of(const struct qap *qap, enum h_basis basis, uint64_t generator)
{
    struct proving_key outline;

    proving_key_outline(&outline, qap, basis, generator);
    return outline;
}

static struct plan_input resident_input(const struct proving_key *outline, const struct qap *qap,
                                        enum plan_form form, const struct prove_options *options)
{
    return (struct plan_input){.backend = options->backend,
                               .key = outline,
                               .qap = qap,
                               .n_threads = pool_size(options->pool),
                               .form = form,
                               .key_is_there = true,
                               .lone = options->lone};
}

void prover_resident_plan(struct plan *ret, const struct qap *qap, enum h_basis basis,
                          enum plan_form form, const struct prove_options *options)
{
    const struct proving_key outline = outline_of(qap, basis, 0);
    const struct plan_input in = resident_input(&outline, qap, form, options);

    plan_prove(ret, &in);
}

enum cuzk_status prover_open_resident(struct prover **ret, const struct resident_key *key,
                                      struct device *device, enum plan_form form,
                                      const struct qap *qap, const struct prove_options *options,
                                      struct cuzk_error *err)
{
    struct plan_input in;
    struct prover *p;
    enum cuzk_status st;

    TRY(prover_new(&p, qap, options, err));
    p->outline = outline_of(qap, key->h_basis, key->domain_generator);
    p->key = &p->outline;
    p->vk = &key->vk;
    p->resident = key;
    p->device = device;
    p->form = form;
    in = resident_input(p->key, qap, form, options);
    st = fill(p, &in, err);
    if (st == CUZK_OK)
        *ret = p;
    else
        prover_close(p);
    return st;
}

void prover_close(struct prover *p)
{
    if (!p)
        return;
    if (p->device) {
        if (p->classes != p->chain)
            p->backend->stream_free(p->classes);
        p->backend->stream_free(p->uploads);
        p->backend->stream_free(p->chain);
        end_parts(p, ALL_PARTS);
    }
    p->backend->close(p->own_device);
    verifier_done(&p->verifier);
    mem_free(p);
}

/* ---- the proof ------------------------------------------------------------------------------ */

static void assemble(const struct verifying_key *vk, const struct prove_sums *sums,
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

static enum cuzk_status verify_own(struct prover *p, const struct proof *proof,
                                   const struct statement *statement, struct cuzk_error *err)
{
    enum point_fault fault;
    enum cuzk_status st;
    const char *bad;

    if ((bad = proof_fault(p->vk->curve, proof, &fault)))
        return error_set(err, CUZK_INVALID, "the proof made cannot stand: %s is %s", bad,
                         point_fault_name(fault));
    st = groth16_verify(&p->verifier, proof, statement, err);
    if (st == CUZK_INVALID)
        return error_set(err, st,
                         "the witness does not satisfy the circuit, or the key is not of "
                         "this circuit: the proof made does not verify");
    return st;
}

enum cuzk_status prover_finish(struct prover *p, const struct prove_sums *sums,
                               const struct blinding *fixed, const struct statement *statement,
                               struct proof *ret, struct cuzk_error *err)
{
    const struct prove_options *o = &p->options;
    struct blinding blinding;
    struct proof proof;

    if (o->cancel && atomic_load(o->cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled before %s",
                         prove_stage_name(PROVE_ASSEMBLE));
    if (o->progress)
        o->progress(o->progress_ctx, PROVE_ASSEMBLE);
    if (fixed)
        blinding = *fixed;
    else
        blinding_random(&blinding, p->vk->curve);
    assemble(p->vk, sums, &blinding, &proof);
    mem_wipe(&blinding, sizeof blinding);
    TRY(verify_own(p, &proof, statement, err));
    if (o->progress)
        o->progress(o->progress_ctx, PROVE_N_STAGES);
    *ret = proof;
    return CUZK_OK;
}

enum cuzk_status groth16_prove(const struct proving_key *key, const struct qap *qap,
                               const struct witness *witness, const struct blinding *fixed,
                               const struct prove_options *options, struct proof *ret,
                               struct cuzk_error *err)
{
    const size_t fr_bytes = key->vk.curve->fr_bytes;
    const struct statement statement = {(const uint8_t *)witness->inputs + fr_bytes,
                                        witness->n_inputs - 1};
    struct prove_options lone = *options;
    struct prove_sums sums = {0};
    struct prover *p;
    enum cuzk_status st;

    lone.lone = true;
    TRY(prover_open(&p, key, qap, &lone, err));
    TRY_GOTO(st, out, prover_put(p, 0, witness, err));
    TRY_GOTO(st, out, prover_run(p, 0, &sums, err));
    st = prover_finish(p, &sums, fixed, &statement, ret, err);
out:
    mem_wipe(&sums, sizeof sums);
    prover_close(p);
    return st;
}
