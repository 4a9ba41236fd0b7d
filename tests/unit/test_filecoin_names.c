/* Sector sizes, circuit names, official file names, registered proofs. */
#include "base/hash.h"
#include "base/hex.h"
#include "filecoin/circuit_name.h"
#include "filecoin/seal_proof.h"
#include "support/json.h"
#include "support/testing.h"
#include "support/vectors.h"

static void test_tree_levels_reach_all_nodes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
        const struct tree_shape *tree = &sector_sizes[i].porep.tree;
        unsigned bits = 0;

        for (unsigned level = 0; level < tree_levels(tree); level++)
            bits += tree_level_bits(tree, level);
        assert_int_equal(bits, tree->lg_nodes);
        assert_true(sector_sizes[i].bytes == UINT64_C(32) << tree->lg_nodes);
    }
}

static void test_challenges_of_all_partitions_reach_the_minimum(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_SECTOR_SIZES; i++) {
        const struct sector_size *s = &sector_sizes[i];

        assert_true(s->porep_partitions * s->porep.challenges >= s->porep_min_challenges);
        assert_true(s->ni_partitions * s->porep.challenges >= s->ni_min_challenges);
        assert_true((s->ni_partitions - 1) * s->porep.challenges < s->ni_min_challenges);
    }
}

/* sha256(identifier), docs/filecoin.md, 2.4. */
static const struct {
    const char *size, *porep, *winning, *window, *update;
} official[] = {
    {"2KiB", "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
     "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
     "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
     "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"},
    {"4KiB", "71fadf776fff80d5977d027cdf5b4af941c75de6aafee6530ff15997f7173b9b",
     "1b919095872c3abb6e84fb6060425159f5ddd55c982df1853100e66919c70d34",
     "cc42931263e38853659466f248a6d623b702bf9ec49f687b2a931cef727c1069",
     "86f9265ed999ecebd51ecb470f0ad59033c2f67efc0179811f60a8561bbf2fb7"},
    {"16KiB", "5d6414be6742cfc2d41b04c9f12eacd8f78775cf01c1f5cdcf5b370808fe5b74",
     "fb97aa10509b0b9a3663c412f4362c4899d88bc4fcd680ab5898a4b5c594c9ca",
     "457fef4290dae6633b426166ae92f2e7732fe528b75fec3226dc479ce7c95662",
     "6c63c2c7caaffe0f5b745c60dfe539d35860b620686b52e138fb373ed5b68004"},
    {"32KiB", "2a21b24b412f71b8441648d2cd849229afd278d96964baf1a0f2712f4afbadfd",
     "46ced5cb1fda8c92490b22b2af7bd1adedace49a0a40539f96bea1082b740ebc",
     "0f2270b825bd80be1b341ad648b96c9cbf744a38c50921dc734e4a251a48447b",
     "ac7ca4f57f12169edc7e40c5d842c15dc47662228f2c245c97d1ca4dffca0bdd"},
    {"8MiB", "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb",
     "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331",
     "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9",
     "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63"},
    {"16MiB", "86c715b389cbfdcb1c84b73e4bf276474652288a6aefcaa9f9600c21b0cff44e",
     "6f17428086c4e8ebe4fe3cb08be628669bf3e16652c22a78e1fa53e9e83feaf4",
     "8feba84565cc48dcdb48c9b2957754a8b91e1bfa1fc1348791d1a3fda9b5ea09",
     "05c0e7da0d0341a1e5cb5ed6f34be85cc401bb05d23c10b207bae063b4aab9e3"},
    {"512MiB", "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472",
     "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781",
     "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9",
     "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c"},
    {"1GiB", "002b03e3cbccd5d23c5f673a39ec4127ae31a1820be2faa32f72fdc75cf262c2",
     "bbd6dae94a7b8b69d4d020e0562f8640033a09b4a500ad3ab68f696fcf521519",
     "f3aab9038a63efce6e3dc362dc6a7f7a01f078100441320740f23d626e3dd4cb",
     "832e93a0f037b14a19f56dc8b0147d95881d7135a0c8c7d6b49d7a6497ff851b"},
    {"32GiB", "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
     "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e",
     "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
     "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18"},
    {"64GiB", "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2",
     "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c",
     "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def",
     "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"},
};

static void assert_file_name(const char *circuit, const char *size, const char *prefix,
                             const char *hash)
{
    char text[64], name[CIRCUIT_TEXT_MAX], expected[CIRCUIT_TEXT_MAX];
    struct circuit_name c;
    struct cuzk_error err;
    const struct tree_shape *tree;

    snprintf(text, sizeof(text), "%s-%s", circuit, size);
    assert_int_equal(circuit_name_parse(&c, text, &err), CUZK_OK);
    circuit_name_print(name, c);
    assert_string_equal(name, text);
    tree = &c.size->porep.tree;
    snprintf(expected, sizeof(expected), "v28-%s-merkletree-poseidon_hasher-8-%d-%d%s-%s.params",
             prefix, tree->sub_bits ? 1 << tree->sub_bits : 0,
             tree->top_bits ? 1 << tree->top_bits : 0,
             strcmp(circuit, "porep") == 0 ? "-sha256_hasher" : "", hash);
    circuit_file_name(name, c, ".params");
    assert_string_equal(name, expected);
}

static void test_official_file_names_of_all_circuits(void **state)
{
    (void)state;
    assert_int_equal(sizeof(official) / sizeof(official[0]), N_SECTOR_SIZES);
    for (size_t i = 0; i < N_SECTOR_SIZES; i++) {
        const char *size = official[i].size;

        assert_file_name("porep", size, "stacked-proof-of-replication", official[i].porep);
        assert_file_name("winning", size, "proof-of-spacetime-fallback", official[i].winning);
        assert_file_name("window", size, "proof-of-spacetime-fallback", official[i].window);
        assert_file_name("update", size, "empty-sector-update", official[i].update);
    }
}

static void test_file_name_of_the_eleven_layer_test_shape(void **state)
{
    struct json *meta = json_read(vector_path("filecoin/porep11-16k/meta.json"));
    struct porep_shape shape = sector_size_of_name("16KiB")->porep;
    char name[CIRCUIT_TEXT_MAX], expected[CIRCUIT_TEXT_MAX];

    (void)state;
    shape.layers = 11;
    shape.challenges = (unsigned)json_get_u64(meta, "challenges_per_partition");
    porep_file_name(name, &shape, "");
    snprintf(expected, sizeof(expected), "v28-%s", json_get_text(meta, "cache_identifier"));
    assert_string_equal(name, expected);
    json_free(meta);
}

static void test_aliases_name_the_same_circuit_in_any_case(void **state)
{
    static const char *const pairs[][2] = {
        {"porep-32g", "porep-32GiB"},   {"PoRep-2K", "porep-2KiB"},
        {"snap-32g", "update-32GiB"},   {"update-32g", "update-32GiB"},
        {"wpost-32g", "window-32GiB"},  {"winning-32G", "winning-32GiB"},
        {"SNAP-64GIB", "update-64GiB"}, {"window-512m", "window-512MiB"},
        {"porep-1g", "porep-1GiB"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct circuit_name c;
        char name[CIRCUIT_TEXT_MAX];

        assert_int_equal(circuit_name_parse(&c, pairs[i][0], NULL), CUZK_OK);
        circuit_name_print(name, c);
        assert_string_equal(name, pairs[i][1]);
    }
}

static void test_other_names_are_refused_with_one_line(void **state)
{
    static const char *const names[] = {"",
                                        "porep",
                                        "porep-",
                                        "porep-3KiB",
                                        "poreps-2k",
                                        "pore-2k",
                                        "porep-2",
                                        "-2k",
                                        "porep-2kib ",
                                        "porep-1k",
                                        "update-poseidon-32g",
                                        "porep--2k",
                                        "snapdeals-2k"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct circuit_name c = {.size = NULL};
        struct cuzk_error err = {CUZK_OK, ""};

        assert_int_equal(circuit_name_parse(&c, names[i], &err), CUZK_USAGE);
        assert_null(c.size);
        assert_non_null(strstr(err.message, "expected porep-"));
    }
}

static void test_registered_proofs_are_as_the_api_lists_them(void **state)
{
    struct json *list = json_read(vector_path("filecoin/seal-inputs/seal_inputs.json"));

    (void)state;
    assert_int_equal(json_count(list), N_SEAL_PROOFS);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i);
        const struct seal_proof *proof = seal_proof_of_number(json_get_u64(row, "proof_id"));
        struct porep_config config;
        char porep_id[65];

        assert_non_null(proof);
        assert_int_equal(proof->number, json_get_u64(row, "proof_id"));
        assert_string_equal(proof->name, json_get_text(row, "registered_proof"));
        assert_ptr_equal(seal_proof_of_name(proof->name), proof);
        assert_true(proof->size->bytes == json_get_u64(row, "sector_size"));
        porep_config_of(&config, proof);
        assert_string_equal(api_version_name(config.version), json_get_text(row, "api_version"));
        assert_int_equal(config.partitions, json_get_u64(row, "partitions"));
        assert_int_equal(3 + 18 * config.shape.challenges,
                         json_get_u64(row, "inputs_per_partition"));
        hex_encode(porep_id, config.porep_id, 32);
        assert_string_equal(porep_id, json_get_text(row, "porep_id"));
        assert_int_equal(strncmp(proof->variant_name, proof->name, strlen(proof->variant_name)), 0);
    }
    assert_null(seal_proof_of_number(20));
    assert_null(seal_proof_of_number(UINT64_MAX));
    assert_null(seal_proof_of_name("StackedDrg4KiBV1"));
    json_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_levels_reach_all_nodes),
        cmocka_unit_test(test_challenges_of_all_partitions_reach_the_minimum),
        cmocka_unit_test(test_official_file_names_of_all_circuits),
        cmocka_unit_test(test_file_name_of_the_eleven_layer_test_shape),
        cmocka_unit_test(test_aliases_name_the_same_circuit_in_any_case),
        cmocka_unit_test(test_other_names_are_refused_with_one_line),
        cmocka_unit_test(test_registered_proofs_are_as_the_api_lists_them),
    };

    return cmocka_run_group_tests_name("filecoin names", tests, NULL, NULL);
}
