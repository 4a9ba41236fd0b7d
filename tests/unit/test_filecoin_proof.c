/* Keys and proofs of the sets of all kinds, byte for byte: the verifying key and every partition's
 * proof from the trapdoors that the vectors name, with the vectors' r and s; and some by the prover
 * under whole keys made from them. */
#include "support/circuit_set.h"
#include "support/pool_fixture.h"
#include "support/post_set.h"
#include "support/testing.h"

static void test_key_and_proof_of_porep_2k(void **state)
{
    (void)state;
    assert_set_proofs("porep-2k", false, pool);
}

static void test_key_and_proof_of_porep_2k_v1(void **state)
{
    (void)state;
    assert_set_proofs("porep-2k-v1", false, pool);
}

static void test_key_and_proof_of_porep_2k_synthetic(void **state)
{
    (void)state;
    assert_set_proofs("porep-2k-synth", false, pool);
}

static void test_key_and_thirteen_proofs_of_porep_2k_non_interactive(void **state)
{
    (void)state;
    assert_set_proofs("porep-2k-ni", false, pool);
}

static void test_keys_and_proofs_of_the_other_tree_shapes(void **state)
{
    (void)state;
    assert_set_proofs("porep-4k", false, pool);
    assert_set_proofs("porep-16k", false, pool);
    assert_set_proofs("porep-32k", false, pool);
}

static void test_key_and_both_proofs_of_eleven_layers(void **state)
{
    (void)state;
    assert_set_proofs("porep11-16k", false, pool);
}

static void test_keys_and_proofs_of_the_winning_sets(void **state)
{
    (void)state;
    for (int i = 0; i < N_POST_SETS; i++)
        if (strncmp(post_sets[i], "winning", 7) == 0)
            assert_set_proofs(post_sets[i], strcmp(post_sets[i], "winning-2k") == 0, pool);
}

static void test_keys_and_proofs_of_the_window_sets(void **state)
{
    (void)state;
    for (int i = 0; i < N_POST_SETS; i++)
        if (strncmp(post_sets[i], "window", 6) == 0)
            assert_set_proofs(post_sets[i], strncmp(post_sets[i], "window-2k-3s", 12) == 0, pool);
}

static void test_key_and_proof_of_update_2k_by_the_prover_too(void **state)
{
    (void)state;
    assert_set_proofs("update-2k", true, pool);
}

static void test_key_and_proof_of_update_4k(void **state)
{
    (void)state;
    assert_set_proofs("update-4k", false, pool);
}

static void test_key_and_both_proofs_of_update_32k(void **state)
{
    (void)state;
    assert_set_proofs("update-32k", false, pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_and_proof_of_porep_2k),
        cmocka_unit_test(test_key_and_proof_of_porep_2k_v1),
        cmocka_unit_test(test_key_and_proof_of_porep_2k_synthetic),
        cmocka_unit_test(test_key_and_thirteen_proofs_of_porep_2k_non_interactive),
        cmocka_unit_test(test_keys_and_proofs_of_the_other_tree_shapes),
        cmocka_unit_test(test_key_and_both_proofs_of_eleven_layers),
        cmocka_unit_test(test_keys_and_proofs_of_the_winning_sets),
        cmocka_unit_test(test_keys_and_proofs_of_the_window_sets),
        cmocka_unit_test(test_key_and_proof_of_update_2k_by_the_prover_too),
        cmocka_unit_test(test_key_and_proof_of_update_4k),
        cmocka_unit_test(test_key_and_both_proofs_of_update_32k),
    };

    return cmocka_run_group_tests_name("filecoin proof", tests, make_pool, free_pool);
}
