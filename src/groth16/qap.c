#include "groth16/qap.h"

#include "base/hash.h"
#include "base/reader.h"

static size_t count_ones(const uint64_t *map, size_t n)
{
    size_t ones = 0;

    for (size_t w = 0; w < witness_map_words(n); w++)
        ones += (size_t)__builtin_popcountll(map[w]);
    return ones;
}

static void set_ones(uint64_t *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        map[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Three maps over the inputs, two over the aux. */
static size_t map_bytes(const struct r1cs *cs)
{
    return 8 * (3 * witness_map_words(cs->n_inputs) + 2 * witness_map_words(cs->n_aux));
}

size_t qap_bytes(const struct r1cs *cs)
{
    return region_bytes(map_bytes(cs));
}

enum cuzk_status qap_init(struct qap *qap, const struct r1cs *cs, struct budget *budget,
                          struct cuzk_error *err)
{
    size_t input_words = witness_map_words(cs->n_inputs), aux_words = witness_map_words(cs->n_aux);
    uint64_t *all_inputs, *b_inputs, *c_inputs, *a_aux, *b_aux;
    enum cuzk_status st;

    *qap = (struct qap){.cs = cs, .lg_domain = r1cs_lg_domain(cs)};
    if (qap->lg_domain > cs->curve->two_adicity)
        return error_set(
            err, CUZK_BAD_INPUT,
            "a circuit of %llu rows needs a domain of 2^%u, %s has one of 2^%u at most",
            (unsigned long long)cs->a.n_rows, qap->lg_domain, cs->curve->name,
            cs->curve->two_adicity);
    qap->n_domain = (size_t)1 << qap->lg_domain;
    TRY(region_map(&qap->region, budget, MEM_SHAPE, map_bytes(cs), err));

    all_inputs = (uint64_t *)(void *)qap->region.base;
    b_inputs = all_inputs + input_words;
    c_inputs = b_inputs + input_words;
    a_aux = c_inputs + input_words;
    b_aux = a_aux + aux_words;
    TRY_GOTO(st, fail, r1cs_density(cs, &cs->a, NULL, a_aux, NULL, err));
    TRY_GOTO(st, fail, r1cs_density(cs, &cs->b, b_inputs, b_aux, NULL, err));
    TRY_GOTO(st, fail, r1cs_density(cs, &cs->c, c_inputs, NULL, NULL, err));
    set_ones(all_inputs, cs->n_inputs);

    qap->all_inputs = all_inputs;
    qap->b_inputs = b_inputs;
    qap->c_inputs = c_inputs;
    qap->a_aux = a_aux;
    qap->b_aux = b_aux;
    qap->n_a_aux = count_ones(a_aux, cs->n_aux);
    qap->n_b_inputs = count_ones(b_inputs, cs->n_inputs);
    qap->n_b_aux = count_ones(b_aux, cs->n_aux);
    qap->n_c_inputs = count_ones(c_inputs, cs->n_inputs);
    return CUZK_OK;
fail:
    qap_done(qap);
    return st;
}

void qap_done(struct qap *qap)
{
    region_unmap(&qap->region);
    *qap = (struct qap){0};
}

/* Words as little-endian bytes, whatever the machine. */
static void hash_words(struct hash *h, const uint64_t *words, size_t n)
{
    uint8_t bytes[4096];
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        store_u64_le(bytes + used, words[i]);
        used += 8;
        if (used == sizeof bytes || i + 1 == n) {
            hash_update(h, bytes, used);
            used = 0;
        }
    }
}

enum cuzk_status qap_digest(const struct qap *qap, uint8_t out[32], struct cuzk_error *err)
{
    const size_t n_inputs = qap->cs->n_inputs, n_aux = qap->cs->n_aux;
    const uint64_t numbers[] = {qap->lg_domain, n_inputs, n_aux};
    struct hash *h = hash_new(HASH_SHA256);

    if (!h)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a digest");
    hash_words(h, numbers, 3);
    hash_words(h, qap->a_aux, witness_map_words(n_aux));
    hash_words(h, qap->b_inputs, witness_map_words(n_inputs));
    hash_words(h, qap->b_aux, witness_map_words(n_aux));
    hash_final(h, out);
    hash_free(h);
    return CUZK_OK;
}
