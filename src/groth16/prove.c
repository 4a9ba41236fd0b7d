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
 * when the chain is done it takes classes too.
 *
 * A witness may still be coming when its proof begins. Sums over the parts that are there are made
 * meanwhile, those over L, which has all of its variables; all else waits for the whole, because a
 * sum in parts takes longer: in three, 5 % in G1 and 12 % in G2 (2^27 full values, one H200).
 *
 * In the streamed form a sum is that of slices of its query (query_slices.h): points of one are
 * decoded from the key, sent, summed up, a class of the witness for all witnesses of a batch, and
 * forgotten before those of the next. There c is C w, made when one of the two columns is free, for
 * a b would need a third. */
#include "groth16/prove.h"

#include <pthread.h>
#include <string.h>

#include "base/thread.h"
#include "groth16/query_slices.h"

/* How much of a slot's witness is on the device. */
struct arrival {
    size_t n_aux; /* before which they are there, */
    bool whole;   /* and all, inputs too */
    bool failed;  /* no more will come */
};

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
    unsigned n_slots;
    struct witness waiting;                     /* in the staged form: put when the run begins */
    struct arrival arrival[PLAN_WITNESSES_MAX]; /* of a slot; under the lock */
    pthread_mutex_t lock;
    pthread_cond_t arrived;

    /* parts */
    struct witness_handle *w[PLAN_WITNESSES_MAX]; /* of a slot */
    struct buf *a, *b;                            /* values of the rows; `a` becomes h */
    struct matrix_handle *matrix_a, *matrix_b, *matrix_c;
    struct domain *domain;
    struct bases *bases[KEY_N_QUERIES];
};

/* ---- parts ---------------------------------------------------------------------------------- */

static const char *key_name(const struct prover *p)
{
    return p->key->map.path ? p->key->map.path : "key";
}

/* One of the points from number `first` on, at `data`, could not be decoded: say in which file and
 * query. */
static enum cuzk_status name_points(const struct prover *p, enum key_query query, size_t first,
                                    const uint8_t *data, enum cuzk_status st,
                                    struct cuzk_error *err)
{
    const struct file_map *map = &p->key->map;

    if (st != CUZK_BAD_INPUT)
        return st;
    if (!map->data && first > 0)
        return error_prefix(err, st, "key: %s: points from number %zu", key_query_name(query),
                            first);
    if (!map->data)
        return error_prefix(err, st, "key: %s", key_query_name(query));
    return error_prefix(err, st, "%s: %s: points from offset %zu", map->path, key_query_name(query),
                        (size_t)(data - map->data));
}

static enum cuzk_status name_query(const struct prover *p, enum key_query query,
                                   enum cuzk_status st, struct cuzk_error *err)
{
    return name_points(p, query, 0, p->key->query[query].data, st, err);
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

    for (unsigned i = 0; i < p->n_slots; i++)
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
    case PART_MATRIX_C:
        if (!plan_has_matrix_c(p->form, p->key->h_basis))
            return CUZK_OK;
        return backend->matrix_new(p->device, &qap->cs->c, &p->matrix_c, err);
    case PART_DOMAIN:
        return backend->domain_new(p->device, qap->lg_domain, p->key->domain_generator,
                                   plan_tables(p->form), &p->domain, err);
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
        for (unsigned i = p->n_slots; i-- > 0;)
            END(witness_free, p->w[i]);
        break;
    case PART_COLUMN_A: END(buf_free, p->a); break;
    case PART_COLUMN_B: END(buf_free, p->b); break;
    case PART_MATRIX_A: END(matrix_free, p->matrix_a); break;
    case PART_MATRIX_B: END(matrix_free, p->matrix_b); break;
    case PART_MATRIX_C: END(matrix_free, p->matrix_c); break;
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
    return make_parts(p, plan_parts_made(p->form, stage), err);
}

/* In the staged forms a stage ends before the next one begins. */
static enum cuzk_status end(struct prover *p, enum prove_stage stage, struct cuzk_error *err)
{
    enum cuzk_status st;

    if (!plan_is_staged(p->form))
        return CUZK_OK;
    st = p->backend->wait(p->chain, err);
    end_parts(p, plan_parts_ended(p->form, stage));
    return st;
}

static enum cuzk_status put_witness(struct prover *p, struct cuzk_error *err)
{
    if (p->form != PLAN_STAGED)
        return CUZK_OK; /* prover_put has done it */
    TRY(begin(p, PROVE_WITNESS, err));
    p->backend->witness_put(p->chain, p->w[0], &p->waiting, witness_whole(p->waiting.n_aux));
    return end(p, PROVE_WITNESS, err);
}

/* column = matrix * w, zero padded to the domain. */
static void evaluate_rows(struct prover *p, struct buf *column, const struct matrix_handle *handle,
                          const struct matrix *matrix, const struct witness_handle *w)
{
    p->backend->spmv(p->chain, column, handle, w, 0, matrix->n_rows);
    p->backend->buf_zero(p->chain, column, matrix->n_rows, p->qap->n_domain - matrix->n_rows);
}

/* h in place of a, whose column was made first, so that the other one's memory is free after it. */
static void divide(struct prover *p, unsigned slot)
{
    const enum h_basis basis = p->key->h_basis;

    if (!plan_has_matrix_c(p->form, basis)) {
        p->backend->quotient(p->chain, p->domain, p->a, p->b, basis);
        return;
    }
    p->backend->quotient_ab(p->chain, p->domain, p->b, p->a, basis);
    evaluate_rows(p, p->a, p->matrix_c, &p->qap->cs->c, p->w[slot]);
    p->backend->quotient_c(p->chain, p->domain, p->b, p->a, basis);
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
    divide(p, slot);
    return end(p, PROVE_QUOTIENT, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static enum prove_stage stage_of(enum key_query query)
{
    return (enum prove_stage)(PROVE_SUM_H + (query - QUERY_H));
}

static enum cuzk_status sum_h(struct prover *p, struct g1_point *out, struct cuzk_error *err)
{
    TRY(begin(p, PROVE_SUM_H, err));
    p->backend->msm_g1(p->chain, p->bases[QUERY_H], p->a, 0, p->key->query[QUERY_H].n, out);
    return name_query(p, QUERY_H, end(p, PROVE_SUM_H, err), err);
}

/* *out = the sum over a part's variables in a query of value * point; out: a point of its group. */
static enum cuzk_status sum_class(struct prover *p, enum key_query query, struct stream *stream,
                                  unsigned slot, struct witness_part part, void *out,
                                  struct cuzk_error *err)
{
    TRY(begin(p, stage_of(query), err));
    if (query == QUERY_B_G2)
        p->backend->msm_witness_g2(stream, p->bases[query], &p->w[slot], 1, part, out);
    else
        p->backend->msm_witness_g1(stream, p->bases[query], &p->w[slot], 1, part, out);
    return name_query(p, query, end(p, stage_of(query), err), err);
}

/* ---- sums in slices -------------------------------------------------------------------------- */

struct slots {
    unsigned first, n;
};

/* Of each of some slots one, points of a query's group. */
union sums {
    struct g1_point g1[PLAN_WITNESSES_MAX];
    struct g2_point g2[PLAN_WITNESSES_MAX];
};

/* The sums over a slice whose first point is number `at` of its query. */
static enum cuzk_status sum_slice(struct prover *p, enum key_query query,
                                  const struct bases_source *slice, size_t at, struct slots slots,
                                  union sums *out, struct cuzk_error *err)
{
    const struct backend *b = p->backend;
    const struct witness_part whole = witness_whole(p->qap->cs->n_aux);
    struct witness_handle *const *w = &p->w[slots.first];
    enum cuzk_status st = b->bases_new(p->device, slice, &p->bases[query], err);

    if (st == CUZK_OK) {
        if (query == QUERY_H)
            b->msm_g1(p->chain, p->bases[query], p->a, at, slice->points.n, out->g1);
        else if (query == QUERY_B_G2)
            b->msm_witness_g2(p->chain, p->bases[query], w, slots.n, whole, out->g2);
        else
            b->msm_witness_g1(p->chain, p->bases[query], w, slots.n, whole, out->g1);
        st = b->wait(p->chain, err);
    }
    b->bases_free(p->bases[query]);
    p->bases[query] = NULL;
    return name_points(p, query, at, slice->points.data, st, err);
}

static void add_sums(const struct curve *curve, enum element group, union sums *all,
                     const union sums *one, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (group == ELEMENT_G1)
            curve->g1_add(&all->g1[i], &all->g1[i], &one->g1[i]);
        else
            curve->g2_add(&all->g2[i], &all->g2[i], &one->g2[i]);
}

/* *ret = the sums over all slices. */
static enum cuzk_status sum_slices(struct prover *p, enum key_query query, struct slots slots,
                                   union sums *ret, struct cuzk_error *err)
{
    const struct bases_source whole = proving_key_bases(p->key, p->qap, query);
    const struct curve *curve = p->vk->curve;
    struct query_slices slices;
    struct bases_source slice;
    enum cuzk_status st = CUZK_OK;
    union sums one;
    size_t at = 0;

    memset(ret, 0, sizeof *ret);
    TRY(begin(p, stage_of(query), err));
    TRY(query_slices_begin(&slices, curve, &whole, p->options.budget, err));
    for (; query_slices_next(&slices, &slice); at += slice.points.n) {
        memset(&one, 0, sizeof one);
        TRY_GOTO(st, out, sum_slice(p, query, &slice, at, slots, &one, err));
        add_sums(curve, whole.group, ret, &one, slots.n);
    }
    st = end(p, stage_of(query), err);
out:
    query_slices_end(&slices);
    mem_wipe(&one, sizeof one);
    return st;
}

static enum cuzk_status sum_h_in_slices(struct prover *p, struct g1_point *out,
                                        struct cuzk_error *err)
{
    union sums sums;
    enum cuzk_status st = sum_slices(p, QUERY_H, (struct slots){0, 1}, &sums, err);

    if (st == CUZK_OK)
        *out = sums.g1[0];
    mem_wipe(&sums, sizeof sums);
    return st;
}

static void take_sum(struct prove_sums *ret, enum key_query query, const union sums *sums,
                     unsigned i)
{
    switch (query) {
    case QUERY_L: ret->l = sums->g1[i]; break;
    case QUERY_A: ret->a = sums->g1[i]; break;
    case QUERY_B_G1: ret->b_g1 = sums->g1[i]; break;
    default: ret->b_g2 = sums->g2[i];
    }
}

/* ret[i]: of the i-th of the slots. */
static enum cuzk_status sum_classes_in_slices(struct prover *p, struct slots slots,
                                              struct prove_sums *ret, struct cuzk_error *err)
{
    union sums sums;
    enum cuzk_status st = CUZK_OK;

    for (enum key_query query = QUERY_L; st == CUZK_OK && query < KEY_N_QUERIES; query++) {
        st = sum_slices(p, query, slots, &sums, err);
        for (unsigned i = 0; i < slots.n; i++)
            take_sum(&ret[i], query, &sums, i);
    }
    mem_wipe(&sums, sizeof sums);
    return st;
}

/* ---- witnesses that arrive ------------------------------------------------------------------- */

bool prover_takes_parts(const struct prover *p)
{
    return p->form != PLAN_STAGED;
}

static void set_arrival(struct prover *p, unsigned slot, struct arrival arrival)
{
    pthread_mutex_lock(&p->lock);
    p->arrival[slot] = arrival;
    pthread_cond_broadcast(&p->arrived);
    pthread_mutex_unlock(&p->lock);
}

void prover_put_begin(struct prover *p, unsigned slot)
{
    set_arrival(p, slot, (struct arrival){0});
}

void prover_put_fail(struct prover *p, unsigned slot)
{
    set_arrival(p, slot, (struct arrival){.failed = true});
}

static enum cuzk_status check_shape(const struct prover *p, const struct witness *witness,
                                    struct cuzk_error *err)
{
    const struct r1cs *cs = p->qap->cs;

    if (witness->n_inputs == cs->n_inputs && witness->n_aux == cs->n_aux &&
        witness->n_full == cs->n_full && witness->fr_bytes == cs->curve->fr_bytes)
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT,
                     "a witness of %zu inputs and %zu aux (%zu full), the circuit has %zu and "
                     "%zu (%zu)",
                     witness->n_inputs, witness->n_aux, witness->n_full, (size_t)cs->n_inputs,
                     (size_t)cs->n_aux, (size_t)cs->n_full);
}

enum cuzk_status prover_put_part(struct prover *p, unsigned slot, const struct witness *witness,
                                 size_t end, struct cuzk_error *err)
{
    const bool whole = end == witness->n_aux;
    struct witness_part part = {.end = whole ? end : end - end % WITNESS_RANK_STEP};

    TRY(check_shape(p, witness, err));
    if (p->form == PLAN_STAGED) {
        p->waiting = *witness;
        return CUZK_OK;
    }
    pthread_mutex_lock(&p->lock);
    part.first = p->arrival[slot].n_aux;
    pthread_mutex_unlock(&p->lock);
    if (part.end <= part.first && !whole)
        return CUZK_OK;
    p->backend->witness_put(p->uploads, p->w[slot], witness, part);
    TRY(p->backend->wait(p->uploads, err));
    set_arrival(p, slot, (struct arrival){.n_aux = part.end, .whole = whole});
    return CUZK_OK;
}

enum cuzk_status prover_put(struct prover *p, unsigned slot, const struct witness *witness,
                            struct cuzk_error *err)
{
    prover_put_begin(p, slot);
    return prover_put_part(p, slot, witness, witness->n_aux, err);
}

/* Returns when aux beyond the first n are there, or everything is if `all`. */
static enum cuzk_status wait_for(struct prover *p, unsigned slot, size_t n, bool all,
                                 struct arrival *ret, struct cuzk_error *err)
{
    const struct arrival *a = &p->arrival[slot];

    pthread_mutex_lock(&p->lock);
    while (!a->failed && !a->whole && (all || a->n_aux <= n))
        pthread_cond_wait(&p->arrived, &p->lock);
    *ret = *a;
    pthread_mutex_unlock(&p->lock);
    return ret->failed ? error_set(err, CUZK_CANCELLED, "the witness did not come") : CUZK_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Parts that L is summed up in. */
enum { PARTS_MAX = 8 };

struct run {
    struct prover *p;
    unsigned slot;
    struct prove_sums sums; /* l is the sum of these, where there are parts: */
    struct g1_point l[PARTS_MAX];
    /* the work that is left, shared by the two threads; the part in work is the last of n_parts, */
    pthread_mutex_t lock;
    struct witness_part part;
    unsigned n_parts, taken; /* and so many of its sums are taken */
    bool whole;              /* no part follows */
    /* of the chain's thread */
    enum cuzk_status st;
    struct cuzk_error err;
};

/* With the last part come the sums that are not made in parts; longest first. */
static const enum key_query with_last[] = {QUERY_B_G2, QUERY_L, QUERY_A, QUERY_B_G1};
static const enum key_query with_others[] = {QUERY_L};

/* The next part: what has come since the last one, and in the end all that is left. */
static enum cuzk_status next_part(struct run *r, struct cuzk_error *err)
{
    struct arrival there;

    TRY(wait_for(r->p, r->slot, r->part.end, r->n_parts + 1 == PARTS_MAX, &there, err));
    r->part = (struct witness_part){r->part.end, there.n_aux};
    r->whole = there.whole;
    r->taken = 0;
    r->n_parts++;
    return CUZK_OK;
}

static bool all_taken(const struct run *r)
{
    const size_t n = r->whole ? sizeof with_last : sizeof with_others;

    return r->n_parts == 0 || r->taken == n / sizeof *with_last;
}

static void *sum_of_query(struct run *r, enum key_query query)
{
    switch (query) {
    case QUERY_A: return &r->sums.a;
    case QUERY_B_G1: return &r->sums.b_g1;
    case QUERY_B_G2: return &r->sums.b_g2;
    default: return &r->l[r->n_parts - 1];
    }
}

struct class_sum {
    enum key_query query;
    struct witness_part part;
    void *out;
};

/* *any: there is one to be made. */
static enum cuzk_status take_class(struct run *r, struct class_sum *ret, bool *any,
                                   struct cuzk_error *err)
{
    enum cuzk_status st = CUZK_OK;

    pthread_mutex_lock(&r->lock);
    if (all_taken(r) && !r->whole)
        st = next_part(r, err);
    *any = st == CUZK_OK && !all_taken(r);
    if (*any) {
        ret->query = (r->whole ? with_last : with_others)[r->taken++];
        ret->part = ret->query == QUERY_L ? r->part : witness_whole(r->part.end);
        ret->out = sum_of_query(r, ret->query);
    }
    pthread_mutex_unlock(&r->lock);
    return st;
}

/* By whoever is free. */
static enum cuzk_status take_classes(struct run *r, struct stream *stream, struct cuzk_error *err)
{
    struct class_sum sum;
    bool any;

    for (;;) {
        TRY(take_class(r, &sum, &any, err));
        if (!any)
            return CUZK_OK;
        TRY(sum_class(r->p, sum.query, stream, r->slot, sum.part, sum.out, err));
    }
}

static enum cuzk_status run_chain(struct run *r, struct cuzk_error *err)
{
    struct arrival there;

    TRY(wait_for(r->p, r->slot, 0, true, &there, err));
    TRY(make_h(r->p, r->slot, err));
    if (r->p->form == PLAN_STREAMED)
        return sum_h_in_slices(r->p, &r->sums.h, err);
    return sum_h(r->p, &r->sums.h, err);
}

static void chain_main(void *ctx)
{
    struct run *r = ctx;

    r->st = run_chain(r, &r->err);
    if (r->st == CUZK_OK)
        r->st = take_classes(r, r->p->chain, &r->err);
}

static enum cuzk_status sum_on_two_threads(struct run *r, struct cuzk_error *err)
{
    struct thread chain;
    enum cuzk_status st;

    TRY(thread_begin(&chain, chain_main, r, err));
    st = take_classes(r, r->p->classes, err);
    thread_end(&chain);
    if (st == CUZK_OK && r->st != CUZK_OK) {
        st = r->st;
        if (err)
            *err = r->err;
    }
    return st;
}

/* One stream, one thread: the classes first, for they can begin before the witness is whole. */
static enum cuzk_status sum_on_one(struct run *r, struct cuzk_error *err)
{
    TRY(take_classes(r, r->p->classes, err));
    return run_chain(r, err);
}

/* In the order of the stages, a stage at a time. */
static enum cuzk_status sum_staged(struct run *r, struct cuzk_error *err)
{
    struct prover *p = r->p;

    TRY(put_witness(p, err));
    TRY(make_h(p, r->slot, err));
    TRY(sum_h(p, &r->sums.h, err));
    r->n_parts = 1;
    for (enum key_query query = QUERY_L; query < KEY_N_QUERIES; query++)
        TRY(sum_class(p, query, p->classes, r->slot, witness_whole(p->qap->cs->n_aux),
                      sum_of_query(r, query), err));
    return CUZK_OK;
}

/* A batch of one. */
static enum cuzk_status sum_streamed(struct run *r, struct cuzk_error *err)
{
    TRY(run_chain(r, err));
    return sum_classes_in_slices(r->p, (struct slots){r->slot, 1}, &r->sums, err);
}

static enum cuzk_status compute_sums(struct run *r, struct cuzk_error *err)
{
    switch (r->p->form) {
    case PLAN_STREAMED: return sum_streamed(r, err);
    case PLAN_STAGED: return sum_staged(r, err);
    case PLAN_RESIDENT: return sum_on_one(r, err);
    default: return r->p->backend->beside_host ? sum_on_two_threads(r, err) : sum_on_one(r, err);
    }
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
    end_parts(p, ALL_PARTS & ~plan_parts_kept(p->form));
    return st;
}

enum cuzk_status prover_run(struct prover *p, unsigned slot, struct prove_sums *ret,
                            struct cuzk_error *err)
{
    struct run run = {.p = p, .slot = slot, .lock = PTHREAD_MUTEX_INITIALIZER};
    enum cuzk_status st = settle(p, compute_sums(&run, err), err);

    if (st == CUZK_OK) {
        for (unsigned i = 0; i < run.n_parts; i++)
            p->vk->curve->g1_add(&run.sums.l, &run.sums.l, &run.l[i]);
        *ret = run.sums;
    }
    mem_wipe(&run, sizeof run);
    return st;
}

bool prover_takes_batches(const struct prover *p)
{
    return p->form == PLAN_STREAMED;
}

enum cuzk_status prover_run_chain(struct prover *p, unsigned slot, struct prove_sums *ret,
                                  struct cuzk_error *err)
{
    struct run run = {.p = p, .slot = slot};
    enum cuzk_status st = settle(p, run_chain(&run, err), err);

    if (st == CUZK_OK)
        ret->h = run.sums.h;
    mem_wipe(&run, sizeof run);
    return st;
}

enum cuzk_status prover_run_classes(struct prover *p, unsigned n, struct prove_sums *ret,
                                    struct cuzk_error *err)
{
    struct prove_sums sums[PLAN_WITNESSES_MAX];
    enum cuzk_status st;

    memcpy(sums, ret, n * sizeof *ret);
    st = settle(p, sum_classes_in_slices(p, (struct slots){0, n}, sums, err), err);
    if (st == CUZK_OK)
        memcpy(ret, sums, n * sizeof *ret);
    mem_wipe(sums, sizeof sums);
    return st;
}

unsigned prover_slots(const struct prover *p)
{
    return p->n_slots;
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
    p->n_slots = plan.n_witnesses;
    if (!p->device)
        TRY(open_device(p, plan.arena_bytes, err));
    TRY(make_parts(p, plan_parts_kept(p->form), err));
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
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->arrived, NULL);
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
    in.room = available;
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
    pthread_cond_destroy(&p->arrived);
    pthread_mutex_destroy(&p->lock);
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
