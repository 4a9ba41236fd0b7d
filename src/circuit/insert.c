#include "circuit/insert.h"

static void insert_2(struct sink *sink, num_t x, const bool_t *bit, const num_t *s, num_t *out)
{
    out[0] = num_pick(sink, bit[0], s[0], x);
    out[1] = num_pick(sink, bit[0], x, s[0]);
}

/* Child i is x if the index is i, the sibling before or after it otherwise. */
static void insert_4(struct sink *sink, num_t x, const bool_t *bit, const num_t *s, num_t *out)
{
    const num_t b = s[0], c = s[1], d = s[2];
    num_t t;

    t = num_pick(sink, bit[0], b, x);
    out[0] = num_pick(sink, bit[1], b, t);
    t = num_pick(sink, bit[0], x, b);
    out[1] = num_pick(sink, bit[1], c, t);
    t = num_pick(sink, bit[0], d, x);
    out[2] = num_pick(sink, bit[1], t, c);
    t = num_pick(sink, bit[0], x, d);
    out[3] = num_pick(sink, bit[1], t, d);
}

static void insert_8(struct sink *sink, num_t x, const bool_t *bit, const num_t *s, num_t *out)
{
    const num_t b = s[0], c = s[1], d = s[2], e = s[3], f = s[4], g = s[5], h = s[6];
    const bool_t neither = bool_and(sink, bool_not(sink, bit[0]), bool_not(sink, bit[1]));
    const bool_t both = bool_and(sink, bit[0], bit[1]);
    num_t t, u;

    t = num_pick(sink, neither, x, b);
    out[0] = num_pick(sink, bit[2], b, t);
    t = num_pick(sink, bit[0], x, b);
    u = num_pick(sink, bit[1], c, t);
    out[1] = num_pick(sink, bit[2], c, u);
    t = num_pick(sink, bit[0], d, x);
    u = num_pick(sink, bit[1], t, c);
    out[2] = num_pick(sink, bit[2], d, u);
    t = num_pick(sink, both, x, d);
    out[3] = num_pick(sink, bit[2], e, t);
    t = num_pick(sink, neither, x, f);
    out[4] = num_pick(sink, bit[2], t, e);
    t = num_pick(sink, bit[0], x, f);
    u = num_pick(sink, bit[1], g, t);
    out[5] = num_pick(sink, bit[2], u, f);
    t = num_pick(sink, bit[0], h, x);
    u = num_pick(sink, bit[1], t, g);
    out[6] = num_pick(sink, bit[2], u, g);
    t = num_pick(sink, both, x, h);
    out[7] = num_pick(sink, bit[2], t, h);
}

void insert_gadget(struct sink *sink, unsigned lg_arity, num_t element, const bool_t *index,
                   const num_t *siblings, num_t *children)
{
    sink_scope(sink, "insert");
    if (lg_arity == 1)
        insert_2(sink, element, index, siblings, children);
    else if (lg_arity == 2)
        insert_4(sink, element, index, siblings, children);
    else
        insert_8(sink, element, index, siblings, children);
    sink_scope_end(sink);
}

num_t select_gadget(struct sink *sink, unsigned lg_n, num_t *list, const bool_t *index)
{
    sink_scope(sink, "select");
    for (unsigned level = lg_n; level-- > 0;) {
        const size_t half = (size_t)1 << level;

        for (size_t i = 0; i < half; i++)
            list[i] = num_pick(sink, index[level], list[half + i], list[i]);
    }
    sink_scope_end(sink);
    return list[0];
}
