#include "circuit/num.h"

#include <assert.h>

#include "circuit/lc.h"
#include "circuit/shape.h"

num_t num_alloc(struct sink *sink, const fr_t *value)
{
    num_t x = {.value = fr_zero};

    if (!sink_is_shape(sink))
        x.value = *value;
    x.var = sink_full(sink, &x.value);
    return x;
}

num_t num_alloc_plain(struct sink *sink, const struct scalar *value)
{
    const fr_t v = sink_is_shape(sink) ? fr_zero : fr_of_scalar(value);

    return num_alloc(sink, &v);
}

void num_inputize(struct sink *sink, num_t x)
{
    const var_t i = sink_input(sink, &x.value);

    if (sink_is_shape(sink)) {
        const struct term a[1] = {term_of(i, COEF_ONE)}, b[1] = {term_of(VAR_ONE, COEF_ONE)};
        const struct term c[1] = {term_of(x.var, COEF_ONE)};

        ROW(sink, a, b, c);
    }
}

num_t num_alloc_input(struct sink *sink, const struct scalar *value)
{
    const num_t x = num_alloc_plain(sink, value);

    num_inputize(sink, x);
    return x;
}

void num_enforce_equal(struct sink *sink, num_t a, num_t b)
{
    if (sink_is_shape(sink)) {
        const struct term left[1] = {term_of(a.var, COEF_ONE)};
        const struct term one[1] = {term_of(VAR_ONE, COEF_ONE)};
        const struct term out[1] = {term_of(b.var, COEF_ONE)};

        ROW(sink, left, one, out);
    }
}

num_t num_mul(struct sink *sink, num_t a, num_t b)
{
    fr_t value;
    num_t p;

    fr_mul(&value, &a.value, &b.value);
    p = num_alloc(sink, &value);
    if (sink_is_shape(sink)) {
        const struct term left[1] = {term_of(a.var, COEF_ONE)};
        const struct term right[1] = {term_of(b.var, COEF_ONE)};
        const struct term out[1] = {term_of(p.var, COEF_ONE)};

        ROW(sink, left, right, out);
    }
    return p;
}

num_t num_sum(struct sink *sink, const num_t *x, unsigned n)
{
    struct term sum[NUM_SUM_MAX];
    fr_t value = fr_zero;
    num_t s;

    assert(n <= NUM_SUM_MAX);
    for (unsigned i = 0; i < n; i++)
        fr_add(&value, &value, &x[i].value);
    s = num_alloc(sink, &value);
    if (sink_is_shape(sink)) {
        const struct term one = term_of(VAR_ONE, COEF_ONE), out = term_of(s.var, COEF_ONE);

        for (unsigned i = 0; i < n; i++)
            sum[i] = term_of(x[i].var, COEF_ONE);
        recorder_row(sink->shape->rec, sum, n, &one, 1, &out, 1);
    }
    return s;
}

num_t num_add(struct sink *sink, num_t a, num_t b)
{
    const num_t both[2] = {a, b};

    return num_sum(sink, both, 2);
}

num_t num_pick(struct sink *sink, bool_t c, num_t a, num_t b)
{
    const num_t r = num_alloc(sink, c.value ? &a.value : &b.value);

    if (sink_is_shape(sink)) {
        const struct term left[2] = {term_of(b.var, COEF_ONE), term_of(a.var, COEF_MINUS_ONE)};
        const struct term out[2] = {term_of(b.var, COEF_ONE), term_of(r.var, COEF_MINUS_ONE)};
        struct term condition_terms[2];
        struct lc condition;

        lc_init(&condition, condition_terms, 2);
        lc_add_bool(sink, &condition, c, 0);
        lc_close(sink, &condition);
        recorder_row(sink->shape->rec, left, 2, condition.terms, condition.n, out, 2);
    }
    return r;
}
