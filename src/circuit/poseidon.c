#include "circuit/poseidon.h"

#include <assert.h>
#include <pthread.h>

#include "backend/host.h"
#include "circuit/poseidon_constants.h"
#include "ntt/scalar_kernels.h"

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

/* ---- rounds: the constants as kernels take them ---------------------------------------------- */

static fr_t *put(fr_t *at, const fr_t *elements, unsigned n)
{
    memcpy(at, elements, n * sizeof *at);
    return at + n;
}

static fr_t *put_matrix(fr_t *at, const struct poseidon_matrix *m, unsigned width)
{
    for (unsigned j = 0; j < width; j++)
        for (unsigned i = 0; i < width; i++)
            *at++ = m->at[i][j];
    return at;
}

/* elements: POSEIDON_ELEMENTS_MAX of room. */
static struct poseidon_rounds make_rounds(fr_t *elements, const struct poseidon_constants *k)
{
    enum { HALF = POSEIDON_FULL_ROUNDS / 2 };
    static const fr_t nothing[POSEIDON_WIDTH_MAX]; /* what the last s-boxes add */
    const unsigned t = k->width;
    const fr_t *add = k->added + t;
    fr_t *at = put(elements, &k->tag, 1);

    at = put(at, k->added, t);
    for (unsigned round = 0; round < HALF; round++, add += t) {
        at = put(at, add, t);
        at = put_matrix(at, round == POSEIDON_PRE_SPARSE ? &k->pre_sparse : &k->mds, t);
    }
    for (unsigned round = 0; round < k->partial; round++) {
        at = put(at, add++, 1);
        at = put(at, k->sparse[round].column, t);
        at = put(at, k->sparse[round].row + 1, t - 1);
    }
    for (unsigned round = 0; round < HALF; round++, add += t) {
        at = put(at, round == HALF - 1 ? nothing : add, t);
        at = put_matrix(at, &k->mds, t);
    }
    return (struct poseidon_rounds){
        .width = t, .half = HALF, .partial = k->partial, .elements = elements};
}

/* ---- tables of the host's kernel, made once -------------------------------------------------- */

enum { TABLE_BYTES = 64 + 48 * POSEIDON_ELEMENTS_MAX };

static struct {
    const struct scalar_kernels *fr;
    _Alignas(64) unsigned char table[POSEIDON_N_KINDS][(TABLE_BYTES + 63) / 64 * 64];
    fr_t elements[POSEIDON_ELEMENTS_MAX];
} host;

static void make_tables(void)
{
    host.fr = host_curve(&curve_bls12_381)->fr;
    for (int kind = 0; kind < POSEIDON_N_KINDS; kind++) {
        const struct poseidon_rounds rounds =
            make_rounds(host.elements, poseidon_constants((enum poseidon_kind)kind));

        assert(host.fr->poseidon_table_bytes(&rounds) <= sizeof host.table[kind]);
        host.fr->poseidon_table_init(host.table[kind], &rounds);
    }
}

static void hash(enum poseidon_kind kind, fr_t *out, const fr_t *preimages, void *const *traces,
                 size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_tables);
    host.fr->poseidon(out, host.table[kind], preimages, traces, n);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

void poseidon_hash(enum poseidon_kind kind, fr_t *out, const fr_t *preimages, size_t n)
{
    hash(kind, out, preimages, NULL, n);
}

void poseidon_hash_plain(enum poseidon_kind kind, struct scalar *out,
                         const struct scalar *preimages, size_t n)
{
    enum { CHUNK = 64 };
    const unsigned arity = poseidon_arity(kind);
    fr_t elements[CHUNK * (POSEIDON_WIDTH_MAX - 1)], hashes[CHUNK];

    for (size_t m; n > 0; n -= m, preimages += m * arity) {
        m = n < CHUNK ? n : CHUNK;
        for (size_t i = 0; i < m * arity; i++)
            elements[i] = fr_of_scalar(&preimages[i]);
        hash(kind, hashes, elements, NULL, m);
        for (size_t i = 0; i < m; i++)
            *out++ = fr_to_scalar(&hashes[i]);
    }
}

unsigned poseidon_trace_n(enum poseidon_kind kind)
{
    const struct poseidon_constants *k = poseidon_constants(kind);
    const struct poseidon_rounds rounds = {
        .width = k->width, .half = POSEIDON_FULL_ROUNDS / 2, .partial = k->partial};

    return (unsigned)poseidon_rounds_trace(&rounds);
}

void poseidon_trace(enum poseidon_kind kind, fr_t *out, void *const *traces, const fr_t *preimages,
                    size_t n)
{
    hash(kind, out, preimages, traces, n);
}
