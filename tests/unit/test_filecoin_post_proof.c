/* Keys and proofs of the PoSt sets, byte for byte: by the trapdoors, and by the prover under keys
 * made from them. */
#include "filecoin/post_circuit.h"
#include "support/post_set.h"
#include "support/set_key.h"
#include "support/testing.h"
#include "support/vectors.h"

static struct pool *pool;

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* really: also through groth16_setup and groth16_prove. */
static void assert_set(const char *name, bool really)
{
    struct post_set set = post_set_load(name);
    const struct post_shape *shape = &set.vanilla.post.config.shape;
    const char *label = json_get_text(json_get(set.meta, "trapdoors"), "label");
    const struct json *parameters = json_get(set.meta, "parameters");
    struct scalar *inputs = calloc(post_n_inputs(shape), sizeof *inputs);
    struct packed_witness w;
    struct cuzk_error err;
    struct set_key key;
    struct r1cs cs;
    struct qap qap;
    size_t n;
    uint8_t *proofs = vector_read(vector_path("filecoin/post/%s/proof.bin", name), &n);

    assert_int_equal(n, PROOF_BYTES * set.partitions);
    must(post_record(&cs, shape, NULL, &err), &err);
    must(qap_init(&qap, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    set_key_make(&key, &qap, label, vector_path("filecoin/post/%s/vk.bin", name), pool);
    for (size_t k = 0; k < set.partitions; k++) {
        packed_witness_clear(&w);
        post_witness(&w, &cs, &set.vanilla, k, pool);
        post_public_inputs(inputs, &set.vanilla.post, k);
        assert_set_proof(&key, &w.values, proofs + k * PROOF_BYTES, inputs, post_n_inputs(shape));
        if (really)
            assert_real_proof(&key, &w.values, proofs + k * PROOF_BYTES,
                              json_get(parameters, "params"));
    }
    set_key_free(&key);
    packed_witness_done(&w);
    qap_done(&qap);
    r1cs_done(&cs);
    vector_free(proofs);
    free(inputs);
    post_set_free(&set);
}

static void test_keys_and_proofs_of_the_winning_sets(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_set(post_sets[i], false);
}

static void test_keys_and_proofs_of_the_window_sets(void **state)
{
    (void)state;
    for (int i = 3; i < N_POST_SETS; i++)
        assert_set(post_sets[i], false);
}

static void test_winning_2k_by_the_prover(void **state)
{
    (void)state;
    assert_set("winning-2k", true);
}

static void test_both_partitions_of_three_2k_sectors_by_the_prover(void **state)
{
    (void)state;
    assert_set("window-2k-3s-v1_2", true);
}

static int make_pool(void **state)
{
    (void)state;
    return pool_new(&pool, 0, NULL) == CUZK_OK ? 0 : -1;
}

static int free_pool(void **state)
{
    (void)state;
    pool_free(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_and_proofs_of_the_winning_sets),
        cmocka_unit_test(test_keys_and_proofs_of_the_window_sets),
        cmocka_unit_test(test_winning_2k_by_the_prover),
        cmocka_unit_test(test_both_partitions_of_three_2k_sectors_by_the_prover),
    };

    return cmocka_run_group_tests_name("filecoin post proof", tests, make_pool, free_pool);
}
