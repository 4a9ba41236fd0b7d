/* Coordinates as bytes, and which of two square roots is the larger: what encodings need of Fp and
 * Fp2. Everything is plain form.
 *
 * Parameters: fp, fp2 (field/tower.inc.h).
 *
 * Names defined:
 *   fp_bytes fp2_bytes                    48 and 96 on BLS12-381: the limbs' bytes
 *   fp_write_be fp2_write_be              big-endian; an element of Fp2 is c1 then c0
 *   fp_read_be fp2_read_be                no check of the range
 *   fp_is_larger_root fp2_is_larger_root  is it above its negative? */
enum { fp_bytes = 8 * FP_LIMBS, fp2_bytes = 2 * fp_bytes };

static inline void fp_write_be(uint8_t *out, const fp_t *a)
{
    for (size_t i = 0; i < FP_LIMBS; i++) {
        const uint64_t word = __builtin_bswap64(a->l[FP_LIMBS - 1 - i]);

        memcpy(out + 8 * i, &word, 8);
    }
}

static inline void fp_read_be(fp_t *out, const uint8_t *in)
{
    for (size_t i = 0; i < FP_LIMBS; i++) {
        uint64_t word;

        memcpy(&word, in + 8 * i, 8);
        out->l[FP_LIMBS - 1 - i] = __builtin_bswap64(word);
    }
}

static inline void fp2_write_be(uint8_t *out, const fp2_t *a)
{
    fp_write_be(out, &a->c1);
    fp_write_be(out + fp_bytes, &a->c0);
}

static inline void fp2_read_be(fp2_t *out, const uint8_t *in)
{
    fp_read_be(&out->c1, in);
    fp_read_be(&out->c0, in + fp_bytes);
}

/* a > (p - 1)/2, that is p - a < a; a reduced */
static inline bool fp_is_larger_root(const fp_t *a)
{
    fp_t negative;

    fp_neg(&negative, a);
    return limbs_less(negative.l, a->l, FP_LIMBS);
}

static inline bool fp2_is_larger_root(const fp2_t *a)
{
    return fp_is_larger_root(fp_is_zero(&a->c1) ? &a->c0 : &a->c1);
}
