/* Replica ids, challenges, labels, public inputs: the public side of seal proofs. */
#include "base/hash.h"
#include "base/reader.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"
#include "filecoin/seal.h"
#include "support/json.h"
#include "support/testing.h"
#include "support/vectors.h"

static struct scalar get_scalar(const struct json *object, const char *key)
{
    uint8_t bytes[32];

    json_get_hex(object, key, bytes, 32);
    return scalar_from_bytes(bytes);
}

static void assert_scalar_equal(struct scalar a, struct scalar b)
{
    assert_memory_equal(&a, &b, sizeof(a));
}

static void test_replica_ids_of_the_vectors(void **state)
{
    struct json *list = json_read(vector_path("filecoin/vanilla/replica_id.json"));

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i);
        struct scalar comm_d = get_scalar(row, "comm_d");
        uint8_t prover_id[32], ticket[32], porep_id[32];

        json_get_hex(row, "prover_id", prover_id, 32);
        json_get_hex(row, "ticket", ticket, 32);
        json_get_hex(row, "porep_id", porep_id, 32);
        assert_scalar_equal(
            replica_id_make(prover_id, json_get_u64(row, "sector_id"), ticket, &comm_d, porep_id),
            get_scalar(row, "replica_id"));
    }
    json_free(list);
}

static void test_prover_id_is_the_leb128_of_the_miner(void **state)
{
    static const uint8_t of_1000[32] = {0xe8, 0x07}, of_127[32] = {0x7f}, of_128[32] = {0x80, 1};
    static const uint8_t of_largest[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    uint8_t id[32];

    (void)state;
    prover_id_of_miner(id, 1000);
    assert_memory_equal(id, of_1000, 32);
    prover_id_of_miner(id, 127);
    assert_memory_equal(id, of_127, 32);
    prover_id_of_miner(id, 128);
    assert_memory_equal(id, of_128, 32);
    prover_id_of_miner(id, UINT64_MAX);
    assert_memory_equal(id, of_largest, 32);
}

/* ---- challenges ------------------------------------------------------------------------------ */

static void assert_sequence(const struct challenges *c, unsigned n, const struct json *list)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *part = json_at(list, i), *numbers = json_get(part, "challenges");
        unsigned k = (unsigned)json_get_u64(part, "k");

        assert_int_equal(json_count(numbers), n);
        for (unsigned j = 0; j < n; j++)
            assert_int_equal(challenge_number(c, k * n + j), json_u64(json_at(numbers, j)));
    }
}

static void assert_synthetic_set(const struct challenges *c, const struct json *set)
{
    uint64_t n = synthetic_set_size(c);
    const struct json *first = json_get(set, "first"), *last = json_get(set, "last");
    struct hash *h = hash_new(HASH_SHA256);
    uint8_t expected[32], digest[32];

    assert_int_equal(n, json_get_u64(set, "count"));
    for (uint64_t x = 0; x < n; x++) {
        uint64_t number = synthetic_set_number(c, x);
        uint8_t word[8];

        if (x < json_count(first))
            assert_int_equal(number, json_u64(json_at(first, x)));
        if (x >= n - json_count(last))
            assert_int_equal(number, json_u64(json_at(last, x - (n - json_count(last)))));
        store_u64_le(word, number);
        hash_update(h, word, 8);
    }
    hash_final(h, digest);
    hash_free(h);
    json_get_hex(set, "sha256_of_u64_le", expected, 32);
    assert_memory_equal(digest, expected, 32);
}

static void test_challenges_of_the_vectors(void **state)
{
    struct json *list = json_read(vector_path("filecoin/vanilla/porep_challenges.json"));

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i), *places;
        unsigned n = (unsigned)json_get_u64(row, "challenges_per_partition");
        struct porep_config config = {
            .shape = {.tree = {.lg_nodes = (unsigned)json_get_u64(row, "log2_nodes")},
                      .challenges = n}};
        struct seal seal = {.replica_id = get_scalar(row, "replica_id"),
                            .comm_r = get_scalar(row, "comm_r")};
        struct challenges c;

        json_get_hex(row, "seed", seal.seed, 32);
        config.challenges = CHALLENGES_INTERACTIVE;
        c = challenges_of(&config, &seal);
        assert_sequence(&c, n, json_get(row, "interactive"));
        config.challenges = CHALLENGES_NON_INTERACTIVE;
        c = challenges_of(&config, &seal);
        assert_sequence(&c, n, json_get(row, "non_interactive"));
        config.challenges = CHALLENGES_SYNTHETIC;
        c = challenges_of(&config, &seal);
        assert_sequence(&c, n, json_get(row, "synthetic"));
        assert_synthetic_set(&c, json_get(row, "synthetic_set"));
        places = json_get(row, "synthetic_indexes");
        for (size_t p = 0; p < json_count(places); p++)
            for (unsigned j = 0; j < n; j++) {
                const struct json *part = json_at(places, p);
                unsigned k = (unsigned)json_get_u64(part, "k");

                assert_int_equal(synthetic_place(&c, k * n + j),
                                 json_u64(json_at(json_get(part, "indexes"), j)));
            }
    }
    json_free(list);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static void test_labels_of_the_vectors(void **state)
{
    struct json *list = json_read(vector_path("filecoin/vanilla/labels.json"));

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i), *hex = json_get(row, "parents");
        struct scalar replica_id = get_scalar(row, "replica_id"), parents[N_PARENTS];
        size_t n = json_count(hex);

        assert_true(n <= N_PARENTS);
        for (size_t p = 0; p < n; p++) {
            uint8_t bytes[32];

            json_hex(json_at(hex, p), bytes, 32);
            parents[p] = scalar_from_bytes(bytes);
        }
        assert_scalar_equal(label_make(&replica_id, (uint32_t)json_get_u64(row, "layer"),
                                       json_get_u64(row, "node"), parents, (unsigned)n),
                            get_scalar(row, "label"));
    }
    json_free(list);
}

/* Both layers of a whole sector, every node, from nothing but its ids. */
static void assert_sector_labels(const char *name, enum api_version version)
{
    enum { NODES = 64, LAYERS = 2 };
    struct json *meta = json_read(vector_path("filecoin/vanilla/%s/meta.json", name));
    struct scalar comm_d = get_scalar(meta, "comm_d"), replica_id, labels[LAYERS][NODES];
    uint8_t porep_id[32], prover_id[32], ticket[32];
    struct graph graph;

    json_get_hex(meta, "porep_id", porep_id, 32);
    json_get_hex(meta, "prover_id", prover_id, 32);
    json_get_hex(meta, "ticket", ticket, 32);
    replica_id =
        replica_id_make(prover_id, json_get_u64(meta, "sector_id"), ticket, &comm_d, porep_id);
    graph = graph_make(6, version, porep_id);
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        size_t bytes;
        uint8_t *expected = vector_read(
            vector_path("filecoin/vanilla/%s/sc-02-data-layer-%u.dat", name, layer + 1), &bytes);

        assert_int_equal(bytes, 32 * NODES);
        for (uint64_t node = 0; node < NODES; node++) {
            struct scalar values[N_PARENTS];
            uint32_t parents[N_PARENTS];
            unsigned n = node == 0 ? 0 : layer == 0 ? DRG_PARENTS : N_PARENTS;

            graph_parents(&graph, node, parents);
            for (unsigned p = 0; p < n; p++)
                values[p] = labels[p < DRG_PARENTS ? layer : layer - 1][parents[p]];
            labels[layer][node] = label_make(&replica_id, layer + 1, node, values, n);
            assert_scalar_equal(labels[layer][node], scalar_from_bytes(expected + 32 * node));
        }
        vector_free(expected);
    }
    json_free(meta);
}

static void test_labels_of_whole_sectors(void **state)
{
    (void)state;
    assert_sector_labels("sector-2k-v1_0", API_1_0_0);
    assert_sector_labels("sector-2k-v1_1", API_1_1_0);
}

/* ---- public inputs --------------------------------------------------------------------------- */

static void test_public_inputs_of_all_registered_proofs(void **state)
{
    struct json *list = json_read(vector_path("filecoin/seal-inputs/seal_inputs.json"));

    (void)state;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i);
        struct seal seal = {.comm_d = get_scalar(row, "comm_d"),
                            .comm_r = get_scalar(row, "comm_r")};
        struct hash *h = hash_new(HASH_SHA256);
        struct scalar inputs[3 + POREP_CHALLENGE_INPUTS * 18];
        uint8_t prover_id[32], expected[32], digest[32];
        struct porep_config config;
        struct graph graph;

        porep_config_of(&config, seal_proof_of_number(i));
        json_get_hex(row, "prover_id", prover_id, 32);
        json_get_hex(row, "ticket", seal.ticket, 32);
        json_get_hex(row, "seed", seal.seed, 32);
        seal.replica_id = replica_id_make(prover_id, json_get_u64(row, "sector_id"), seal.ticket,
                                          &seal.comm_d, config.porep_id);
        assert_scalar_equal(seal.replica_id, get_scalar(row, "replica_id"));
        graph = graph_make(config.shape.tree.lg_nodes, config.version, config.porep_id);
        for (unsigned k = 0; k < config.partitions; k++) {
            size_t n = porep_n_inputs(&config.shape);

            porep_public_inputs(inputs, &config, &graph, &seal, k);
            for (size_t j = 0; j < n; j++) {
                uint8_t bytes[32];

                scalar_to_bytes(bytes, &inputs[j]);
                hash_update(h, bytes, 32);
            }
        }
        hash_final(h, digest);
        hash_free(h);
        json_get_hex(row, "sha256_of_all_inputs", expected, 32);
        assert_memory_equal(digest, expected, 32);
    }
    json_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replica_ids_of_the_vectors),
        cmocka_unit_test(test_prover_id_is_the_leb128_of_the_miner),
        cmocka_unit_test(test_challenges_of_the_vectors),
        cmocka_unit_test(test_labels_of_the_vectors),
        cmocka_unit_test(test_labels_of_whole_sectors),
        cmocka_unit_test(test_public_inputs_of_all_registered_proofs),
    };

    return cmocka_run_group_tests_name("filecoin seal", tests, NULL, NULL);
}
