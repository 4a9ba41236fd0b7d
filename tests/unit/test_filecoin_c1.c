/* Reading a C1 in bincode. */
#include "filecoin/c1_bincode.h"
#include "support/porep_set.h"
#include "support/testing.h"
#include "support/vectors.h"

static void assert_scalar(const struct json *object, const char *key, const struct scalar *value)
{
    uint8_t expected[32], bytes[32];

    json_get_hex(object, key, expected, 32);
    scalar_to_bytes(bytes, value);
    assert_memory_equal(bytes, expected, 32);
}

static void test_all_sets_are_read_and_agree_with_their_public_values(void **state)
{
    (void)state;
    for (int i = 0; i < N_POREP_SETS; i++) {
        struct porep_set set = porep_set_load(porep_sets[i]);
        const struct seal *seal = &set.vanilla.seal;
        const struct vanilla_challenge *first = set.vanilla.challenges;
        uint8_t seed[32], ticket[32], prover_id[32];
        struct scalar replica_id;

        json_get_hex(set.meta, "seed", seed, 32);
        json_get_hex(set.meta, "ticket", ticket, 32);
        json_get_hex(set.meta, "prover_id", prover_id, 32);
        assert_memory_equal(seal->seed, seed, 32);
        assert_memory_equal(seal->ticket, ticket, 32);
        assert_scalar(set.meta, "comm_r", &seal->comm_r);
        assert_scalar(set.meta, "comm_d", &seal->comm_d);
        assert_scalar(set.meta, "replica_id", &seal->replica_id);
        assert_scalar(set.meta, "comm_c", &first->column.path.root);
        assert_scalar(set.meta, "comm_r_last", &first->replica.root);
        replica_id = replica_id_make(prover_id, json_get_u64(set.meta, "sector_id"), seal->ticket,
                                     &seal->comm_d, set.config.porep_id);
        assert_memory_equal(&replica_id, &seal->replica_id, sizeof(replica_id));
        porep_set_free(&set);
    }
}

/* ---- hostile bytes --------------------------------------------------------------------------- */

static enum cuzk_status read_c1(const uint8_t *bytes, size_t n, const struct porep_config *config,
                                struct cuzk_error *err)
{
    struct vanilla_porep v;
    struct reader r = reader_over(bytes, n, "c1");
    enum cuzk_status st = c1_bincode_read(&v, &r, &config->shape, config->partitions, NULL, err);

    if (st == CUZK_OK)
        vanilla_porep_done(&v);
    return st;
}

static void test_a_c1_cut_anywhere_or_too_long_is_refused(void **state)
{
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct cuzk_error err;

    (void)state;
    porep_config_of(&config, seal_proof_of_number(5));
    assert_int_equal(read_c1(c1, n, &config, &err), CUZK_OK);
    for (size_t cut = 0; cut < n; cut += cut < 2000 || cut + 300 > n ? 1 : 97) {
        assert_int_equal(read_c1(c1, cut, &config, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "c1: "));
    }
    c1 = realloc(c1, n + 1);
    assert_non_null(c1);
    c1[n] = 0;
    assert_int_equal(read_c1(c1, n + 1, &config, &err), CUZK_BAD_INPUT);
    vector_free(c1);
}

static void test_a_c1_of_another_shape_is_refused(void **state)
{
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct cuzk_error err;

    (void)state;
    for (unsigned number = 0; number < N_SEAL_PROOFS; number++) {
        porep_config_of(&config, seal_proof_of_number(number));
        if (number % 5 == 0 && config.partitions == 1)
            continue;
        assert_int_equal(read_c1(c1, n, &config, &err), CUZK_BAD_INPUT);
        assert_non_null(strstr(err.message, "expected"));
    }
    vector_free(c1);
}

static void test_an_unreduced_number_is_refused_by_name(void **state)
{
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct cuzk_error err;

    (void)state;
    porep_config_of(&config, seal_proof_of_number(5));
    memset(c1 + n - 5 * 32, 0xff, 32); /* comm_r */
    assert_int_equal(read_c1(c1, n, &config, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "comm_r: offset"));
    vector_free(c1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sets_are_read_and_agree_with_their_public_values),
        cmocka_unit_test(test_a_c1_cut_anywhere_or_too_long_is_refused),
        cmocka_unit_test(test_a_c1_of_another_shape_is_refused),
        cmocka_unit_test(test_an_unreduced_number_is_refused_by_name),
    };

    return cmocka_run_group_tests_name("filecoin c1", tests, NULL, NULL);
}
