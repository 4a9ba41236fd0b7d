/* Operations on arrays of scalars in eight lanes: the template.
 *
 * Parameters: fr (field/field.inc.h, field_lanes.inc.h, constant_lanes.inc.h), of 4 words;
 * PORTABLE, a struct scalar_kernels with the same operations, which ends what is left of an array.
 * Names defined: fr_lanes_array_*, as the members of struct scalar_kernels are called, and the
 * elements below.
 *
 * In memory scalars are native: words, x R with R = 2^256. Eight of them become lanes as they are,
 * no product in between: a sum of native numbers is native, and so is a product by a constant. For
 * the native product a b / R the Montgomery product a b / S is R / S = 1/16 too small, so one
 * factor is *scaled*, read from the words four bits further up: 16 a < 16 p, and 16 1 <= 35
 * (field_lanes.inc.h).
 */
#define FR_SCALE (LANE_BITS * FR_LANE_LIMBS - 64 * FR_LIMBS)

_Static_assert(FR_LIMBS == 4 && FR_SCALE == 4, "eight elements are four vectors; see above");

/* The lanes of eight consecutive elements. */
static const unsigned fr_lane_element[LANES] = {0, 2, 1, 3, 4, 6, 5, 7};

/* Eight consecutive elements as lanes of words, in the order of fr_lane_element; and back. */
LANE_INLINE void fr_elements_load(__m512i word[4], const fr_t *a)
{
    __m512i row[4], even[2], odd[2];

    LANE_UNROLL
    for (int i = 0; i < 4; i++)
        row[i] = _mm512_loadu_si512(a + 2 * i);
    for (int i = 0; i < 2; i++) {
        even[i] = _mm512_unpacklo_epi64(row[2 * i], row[2 * i + 1]);
        odd[i] = _mm512_unpackhi_epi64(row[2 * i], row[2 * i + 1]);
    }
    word[0] = _mm512_shuffle_i64x2(even[0], even[1], 0x88);
    word[1] = _mm512_shuffle_i64x2(odd[0], odd[1], 0x88);
    word[2] = _mm512_shuffle_i64x2(even[0], even[1], 0xdd);
    word[3] = _mm512_shuffle_i64x2(odd[0], odd[1], 0xdd);
}

LANE_INLINE void fr_elements_store(fr_t *a, const __m512i word[4])
{
    const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    const __m512i even[2] = {_mm512_unpacklo_epi64(word[0], word[1]),
                             _mm512_unpacklo_epi64(word[2], word[3])};
    const __m512i odd[2] = {_mm512_unpackhi_epi64(word[0], word[1]),
                            _mm512_unpackhi_epi64(word[2], word[3])};

    _mm512_storeu_si512(a, _mm512_permutex2var_epi64(even[0], front, even[1]));
    _mm512_storeu_si512(a + 2, _mm512_permutex2var_epi64(odd[0], front, odd[1]));
    _mm512_storeu_si512(a + 4, _mm512_permutex2var_epi64(even[0], back, even[1]));
    _mm512_storeu_si512(a + 6, _mm512_permutex2var_epi64(odd[0], back, odd[1]));
}

/* Words to limbs of 16 times the number. */
LANE_INLINE void fr_lanes_split_scaled(fr_lanes_t *out, const __m512i word[4])
{
    const __m512i mask = lanes_set(LANE_MASK);

    out->l[0] = _mm512_and_si512(_mm512_slli_epi64(word[0], FR_SCALE), mask);
    LANE_UNROLL
    for (int j = 1; j < FR_LANE_LIMBS; j++) {
        const int at = LANE_BITS * j - FR_SCALE, k = at / 64, shift = at % 64;
        __m512i limb = _mm512_srli_epi64(word[k], (unsigned)shift);

        if (shift > 64 - LANE_BITS && k + 1 < FR_LIMBS)
            limb = _mm512_or_si512(limb, _mm512_slli_epi64(word[k + 1 < FR_LIMBS ? k + 1 : 0],
                                                           (unsigned)(64 - shift)));
        out->l[j] = _mm512_and_si512(limb, mask);
    }
}

/* ---- native numbers in lanes ----------------------------------------------------------------- */

LANE_INLINE void fr_native_load(fr_lanes_t *out, const fr_t *a)
{
    __m512i word[4];

    fr_elements_load(word, a);
    fr_lanes_split(out, word);
}

/* 16 times them, for a factor of fr_native_mul */
LANE_INLINE void fr_native_load_scaled(fr_lanes_t *out, const fr_t *a)
{
    __m512i word[4];

    fr_elements_load(word, a);
    fr_lanes_split_scaled(out, word);
}

/* a: below 2p */
LANE_INLINE void fr_native_store(fr_t *a, const fr_lanes_t *x)
{
    fr_lanes_t reduced;
    __m512i word[4];

    fr_lanes_reduce_once(&reduced, x);
    fr_lanes_join(word, &reduced);
    fr_elements_store(a, word);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static size_t fr_lanes_tail(size_t n)
{
    return n & ~(size_t)(LANES - 1);
}

static void fr_lanes_array_add(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;
    const size_t tail = fr_lanes_tail(n);

    for (size_t i = 0; i < tail; i += LANES) {
        fr_lanes_t u, v;

        fr_native_load(&u, &x[i]);
        fr_native_load(&v, &y[i]);
        fr_lanes_add(&u, &u, &v);
        fr_native_store(&o[i], &u);
    }
    PORTABLE->add(o + tail, x + tail, y + tail, n - tail);
}

static void fr_lanes_array_sub(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;
    const size_t tail = fr_lanes_tail(n);

    for (size_t i = 0; i < tail; i += LANES) {
        fr_lanes_t u, v;

        fr_native_load(&u, &x[i]);
        fr_native_load(&v, &y[i]);
        fr_lanes_sub(&u, &u, &v, 1);
        fr_native_store(&o[i], &u);
    }
    PORTABLE->sub(o + tail, x + tail, y + tail, n - tail);
}

static void fr_lanes_array_mul(void *out, const void *a, const void *b, size_t n)
{
    fr_t *o = out;
    const fr_t *x = a, *y = b;
    const size_t tail = fr_lanes_tail(n);

    for (size_t i = 0; i < tail; i += LANES) {
        fr_lanes_t u, v;

        fr_native_load_scaled(&u, &x[i]);
        fr_native_load(&v, &y[i]);
        fr_lanes_mul(&u, &u, &v);
        fr_native_store(&o[i], &u);
    }
    PORTABLE->mul(o + tail, x + tail, y + tail, n - tail);
}

/* out[i] = factor a[i] for as many as there are eights of; factor: Montgomery form, S */
static void fr_lanes_scale(fr_t *out, const fr_t *a, const fr_lanes_t *factor, size_t n)
{
    for (size_t i = 0; i < fr_lanes_tail(n); i += LANES) {
        fr_lanes_t x;

        fr_native_load(&x, &a[i]);
        fr_lanes_mul(&x, &x, factor);
        fr_native_store(&out[i], &x);
    }
}

/* A scalar in all lanes, Montgomery form, S. */
static void fr_lanes_factor(fr_lanes_t *out, const struct scalar *plain)
{
    fr_t native;

    fr_face_in(&native, plain);
    fr_lanes_all(out, &native);
}

static void fr_lanes_array_scale(void *out, const void *a, const struct scalar *plain_factor,
                                 size_t n)
{
    const size_t tail = fr_lanes_tail(n);
    fr_lanes_t factor;

    fr_lanes_factor(&factor, plain_factor);
    fr_lanes_scale(out, a, &factor, n);
    PORTABLE->scale((fr_t *)out + tail, (const fr_t *)a + tail, plain_factor, n - tail);
}

static void fr_lanes_array_from_plain(void *out, const void *plain, size_t n)
{
    static const fr_t r = {FR_R2}; /* R, native */
    const size_t tail = fr_lanes_tail(n);
    fr_lanes_t factor;

    fr_lanes_all(&factor, &r);
    fr_lanes_scale(out, plain, &factor, n);
    PORTABLE->from_plain((fr_t *)out + tail, (const fr_t *)plain + tail, n - tail);
}

static void fr_lanes_array_to_plain(void *out, const void *native, size_t n)
{
    static const fr_t r_inv = {{1}}; /* 1/R, native */
    const size_t tail = fr_lanes_tail(n);
    fr_lanes_t factor;

    fr_lanes_all(&factor, &r_inv);
    fr_lanes_scale(out, native, &factor, n);
    PORTABLE->to_plain((fr_t *)out + tail, (const fr_t *)native + tail, n - tail);
}

static void fr_lanes_array_axpy(void *out, const struct scalar *plain_factor, const void *a,
                                size_t n)
{
    fr_t *o = out;
    const fr_t *x = a;
    const size_t tail = fr_lanes_tail(n);
    fr_lanes_t factor;

    fr_lanes_factor(&factor, plain_factor);
    for (size_t i = 0; i < tail; i += LANES) {
        fr_lanes_t u, v;

        fr_native_load(&u, &x[i]);
        fr_lanes_mul(&u, &u, &factor);
        fr_lanes_reduce_once(&u, &u);
        fr_native_load(&v, &o[i]);
        fr_lanes_add(&u, &u, &v);
        fr_native_store(&o[i], &u);
    }
    PORTABLE->axpy(o + tail, plain_factor, x + tail, n - tail);
}

/* Four vectors at a time, for a product waits for the one before it. */
static void fr_lanes_array_powers(void *out, const struct scalar *first, const struct scalar *base,
                                  size_t n)
{
    enum { STRIDE = 4 * LANES };
    fr_t *o = out, start[STRIDE], leap;
    fr_lanes_t x[4], factor;

    PORTABLE->powers(start, first, base, STRIDE);
    if (n < STRIDE) {
        memcpy(o, start, n * sizeof *o);
        return;
    }
    fr_face_in(&leap, base);
    for (unsigned k = 1; k < STRIDE; k *= 2)
        fr_sqr(&leap, &leap);
    fr_lanes_all(&factor, &leap);
    for (size_t v = 0; v < 4; v++)
        fr_native_load(&x[v], &start[LANES * v]);
    for (size_t i = 0; i < n; i += STRIDE) {
        for (size_t v = 0; v < 4; v++) {
            fr_t last[LANES];
            const size_t at = i + LANES * v;

            if (at + LANES <= n) {
                fr_native_store(&o[at], &x[v]);
            } else if (at < n) {
                fr_native_store(last, &x[v]);
                memcpy(&o[at], last, (n - at) * sizeof *o);
            }
            fr_lanes_mul(&x[v], &x[v], &factor);
        }
    }
}
