#include "circuit/lc.h"

#include <assert.h>

#include "circuit/shape.h"

void lc_add_term(struct lc *lc, var_t var, uint32_t coefficient)
{
    assert(lc->n < lc->n_max);
    lc->terms[lc->n++] = term_of(var, coefficient);
}

void lc_add_bool(const struct sink *sink, struct lc *lc, bool_t a, unsigned exponent)
{
    const struct shape *shape = sink->shape;

    if (a.kind == BOOL_TRUE || a.kind == BOOL_NOT)
        fr_add(&lc->constant, &lc->constant, &shape->pow2_value[exponent]);
    if (a.kind == BOOL_IS)
        lc_add_term(lc, a.var, shape->pow2[exponent]);
    if (a.kind == BOOL_NOT)
        lc_add_term(lc, a.var, shape->minus_pow2[exponent]);
}

void lc_add_constant(const struct sink *sink, struct lc *lc, uint64_t value, unsigned exponent)
{
    fr_t product = fr_of_u64(value);

    fr_mul(&product, &product, &sink->shape->pow2_value[exponent]);
    fr_add(&lc->constant, &lc->constant, &product);
}

uint32_t coef_pow2(const struct sink *sink, unsigned exponent)
{
    return sink->shape->pow2[exponent];
}

uint32_t coef_minus_pow2(const struct sink *sink, unsigned exponent)
{
    return sink->shape->minus_pow2[exponent];
}

uint32_t coef_of(const struct sink *sink, const fr_t *value)
{
    const struct scalar plain = fr_to_scalar(value);

    return recorder_coef(sink->shape->rec, &plain);
}

void lc_close(const struct sink *sink, struct lc *lc)
{
    if (!fr_is_zero(&lc->constant))
        lc_add_term(lc, VAR_ONE, coef_of(sink, &lc->constant));
    lc->constant = fr_zero;
}

void row_of_lcs(struct sink *sink, struct lc *a, struct lc *b, struct lc *c)
{
    struct lc empty = {0};

    a = a ? a : &empty;
    b = b ? b : &empty;
    c = c ? c : &empty;
    lc_close(sink, a);
    lc_close(sink, b);
    lc_close(sink, c);
    recorder_row(sink->shape->rec, a->terms, a->n, b->terms, b->n, c->terms, c->n);
}

void row_lc_is(struct sink *sink, struct lc *a, var_t x)
{
    const struct term one = term_of(VAR_ONE, COEF_ONE), is = term_of(x, COEF_ONE);

    lc_close(sink, a);
    recorder_row(sink->shape->rec, a->terms, a->n, &one, 1, &is, 1);
}
