/* Checks of vanilla proofs before proving. */
#include "filecoin/c1_bincode.h"
#include "filecoin/vanilla_check.h"
#include "support/porep_set.h"
#include "support/testing.h"
#include "support/vectors.h"

static void test_all_partitions_of_all_sets_pass_the_deep_check(void **state)
{
    (void)state;
    for (int i = 0; i < N_POREP_SETS; i++) {
        struct porep_set set = porep_set_load(porep_sets[i]);

        for (unsigned k = 0; k < set.config.partitions; k++) {
            struct cuzk_error err = {CUZK_OK, ""};

            assert_int_equal(vanilla_check_deep(&set.vanilla, &set.config, k, &err), CUZK_OK);
            assert_string_equal(err.message, "");
        }
        porep_set_free(&set);
    }
}

static void assert_refused(const struct porep_set *set, unsigned partition, const char *sentence)
{
    struct cuzk_error err = {CUZK_OK, ""};

    assert_int_equal(vanilla_check(&set->vanilla, &set->config, partition, &err), CUZK_BAD_INPUT);
    if (!strstr(err.message, sentence))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, sentence);
}

static void test_each_disagreement_has_its_own_sentence(void **state)
{
    struct porep_set set = porep_set_load("porep-2k");
    struct vanilla_challenge *c = set.vanilla.challenges;
    struct seal seal = set.vanilla.seal;

    (void)state;
    c[1].node ^= 1;
    assert_refused(&set, 0, "partition 0 challenge 1: labeling_proofs: node");
    c[1].node ^= 1;
    c[0].data.index ^= 4;
    assert_refused(&set, 0, "challenge 0: comm_d_proofs: the path leads to node");
    c[0].data.index ^= 4;
    c[1].data.root.w[0] ^= 1;
    assert_refused(&set, 0, "challenge 1: comm_d_proofs: the root is not comm_d");
    c[1].data.root.w[0] ^= 1;
    c[1].replica.root.w[0] ^= 1;
    assert_refused(&set, 0, "challenge 1: comm_r_last_proof: the root is not the comm_r_last");
    c[1].replica.root.w[0] ^= 1;
    c[0].parents[7].path.root.w[2] ^= 1;
    assert_refused(&set, 0, "challenge 0: exp_parents[1]: the root is not the comm_c");
    c[0].parents[7].path.root.w[2] ^= 1;
    c[0].parents[2].index ^= 1;
    assert_refused(&set, 0, "challenge 0: drg_parents[2]: column of node");
    c[0].parents[2].index ^= 1;
    c[0].column.path.index ^= 1;
    assert_refused(&set, 0, "challenge 0: c_x: the path leads to node");
    c[0].column.path.index ^= 1;
    c[0].column.path.root.w[0] ^= 1;
    assert_refused(&set, 0, "partition 0: comm_r is not the hash of comm_c and comm_r_last");
    c[0].column.path.root.w[0] ^= 1;
    set.vanilla.seal.seed[3] ^= 1;
    assert_refused(&set, 0, "from replica id and seed");
    memset(set.vanilla.seal.seed, 0, 32);
    assert_refused(&set, 0, "seed: expected anything but zeros");
    set.vanilla.seal = seal;
    memset(&set.vanilla.seal.comm_d, 0, 32);
    assert_refused(&set, 0, "comm_d: expected anything but zeros");
    set.vanilla.seal = seal;
    memset(&set.vanilla.seal.comm_r, 0, 32);
    assert_refused(&set, 0, "comm_r: expected anything but zeros");
    set.vanilla.seal = seal;
    set.config.partitions = 2;
    assert_refused(&set, 0, "1 partitions of 2 challenges");
    porep_set_free(&set);
}

static void test_a_partition_that_does_not_exist_is_a_usage_error(void **state)
{
    struct porep_set set = porep_set_load("porep11-16k");
    struct cuzk_error err;

    (void)state;
    assert_int_equal(vanilla_check(&set.vanilla, &set.config, 2, &err), CUZK_USAGE);
    porep_set_free(&set);
}

/* The parents of the labels, beside the columns that hold the same: 37 of 32 bytes in each of two
 * labeling proofs, then as many in the encoding proof. What follows them in a challenge are the
 * number of the layer and the node; and in a C1 of bincode, behind all, five times 32 bytes. */
static void test_a_parent_of_a_label_that_is_not_in_its_column_is_named(void **state)
{
    static const struct {
        unsigned label, parent;
        const char *says;
    } cases[] = {
        {0, 0, "labeling_proofs[0].parents[0]: not the label of layer 1 of drg_parents[0]"},
        {0, 36, "labeling_proofs[0].parents[36]: not the label of layer 1 of drg_parents[0]"},
        {1, 5, "labeling_proofs[1].parents[5]: not the label of layer 2 of drg_parents[5]"},
        {1, 35, "labeling_proofs[1].parents[35]: not the label of layer 1 of exp_parents[1]"},
        {2, 13, "encoding_proof.parents[13]: not the label of layer 1 of exp_parents[7]"},
    };
    const size_t label_bytes = 8 + 32 * LABEL_PARENTS + 4 + 8;
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);

    (void)state;
    porep_config_of(&config, seal_proof_of_number(5));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *at =
            c1 + n - 5 * 32 - (3 - cases[i].label) * label_bytes + 8 + 32 * (size_t)cases[i].parent;
        struct reader r = reader_over(c1, n, "c1");
        struct cuzk_error err;
        struct vanilla_porep v;

        at[7] ^= 1;
        assert_int_equal(c1_bincode_read(&v, &r, &config.shape, 1, NULL, &err), CUZK_OK);
        assert_int_equal(vanilla_check(&v, &config, 0, &err), CUZK_OK);
        assert_int_equal(vanilla_check_deep(&v, &config, 0, &err), CUZK_BAD_INPUT);
        if (!strstr(err.message, "partition 0 challenge 1: ") ||
            !strstr(err.message, cases[i].says))
            fail_msg("\"%s\" does not contain \"%s\"", err.message, cases[i].says);
        vanilla_porep_done(&v);
        at[7] ^= 1;
    }
    vector_free(c1);
}

/* Any single changed byte is refused by the reader or by the deep check. The ticket, the last 32
 * bytes, is no part of what a C1 alone can be asked for. */
static void test_a_changed_byte_is_never_taken_for_something_else(void **state)
{
    struct porep_config config;
    size_t n;
    uint8_t *c1 = vector_read(vector_path("filecoin/porep-2k/c1.bin"), &n);
    struct rng rng;
    struct cuzk_error err;

    (void)state;
    rng_seed(&rng, test_seed());
    porep_config_of(&config, seal_proof_of_number(5));
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)rng_below(&rng, n);
        uint8_t flip = (uint8_t)(1 + rng_below(&rng, 255));
        struct reader r = reader_over(c1, n, "c1");
        struct vanilla_porep v;
        bool accepted;

        c1[at] ^= flip;
        accepted = c1_bincode_read(&v, &r, &config.shape, 1, NULL, &err) == CUZK_OK;
        if (accepted) {
            accepted = vanilla_check_deep(&v, &config, 0, &err) == CUZK_OK;
            vanilla_porep_done(&v);
        }
        c1[at] ^= flip;
        if (accepted != (at >= n - 32))
            fail_msg("byte %zu of %zu: %s", at, n, accepted ? "a change is accepted" : err.message);
    }
    vector_free(c1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_partitions_of_all_sets_pass_the_deep_check),
        cmocka_unit_test(test_each_disagreement_has_its_own_sentence),
        cmocka_unit_test(test_a_partition_that_does_not_exist_is_a_usage_error),
        cmocka_unit_test(test_a_parent_of_a_label_that_is_not_in_its_column_is_named),
        cmocka_unit_test(test_a_changed_byte_is_never_taken_for_something_else),
    };

    return cmocka_run_group_tests_name("filecoin vanilla check", tests, NULL, NULL);
}
