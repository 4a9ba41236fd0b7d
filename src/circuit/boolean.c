#include "circuit/boolean.h"

#include "circuit/shape.h"

/* A combination of a few Bools with small coefficients. */
struct small_lc {
    struct term terms[4];
    unsigned n;
    int constant; /* in [-2, 2] when the row is written */
};

/* Adds k times a; |k| <= 2. */
static void small_add(const struct shape *shape, struct small_lc *lc, bool_t a, int k)
{
    if (a.kind == BOOL_TRUE || a.kind == BOOL_NOT)
        lc->constant += k;
    if (!bool_is_constant(a))
        lc->terms[lc->n++] = term_of(a.var, coef_small(shape, a.kind == BOOL_IS ? k : -k));
}

static void small_row(struct shape *shape, struct small_lc *a, struct small_lc *b,
                      struct small_lc *c)
{
    struct small_lc *const sides[3] = {a, b, c};

    for (int i = 0; i < 3; i++) {
        struct small_lc *lc = sides[i];

        if (lc->constant)
            lc->terms[lc->n++] = term_of(VAR_ONE, coef_small(shape, lc->constant));
    }
    recorder_row(shape->rec, a->terms, a->n, b->terms, b->n, c->terms, c->n);
}

static bool_t is_bit(var_t var, unsigned value)
{
    return (bool_t){.var = var, .kind = BOOL_IS, .value = (uint8_t)value};
}

bool_t bool_alloc(struct sink *sink, unsigned value)
{
    const var_t v = sink_bit(sink, value);

    if (sink_is_shape(sink)) {
        const struct term a[2] = {term_of(v, COEF_MINUS_ONE), term_of(VAR_ONE, COEF_ONE)};
        const struct term b[1] = {term_of(v, COEF_ONE)};

        recorder_row(sink->shape->rec, a, 2, b, 1, NULL, 0);
        value = 0;
    }
    return is_bit(v, value);
}

/* Exclusive or of two variables that are not constant; kinds only tell their values. */
static bool_t bit_xor(struct sink *sink, bool_t a, bool_t b)
{
    const unsigned value = (a.value ^ b.value ^ (a.kind == BOOL_NOT) ^ (b.kind == BOOL_NOT)) & 1;
    const var_t r = sink_bit(sink, value);

    if (sink_is_shape(sink)) {
        const struct term left[1] = {term_of(a.var, COEF_TWO)};
        const struct term right[1] = {term_of(b.var, COEF_ONE)};
        const struct term out[3] = {term_of(a.var, COEF_ONE), term_of(b.var, COEF_ONE),
                                    term_of(r, COEF_MINUS_ONE)};

        ROW(sink, left, right, out);
        return is_bit(r, 0);
    }
    return is_bit(r, value);
}

bool_t bool_xor(struct sink *sink, bool_t a, bool_t b)
{
    if (a.kind == BOOL_FALSE)
        return b;
    if (b.kind == BOOL_FALSE)
        return a;
    if (a.kind == BOOL_TRUE)
        return bool_not(sink, b);
    if (b.kind == BOOL_TRUE)
        return bool_not(sink, a);
    if (a.kind == b.kind)
        return bit_xor(sink, a, b);
    if (a.kind == BOOL_NOT)
        return bool_not(sink, bit_xor(sink, b, a));
    return bool_not(sink, bit_xor(sink, a, b));
}

bool_t bool_and(struct sink *sink, bool_t a, bool_t b)
{
    const unsigned value = a.value & b.value;
    var_t r;

    if (a.kind == BOOL_FALSE || b.kind == BOOL_FALSE)
        return bool_constant(false);
    if (a.kind == BOOL_TRUE)
        return b;
    if (b.kind == BOOL_TRUE)
        return a;
    r = sink_bit(sink, value);
    if (sink_is_shape(sink)) {
        const bool swap = a.kind == BOOL_NOT && b.kind == BOOL_IS;
        struct small_lc left = {0}, right = {0}, out = {0};

        small_add(sink->shape, &left, swap ? b : a, 1);
        small_add(sink->shape, &right, swap ? a : b, 1);
        small_add(sink->shape, &out, is_bit(r, 0), 1);
        small_row(sink->shape, &left, &right, &out);
    }
    return is_bit(r, value);
}

bool_t bool_ch(struct sink *sink, bool_t a, bool_t b, bool_t c)
{
    const unsigned value = ((a.value & b.value) ^ (~a.value & c.value)) & 1;
    var_t r;

    if (bool_is_constant(a) && bool_is_constant(b) && bool_is_constant(c))
        return bool_constant(value);
    if (a.kind == BOOL_FALSE)
        return c;
    if (b.kind == BOOL_FALSE)
        return bool_and(sink, bool_not(sink, a), c);
    if (c.kind == BOOL_FALSE)
        return bool_and(sink, a, b);
    if (c.kind == BOOL_TRUE)
        return bool_not(sink, bool_and(sink, a, bool_not(sink, b)));
    if (b.kind == BOOL_TRUE)
        return bool_not(sink, bool_and(sink, bool_not(sink, a), bool_not(sink, c)));
    r = sink_bit(sink, value);
    if (sink_is_shape(sink)) { /* (b - c) * a = r - c */
        struct small_lc left = {0}, right = {0}, out = {0};

        small_add(sink->shape, &left, b, 1);
        small_add(sink->shape, &left, c, -1);
        small_add(sink->shape, &right, a, 1);
        small_add(sink->shape, &out, is_bit(r, 0), 1);
        small_add(sink->shape, &out, c, -1);
        small_row(sink->shape, &left, &right, &out);
    }
    return is_bit(r, value);
}

bool_t bool_maj(struct sink *sink, bool_t a, bool_t b, bool_t c)
{
    const unsigned value = (a.value & b.value) | (a.value & c.value) | (b.value & c.value);
    bool_t bc;
    var_t r;

    if (bool_is_constant(a) && bool_is_constant(b) && bool_is_constant(c))
        return bool_constant(value);
    if (a.kind == BOOL_FALSE)
        return bool_and(sink, b, c);
    if (b.kind == BOOL_FALSE)
        return bool_and(sink, a, c);
    if (c.kind == BOOL_FALSE)
        return bool_and(sink, a, b);
    if (c.kind == BOOL_TRUE)
        return bool_not(sink, bool_and(sink, bool_not(sink, a), bool_not(sink, b)));
    if (b.kind == BOOL_TRUE)
        return bool_not(sink, bool_and(sink, bool_not(sink, a), bool_not(sink, c)));
    if (a.kind == BOOL_TRUE)
        return bool_not(sink, bool_and(sink, bool_not(sink, b), bool_not(sink, c)));
    r = sink_bit(sink, value);
    bc = bool_and(sink, b, c);
    if (sink_is_shape(sink)) { /* (2bc - b - c) * a = bc - r */
        struct small_lc left = {0}, right = {0}, out = {0};

        small_add(sink->shape, &left, bc, 2);
        small_add(sink->shape, &left, b, -1);
        small_add(sink->shape, &left, c, -1);
        small_add(sink->shape, &right, a, 1);
        small_add(sink->shape, &out, bc, 1);
        small_add(sink->shape, &out, is_bit(r, 0), -1);
        small_row(sink->shape, &left, &right, &out);
    }
    return is_bit(r, value);
}

bool bool_enforce_equal(struct sink *sink, bool_t a, bool_t b)
{
    if (bool_is_constant(a) && bool_is_constant(b))
        return a.kind == b.kind;
    if (sink_is_shape(sink)) { /* TRUE - x, x - FALSE, or a - b */
        const bool swap = b.kind == BOOL_TRUE || a.kind == BOOL_FALSE;
        struct small_lc left = {0}, right = {0}, out = {0};

        small_add(sink->shape, &out, swap ? b : a, 1);
        small_add(sink->shape, &out, swap ? a : b, -1);
        small_row(sink->shape, &left, &right, &out);
    }
    return true;
}
