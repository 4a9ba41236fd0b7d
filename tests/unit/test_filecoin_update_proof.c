/* Keys and proofs of the SnapDeals sets, byte for byte: by the trapdoors, and by the prover under a
 * key made from them. */
#include "filecoin/update_circuit.h"
#include "support/set_key.h"
#include "support/testing.h"
#include "support/update_set.h"
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
    struct update_set set;
    struct scalar inputs[UPDATE_N_INPUTS];
    struct packed_witness w;
    struct cuzk_error err;
    struct set_key key;
    struct r1cs cs;
    struct qap qap;
    char vk_path[4200];
    uint8_t *proofs;
    size_t n;

    if (!update_set_load(&set, name))
        skip();
    proofs = update_set_file(&set, "proof.bin", &n);
    assert_int_equal(n, PROOF_BYTES * update_partitions(&set.vanilla.update.shape));
    must(update_record(&cs, &set.vanilla.update.shape, NULL, &err), &err);
    must(qap_init(&qap, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    snprintf(vk_path, sizeof vk_path, "%s/vk.bin", set.folder);
    set_key_make(&key, &qap, json_get_text(json_get(set.meta, "trapdoors"), "label"), vk_path,
                 pool);
    for (unsigned k = 0; k < update_partitions(&set.vanilla.update.shape); k++) {
        packed_witness_clear(&w);
        update_witness(&w, &cs, &set.vanilla, k, pool);
        update_public_inputs(inputs, &set.vanilla.update, k);
        assert_set_proof(&key, &w.values, proofs + (size_t)k * PROOF_BYTES, inputs,
                         UPDATE_N_INPUTS);
        if (really)
            assert_real_proof(&key, &w.values, proofs + (size_t)k * PROOF_BYTES,
                              json_get(json_get(set.meta, "parameters"), "params"));
    }
    set_key_free(&key);
    packed_witness_done(&w);
    qap_done(&qap);
    r1cs_done(&cs);
    vector_free(proofs);
    update_set_free(&set);
}

static void test_key_and_proof_of_update_2k(void **state)
{
    (void)state;
    assert_set("update-2k", false);
}

static void test_key_and_proof_of_update_4k(void **state)
{
    (void)state;
    assert_set("update-4k", false);
}

static void test_key_and_both_proofs_of_update_32k(void **state)
{
    (void)state;
    assert_set("update-32k", false);
}

static void test_update_2k_by_the_prover(void **state)
{
    (void)state;
    if (!test_long()) {
        print_message("SKIP: a key of 656 MB takes minutes; set CUZK_LONG=1\n");
        skip();
    }
    assert_set("update-2k", true);
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
        cmocka_unit_test(test_key_and_proof_of_update_2k),
        cmocka_unit_test(test_key_and_proof_of_update_4k),
        cmocka_unit_test(test_key_and_both_proofs_of_update_32k),
        cmocka_unit_test(test_update_2k_by_the_prover),
    };

    return cmocka_run_group_tests_name("filecoin update proof", tests, make_pool, free_pool);
}
