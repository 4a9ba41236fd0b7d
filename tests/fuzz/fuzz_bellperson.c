/* The same bytes as a .vk, a .params and a proof. What is read must be inside the bytes. */
#include "format/bellperson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_params(const uint8_t *data, size_t n)
{
    struct reader r = reader_over(data, n, "params");
    struct proving_key key;
    struct cuzk_error err;

    if (params_read(&key, &r, &curve_bls12_381, NULL, NULL, &err) != CUZK_OK)
        return;
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++) {
        const uint8_t *begin = key.query[q].data;
        size_t bytes = key.query[q].n * (key_query_group(q) == ELEMENT_G2 ? 192 : 96);

        if (begin < data || begin + bytes > data + n)
            __builtin_trap();
    }
    proving_key_done(&key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct reader r = reader_over(data, n, "vk");
    struct verifying_key vk;
    struct cuzk_error err;
    struct proof proof;
    uint8_t again[192];

    if (vk_read(&vk, &r, &curve_bls12_381, NULL, NULL, &err) == CUZK_OK)
        verifying_key_done(&vk);
    read_params(data, n);
    if (proof_decode(&proof, &curve_bls12_381, data, n, "proof", &err) == CUZK_OK) {
        proof_encode(again, &curve_bls12_381, &proof);
        if (memcmp(again, data, n) != 0)
            __builtin_trap();
    }
    return 0;
}
