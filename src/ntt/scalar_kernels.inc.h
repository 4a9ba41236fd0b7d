/* struct scalar_kernels of one curve: the template, `fr_kernels`.
 *
 * Parameters: fr (field/field.inc.h), fr_face_in and fr_root (curve/scalar_face.inc.h). */
#include <string.h>

#include "ntt/ntt.inc.h"
#include "ntt/poseidon_rounds.inc.h"
#include "ntt/scalar_kernels.h"

/* ---- forms ---------------------------------------------------------------------------------- */

static void fr_array_from_plain(void *out, const void *plain, size_t n)
{
    fr_t *o = out;
    const fr_t *a = plain;

    for (size_t i = 0; i < n; i++)
        fr_from_plain(&o[i], &a[i]);
}

static void fr_array_to_plain(void *out, const void *native, size_t n)
{
    fr_t *o = out;
    const fr_t *a = native;

    for (size_t i = 0; i < n; i++)
        fr_to_plain(&o[i], &a[i]);
}

static bool fr_array_plain_are_reduced(const void *plain, size_t n)
{
    const fr_t *a = plain;

    for (size_t i = 0; i < n; i++)
        if (!fr_plain_is_reduced(&a[i]))
            return false;
    return true;
}

/* ---- element by element --------------------------------------------------------------------- */

static void fr_array_add(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        fr_add(&o[i], &x[i], &y[i]);
}

static void fr_array_sub(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        fr_sub(&o[i], &x[i], &y[i]);
}

static void fr_array_mul(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        fr_mul(&o[i], &x[i], &y[i]);
}

static void fr_array_scale(void *out, const void *a, const struct scalar *plain_factor, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a;
    fr_t factor;

    fr_face_in(&factor, plain_factor);
    for (size_t i = 0; i < n; i++)
        fr_mul(&o[i], &x[i], &factor);
}

static void fr_array_axpy(void *out, const struct scalar *plain_factor, const void *a, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a;
    fr_t factor;

    fr_face_in(&factor, plain_factor);
    for (size_t i = 0; i < n; i++) {
        fr_t product;

        fr_mul(&product, &factor, &x[i]);
        fr_add(&o[i], &o[i], &product);
    }
}

static void fr_array_powers(void *out, const struct scalar *first, const struct scalar *base,
                            size_t n)
{
    fr_t *o = out;
    fr_t x, b;

    fr_face_in(&x, first);
    fr_face_in(&b, base);
    for (size_t i = 0; i < n; i++) {
        o[i] = x;
        fr_mul(&x, &x, &b);
    }
}

static void fr_array_inv_batch(void *a, size_t n, void *scratch)
{
    fr_inv_batch(a, n, scratch);
}

/* Products of all denominators before i, their inverse, and back down. */
static void fr_array_lagrange(void *out, const struct scalar *factor, const struct scalar *y,
                              const struct scalar *root, const struct scalar *root_inv, size_t n)
{
    fr_t *o = out;
    fr_t at, w, w_inv, rest = fr_one, f, denominator;

    fr_face_in(&at, y);
    fr_face_in(&w, root);
    fr_face_in(&w_inv, root_inv);
    fr_face_in(&f, factor);
    for (size_t i = 0; i < n; i++) {
        o[i] = rest;
        fr_sub(&denominator, &at, &fr_one);
        fr_mul(&rest, &rest, &denominator);
        fr_mul(&at, &at, &w_inv);
    }
    fr_inv(&rest, &rest);
    fr_mul(&rest, &rest, &f);
    for (size_t i = n; i-- > 0;) {
        fr_mul(&at, &at, &w);
        fr_mul(&o[i], &o[i], &rest);
        fr_sub(&denominator, &at, &fr_one);
        fr_mul(&rest, &rest, &denominator);
    }
}

static const struct scalar_kernels fr_kernels = {
    .bytes = sizeof(fr_t),
    .from_plain = fr_array_from_plain,
    .to_plain = fr_array_to_plain,
    .plain_are_reduced = fr_array_plain_are_reduced,
    .add = fr_array_add,
    .sub = fr_array_sub,
    .mul = fr_array_mul,
    .scale = fr_array_scale,
    .axpy = fr_array_axpy,
    .powers = fr_array_powers,
    .inv_batch = fr_array_inv_batch,
    .lagrange = fr_array_lagrange,
    .ntt_table_bytes = fr_ntt_table_bytes,
    .ntt_table_init = fr_ntt_table_init,
    .ntt = fr_ntt,
    .ntt_to_reversed = fr_ntt_to_reversed,
    .ntt_from_reversed = fr_ntt_from_reversed,
    .ntt_reverse = fr_ntt_reverse,
    .ntt_shift = fr_ntt_shift,
    .ntt_move = fr_ntt_move,
    .ntt_vanishing = fr_ntt_vanishing,
    .poseidon_table_bytes = fr_poseidon_table_bytes,
    .poseidon_table_init = fr_poseidon_table_init,
    .poseidon = fr_poseidon,
};
