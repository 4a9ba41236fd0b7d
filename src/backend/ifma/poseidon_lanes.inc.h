/* Eight Poseidon hashes side by side: ntt/poseidon_rounds.inc.h in lanes.
 *
 * Parameters: fr (field/field.inc.h and field_lanes.inc.h). Names defined as there, with
 * fr_lanes_poseidon for fr_poseidon.
 *
 * Constants are below p, elements of the state below 3p and normal. A row of a matrix is summed in
 * double length and reduced once: width 3p p is 36 p^2 at most, but only what an s-box has just
 * left exceeds 2p, and it is below 1.1p + p: the sum stays below 12 2.1 p^2 < 35 p^2 <= S p.
 * The low and high halves of products are summed apart, for a chain of multiply-adds to one
 * limb takes four cycles a link.
 *
 * S-boxes of a full round go abreast (all squares, all fourth powers, ...), for each is a chain of
 * three products and a product waits for itself most of the time. */
#include "ntt/poseidon_rounds.h"

typedef uint64_t fr_limbs_t[FR_LANE_LIMBS];

struct fr_lanes_poseidon_table {
    unsigned width, half, partial;
    fr_limbs_t elements[];
};

static size_t fr_lanes_poseidon_table_bytes(const struct poseidon_rounds *rounds)
{
    return sizeof(struct fr_lanes_poseidon_table) +
           poseidon_rounds_elements(rounds) * sizeof(fr_limbs_t);
}

static void fr_lanes_poseidon_table_init(void *table, const struct poseidon_rounds *rounds)
{
    struct fr_lanes_poseidon_table *k = table;
    const fr_t *element = rounds->elements;

    k->width = rounds->width;
    k->half = rounds->half;
    k->partial = rounds->partial;
    for (size_t i = 0; i < poseidon_rounds_elements(rounds); i++)
        fr_lane_put(k->elements[i], &element[i]);
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* Where the values of the hashes in lanes go: next[i], for the first n. */
struct fr_lanes_trace {
    uint64_t *next[LANES];
    size_t n;
};

/* a normal, below 3p, to plain words. */
LANE_INLINE void fr_lanes_plain(__m512i word[FR_LIMBS], const fr_lanes_t *a)
{
    __m512i t[2 * FR_LANE_LIMBS];
    fr_lanes_t plain;

    fr_lanes_clear(t);
    for (int j = 0; j < FR_LANE_LIMBS; j++)
        t[j] = a->l[j];
    fr_lanes_reduce(&plain, t);
    fr_lanes_reduce_once(&plain, &plain);
    fr_lanes_join(word, &plain);
}

/* The next `count` words of every hash. */
LANE_INLINE void fr_lanes_trace_words(struct fr_lanes_trace *trace, __m512i word[8], unsigned count)
{
    lanes_transpose(word, word);
    LANE_UNROLL
    for (size_t i = 0; i < LANES; i++)
        if (i < trace->n) {
            _mm512_mask_storeu_epi64(trace->next[i], (__mmask8)((1u << count) - 1), word[i]);
            trace->next[i] += count;
        }
}

static __attribute__((noinline)) void fr_lanes_record(struct fr_lanes_trace *trace,
                                                      const fr_lanes_t *a)
{
    __m512i word[8];

    for (int j = FR_LIMBS; j < 8; j++)
        word[j] = _mm512_setzero_si512();
    fr_lanes_plain(word, a);
    fr_lanes_trace_words(trace, word, FR_LIMBS);
}

static __attribute__((noinline)) void fr_lanes_record_two(struct fr_lanes_trace *trace,
                                                          const fr_lanes_t *a, const fr_lanes_t *b)
{
    __m512i word[8];

    for (int j = 2 * FR_LIMBS; j < 8; j++)
        word[j] = _mm512_setzero_si512();
    fr_lanes_plain(word, a);
    fr_lanes_plain(word + FR_LIMBS, b);
    fr_lanes_trace_words(trace, word, 2 * FR_LIMBS);
}

/* ---- steps: each returns the constants behind its own ---------------------------------------- */

/* Sums of products by one number after another. */
struct fr_lanes_sum {
    __m512i low[2 * FR_LANE_LIMBS], high[2 * FR_LANE_LIMBS]; /* high belongs a limb further up */
};

LANE_INLINE void fr_lanes_sum_clear(struct fr_lanes_sum *sum)
{
    fr_lanes_clear(sum->low);
    fr_lanes_clear(sum->high);
}

/* sum += a k */
LANE_INLINE void fr_lanes_sum_product(struct fr_lanes_sum *sum, const fr_lanes_t *a,
                                      const fr_limbs_t k)
{
    LANE_UNROLL
    for (int i = 0; i < FR_LANE_LIMBS; i++) {
        const __m512i limb = lanes_set(k[i]);

        LANE_UNROLL
        for (int j = 0; j < FR_LANE_LIMBS; j++) {
            sum->low[i + j] = lanes_low(sum->low[i + j], a->l[j], limb);
            sum->high[i + j] = lanes_high(sum->high[i + j], a->l[j], limb);
        }
    }
}

/* t = sum / S, carries waiting, in t + FR_LANE_LIMBS. */
LANE_INLINE void fr_lanes_sum_reduce(__m512i t[2 * FR_LANE_LIMBS], const struct fr_lanes_sum *sum)
{
    t[0] = sum->low[0];
    LANE_UNROLL
    for (int j = 1; j < 2 * FR_LANE_LIMBS; j++)
        t[j] = _mm512_add_epi64(sum->low[j], sum->high[j - 1]);
    fr_lanes_reduce_rows(t);
}

/* out = sum of state[i] k[i] */
static __attribute__((noinline)) void fr_lanes_dot(fr_lanes_t *out, const fr_lanes_t *state,
                                                   const fr_limbs_t *k, unsigned width)
{
    struct fr_lanes_sum sum;
    __m512i t[2 * FR_LANE_LIMBS];

    fr_lanes_sum_clear(&sum);
    for (unsigned i = 0; i < width; i++)
        fr_lanes_sum_product(&sum, &state[i], k[i]);
    fr_lanes_sum_reduce(t, &sum);
    fr_lanes_normalize(out, t + FR_LANE_LIMBS);
    LANE_ASSERT(fr_lanes_are_below(out, 2));
}

static const fr_limbs_t *fr_lanes_mix(fr_lanes_t *state, unsigned width, const fr_limbs_t *m)
{
    fr_lanes_t next[POSEIDON_WIDTH_MAX];

    for (unsigned j = 0; j < width; j++, m += width)
        fr_lanes_dot(&next[j], state, m, width);
    memcpy(state, next, width * sizeof *state);
    return m;
}

/* x += y k, x below 2p; the product is below 1.1p, so x - p + product is what folding takes. */
static __attribute__((noinline)) void fr_lanes_add_product(fr_lanes_t *x, const fr_lanes_t *y,
                                                           const fr_limbs_t k)
{
    struct fr_lanes_sum sum;
    __m512i t[2 * FR_LANE_LIMBS];
    fr_lanes_t modulus, product;

    fr_lanes_sum_clear(&sum);
    fr_lanes_sum_product(&sum, y, k);
    fr_lanes_sum_reduce(t, &sum);
    LANE_UNROLL
    for (int j = 0; j < FR_LANE_LIMBS; j++)
        t[FR_LANE_LIMBS + j] = _mm512_add_epi64(t[FR_LANE_LIMBS + j], x->l[j]);
    fr_lanes_normalize(&product, t + FR_LANE_LIMBS);
    fr_lanes_set(&modulus, fr_lane_modulus);
    fr_lanes_raw_sub(&product, &product, &modulus);
    fr_lanes_fold(x, &product);
}

static const fr_limbs_t *fr_lanes_mix_sparse(fr_lanes_t *state, unsigned width,
                                             const fr_limbs_t *column)
{
    const fr_limbs_t *row = column + width - 1; /* row[1] follows the column */
    fr_lanes_t first;

    fr_lanes_dot(&first, state, column, width);
    for (unsigned i = 1; i < width; i++)
        fr_lanes_add_product(&state[i], &state[0], row[i]);
    state[0] = first;
    return row + width;
}

LANE_INLINE void fr_lanes_add_constant(fr_lanes_t *x, const fr_limbs_t k)
{
    fr_lanes_t add;

    fr_lanes_set(&add, k);
    fr_lanes_add(x, x, &add);
}

/* x^5 + add, n times. first: the round in which the tag's element is left out of the trace, and the
 * others themselves. */
static const fr_limbs_t *fr_lanes_s_boxes(fr_lanes_t *x, unsigned n, const fr_limbs_t *add,
                                          bool first, struct fr_lanes_trace *trace)
{
    fr_lanes_t square[POSEIDON_WIDTH_MAX], fourth[POSEIDON_WIDTH_MAX];

    for (unsigned i = 0; i < n; i++)
        fr_lanes_sqr(&square[i], &x[i]);
    for (unsigned i = 0; i < n; i++)
        fr_lanes_sqr(&fourth[i], &square[i]);
    for (unsigned i = 0; i < n; i++) {
        if (trace && !first)
            fr_lanes_record_two(trace, &x[i], &square[i]);
        fr_lanes_mul(&x[i], &x[i], &fourth[i]);
        fr_lanes_add_constant(&x[i], add[i]);
        if (trace && !first) {
            fr_lanes_record_two(trace, &fourth[i], &x[i]);
        } else if (trace && i > 0) {
            fr_lanes_record_two(trace, &square[i], &fourth[i]);
            fr_lanes_record(trace, &x[i]);
        }
    }
    return add + n;
}

static void fr_lanes_permute(const struct fr_lanes_poseidon_table *k, fr_lanes_t *state,
                             struct fr_lanes_trace *trace)
{
    const unsigned width = k->width;
    const fr_limbs_t *at = k->elements + 1;

    for (unsigned i = 0; i < width; i++)
        fr_lanes_add_constant(&state[i], *at++);
    for (unsigned round = 0; round < k->half; round++) {
        at = fr_lanes_s_boxes(state, width, at, round == 0, trace);
        at = fr_lanes_mix(state, width, at);
    }
    for (unsigned round = 0; round < k->partial; round++) {
        at = fr_lanes_s_boxes(state, 1, at, false, trace);
        at = fr_lanes_mix_sparse(state, width, at);
    }
    for (unsigned round = 0; round < k->half; round++) {
        at = fr_lanes_s_boxes(state, width, at, false, trace);
        at = fr_lanes_mix(state, width, at);
    }
    if (trace)
        fr_lanes_record(trace, &state[1]);
}

/* n <= LANES hashes; idle lanes repeat the first. */
static void fr_lanes_hash(fr_t *out, const struct fr_lanes_poseidon_table *k, const fr_t *in,
                          void *const *trace, size_t n)
{
    struct fr_lanes_trace places = {.n = n};
    fr_lanes_t state[POSEIDON_WIDTH_MAX], factor;
    const void *from[LANES];
    void *to[LANES];

    for (size_t i = 0; i < LANES; i++) {
        from[i] = in + (i < n ? i : 0) * (k->width - 1);
        to[i] = out + (i < n ? i : 0);
        if (trace && i < n)
            places.next[i] = trace[i];
    }
    fr_lanes_set(&state[0], k->elements[0]);
    fr_lanes_set(&factor, fr_lane_from_native);
    for (unsigned e = 1; e < k->width; e++)
        fr_lanes_import(&state[e], from, (e - 1) * sizeof(fr_t), &factor);
    fr_lanes_permute(k, state, trace ? &places : NULL);
    fr_lanes_export(to, 0, &state[1], n);
}

static void fr_lanes_poseidon(void *out, const void *table, const void *in, void *const *trace,
                              size_t n)
{
    const struct fr_lanes_poseidon_table *k = table;

    for (size_t i = 0; i < n; i += LANES)
        fr_lanes_hash((fr_t *)out + i, k, (const fr_t *)in + i * (k->width - 1),
                      trace ? trace + i : NULL, n - i < LANES ? n - i : LANES);
}
