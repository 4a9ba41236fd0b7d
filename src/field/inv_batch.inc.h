/* Many inversions for one: the template.
 *
 * Parameter, not undefined here:
 *   FIELD        fp, fr or fp2
 *
 * Names defined, for FIELD = fp:
 *   fp_inv_batch */
#define F(name) TEMPLATE_JOIN(FIELD, name)
#define F_T F(t)

/* a[i] = 1/a[i] for all i (Montgomery's trick); zeros stay zero. scratch: n elements. */
static inline void F(inv_batch)(F_T *a, size_t n, F_T *scratch)
{
    F_T product = F(one), inverse;

    for (size_t i = 0; i < n; i++) {
        scratch[i] = product;
        if (!F(is_zero)(&a[i]))
            F(mul)(&product, &product, &a[i]);
    }
    F(inv)(&inverse, &product);
    for (size_t i = n; i-- > 0;) {
        F_T t;

        if (F(is_zero)(&a[i]))
            continue;
        F(mul)(&t, &inverse, &scratch[i]);
        F(mul)(&inverse, &inverse, &a[i]);
        a[i] = t;
    }
}

#undef F
#undef F_T
