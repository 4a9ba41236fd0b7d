#include "circuit/poseidon.h"

#include "circuit/poseidon_constants.h"

unsigned poseidon_arity(enum poseidon_kind kind)
{
    static const uint8_t arity[POSEIDON_N_KINDS] = {2, 4, 8, 11, 2};

    return arity[kind];
}

enum poseidon_kind poseidon_of_arity(unsigned arity)
{
    switch (arity) {
    case 2: return POSEIDON_2;
    case 4: return POSEIDON_4;
    case 8: return POSEIDON_8;
    default: return POSEIDON_11;
    }
}

unsigned poseidon_trace_n(enum poseidon_kind kind)
{
    const unsigned arity = poseidon_arity(kind), width = arity + 1;
    const unsigned partial = poseidon_constants(kind)->partial;

    /* s-boxes of the first round, of the other full rounds, of the partial rounds; the result */
    return 3 * arity + 4 * (POSEIDON_FULL_ROUNDS - 1) * width + 4 * partial + 1;
}

/* ---- the permutation ---------------------------------------------------------------------------
 *
 * `trace` follows along when it is not NULL: where the next value that the circuit would allocate
 * goes. The compiler makes two copies of what follows, one without it. */

static inline void record(fr_t **trace, const fr_t *value)
{
    if (trace)
        *(*trace)++ = *value;
}

/* x^5, plus a constant; the circuit allocates square, fourth power and result. */
static inline void power_5(fr_t *x, const fr_t *add, fr_t **trace)
{
    fr_t square, fourth;

    fr_sqr(&square, x);
    record(trace, &square);
    fr_sqr(&fourth, &square);
    record(trace, &fourth);
    fr_mul(x, x, &fourth);
    if (add)
        fr_add(x, x, add);
    record(trace, x);
}

/* From the second round on, the element itself is a new variable too. */
static inline void s_box(fr_t *x, const fr_t *add, fr_t **trace)
{
    record(trace, x);
    power_5(x, add, trace);
}

static inline void multiply_add(fr_t *sum, const fr_t *a, const fr_t *b)
{
    fr_t product;

    fr_mul(&product, a, b);
    fr_add(sum, sum, &product);
}

static void mix(fr_t *state, unsigned width, const struct poseidon_matrix *m)
{
    fr_t next[POSEIDON_WIDTH_MAX];

    for (unsigned j = 0; j < width; j++) {
        fr_mul(&next[j], &state[0], &m->at[0][j]);
        for (unsigned i = 1; i < width; i++)
            multiply_add(&next[j], &state[i], &m->at[i][j]);
    }
    memcpy(state, next, width * sizeof *state);
}

static void mix_sparse(fr_t *state, unsigned width, const struct poseidon_sparse *m)
{
    fr_t first;

    fr_mul(&first, &state[0], &m->column[0]);
    for (unsigned i = 1; i < width; i++) {
        multiply_add(&first, &state[i], &m->column[i]);
        multiply_add(&state[i], &state[0], &m->row[i]);
    }
    state[0] = first;
}

static inline void permute(const struct poseidon_constants *k, fr_t *state, fr_t **trace)
{
    const unsigned width = k->width;
    const fr_t *add = k->added;

    for (unsigned i = 0; i < width; i++)
        fr_add(&state[i], &state[i], &add[i]);
    add += width;
    for (unsigned i = 0; i < width; i++) /* element 0 is a constant: nothing is allocated for it */
        power_5(&state[i], add++, i > 0 ? trace : NULL);
    mix(state, width, &k->mds);
    for (unsigned round = 1; round < POSEIDON_FULL_ROUNDS / 2; round++) {
        for (unsigned i = 0; i < width; i++)
            s_box(&state[i], add++, trace);
        mix(state, width, round == POSEIDON_PRE_SPARSE ? &k->pre_sparse : &k->mds);
    }
    for (unsigned round = 0; round < k->partial; round++) {
        s_box(&state[0], add++, trace);
        mix_sparse(state, width, &k->sparse[round]);
    }
    for (unsigned round = 1; round <= POSEIDON_FULL_ROUNDS / 2; round++) {
        const bool last = round == POSEIDON_FULL_ROUNDS / 2;

        for (unsigned i = 0; i < width; i++)
            s_box(&state[i], last ? NULL : add++, trace);
        mix(state, width, &k->mds);
    }
    record(trace, &state[1]);
}

static void initial_state(fr_t *state, const struct poseidon_constants *k, const fr_t *preimage)
{
    state[0] = k->tag;
    memcpy(state + 1, preimage, (k->width - 1) * sizeof *state);
}

void poseidon_hash(enum poseidon_kind kind, fr_t *out, const fr_t *preimage)
{
    const struct poseidon_constants *k = poseidon_constants(kind);
    fr_t state[POSEIDON_WIDTH_MAX];

    initial_state(state, k, preimage);
    permute(k, state, NULL);
    *out = state[1];
}

void poseidon_hash_plain(enum poseidon_kind kind, struct scalar *out, const struct scalar *preimage)
{
    fr_t elements[POSEIDON_WIDTH_MAX], hash;

    for (unsigned i = 0; i < poseidon_arity(kind); i++)
        elements[i] = fr_of_scalar(&preimage[i]);
    poseidon_hash(kind, &hash, elements);
    *out = fr_to_scalar(&hash);
}

void poseidon_trace(enum poseidon_kind kind, fr_t *trace, const fr_t *preimage)
{
    const struct poseidon_constants *k = poseidon_constants(kind);
    fr_t state[POSEIDON_WIDTH_MAX];

    initial_state(state, k, preimage);
    permute(k, state, &trace);
}
