#include "groth16/resident.h"

static struct bases_source query_to_come(const struct qap *qap, enum h_basis basis,
                                         enum key_query query)
{
    struct bases_source source = key_query_outline(qap, basis, query);

    source.to_come = true;
    return source;
}

size_t resident_key_bytes(const struct backend *backend, const struct qap *qap, enum h_basis basis)
{
    size_t bytes = 0;

    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const struct bases_source source = query_to_come(qap, basis, q);

        bytes += backend->bases_bytes(qap->cs->curve, &source);
    }
    return bytes;
}

enum cuzk_status resident_key_init(struct resident_key *ret, const struct backend *backend,
                                   struct device *device, const struct qap *qap, enum h_basis basis,
                                   uint64_t domain_generator, struct cuzk_error *err)
{
    *ret = (struct resident_key){
        .backend = backend, .h_basis = basis, .domain_generator = domain_generator};
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const struct bases_source source = query_to_come(qap, basis, q);
        enum cuzk_status st = backend->bases_new(device, &source, &ret->bases[q], err);

        if (st != CUZK_OK) {
            resident_key_done(ret);
            return st;
        }
    }
    return CUZK_OK;
}

void resident_key_done(struct resident_key *key)
{
    if (!key->backend)
        return;
    verifying_key_done(&key->vk);
    for (int q = KEY_N_QUERIES - 1; q >= 0; q--)
        key->backend->bases_free(key->bases[q]);
    *key = (struct resident_key){0};
}
