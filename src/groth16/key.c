#include "groth16/key.h"

enum cuzk_status verifying_key_init(struct verifying_key *vk, const struct curve *curve,
                                    size_t n_inputs, struct budget *budget, struct cuzk_error *err)
{
    *vk = (struct verifying_key){.curve = curve, .n_inputs = n_inputs};
    return region_map(&vk->ic, budget, MEM_KEY, n_inputs * curve->g1_bytes, err);
}

void verifying_key_done(struct verifying_key *vk)
{
    region_unmap(&vk->ic);
    *vk = (struct verifying_key){0};
}

void proving_key_done(struct proving_key *key)
{
    verifying_key_done(&key->vk);
    file_unmap(&key->map);
    *key = (struct proving_key){0};
}

const char *key_query_name(enum key_query query)
{
    static const char *const names[KEY_N_QUERIES] = {"h", "l", "a", "b_g1", "b_g2"};

    return names[query];
}

struct bases_source key_query_outline(const struct qap *qap, enum h_basis basis,
                                      enum key_query query)
{
    const bool folded = basis == H_COSET_FOLDED;
    struct bases_source source = {
        .group = key_query_group(query), .n_inputs = qap->cs->n_inputs, .n_aux = qap->cs->n_aux};

    switch (query) {
    case QUERY_H:
        source.n_inputs = source.n_aux = 0;
        source.points.n = qap->n_domain - (basis == H_POWERS);
        break;
    case QUERY_L:
        source.input_map = folded ? qap->c_inputs : NULL;
        source.points.n = (folded ? qap->n_c_inputs : 0) + qap->cs->n_aux;
        break;
    case QUERY_A:
        source.input_map = qap->all_inputs;
        source.aux_map = qap->a_aux;
        source.points.n = qap->cs->n_inputs + qap->n_a_aux;
        break;
    default:
        source.input_map = qap->b_inputs;
        source.aux_map = qap->b_aux;
        source.points.n = qap->n_b_inputs + qap->n_b_aux;
    }
    return source;
}

const char *h_basis_name(enum h_basis basis)
{
    static const char *const names[] = {
        [H_POWERS] = "powers of tau",
        [H_ODD_COSET] = "values on the odd coset",
        [H_COSET] = "values on the coset",
        [H_COSET_FOLDED] = "values on the coset, C in L",
    };

    return names[basis];
}

static enum cuzk_status check_densities(const struct proving_key *key, const struct qap *qap,
                                        const char *name, struct cuzk_error *err)
{
    uint8_t found[32];

    TRY(qap_digest(qap, found, err));
    if (memcmp(found, key->circuit.densities, sizeof found) == 0)
        return CUZK_OK;
    return error_set(err, CUZK_BAD_INPUT,
                     "%s: a key of another circuit: of \"%s\", whose variables occur elsewhere",
                     name, key->circuit.name);
}

enum cuzk_status proving_key_matches(const struct proving_key *key, const struct qap *qap,
                                     struct cuzk_error *err)
{
    const char *name = key->map.path ? key->map.path : "key";

    if (key->vk.curve != qap->cs->curve)
        return error_set(err, CUZK_BAD_INPUT, "%s: a key of curve %s, the circuit is over %s", name,
                         key->vk.curve->name, qap->cs->curve->name);
    if (key->vk.n_inputs != qap->cs->n_inputs)
        return error_set(err, CUZK_BAD_INPUT,
                         "%s: a key of another circuit: ic has %zu points, expected %zu", name,
                         key->vk.n_inputs, (size_t)qap->cs->n_inputs);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        size_t expected = key_query_outline(qap, key->h_basis, q).points.n;

        if (key->query[q].n != expected)
            return error_set(err, CUZK_BAD_INPUT,
                             "%s: a key of another circuit: %s has %zu points, expected %zu", name,
                             key_query_name(q), key->query[q].n, expected);
    }
    return key->circuit.known ? check_densities(key, qap, name, err) : CUZK_OK;
}

struct bases_source proving_key_bases(const struct proving_key *key, const struct qap *qap,
                                      enum key_query query)
{
    struct bases_source source = key_query_outline(qap, key->h_basis, query);

    source.points = key->query[query];
    source.fetch = key->map.fetch;
    return source;
}
