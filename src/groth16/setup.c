#include "groth16/setup.h"

#include "groth16/at_tau.h"

#define WINDOW                                                                                     \
    ((size_t)1 << 20) /* variables evaluated at once: 3 x 32 MB of scalars on the device */
#define SLICE ((size_t)1 << 16) /* points made at once */

struct setup {
    const struct qap *qap;
    const struct curve *curve;
    const struct trapdoor *trapdoor;
    const struct setup_options *options;
    const struct key_sink *sink;
    const struct backend *backend;
    struct device *device;
    struct stream *stream;
    struct at_tau tau;
    size_t window, slice;
    struct fixed_base *generator; /* of the group in work */
    struct buf *scalars, *points; /* a slice each */
    struct region host;
    uint8_t *values;       /* a window of scalars, plain */
    uint8_t *plain_points; /* a slice */
    enum key_query query;  /* in work, */
    size_t done, total;    /* and how far */
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

static size_t window_size(const struct qap *qap)
{
    return min_size(WINDOW, max_size(qap->cs->n_aux, qap->cs->n_inputs));
}

static size_t slice_size(const struct qap *qap)
{
    return min_size(SLICE, max_size(window_size(qap), qap->n_domain));
}

/* Arena bytes that making points of one group takes on top of what is there. */
static size_t group_bytes(const struct qap *qap, const struct setup_options *o, enum element group)
{
    const struct curve *curve = qap->cs->curve;
    size_t slice = slice_size(qap);

    return o->backend->fixed_base_bytes(curve, group) +
           o->backend->buf_bytes(curve, ELEMENT_SCALAR, slice) +
           o->backend->buf_bytes(curve, group, slice) +
           o->backend->fixed_base_mul_bytes(curve, group, slice, pool_size(o->pool));
}

static size_t device_bytes(const struct qap *qap, const struct setup_options *o)
{
    size_t window = window_size(qap);
    size_t scratch = at_tau_scratch_bytes(o->backend, qap, window, pool_size(o->pool));
    size_t most = max_size(group_bytes(qap, o, ELEMENT_G1), group_bytes(qap, o, ELEMENT_G2));

    /* a window is evaluated while the table and the slices of a group are there */
    return at_tau_held_bytes(o->backend, qap, window) + most + scratch;
}

static size_t host_bytes(const struct qap *qap)
{
    const struct curve *curve = qap->cs->curve;

    return arena_piece(window_size(qap) * curve->fr_bytes) + slice_size(qap) * curve->g2_bytes;
}

size_t setup_bytes(const struct qap *qap, const struct setup_options *options)
{
    return region_bytes(device_bytes(qap, options)) + region_bytes(host_bytes(qap));
}

/* ---- points --------------------------------------------------------------------------------- */

static enum cuzk_status group_begin(struct setup *s, enum element group, struct cuzk_error *err)
{
    const void *base = group == ELEMENT_G1 ? (const void *)&s->curve->g1_generator
                                           : (const void *)&s->curve->g2_generator;

    TRY(s->backend->fixed_base_new(s->device, group, base, &s->generator, err));
    TRY(s->backend->buf_new(s->device, ELEMENT_SCALAR, s->slice, &s->scalars, err));
    return s->backend->buf_new(s->device, group, s->slice, &s->points, err);
}

static void group_end(struct setup *s)
{
    s->backend->buf_free(s->points);
    s->backend->buf_free(s->scalars);
    s->backend->fixed_base_free(s->generator);
    s->points = s->scalars = NULL;
    s->generator = NULL;
}

/* s->plain_points = s->scalars[0, n) times the generator. */
static enum cuzk_status make_points(struct setup *s, size_t n, struct cuzk_error *err)
{
    s->backend->fixed_base_mul(s->stream, s->generator, s->points, s->scalars, n);
    s->backend->buf_get(s->stream, s->points, 0, s->plain_points, n);
    return s->backend->wait(s->stream, err);
}

static enum cuzk_status check_cancel(const struct setup *s, struct cuzk_error *err)
{
    if (s->options->cancel && atomic_load(s->options->cancel))
        return error_set(err, CUZK_CANCELLED, "cancelled");
    return CUZK_OK;
}

/* Hands the made points to the sink. */
static enum cuzk_status deliver(struct setup *s, size_t n, struct cuzk_error *err)
{
    TRY(s->sink->points(s->sink->ctx, s->query, s->plain_points, n, err));
    s->done += n;
    if (s->options->progress)
        s->options->progress(s->options->progress_ctx, s->query, s->done, s->total);
    return check_cancel(s, err);
}

/* The points of s->values[0, n). */
static enum cuzk_status deliver_values(struct setup *s, size_t n, struct cuzk_error *err)
{
    for (size_t at = 0; at < n; at += s->slice) {
        size_t part = min_size(s->slice, n - at);

        s->backend->buf_put(s->stream, s->scalars, 0, s->values + at * s->curve->fr_bytes, part);
        TRY(make_points(s, part, err));
        TRY(deliver(s, part, err));
    }
    return CUZK_OK;
}

static enum cuzk_status query_begin(struct setup *s, enum key_query query, struct cuzk_error *err)
{
    s->query = query;
    s->done = 0;
    s->total = key_query_length(s->qap, query);
    return s->sink->query(s->sink->ctx, query, s->total, err);
}

/* ---- queries -------------------------------------------------------------------------------- */

static bool value_is_zero(const struct setup *s, size_t i)
{
    const uint64_t *value = (const uint64_t *)(const void *)(s->values + i * s->curve->fr_bytes);
    uint64_t any = 0;

    for (size_t w = 0; w < s->curve->fr_bytes / 8; w++)
        any |= value[w];
    return any == 0;
}

/* tau^i Z(tau) / delta */
static enum cuzk_status make_h(struct setup *s, struct cuzk_error *err)
{
    const struct curve *curve = s->curve;
    struct scalar first, step, z;

    TRY(query_begin(s, QUERY_H, err));
    trapdoor_vanishing(&z, s->trapdoor, s->qap);
    curve->fr_inv(&first, &s->trapdoor->delta);
    curve->fr_mul(&first, &first, &z);
    curve->fr_pow(&step, &s->trapdoor->tau, s->slice);
    for (size_t at = 0; at < s->total; at += s->slice) {
        size_t part = min_size(s->slice, s->total - at);

        s->backend->powers(s->stream, s->scalars, &first, &s->trapdoor->tau, part);
        TRY(make_points(s, part, err));
        TRY(deliver(s, part, err));
        curve->fr_mul(&first, &first, &step);
    }
    return CUZK_OK;
}

/* s->values = (beta u + alpha v + w)(tau) / divisor for a window of variables. */
static enum cuzk_status combined_values(struct setup *s, bool inputs, size_t first, size_t n,
                                        const struct scalar *divisor, struct cuzk_error *err)
{
    struct scalar factor;

    s->curve->fr_inv(&factor, divisor);
    at_tau_combined(&s->tau, inputs, first, n, &factor);
    s->backend->buf_get(s->stream, s->tau.w, 0, s->values, n);
    return s->backend->wait(s->stream, err);
}

static enum cuzk_status make_l(struct setup *s, struct cuzk_error *err)
{
    TRY(query_begin(s, QUERY_L, err));
    for (size_t first = 0; first < s->qap->cs->n_aux; first += s->window) {
        size_t n = min_size(s->window, s->qap->cs->n_aux - first);

        TRY(combined_values(s, false, first, n, &s->trapdoor->delta, err));
        for (size_t i = 0; i < n; i++)
            if (value_is_zero(s, i))
                return error_set(err, CUZK_BAD_INPUT,
                                 "auxiliary variable %zu is unconstrained: no row depends on it",
                                 first + i);
        TRY(deliver_values(s, n, err));
    }
    return CUZK_OK;
}

/* Moves the values of the variables in `map` to the front; returns how many, or fails on a zero. */
static enum cuzk_status select_values(struct setup *s, const uint64_t *map, bool inputs,
                                      size_t first, size_t n, size_t *ret, struct cuzk_error *err)
{
    size_t bytes = s->curve->fr_bytes, taken = 0;

    for (size_t i = 0; i < n; i++) {
        if (!witness_bit(map, first + i))
            continue;
        if (value_is_zero(s, i))
            return error_set(err, CUZK_BAD_INPUT,
                             "trapdoor: query %s: the polynomial of %s %zu vanishes at tau",
                             key_query_name(s->query), inputs ? "input" : "aux", first + i);
        memmove(s->values + taken++ * bytes, s->values + i * bytes, bytes);
    }
    *ret = taken;
    return CUZK_OK;
}

/* The polynomials of A or B at tau, for the variables of a map. */
static enum cuzk_status make_selected(struct setup *s, const struct matrix_handle *matrix,
                                      const uint64_t *map, bool inputs, struct cuzk_error *err)
{
    size_t n_all = inputs ? s->qap->cs->n_inputs : s->qap->cs->n_aux;

    for (size_t first = 0; first < n_all; first += s->window) {
        size_t n = min_size(s->window, n_all - first);

        at_tau_polynomial(&s->tau, matrix, inputs, first, n);
        s->backend->buf_get(s->stream, s->tau.u, 0, s->values, n);
        TRY(s->backend->wait(s->stream, err));
        TRY(select_values(s, map, inputs, first, n, &n, err));
        TRY(deliver_values(s, n, err));
    }
    return CUZK_OK;
}

static enum cuzk_status make_a(struct setup *s, struct cuzk_error *err)
{
    TRY(query_begin(s, QUERY_A, err));
    TRY(make_selected(s, s->tau.a, s->qap->all_inputs, true, err));
    return make_selected(s, s->tau.a, s->qap->a_aux, false, err);
}

static enum cuzk_status make_b(struct setup *s, enum key_query query, struct cuzk_error *err)
{
    TRY(query_begin(s, query, err));
    TRY(make_selected(s, s->tau.b, s->qap->b_inputs, true, err));
    return make_selected(s, s->tau.b, s->qap->b_aux, false, err);
}

/* ---- the verifying key ---------------------------------------------------------------------- */

static enum cuzk_status fill_ic(struct setup *s, struct verifying_key *vk, struct cuzk_error *err)
{
    for (size_t first = 0; first < vk->n_inputs; first += s->slice) {
        size_t n = min_size(s->slice, vk->n_inputs - first);

        TRY(combined_values(s, true, first, n, &s->trapdoor->gamma, err));
        for (size_t i = 0; i < n; i++)
            if (value_is_zero(s, i))
                return error_set(err, CUZK_BAD_INPUT,
                                 "trapdoor: query ic: the polynomial of input %zu vanishes at tau",
                                 first + i);
        s->backend->buf_put(s->stream, s->scalars, 0, s->values, n);
        TRY(make_points(s, n, err));
        memcpy(vk->ic.base + first * s->curve->g1_bytes, s->plain_points, n * s->curve->g1_bytes);
    }
    return CUZK_OK;
}

static enum cuzk_status make_verifying_key(struct setup *s, struct cuzk_error *err)
{
    const struct curve *curve = s->curve;
    const struct trapdoor *t = s->trapdoor;
    struct verifying_key vk;
    enum cuzk_status st;

    TRY(verifying_key_init(&vk, curve, s->qap->cs->n_inputs, s->options->budget, err));
    curve->g1_mul(&vk.alpha_g1, &curve->g1_generator, &t->alpha);
    curve->g1_mul(&vk.beta_g1, &curve->g1_generator, &t->beta);
    curve->g1_mul(&vk.delta_g1, &curve->g1_generator, &t->delta);
    curve->g2_mul(&vk.beta_g2, &curve->g2_generator, &t->beta);
    curve->g2_mul(&vk.gamma_g2, &curve->g2_generator, &t->gamma);
    curve->g2_mul(&vk.delta_g2, &curve->g2_generator, &t->delta);
    st = fill_ic(s, &vk, err);
    if (st == CUZK_OK)
        st = s->sink->verifying_key(s->sink->ctx, &vk, err);
    verifying_key_done(&vk);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum cuzk_status make_key(struct setup *s, struct cuzk_error *err)
{
    TRY(group_begin(s, ELEMENT_G1, err));
    TRY(make_verifying_key(s, err));
    if (!s->sink->query)
        return CUZK_OK;
    TRY(make_h(s, err));
    TRY(make_l(s, err));
    TRY(make_a(s, err));
    TRY(make_b(s, QUERY_B_G1, err));
    group_end(s);
    TRY(group_begin(s, ELEMENT_G2, err));
    return make_b(s, QUERY_B_G2, err);
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
    TRY_GOTO(st, out, backend->stream_new(s->device, &s->stream, err));
    TRY_GOTO(st, out,
             at_tau_init(&s->tau, backend, s->device, s->stream, s->qap, s->trapdoor,
                         o->domain_generator, s->window, err));
    st = make_key(s, err);
out:
    group_end(s);
    at_tau_done(&s->tau);
    backend->stream_free(s->stream);
    backend->close(s->device);
    return st;
}

enum cuzk_status groth16_setup(const struct qap *qap, const struct trapdoor *trapdoor,
                               const struct setup_options *options, const struct key_sink *sink,
                               struct cuzk_error *err)
{
    struct setup s = {.qap = qap,
                      .curve = qap->cs->curve,
                      .trapdoor = trapdoor,
                      .options = options,
                      .sink = sink,
                      .backend = options->backend,
                      .window = window_size(qap),
                      .slice = slice_size(qap)};
    enum cuzk_status st;

    if (!s.backend->fixed_base_new || !s.backend->spmv_transposed)
        return error_set(err, CUZK_USAGE, "back end %s makes no keys: use cpu", s.backend->name);
    TRY(trapdoor_check(trapdoor, qap, err));
    TRY(region_map(&s.host, options->budget, MEM_SCRATCH, host_bytes(qap), err));
    s.values = s.host.base;
    s.plain_points = s.host.base + arena_piece(s.window * s.curve->fr_bytes);
    st = run_on_device(&s, err);
    region_unmap(&s.host);
    return st;
}
