/* Every small recorded system of the reference vectors, loaded through the recorder, has the
 * digests, densities and counts that the upstream code gave. */
#include "support/testing.h"

#include "filecoin/porep_circuit.h"
#include "r1cs/r1cs.h"
#include "support/json.h"
#include "support/rows_file.h"
#include "support/shape_row.h"
#include "support/vectors.h"

static void check_system(const char *rows_path, const struct json *circuit)
{
    struct r1cs cs;

    rows_file_load(&cs, rows_path, &curve_bls12_381, NULL);
    assert_r1cs_is_listed(&cs, circuit);
    r1cs_done(&cs);
}

static void test_tiny_systems_have_their_digests(void **state)
{
    struct json *index = json_read(vector_path("filecoin/tiny/index.json"));

    (void)state;
    assert_true(json_count(index) >= 18);
    for (size_t i = 0; i < json_count(index); i++) {
        const char *set = json_get_text(json_at(index, i), "set");
        struct json *meta = json_read(vector_path("filecoin/%s/meta.json", set));

        check_system(vector_path("filecoin/%s/rows.bin", set), json_get(meta, "circuit"));
        json_free(meta);
    }
    json_free(index);
}

static void test_gadget_systems_have_their_digests(void **state)
{
    struct json *index = json_read(vector_path("filecoin/gadgets/index.json"));
    const struct json *cases = json_get(index, "cases");
    size_t n_checked = 0;

    (void)state;
    for (size_t i = 0; i < json_count(cases); i++) {
        const struct json *entry = json_at(cases, i);
        const char *path =
            vector_path("filecoin/gadgets/%s.rows.zst", json_get_text(entry, "case"));
        FILE *there = fopen(path, "rb");

        if (!there) /* the two label cases are too large for the tree */
            continue;
        fclose(there);
        check_system(path, json_get(entry, "circuit"));
        n_checked++;
    }
    printf("%zu of %zu gadget systems\n", n_checked, json_count(cases));
    assert_true(n_checked >= 70);
    json_free(index);
}

static void test_testcs_hash_of_a_porep_is_bellpeppers(void **state)
{
    struct json *meta = json_read(vector_path("filecoin/porep-2k/meta.json"));
    uint8_t expected[32], found[32];
    struct r1cs cs;

    (void)state;
    json_get_hex(json_at(json_get(meta, "partition_results"), 0), "testcs_hash", expected, 32);
    assert_int_equal(porep_record(&cs, &sector_size_of_name("2KiB")->porep, NULL, NULL), CUZK_OK);
    assert_int_equal(r1cs_testcs_hash(&cs, found, NULL), CUZK_OK);
    assert_memory_equal(found, expected, 32);
    r1cs_done(&cs);
    json_free(meta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny_systems_have_their_digests),
        cmocka_unit_test(test_gadget_systems_have_their_digests),
        cmocka_unit_test(test_testcs_hash_of_a_porep_is_bellpeppers),
    };

    return cmocka_run_group_tests_name("r1cs_vectors", tests, NULL, NULL);
}
