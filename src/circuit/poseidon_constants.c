#include "circuit/poseidon_constants.h"

#include <pthread.h>

enum { T_MAX = POSEIDON_WIDTH_MAX, HALF = POSEIDON_FULL_ROUNDS / 2 };

/* ---- round constants ------------------------------------------------------------------------ */

/* The Grain LFSR: s[80] = s[62] + s[51] + s[38] + s[23] + s[13] + s[0]; s[0] is bit 0. Of each pair
 * of its bits the second one is output if the first is 1. */
struct grain {
    u128 state;
    unsigned window, n; /* bits not used yet, the next one lowest */
};

/* 16 steps; no tap is within 16 of the end, so they are independent of each other. */
static unsigned grain_step_16(struct grain *g)
{
    const u128 s = g->state;
    const unsigned fresh = (unsigned)(s >> 62 ^ s >> 51 ^ s >> 38 ^ s >> 23 ^ s >> 13 ^ s) & 0xffff;

    g->state = s >> 16 | (u128)fresh << 64;
    return fresh;
}

/* n <= 64 output bits, the first one most significant. No branch depends on a random bit. */
static uint64_t grain_output(struct grain *g, unsigned n)
{
    uint64_t out = 0;

    while (n > 0) {
        unsigned keep;

        if (g->n == 0) {
            g->window = grain_step_16(g);
            g->n = 16;
        }
        keep = g->window & 1;
        out = out << keep | (g->window >> 1 & keep);
        n -= keep;
        g->window >>= 2;
        g->n -= 2;
    }
    return out;
}

/* n bits of value, most significant first, become the next bits of the state. */
static void grain_seed(struct grain *g, unsigned *at, uint32_t value, unsigned n)
{
    for (unsigned i = n; i-- > 0; ++*at)
        g->state |= (u128)(value >> i & 1) << *at;
}

static void grain_init(struct grain *g, unsigned width, unsigned partial)
{
    unsigned at = 0;

    *g = (struct grain){0};
    grain_seed(g, &at, 1, 2);        /* a prime field */
    grain_seed(g, &at, 1, 4);        /* s-box: a power */
    grain_seed(g, &at, FR_BITS, 12); /* bits of an element */
    grain_seed(g, &at, width, 12);
    grain_seed(g, &at, POSEIDON_FULL_ROUNDS, 10);
    grain_seed(g, &at, partial, 10);
    grain_seed(g, &at, (1u << 30) - 1, 30);
    for (int i = 0; i < 160; i += 16)
        grain_step_16(g);
}

static void grain_element(struct grain *g, fr_t *out)
{
    do {
        for (unsigned i = FR_LIMBS; i-- > 0;)
            out->l[i] = grain_output(g, i == FR_LIMBS - 1 ? FR_BITS % 64 : 64);
    } while (!fr_plain_is_reduced(out));
    fr_from_plain(out, out);
}

/* ---- matrices ------------------------------------------------------------------------------- */

/* out[j] = sum_i v[i] m[i][j] over i, j in [first, t). out may not be v. */
static void vector_times(fr_t *out, const fr_t *v, const struct poseidon_matrix *m, unsigned first,
                         unsigned t)
{
    for (unsigned j = first; j < t; j++) {
        fr_t sum = fr_zero, product;

        for (unsigned i = first; i < t; i++) {
            fr_mul(&product, &v[i], &m->at[i][j]);
            fr_add(&sum, &sum, &product);
        }
        out[j] = sum;
    }
}

/* The inverse of the part [first, t) x [first, t) of m, by Gauss and Jordan. No pivot vanishes: the
 * leading minors of a Cauchy matrix are Cauchy determinants. */
static void invert(struct poseidon_matrix *ret, const struct poseidon_matrix *m, unsigned first,
                   unsigned t)
{
    struct poseidon_matrix left = *m;
    fr_t(*a)[T_MAX] = left.at, (*out)[T_MAX] = ret->at;

    for (unsigned i = first; i < t; i++)
        for (unsigned j = first; j < t; j++)
            out[i][j] = i == j ? fr_one : fr_zero;
    for (unsigned c = first; c < t; c++) {
        fr_t pivot;

        fr_inv(&pivot, &a[c][c]);
        for (unsigned j = first; j < t; j++) {
            fr_mul(&a[c][j], &a[c][j], &pivot);
            fr_mul(&out[c][j], &out[c][j], &pivot);
        }
        for (unsigned r = first; r < t; r++) {
            const fr_t factor = a[r][c];

            if (r == c)
                continue;
            for (unsigned j = first; j < t; j++) {
                fr_t product;

                fr_mul(&product, &factor, &a[c][j]);
                fr_sub(&a[r][j], &a[r][j], &product);
                fr_mul(&product, &factor, &out[c][j]);
                fr_sub(&out[r][j], &out[r][j], &product);
            }
        }
    }
}

/* 1 / (i + t + j); only i + j matters. */
static void make_mds(struct poseidon_constants *k)
{
    const unsigned t = k->width;

    for (unsigned sum = 0; sum <= 2 * (t - 1); sum++) {
        fr_t entry = fr_of_u64(sum + t);

        fr_inv(&entry, &entry);
        for (unsigned i = sum < t ? 0 : sum - (t - 1); i <= sum && i < t; i++)
            k->mds.at[i][sum - i] = entry;
    }
}

/* ---- the optimised form -------------------------------------------------------------------------
 *
 * A constant added before a round's s-box can be added before the matrix of the round before it, as
 * its product with the inverse matrix. In the partial rounds all but its first element moves on
 * further, since only the first meets an s-box. */
static void move_constants(struct poseidon_constants *k, fr_t (*round)[T_MAX])
{
    const unsigned t = k->width, rp = k->partial;
    struct poseidon_matrix inverse;
    fr_t moved[T_MAX], acc[T_MAX];
    fr_t *out = k->added;

    invert(&inverse, &k->mds, 0, t);
    memcpy(out, round[0], t * sizeof *out);
    out += t;
    for (unsigned i = 1; i < HALF; i++, out += t)
        vector_times(out, round[i], &inverse, 0, t);
    memcpy(acc, round[HALF + rp], sizeof acc);
    for (unsigned i = 0; i < rp; i++) {
        vector_times(moved, acc, &inverse, 0, t);
        out[t + rp - 1 - i] = moved[0];
        moved[0] = fr_zero;
        for (unsigned j = 0; j < t; j++)
            fr_add(&acc[j], &round[HALF + rp - 1 - i][j], &moved[j]);
    }
    vector_times(out, acc, &inverse, 0, t);
    out += t + rp;
    for (unsigned i = 1; i < HALF; i++, out += t)
        vector_times(out, round[HALF + rp + i], &inverse, 0, t);
    k->n_added = (unsigned)(out - k->added);
}

/* The matrix M of a partial round is split into [1, dense] * sparse, where the dense part leaves
 * element 0 alone and hence can be applied before the s-box, to be merged into the matrix of the
 * round before: M [1, dense]. With N = M without row and column 0, going backwards from the last
 * partial round the dense part is N, N^2, ...; so the sparse matrix n rounds before the end of the
 * partial rounds (n = 1 the last) has the column N^-n M[1..][0] and the row M[0][1..] N^(n-1), and
 * what is left for the round before all of them is M [1, N^partial]. M and N are symmetric. */
static void factor_matrices(struct poseidon_constants *k)
{
    const unsigned t = k->width;
    const fr_t *column = k->mds.at[0];
    struct poseidon_matrix inverse;
    fr_t product[T_MAX];

    invert(&inverse, &k->mds, 1, t);
    k->pre_sparse = k->mds;
    for (unsigned round = k->partial; round-- > 0;) {
        struct poseidon_sparse *sparse = &k->sparse[round];

        sparse->column[0] = k->mds.at[0][0];
        vector_times(sparse->column, column, &inverse, 1, t);
        column = sparse->column;
        memcpy(sparse->row, k->pre_sparse.at[0], sizeof sparse->row);
        for (unsigned i = 0; i < t; i++) { /* times [1, N] */
            vector_times(product, k->pre_sparse.at[i], &k->mds, 1, t);
            memcpy(k->pre_sparse.at[i] + 1, product + 1, (t - 1) * sizeof *product);
        }
    }
}

static void make_constants(struct poseidon_constants *k, unsigned arity, unsigned partial)
{
    fr_t round[POSEIDON_FULL_ROUNDS + POSEIDON_PARTIAL_MAX][T_MAX];
    struct grain grain;

    k->width = arity + 1;
    k->partial = partial;
    k->tag = fr_of_u64((1u << arity) - 1);
    grain_init(&grain, k->width, partial);
    for (unsigned i = 0; i < POSEIDON_FULL_ROUNDS + partial; i++)
        for (unsigned j = 0; j < k->width; j++)
            grain_element(&grain, &round[i][j]);
    make_mds(k);
    move_constants(k, round);
    factor_matrices(k);
}

/* ---- made once ------------------------------------------------------------------------------ */

static struct poseidon_constants table[POSEIDON_N_KINDS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    make_constants(&table[POSEIDON_2], 2, 55);
    make_constants(&table[POSEIDON_4], 4, 56);
    make_constants(&table[POSEIDON_8], 8, 57);
    make_constants(&table[POSEIDON_11], 11, 57);
    table[POSEIDON_GEN_RANDOMNESS] = table[POSEIDON_2];
    table[POSEIDON_GEN_RANDOMNESS].tag = fr_of_u64((uint64_t)1 << 40);
}

const struct poseidon_constants *poseidon_constants(enum poseidon_kind kind)
{
    pthread_once(&once, make_table);
    return &table[kind];
}
