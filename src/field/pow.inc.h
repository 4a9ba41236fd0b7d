/* Powers: the template.
 *
 * Parameter, not undefined here:
 *   FIELD        with <FIELD>_t, _mul, _sqr and _set_one: fp, fr, or fp_lanes for eight bases at once
 *
 * Name defined: <FIELD>_pow. Variable time in the exponent only. */
#define F(name) TEMPLATE_JOIN(FIELD, name)
#define F_T F(t)

/* out = a^e, e: n plain words, least significant first. Windows of up to four bits that begin and
 * end with a one, from the top. */
static inline void F(pow)(F_T *out, const F_T *a, const uint64_t *e, size_t n)
{
    F_T odd[8], r;      /* odd[i] = a^(2i + 1) */
    size_t at = 64 * n; /* bits not yet looked at */

    odd[0] = *a;
    F(sqr)(&r, a);
    for (int i = 1; i < 8; i++)
        F(mul)(&odd[i], &odd[i - 1], &r);
    F(set_one)(&r);
    while (at > 0) {
        size_t end = at < 4 ? 0 : at - 4;
        unsigned window = 0;

        if ((e[(at - 1) / 64] >> ((at - 1) % 64) & 1) == 0) {
            F(sqr)(&r, &r);
            at--;
            continue;
        }
        while ((e[end / 64] >> (end % 64) & 1) == 0)
            end++;
        for (; at > end; at--) {
            window = 2 * window + (unsigned)(e[(at - 1) / 64] >> ((at - 1) % 64) & 1);
            F(sqr)(&r, &r);
        }
        F(mul)(&r, &r, &odd[window / 2]);
    }
    *out = r;
}

#undef F
#undef F_T
