/* Scalars as struct curve shows them (curve.h): plain in, plain out.
 *
 * Parameters: fr (field/field.inc.h).
 *
 * Names defined:
 *   fr_face_is_reduced fr_face_add fr_face_sub fr_face_mul fr_face_inv fr_face_pow fr_face_root
 *   fr_face_sample_ct
 *   fr_root                               the same as fr_face_root, in Montgomery form */

static inline void fr_face_in(fr_t *out, const struct scalar *a)
{
    fr_t plain;

    memcpy(&plain, a, sizeof plain);
    fr_from_plain(out, &plain);
}

static inline void fr_face_out(struct scalar *out, const fr_t *a)
{
    fr_t plain;

    fr_to_plain(&plain, a);
    memset(out, 0, sizeof *out);
    memcpy(out, &plain, sizeof plain);
}

static bool fr_face_is_reduced(const struct scalar *a)
{
    fr_t plain;

    memcpy(&plain, a, sizeof plain);
    return fr_plain_is_reduced(&plain) && limbs_are_zero(a->w + FR_LIMBS, 4 - FR_LIMBS);
}

static void fr_face_add(struct scalar *out, const struct scalar *a, const struct scalar *b)
{
    fr_t x, y;

    fr_face_in(&x, a);
    fr_face_in(&y, b);
    fr_add(&x, &x, &y);
    fr_face_out(out, &x);
}

static void fr_face_sub(struct scalar *out, const struct scalar *a, const struct scalar *b)
{
    fr_t x, y;

    fr_face_in(&x, a);
    fr_face_in(&y, b);
    fr_sub(&x, &x, &y);
    fr_face_out(out, &x);
}

static void fr_face_mul(struct scalar *out, const struct scalar *a, const struct scalar *b)
{
    fr_t x, y;

    fr_face_in(&x, a);
    fr_face_in(&y, b);
    fr_mul(&x, &x, &y);
    fr_face_out(out, &x);
}

static void fr_face_inv(struct scalar *out, const struct scalar *a)
{
    fr_t x;

    fr_face_in(&x, a);
    fr_inv(&x, &x);
    fr_face_out(out, &x);
}

static void fr_face_pow(struct scalar *out, const struct scalar *a, uint64_t e)
{
    fr_t x;

    fr_face_in(&x, a);
    fr_pow(&x, &x, &e, 1);
    fr_face_out(out, &x);
}

/* g^((r - 1) / 2^lg_n): of order 2^lg_n exactly if g is not a square, which is what its power
 * 2^(s-1) tells, s the two-adicity. Montgomery form; false if g is a square or lg_n > s. */
static inline bool fr_root(fr_t *out, uint64_t g, unsigned lg_n)
{
    fr_t odd = fr_modulus_words, root, check;

    if (lg_n > FR_TWO_ADICITY)
        return false;
    for (int i = 0; i < FR_TWO_ADICITY; i++) { /* (r - 1) >> s, which is r >> s */
        for (int j = 0; j < FR_LIMBS - 1; j++)
            odd.l[j] = odd.l[j] >> 1 | odd.l[j + 1] << 63;
        odd.l[FR_LIMBS - 1] >>= 1;
    }
    fr_from_u64(&root, g);
    fr_pow(&root, &root, odd.l, FR_LIMBS);
    check = root;
    for (unsigned i = 0; i < FR_TWO_ADICITY - 1; i++) {
        if (i < FR_TWO_ADICITY - lg_n)
            fr_sqr(&root, &root);
        fr_sqr(&check, &check);
    }
    if (lg_n == 0)
        root = fr_one;
    fr_neg(&check, &check);
    if (!fr_is_one(&check))
        return false;
    *out = root;
    return true;
}

static bool fr_face_root(struct scalar *out, uint64_t g, unsigned lg_n)
{
    fr_t root;

    if (!fr_root(&root, g, lg_n))
        return false;
    fr_face_out(out, &root);
    return true;
}

/* The 512-bit number mod r, by Horner's rule over pieces as long as an element; R^2 carries the
 * factor R = 2^(64 limbs) in Montgomery form. */
static void fr_face_sample_ct(struct scalar *out, const uint8_t wide[64])
{
    static const fr_t r2 = {FR_R2};
    fr_t sum = fr_zero, piece;

    for (size_t at = 64; at > 0;) {
        at -= sizeof piece;
        memcpy(&piece, wide + at, sizeof piece);
        fr_from_plain(&piece, &piece);
        fr_mul(&sum, &sum, &r2);
        fr_add(&sum, &sum, &piece);
    }
    fr_face_out(out, &sum);
}
