#include "support/witness_digest.h"

#include "base/hash.h"
#include "support/testing.h"

void witness_aux_sha256(uint8_t out[32], const struct witness *w)
{
    enum { CHUNK = 4096 };
    static uint8_t bytes[CHUNK][32];
    struct hash *h = hash_new(HASH_SHA256);

    for (size_t i = 0; i < w->n_aux; i++) {
        uint64_t value[4];

        witness_value(value, w, 0, i);
        memcpy(bytes[i % CHUNK], value, 32); /* little-endian hosts only, as the tree is */
        if (i % CHUNK == CHUNK - 1 || i + 1 == w->n_aux)
            hash_update(h, bytes, (i % CHUNK + 1) * 32);
    }
    hash_final(h, out);
    hash_free(h);
}

void assert_witness_is(const struct witness *w, const struct json *partition)
{
    uint8_t expected[32], digest[32];

    json_get_hex(partition, "inputs_sha256", expected, 32);
    sha256(digest, w->inputs + 4, (w->n_inputs - 1) * 32);
    assert_memory_equal(digest, expected, 32);
    json_get_hex(partition, "aux_sha256", expected, 32);
    witness_aux_sha256(digest, w);
    assert_memory_equal(digest, expected, 32);
}

void assert_inputs_are(const struct witness *w, const void *inputs, size_t n)
{
    static const uint64_t one[4] = {1};

    assert_int_equal(w->n_inputs, n + 1);
    assert_memory_equal(w->inputs, one, sizeof one);
    assert_memory_equal(w->inputs + 4, inputs, n * 32);
}
