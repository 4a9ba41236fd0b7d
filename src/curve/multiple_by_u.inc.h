/* The multiple of a point by |u|, u the parameter of the curve's family: the template.
 *
 * Parameters: U_DIGITS and U_DIGIT_MAX of params/<curve>.h, and, kept,
 *   POINT        with <POINT>_t, _add, _dbl and _neg: g1, g2, or g1_lanes for eight points at once
 *
 * Name defined: <POINT>_mul_u. */
#define M(name) TEMPLATE_JOIN(POINT, name)

/* out may be a */
static inline void M(mul_u)(M(t) * out, const M(t) * a)
{
    static const signed char digits[] = U_DIGITS;
    M(t) odd[(U_DIGIT_MAX + 1) / 2], sum, t;

    odd[0] = *a;
    M(dbl)(&t, a);
    for (size_t i = 1; i < sizeof odd / sizeof odd[0]; i++)
        M(add)(&odd[i], &odd[i - 1], &t);
    sum = odd[digits[0] / 2];
    for (size_t i = 1; i < sizeof digits; i++) {
        M(dbl)(&sum, &sum);
        if (digits[i] > 0) {
            M(add)(&sum, &sum, &odd[digits[i] / 2]);
        } else if (digits[i] < 0) {
            M(neg)(&t, &odd[-digits[i] / 2]);
            M(add)(&sum, &sum, &t);
        }
    }
    *out = sum;
}

#undef M
