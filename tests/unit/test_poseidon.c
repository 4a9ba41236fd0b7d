/* Poseidon and TreeD nodes over values, and the constants of Poseidon. */
#include "support/testing.h"

#include "base/hash.h"
#include "base/hex.h"
#include "circuit/poseidon_constants.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/tree_node.h"
#include "support/json.h"
#include "support/vectors.h"

static void feed(struct hash *h, const fr_t *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        fr_to_bytes(bytes, &a[i]);
        hash_update(h, bytes, sizeof bytes);
    }
}

static void expect_fingerprint(struct hash *h, const char *hex)
{
    uint8_t digest[32], expected[32];
    const size_t n = strlen(hex) / 2;

    hash_final(h, digest);
    assert_true(hex_decode(expected, n, hex));
    assert_memory_equal(digest, expected, n);
}

/* SHA-256 of neptune 11's constants, each 32 bytes little-endian, row by row. */
static void test_poseidon_constants_have_their_fingerprints(void **state)
{
    static const struct {
        enum poseidon_kind kind;
        const char *added, *mds, *pre_sparse, *sparse;
    } known[] = {
        {POSEIDON_2, "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
         "b55e71db69c416c830c28ca9871f933b", "13d6e8e5ba45b0d2096617d055499f36",
         "a2fe507a83bddb8d57e5a00e7e58e798"},
        {POSEIDON_4, "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
         "42a9ccbf22e42dc598fbe106f6b5019b", "aee67dfb1ae8c43eca89f5742a745c63",
         "f1c3c3a9fe9ea4a3c38c91971e5f379d"},
        {POSEIDON_8, "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
         "82d366586a4b49ae74f4c5bbc94bbed0", "dcfbdaea3eb7e347664c8f881c5443b1",
         "3f823785875d8cc161c963d2a62d103a"},
        {POSEIDON_11, "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
         "7ef350e5db367cae7828071ca354fefd", "f2a7353f0ce5ad724a7a58bf2db0e37f",
         "810a4d7f126f6e5fb3eb1980b57c70f9"},
    };
    struct hash *h = hash_new(HASH_SHA256);

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct poseidon_constants *k = poseidon_constants(known[i].kind);
        const unsigned t = k->width;

        assert_int_equal(k->n_added, 8 * t + k->partial);
        feed(h, k->added, k->n_added);
        expect_fingerprint(h, known[i].added);
        for (unsigned row = 0; row < t; row++)
            feed(h, k->mds.at[row], t);
        expect_fingerprint(h, known[i].mds);
        for (unsigned row = 0; row < t; row++)
            feed(h, k->pre_sparse.at[row], t);
        expect_fingerprint(h, known[i].pre_sparse);
        for (unsigned round = 0; round < k->partial; round++) {
            feed(h, k->sparse[round].column, t);
            feed(h, k->sparse[round].row + 1, t - 1);
        }
        expect_fingerprint(h, known[i].sparse);
    }
    hash_free(h);
}

static void check_hash(enum poseidon_kind kind, const struct json *entry)
{
    const struct json *values = json_get(entry, "preimage_le");
    struct scalar plain[11], plain_hash;
    uint8_t expected[32], bytes[32];
    struct scalar trace[POSEIDON_TRACE_MAX];
    void *const traces[1] = {trace};
    fr_t preimage[11], hash;

    assert_int_equal(json_count(values), poseidon_arity(kind));
    for (size_t i = 0; i < json_count(values); i++) {
        json_hex(json_at(values, i), bytes, sizeof bytes);
        preimage[i] = fr_of_bytes(bytes);
        plain[i] = fr_to_scalar(&preimage[i]);
    }
    json_get_hex(entry, "hash_le", expected, sizeof expected);

    poseidon_hash(kind, &hash, preimage, 1);
    fr_to_bytes(bytes, &hash);
    assert_memory_equal(bytes, expected, sizeof bytes);

    poseidon_hash_plain(kind, &plain_hash, plain, 1);
    assert_memory_equal(plain_hash.w, expected, sizeof expected);

    poseidon_trace(kind, &hash, traces, preimage, 1);
    fr_to_bytes(bytes, &hash);
    assert_memory_equal(bytes, expected, sizeof bytes);
    assert_memory_equal(&trace[poseidon_trace_n(kind) - 1], expected, sizeof expected);

    poseidon_hash(kind, &preimage[0], preimage, 1); /* in place */
    assert_true(fr_eq(&preimage[0], &hash));
}

static void test_poseidon_hashes_equal_upstream(void **state)
{
    static const char *names[POSEIDON_N_KINDS] = {"2", "4", "8", "11", "gen-randomness"};
    struct json *root = json_read(vector_path("filecoin/vanilla/hashes.json"));

    (void)state;
    for (int kind = 0; kind < POSEIDON_N_KINDS; kind++) {
        const struct json *list = json_get(json_get(root, "poseidon"), names[kind]);

        assert_true(json_count(list) > 0);
        for (size_t i = 0; i < json_count(list); i++)
            check_hash((enum poseidon_kind)kind, json_at(list, i));
    }
    json_free(root);
}

static void test_poseidon_trace_has_one_value_a_constraint(void **state)
{
    (void)state;
    assert_int_equal(poseidon_trace_n(POSEIDON_2), 311);
    assert_int_equal(poseidon_trace_n(POSEIDON_4), 377);
    assert_int_equal(poseidon_trace_n(POSEIDON_8), 505);
    assert_int_equal(poseidon_trace_n(POSEIDON_11), POSEIDON_TRACE_MAX);
}

static void test_treed_nodes_equal_upstream(void **state)
{
    struct json *root = json_read(vector_path("filecoin/vanilla/hashes.json"));
    const struct json *list = json_get(root, "treed_node");

    (void)state;
    assert_true(json_count(list) > 0);
    for (size_t i = 0; i < json_count(list); i++) {
        uint8_t l[32], r[32], expected[32], node[32];

        json_get_hex(json_at(list, i), "l", l, sizeof l);
        json_get_hex(json_at(list, i), "r", r, sizeof r);
        json_get_hex(json_at(list, i), "node", expected, sizeof expected);
        sha256_node(node, l, r);
        assert_memory_equal(node, expected, sizeof node);
        sha256_node(l, l, r); /* in place */
        assert_memory_equal(l, expected, sizeof l);
    }
    json_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poseidon_constants_have_their_fingerprints),
        cmocka_unit_test(test_poseidon_hashes_equal_upstream),
        cmocka_unit_test(test_poseidon_trace_has_one_value_a_constraint),
        cmocka_unit_test(test_treed_nodes_equal_upstream),
    };

    return cmocka_run_group_tests_name("poseidon", tests, NULL, NULL);
}
