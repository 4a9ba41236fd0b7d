/* Poseidon hashes one by one: the template.
 *
 * Parameters: fr (field/field.inc.h). Names defined: fr_poseidon_table_bytes fr_poseidon_table_init
 * fr_poseidon, of struct scalar_kernels. */
#include "ntt/poseidon_rounds.h"

struct fr_poseidon_table {
    unsigned width, half, partial;
    fr_t elements[];
};

static size_t fr_poseidon_table_bytes(const struct poseidon_rounds *rounds)
{
    return sizeof(struct fr_poseidon_table) + poseidon_rounds_elements(rounds) * sizeof(fr_t);
}

static void fr_poseidon_table_init(void *table, const struct poseidon_rounds *rounds)
{
    struct fr_poseidon_table *k = table;

    k->width = rounds->width;
    k->half = rounds->half;
    k->partial = rounds->partial;
    memcpy(k->elements, rounds->elements, poseidon_rounds_elements(rounds) * sizeof(fr_t));
}

/* ---- steps: each returns the constants behind its own -------------------------------------------
 *
 * `trace` follows along when it is not NULL: where the next value goes. The compiler makes two
 * copies of what follows, one without it. */

static inline void fr_poseidon_record(fr_t **trace, const fr_t *value)
{
    if (trace) {
        fr_to_plain(*trace, value);
        ++*trace;
    }
}

/* x^5 + add */
static inline const fr_t *fr_poseidon_power(fr_t *x, const fr_t *add, fr_t **trace)
{
    fr_t square, fourth;

    fr_sqr(&square, x);
    fr_poseidon_record(trace, &square);
    fr_sqr(&fourth, &square);
    fr_poseidon_record(trace, &fourth);
    fr_mul(x, x, &fourth);
    fr_add(x, x, add);
    fr_poseidon_record(trace, x);
    return add + 1;
}

static inline const fr_t *fr_poseidon_s_box(fr_t *x, const fr_t *add, fr_t **trace)
{
    fr_poseidon_record(trace, x);
    return fr_poseidon_power(x, add, trace);
}

static inline void fr_poseidon_multiply_add(fr_t *sum, const fr_t *a, const fr_t *b)
{
    fr_t product;

    fr_mul(&product, a, b);
    fr_add(sum, sum, &product);
}

static const fr_t *fr_poseidon_mix(fr_t *state, unsigned width, const fr_t *m)
{
    fr_t next[POSEIDON_WIDTH_MAX];

    for (unsigned j = 0; j < width; j++, m += width) {
        fr_mul(&next[j], &state[0], &m[0]);
        for (unsigned i = 1; i < width; i++)
            fr_poseidon_multiply_add(&next[j], &state[i], &m[i]);
    }
    memcpy(state, next, width * sizeof *state);
    return m;
}

static const fr_t *fr_poseidon_mix_sparse(fr_t *state, unsigned width, const fr_t *column)
{
    const fr_t *row = column + width - 1; /* row[1] follows the column */
    fr_t first;

    fr_mul(&first, &state[0], &column[0]);
    for (unsigned i = 1; i < width; i++) {
        fr_poseidon_multiply_add(&first, &state[i], &column[i]);
        fr_poseidon_multiply_add(&state[i], &state[0], &row[i]);
    }
    state[0] = first;
    return row + width;
}

/* state: the tag and the preimage. */
static inline void fr_poseidon_permute(const struct fr_poseidon_table *k, fr_t *state, fr_t **trace)
{
    const fr_t *at = k->elements + 1;

    for (unsigned i = 0; i < k->width; i++, at++)
        fr_add(&state[i], &state[i], at);
    for (unsigned i = 0; i < k->width; i++) /* of the tag nothing is recorded: it is a constant */
        at = fr_poseidon_power(&state[i], at, i > 0 ? trace : NULL);
    at = fr_poseidon_mix(state, k->width, at);
    for (unsigned round = 1; round < k->half; round++) {
        for (unsigned i = 0; i < k->width; i++)
            at = fr_poseidon_s_box(&state[i], at, trace);
        at = fr_poseidon_mix(state, k->width, at);
    }
    for (unsigned round = 0; round < k->partial; round++) {
        at = fr_poseidon_s_box(&state[0], at, trace);
        at = fr_poseidon_mix_sparse(state, k->width, at);
    }
    for (unsigned round = 0; round < k->half; round++) {
        for (unsigned i = 0; i < k->width; i++)
            at = fr_poseidon_s_box(&state[i], at, trace);
        at = fr_poseidon_mix(state, k->width, at);
    }
    fr_poseidon_record(trace, &state[1]);
}

static void fr_poseidon(void *out, const void *table, const void *in, void *const *trace, size_t n)
{
    const struct fr_poseidon_table *k = table;
    const fr_t *preimage = in;
    fr_t *hash = out;

    for (size_t i = 0; i < n; i++, preimage += k->width - 1) {
        fr_t state[POSEIDON_WIDTH_MAX];

        state[0] = k->elements[0];
        memcpy(state + 1, preimage, (k->width - 1) * sizeof *state);
        if (trace) {
            fr_t *next = trace[i];

            fr_poseidon_permute(k, state, &next);
        } else {
            fr_poseidon_permute(k, state, NULL);
        }
        hash[i] = state[1];
    }
}
