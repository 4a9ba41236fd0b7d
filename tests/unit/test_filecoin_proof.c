/* Keys and proofs of the PoRep sets, byte for byte: the verifying key and every partition's proof
 * from the trapdoors that the vectors name, with the vectors' r and s. */
#include "support/testing.h"

#include "filecoin/porep_circuit.h"
#include "support/porep_set.h"
#include "support/set_key.h"
#include "support/vectors.h"

static struct pool *pool;

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* Proofs are verified for the public inputs that a verifier derives, not those of the witness. */
static void assert_set(const char *name)
{
    struct porep_set set = porep_set_load(name);
    const struct graph graph =
        graph_make(set.config.shape.tree.lg_nodes, set.config.version, set.config.porep_id);
    const char *label = json_get_text(json_get(set.meta, "trapdoors"), "label");
    struct scalar inputs[3 + POREP_CHALLENGE_INPUTS * 18];
    struct cuzk_error err;
    struct packed_witness w;
    struct set_key key;
    struct r1cs cs;
    struct qap qap;
    size_t n;
    uint8_t *proofs = vector_read(vector_path("filecoin/%s/proof.bin", name), &n);

    assert_int_equal(n, (size_t)PROOF_BYTES * set.config.partitions);
    must(porep_record(&cs, &set.config.shape, NULL, &err), &err);
    must(qap_init(&qap, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    set_key_make(&key, &qap, label, vector_path("filecoin/%s/vk.bin", name), pool);
    for (unsigned k = 0; k < set.config.partitions; k++) {
        packed_witness_clear(&w);
        porep_witness(&w, &cs, &set.vanilla, k, pool);
        porep_public_inputs(inputs, &set.config, &graph, &set.vanilla.seal, k);
        assert_set_proof(&key, &w.values, proofs + (size_t)PROOF_BYTES * k, inputs,
                         porep_n_inputs(&set.config.shape));
    }
    set_key_free(&key);
    packed_witness_done(&w);
    qap_done(&qap);
    r1cs_done(&cs);
    vector_free(proofs);
    porep_set_free(&set);
}

static void test_key_and_proof_of_porep_2k(void **state)
{
    (void)state;
    assert_set("porep-2k");
}

static void test_key_and_proof_of_porep_2k_v1(void **state)
{
    (void)state;
    assert_set("porep-2k-v1");
}

static void test_key_and_proof_of_porep_2k_synthetic(void **state)
{
    (void)state;
    assert_set("porep-2k-synth");
}

static void test_key_and_thirteen_proofs_of_porep_2k_non_interactive(void **state)
{
    (void)state;
    assert_set("porep-2k-ni");
}

static void test_keys_and_proofs_of_the_other_tree_shapes(void **state)
{
    (void)state;
    assert_set("porep-4k");
    assert_set("porep-16k");
    assert_set("porep-32k");
}

static void test_key_and_both_proofs_of_eleven_layers(void **state)
{
    (void)state;
    assert_set("porep11-16k");
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
        cmocka_unit_test(test_key_and_proof_of_porep_2k),
        cmocka_unit_test(test_key_and_proof_of_porep_2k_v1),
        cmocka_unit_test(test_key_and_proof_of_porep_2k_synthetic),
        cmocka_unit_test(test_key_and_thirteen_proofs_of_porep_2k_non_interactive),
        cmocka_unit_test(test_keys_and_proofs_of_the_other_tree_shapes),
        cmocka_unit_test(test_key_and_both_proofs_of_eleven_layers),
    };

    return cmocka_run_group_tests_name("filecoin proof", tests, make_pool, free_pool);
}
