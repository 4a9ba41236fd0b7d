#include "groth16/setup.h"

#include <string.h>

#include "groth16/at_tau.h"

/* Small enough for any machine: see setup.h. */
enum { PART = 1 << 22, WINDOW = 1 << 21, SLICE = 1 << 16 };

struct setup {
    const struct qap *qap;
    const struct curve *curve;
    const struct trapdoor *trapdoor;
    const struct setup_options *options;
    const struct backend *backend;
    struct device *device;
    struct stream *stream;
    struct at_tau tau;
    size_t window, slice;
    struct fixed_base *generator; /* of the group in work */
    struct buf *points;           /* a slice of its points */
    enum key_query query;         /* in work, */
    size_t done, total;           /* and how far */
    /* Where points go: to a sink, through a slice of plain points, or into a resident key. */
    const struct key_sink *sink;
    struct region host;
    struct resident_key *resident;
};

/* ---- sizes ---------------------------------------------------------------------------------- */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t window_size(const struct qap *qap, const struct setup_options *o)
{
    return min_size(o->window ? o->window : WINDOW, max_size(qap->cs->n_aux, qap->cs->n_inputs));
}

static size_t slice_size(const struct qap *qap, const struct setup_options *o)
{
    return min_size(o->slice ? o->slice : SLICE, max_size(window_size(qap, o), qap->n_domain));
}

static struct at_tau_options tau_options(const struct qap *qap, const struct setup_options *o)
{
    return (struct at_tau_options){.backend = o->backend,
                                   .qap = qap,
                                   .domain_generator = o->domain_generator,
                                   .part = o->part                   ? o->part
                                           : o->backend->beside_host ? SIZE_MAX
                                                                     : PART,
                                   .window = window_size(qap, o),
                                   .pool = o->pool,
                                   .budget = o->budget,
                                   .cancel = o->cancel};
}

/* Arena bytes that making points of one group takes on top of what is there. */
static size_t group_bytes(const struct qap *qap, const struct setup_options *o, enum element group)
{
    const struct curve *curve = qap->cs->curve;
    size_t slice = slice_size(qap, o);

    return o->backend->fixed_base_bytes(curve, group) + o->backend->buf_bytes(curve, group, slice) +
           o->backend->fixed_base_mul_bytes(curve, group, slice, pool_size(o->pool));
}

static size_t device_bytes(const struct qap *qap, const struct setup_options *o)
{
    const struct at_tau_options tau = tau_options(qap, o);
    size_t scratch = at_tau_scratch_bytes(&tau);
    size_t most = max_size(group_bytes(qap, o, ELEMENT_G1), group_bytes(qap, o, ELEMENT_G2));

    scratch = max_size(scratch, o->backend->select_bytes(qap->cs->curve, tau.window));
    scratch = max_size(scratch, o->backend->find_zero_bytes(qap->cs->curve));
    /* a window is evaluated while the table and the slice of a group are there */
    return at_tau_held_bytes(&tau) + most + scratch;
}

static size_t host_bytes(const struct qap *qap, const struct setup_options *o)
{
    return slice_size(qap, o) * qap->cs->curve->g2_bytes;
}

size_t setup_bytes(const struct qap *qap, const struct setup_options *options)
{
    const size_t device = options->backend->beside_host ? 0 : device_bytes(qap, options);
    const struct at_tau_options tau = tau_options(qap, options);

    return region_bytes(device) + region_bytes(host_bytes(qap, options)) +
           row_parts_bytes(qap->cs, tau.part, tau.window);
}

size_t setup_resident_bytes(const struct qap *qap, const struct setup_options *options)
{
    return resident_key_bytes(options->backend, qap, options->h_basis) + device_bytes(qap, options);
}

/* ---- points --------------------------------------------------------------------------------- */

static enum cuzk_status group_begin(struct setup *s, enum element group, struct cuzk_error *err)
{
    const void *base = group == ELEMENT_G1 ? (const void *)&s->curve->g1_generator
                                           : (const void *)&s->curve->g2_generator;

    TRY(s->backend->fixed_base_new(s->device, group, base, &s->generator, err));
    return s->backend->buf_new(s->device, group, s->slice, &s->points, err);
}

static void group_end(struct setup *s)
{
    s->backend->buf_free(s->points);
    s->backend->fixed_base_free(s->generator);
    s->points = NULL;
    s->generator = NULL;
}

/* The points of one slice, s->points[0, n), to where the key goes. */
static enum cuzk_status deliver(struct setup *s, size_t n, struct cuzk_error *err)
{
    if (s->resident) {
        s->backend->bases_put(s->stream, s->resident->bases[s->query], s->done, s->points, n);
        return CUZK_OK;
    }
    s->backend->buf_get(s->stream, s->points, 0, s->host.base, n);
    TRY(s->backend->wait(s->stream, err));
    return s->sink->points(s->sink->ctx, s->query, s->host.base, n, err);
}

/* The next n points of the query in work: the first n of `scalars` times the generator. */
static enum cuzk_status make_points(struct setup *s, const struct buf *scalars, size_t n,
                                    struct cuzk_error *err)
{
    const struct setup_options *o = s->options;

    for (size_t at = 0; at < n; at += s->slice) {
        size_t part = min_size(s->slice, n - at);

        s->backend->fixed_base_mul(s->stream, s->generator, s->points, scalars, at, part);
        TRY(deliver(s, part, err));
        s->done += part;
        if (o->progress)
            o->progress(o->progress_ctx, s->query, s->done, s->total);
        if (o->cancel && atomic_load(o->cancel))
            return error_set(err, CUZK_CANCELLED, "cancelled");
    }
    return CUZK_OK;
}

static enum cuzk_status query_begin(struct setup *s, enum key_query query, struct cuzk_error *err)
{
    s->query = query;
    s->done = 0;
    s->total = key_query_outline(s->qap, s->options->h_basis, query).points.n;
    return s->resident ? CUZK_OK : s->sink->query(s->sink->ctx, query, s->total, err);
}

/* ---- values --------------------------------------------------------------------------------- */

/* *ret = the index of the first zero of values[0, n), or n. */
static enum cuzk_status find_zero(struct setup *s, const struct buf *values, size_t n, size_t *ret,
                                  struct cuzk_error *err)
{
    s->backend->find_zero(s->stream, values, n, ret);
    return s->backend->wait(s->stream, err);
}

static enum cuzk_status vanishes(const char *query, bool input, size_t i, struct cuzk_error *err)
{
    return error_set(err, CUZK_BAD_INPUT,
                     "trapdoor: query %s: the polynomial of %s %zu vanishes at tau", query,
                     input ? "input" : "aux", i);
}

/* The place of one k of `map`, counted from bit `first` on. */
static size_t place_of_one(const uint64_t *map, size_t first, size_t k)
{
    while (!witness_bit(map, first) || k-- > 0)
        first++;
    return first;
}

/* tau.v = those of tau.u whose variables are in `map`; none may be zero. */
static enum cuzk_status select_values(struct setup *s, const uint64_t *map, bool inputs,
                                      size_t first, size_t n, size_t *ret, struct cuzk_error *err)
{
    size_t taken = 0, zero;

    for (size_t i = 0; i < n; i++)
        taken += (size_t)witness_bit(map, first + i);
    s->backend->select(s->stream, s->tau.v, s->tau.u, map, first, n);
    TRY(find_zero(s, s->tau.v, taken, &zero, err));
    if (zero < taken)
        return vanishes(key_query_name(s->query), inputs, place_of_one(map, first, zero), err);
    *ret = taken;
    return CUZK_OK;
}

/* ---- h -------------------------------------------------------------------------------------- */

/* tau^i Z(tau) / delta */
static enum cuzk_status make_h_powers(struct setup *s, const struct scalar *z_over_delta,
                                      struct cuzk_error *err)
{
    struct scalar first = *z_over_delta, step;

    s->curve->fr_pow(&step, &s->trapdoor->tau, s->window);
    for (size_t at = 0; at < s->total; at += s->window) {
        size_t n = min_size(s->window, s->total - at);

        s->backend->powers(s->stream, s->tau.u, &first, &s->trapdoor->tau, n);
        TRY(make_points(s, s->tau.u, n, err));
        s->curve->fr_mul(&first, &first, &step);
    }
    return CUZK_OK;
}

/* The shift s of the coset on which a key holds H. */
static struct scalar coset_shift(const struct setup *s)
{
    const uint64_t g = s->options->domain_generator;
    struct scalar shift = {{g}};

    if (s->options->h_basis == H_ODD_COSET &&
        !s->curve->fr_root(&shift, g, s->qap->lg_domain + 1)) {
        shift = (struct scalar){{g}};
        s->curve->fr_mul(&shift, &shift, &shift);
    }
    return shift;
}

/* Z(tau) / (z delta), z = s^n - 1 */
static struct scalar coset_factor(const struct setup *s)
{
    const struct curve *curve = s->curve;
    const struct scalar shift = coset_shift(s), one = {{1}};
    struct scalar factor, z;

    curve->fr_pow(&z, &shift, s->qap->n_domain);
    curve->fr_sub(&z, &z, &one);
    curve->fr_mul(&z, &z, &s->trapdoor->delta);
    curve->fr_inv(&z, &z);
    trapdoor_vanishing(&factor, s->trapdoor, s->qap);
    curve->fr_mul(&factor, &factor, &z);
    return factor;
}

/* M_i(tau) Z(tau) / (z delta); M_i(tau) = L_i(tau / s) */
static enum cuzk_status make_h_coset(struct setup *s, struct cuzk_error *err)
{
    const struct scalar factor = coset_factor(s), shift = coset_shift(s), one = {{1}};
    struct scalar x, z;
    size_t n;

    s->curve->fr_inv(&x, &shift);
    s->curve->fr_mul(&x, &x, &s->trapdoor->tau);
    s->curve->fr_pow(&z, &x, s->qap->n_domain);
    if (memcmp(&z, &one, sizeof z) == 0)
        return error_set(err, CUZK_BAD_INPUT, "trapdoor: tau lies on the coset of the key's h");
    at_tau_point(&s->tau, &factor, &x);
    for (size_t i = 0; (n = at_tau_load(&s->tau, i)) != 0; i++)
        TRY(make_points(s, s->tau.values, n, err));
    at_tau_point(&s->tau, &one, &s->trapdoor->tau);
    return CUZK_OK;
}

static enum cuzk_status make_h(struct setup *s, struct cuzk_error *err)
{
    struct scalar z_over_delta, z;

    TRY(query_begin(s, QUERY_H, err));
    if (s->options->h_basis != H_POWERS)
        return make_h_coset(s, err);
    trapdoor_vanishing(&z, s->trapdoor, s->qap);
    s->curve->fr_inv(&z_over_delta, &s->trapdoor->delta);
    s->curve->fr_mul(&z_over_delta, &z_over_delta, &z);
    return make_h_powers(s, &z_over_delta, err);
}

/* ---- l -------------------------------------------------------------------------------------- */

/* tau.w = (beta u + alpha v + w)(tau) / divisor for a window of variables; *zero: the first that is
 * zero, or n. */
static enum cuzk_status combined_values(struct setup *s, bool inputs, size_t first, size_t n,
                                        const struct scalar *divisor, size_t *zero,
                                        struct cuzk_error *err)
{
    struct scalar factor;

    s->curve->fr_inv(&factor, divisor);
    at_tau_combined(&s->tau, inputs, first, n, &factor);
    return find_zero(s, s->tau.w, n, zero, err);
}

/* What the values of C add to L: minus Z(tau) / (z delta), times w(tau). */
static struct scalar folding_factor(const struct setup *s)
{
    const struct scalar zero = {{0}};
    struct scalar factor = coset_factor(s);

    s->curve->fr_sub(&factor, &zero, &factor);
    return factor;
}

/* The inputs that occur in C. */
static enum cuzk_status make_folded_inputs(struct setup *s, struct cuzk_error *err)
{
    const struct scalar factor = folding_factor(s);

    const size_t window = at_tau_window(&s->tau.options, true);

    for (size_t first = 0; first < s->qap->cs->n_inputs; first += window) {
        size_t n = min_size(window, s->qap->cs->n_inputs - first);

        at_tau_polynomial(&s->tau, AT_TAU_C, true, first, n);
        TRY(select_values(s, s->qap->c_inputs, true, first, n, &n, err));
        s->backend->pointwise(s->stream, POINTWISE_SCALE, s->tau.v, s->tau.v, NULL, &factor, n);
        TRY(make_points(s, s->tau.v, n, err));
    }
    return CUZK_OK;
}

/* tau.w += the folded C */
static enum cuzk_status fold(struct setup *s, size_t first, size_t n, struct cuzk_error *err)
{
    const struct scalar factor = folding_factor(s);
    size_t zero;

    at_tau_polynomial(&s->tau, AT_TAU_C, false, first, n);
    s->backend->pointwise(s->stream, POINTWISE_AXPY, s->tau.w, s->tau.u, NULL, &factor, n);
    TRY(find_zero(s, s->tau.w, n, &zero, err));
    return zero < n ? vanishes("l", false, first + zero, err) : CUZK_OK;
}

static enum cuzk_status make_l(struct setup *s, struct cuzk_error *err)
{
    const bool folded = s->options->h_basis == H_COSET_FOLDED;

    TRY(query_begin(s, QUERY_L, err));
    if (folded)
        TRY(make_folded_inputs(s, err));
    for (size_t first = 0; first < s->qap->cs->n_aux; first += s->window) {
        size_t n = min_size(s->window, s->qap->cs->n_aux - first), zero;

        TRY(combined_values(s, false, first, n, &s->trapdoor->delta, &zero, err));
        if (zero < n)
            return error_set(err, CUZK_BAD_INPUT,
                             "auxiliary variable %zu is unconstrained: no row depends on it",
                             first + zero);
        if (folded)
            TRY(fold(s, first, n, err));
        TRY(make_points(s, s->tau.w, n, err));
    }
    return CUZK_OK;
}

/* ---- a and b -------------------------------------------------------------------------------- */

/* The polynomials of A or B at tau, for the variables of a map. */
static enum cuzk_status make_selected(struct setup *s, enum at_tau_matrix matrix,
                                      const uint64_t *map, bool inputs, struct cuzk_error *err)
{
    const size_t n_all = inputs ? s->qap->cs->n_inputs : s->qap->cs->n_aux;
    const size_t window = at_tau_window(&s->tau.options, inputs);

    for (size_t first = 0; first < n_all; first += window) {
        size_t n = min_size(window, n_all - first);

        at_tau_polynomial(&s->tau, matrix, inputs, first, n);
        TRY(select_values(s, map, inputs, first, n, &n, err));
        TRY(make_points(s, s->tau.v, n, err));
    }
    return CUZK_OK;
}

static enum cuzk_status make_a(struct setup *s, struct cuzk_error *err)
{
    TRY(query_begin(s, QUERY_A, err));
    TRY(make_selected(s, AT_TAU_A, s->qap->all_inputs, true, err));
    return make_selected(s, AT_TAU_A, s->qap->a_aux, false, err);
}

static enum cuzk_status make_b(struct setup *s, enum key_query query, struct cuzk_error *err)
{
    TRY(query_begin(s, query, err));
    TRY(make_selected(s, AT_TAU_B, s->qap->b_inputs, true, err));
    return make_selected(s, AT_TAU_B, s->qap->b_aux, false, err);
}

/* ---- the verifying key ---------------------------------------------------------------------- */

/* ic [first, first + n) from the values at `at`. */
static enum cuzk_status put_ic(struct setup *s, struct verifying_key *vk, size_t first, size_t at,
                               size_t n, struct cuzk_error *err)
{
    s->backend->fixed_base_mul(s->stream, s->generator, s->points, s->tau.w, at, n);
    s->backend->buf_get(s->stream, s->points, 0, vk->ic.base + first * s->curve->g1_bytes, n);
    return s->backend->wait(s->stream, err);
}

static enum cuzk_status fill_ic(struct setup *s, struct verifying_key *vk, struct cuzk_error *err)
{
    const size_t window = at_tau_window(&s->tau.options, true);

    for (size_t first = 0; first < vk->n_inputs; first += window) {
        const size_t n = min_size(window, vk->n_inputs - first);
        size_t zero;

        TRY(combined_values(s, true, first, n, &s->trapdoor->gamma, &zero, err));
        if (zero < n)
            return vanishes("ic", true, first + zero, err);
        for (size_t at = 0; at < n; at += s->slice)
            TRY(put_ic(s, vk, first + at, at, min_size(s->slice, n - at), err));
    }
    return CUZK_OK;
}

static enum cuzk_status make_verifying_key(struct setup *s, struct verifying_key *vk,
                                           struct cuzk_error *err)
{
    const struct curve *curve = s->curve;
    const struct trapdoor *t = s->trapdoor;

    TRY(verifying_key_init(vk, curve, s->qap->cs->n_inputs, s->options->budget, err));
    curve->g1_mul(&vk->alpha_g1, &curve->g1_generator, &t->alpha);
    curve->g1_mul(&vk->beta_g1, &curve->g1_generator, &t->beta);
    curve->g1_mul(&vk->delta_g1, &curve->g1_generator, &t->delta);
    curve->g2_mul(&vk->beta_g2, &curve->g2_generator, &t->beta);
    curve->g2_mul(&vk->gamma_g2, &curve->g2_generator, &t->gamma);
    curve->g2_mul(&vk->delta_g2, &curve->g2_generator, &t->delta);
    return fill_ic(s, vk, err);
}

static enum cuzk_status deliver_verifying_key(struct setup *s, struct cuzk_error *err)
{
    struct verifying_key vk = {0};
    enum cuzk_status st;

    if (s->resident)
        return make_verifying_key(s, &s->resident->vk, err);
    st = make_verifying_key(s, &vk, err);
    if (st == CUZK_OK)
        st = s->sink->verifying_key(s->sink->ctx, &vk, err);
    verifying_key_done(&vk);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum cuzk_status make_queries(struct setup *s, struct cuzk_error *err)
{
    TRY(group_begin(s, ELEMENT_G1, err));
    TRY(deliver_verifying_key(s, err));
    if (!s->resident && !s->sink->query)
        return CUZK_OK;
    TRY(make_h(s, err));
    TRY(make_l(s, err));
    TRY(make_a(s, err));
    TRY(make_b(s, QUERY_B_G1, err));
    group_end(s);
    TRY(group_begin(s, ELEMENT_G2, err));
    TRY(make_b(s, QUERY_B_G2, err));
    return s->backend->wait(s->stream, err);
}

static enum cuzk_status make_key(struct setup *s, struct cuzk_error *err)
{
    const struct at_tau_options tau = tau_options(s->qap, s->options);
    enum cuzk_status st = at_tau_init(&s->tau, &tau, s->device, s->stream, s->trapdoor, err);

    if (st == CUZK_OK)
        st = make_queries(s, err);
    group_end(s);
    at_tau_done(&s->tau);
    return st;
}

static enum cuzk_status run_on_device(struct setup *s, struct cuzk_error *err)
{
    const struct setup_options *o = s->options;
    const struct backend *backend = s->backend;
    enum cuzk_status st;

    TRY(backend->open(&s->device,
                      &(struct device_options){.curve = s->curve,
                                               .pool = o->pool,
                                               .budget = o->budget,
                                               .arena_bytes = device_bytes(s->qap, o),
                                               .ordinal = o->ordinal,
                                               .cancel = o->cancel},
                      err));
    st = backend->stream_new(s->device, &s->stream, err);
    if (st == CUZK_OK)
        st = make_key(s, err);
    backend->stream_free(s->stream);
    backend->close(s->device);
    return st;
}

static struct setup setup_of(const struct qap *qap, const struct trapdoor *trapdoor,
                             const struct setup_options *options)
{
    return (struct setup){.qap = qap,
                          .curve = qap->cs->curve,
                          .trapdoor = trapdoor,
                          .options = options,
                          .backend = options->backend,
                          .window = window_size(qap, options),
                          .slice = slice_size(qap, options)};
}

static enum cuzk_status check_arguments(const struct setup *s, struct cuzk_error *err)
{
    if (!s->backend->fixed_base_new || !s->backend->spmv_transposed)
        return error_set(err, CUZK_USAGE, "back end %s makes no keys: use cpu", s->backend->name);
    return trapdoor_check(s->trapdoor, s->qap, err);
}

enum cuzk_status groth16_setup(const struct qap *qap, const struct trapdoor *trapdoor,
                               const struct setup_options *options, const struct key_sink *sink,
                               struct cuzk_error *err)
{
    struct setup s = setup_of(qap, trapdoor, options);
    enum cuzk_status st;

    s.sink = sink;
    TRY(check_arguments(&s, err));
    TRY(region_map(&s.host, options->budget, MEM_SCRATCH, host_bytes(qap, options), err));
    st = run_on_device(&s, err);
    region_unmap(&s.host);
    return st;
}

enum cuzk_status groth16_setup_resident(const struct qap *qap, const struct trapdoor *trapdoor,
                                        const struct setup_options *options, struct device *device,
                                        struct stream *stream, struct resident_key *ret,
                                        struct cuzk_error *err)
{
    struct setup s = setup_of(qap, trapdoor, options);
    struct resident_key key;
    enum cuzk_status st;

    TRY(check_arguments(&s, err));
    TRY(resident_key_init(&key, options->backend, device, qap, options->h_basis,
                          options->domain_generator, err));
    s.device = device;
    s.stream = stream;
    s.resident = &key;
    st = make_key(&s, err);
    if (st == CUZK_OK)
        *ret = key;
    else
        resident_key_done(&key);
    return st;
}
