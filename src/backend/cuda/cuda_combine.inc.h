/* cuda_combine.h for one group. Parameters: CURVE, a name; GROUP, BASE as in curve/group.inc.h. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define X(name) TEMPLATE_JOIN(GROUP, TEMPLATE_JOIN(xyzz, name))
#define COMBINE TEMPLATE_JOIN(TEMPLATE_JOIN(cuda_combine, CURVE), GROUP)

void COMBINE(const struct result *result, const void *landed)
{
    const X(t) *points = landed, *rows = points + 1, *columns = rows + result->n_windows;
    G(t) sum = G(infinity), term;
    G(affine_t) affine;

    for (unsigned w = result->n_windows; w-- > 0;) {
        const unsigned bits = result->window_bits + (w < result->n_wide);

        for (unsigned i = 0; i < bits - result->row_bits; i++)
            G(dbl)(&sum, &sum);
        X(to_jacobian)(&term, &rows[w]);
        G(add)(&sum, &sum, &term);
        for (unsigned i = 0; i < result->row_bits; i++)
            G(dbl)(&sum, &sum);
        X(to_jacobian)(&term, &columns[w]);
        G(add)(&sum, &sum, &term);
    }
    X(to_jacobian)(&term, &points[0]);
    G(add)(&sum, &sum, &term);
    G(to_affine)(&affine, &sum);
    G(affine_to_plain)(&affine, &affine);
    memcpy(result->out, &affine, sizeof affine);
}

#undef G
#undef X
#undef COMBINE
