/* Parents of nodes, against the vectors and against another ChaCha. */
#include "base/hash.h"
#include "base/reader.h"
#include "filecoin/graph.h"
#include "support/json.h"
#include "support/testing.h"
#include "support/vectors.h"

static void test_chacha_block_with_20_rounds_is_libcryptos_stream(void **state)
{
    static const uint8_t nonce[12];
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int round = 0; round < 100; round++) {
        uint8_t key[32], expected[64], got[64];
        uint32_t counter = (uint32_t)rng_u64(&rng), words[16];

        rng_bytes(&rng, key, sizeof(key));
        chacha20_stream(expected, sizeof(expected), key, nonce, counter);
        chacha_block(words, key, counter, 20);
        for (int i = 0; i < 16; i++)
            store_u32_le(got + 4 * i, words[i]);
        assert_memory_equal(got, expected, sizeof(got));
    }
}

static void test_feistel_permutation_of_the_vectors(void **state)
{
    struct json *root = json_read(vector_path("filecoin/vanilla/graph.json"));
    const struct json *list = json_get(root, "feistel");

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *entry = json_at(list, i), *pairs = json_get(entry, "pairs");
        uint64_t n = json_get_u64(entry, "elements"), keys[3];

        for (size_t k = 0; k < 3; k++)
            keys[k] = json_u64(json_at(json_get(entry, "keys"), k));
        for (size_t p = 0; p < json_count(pairs); p++) {
            uint64_t x = json_u64(json_at(json_at(pairs, p), 0));

            assert_true(feistel_permute(x, n, keys) == json_u64(json_at(json_at(pairs, p), 1)));
        }
    }
    json_free(root);
}

static void test_feistel_is_a_permutation(void **state)
{
    static const uint64_t keys[3] = {1, 2, 3};
    static const uint64_t sizes[] = {4, 5, 64, 100, 512, 1000};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        uint8_t seen[1000] = {0};

        for (uint64_t x = 0; x < sizes[s]; x++) {
            uint64_t y = feistel_permute(x, sizes[s], keys);

            assert_true(y < sizes[s]);
            assert_int_equal(seen[y]++, 0);
        }
    }
}

static void assert_parents(const struct graph *graph, const struct json *nodes,
                           const struct json *expected)
{
    assert_int_equal(json_count(nodes), json_count(expected));
    for (size_t i = 0; i < json_count(nodes); i++) {
        const struct json *row = json_at(expected, i);
        uint32_t parents[N_PARENTS];

        graph_parents(graph, json_u64(json_at(nodes, i)), parents);
        assert_int_equal(json_count(row), N_PARENTS);
        for (size_t p = 0; p < N_PARENTS; p++)
            assert_int_equal(parents[p], json_u64(json_at(row, p)));
    }
}

static void test_parents_of_the_vectors_for_all_versions_and_sizes(void **state)
{
    static const enum api_version versions[] = {API_1_0_0, API_1_1_0, API_1_2_0};
    struct json *root = json_read(vector_path("filecoin/vanilla/graph.json"));
    const struct json *graphs = json_get(root, "graphs");

    (void)state;
    for (size_t g = 0; g < json_count(graphs); g++) {
        const struct json *entry = json_at(graphs, g), *sizes = json_get(entry, "sizes");
        uint8_t porep_id[32];

        json_get_hex(json_get(entry, "id"), "porep_id", porep_id, 32);
        for (size_t s = 0; s < json_count(sizes); s++)
            for (int v = 0; v < 3; v++) {
                const struct json *size = json_at(sizes, s);
                struct graph graph =
                    graph_make((unsigned)json_get_u64(size, "log2_nodes"), versions[v], porep_id);

                assert_parents(&graph, json_get(size, "nodes"),
                               json_get(json_get(size, "parents"), api_version_name(versions[v])));
            }
    }
    json_free(root);
}

/* Ten proofs of a real 32 GiB sector: the public inputs hold 180 challenges with their parents.
 * Layout: u64 and u32s of 16 bytes, a verifying key, then per proof 192 bytes and 327 inputs, BE.
 */
static void test_parents_in_the_inputs_of_mainnet_proofs(void **state)
{
    enum { CHALLENGES = 18, INPUTS = 3 + 18 * CHALLENGES, HEAD = 16 + 32356 };
    static const uint8_t porep_id[32] = {3};
    const struct graph graph = graph_make(30, API_1_0_0, porep_id);
    const char *path = test_data_path("vectors/mainnet-v27/seal32_x10.prf");
    size_t bytes;
    uint8_t *file;

    (void)state;
    if (!path)
        skip();
    file = vector_read(path, &bytes);
    assert_int_equal(bytes, HEAD + 10 * (192 + 32 * INPUTS));
    for (size_t i = 0; i < 10; i++)
        for (size_t c = 0; c < CHALLENGES; c++) {
            const uint8_t *inputs = file + HEAD + i * (192 + 32 * INPUTS) + 192 + 32 * (3 + 18 * c);
            uint32_t parents[N_PARENTS];

            graph_parents(&graph, load_u64_be(inputs + 24), parents);
            for (size_t p = 0; p < N_PARENTS; p++)
                assert_int_equal(parents[p], load_u64_be(inputs + 32 * (p + 1) + 24));
        }
    vector_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chacha_block_with_20_rounds_is_libcryptos_stream),
        cmocka_unit_test(test_feistel_permutation_of_the_vectors),
        cmocka_unit_test(test_feistel_is_a_permutation),
        cmocka_unit_test(test_parents_of_the_vectors_for_all_versions_and_sizes),
        cmocka_unit_test(test_parents_in_the_inputs_of_mainnet_proofs),
    };

    return cmocka_run_group_tests_name("filecoin graph", tests, NULL, NULL);
}
