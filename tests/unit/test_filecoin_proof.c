/* Keys and proofs of the PoRep sets, byte for byte: the verifying key and every partition's proof
 * from the trapdoors that the vectors name, with the vectors' r and s. */
#include "support/testing.h"

#include "filecoin/porep_circuit.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/setup.h"
#include "groth16/trapdoor_proof.h"
#include "groth16/verify.h"
#include "support/porep_set.h"
#include "support/vectors.h"

enum { FILECOIN_GENERATOR = 7, PROOF_BYTES = 192 };

static struct pool *pool;

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

/* ---- the verifying key ---------------------------------------------------------------------- */

static enum cuzk_status write_vk(void *ctx, const struct verifying_key *vk, struct cuzk_error *err)
{
    return vk_write(ctx, vk, err);
}

/* Made from the trapdoor; equal to the file of the set, which is then read. */
static void make_vk(struct verifying_key *ret, const char *set_name, const struct qap *qap,
                    const struct trapdoor *trapdoor)
{
    const struct setup_options options = {
        .backend = backend_find("cpu"), .pool = pool, .domain_generator = FILECOIN_GENERATOR};
    const char *path = test_scratch_path("porep.vk");
    struct out_file out;
    struct key_sink sink = {.ctx = &out, .verifying_key = write_vk};
    struct cuzk_error err;
    size_t n, n_expected;
    uint8_t *expected, *found;

    must(out_open(&out, path, &err), &err);
    must(groth16_setup(qap, trapdoor, &options, &sink, &err), &err);
    must(out_commit(&out, &err), &err);
    expected = vector_read(vector_path("filecoin/%s/vk.bin", set_name), &n_expected);
    found = vector_read(path, &n);
    assert_int_equal(n, n_expected);
    assert_memory_equal(found, expected, n);
    vector_free(expected);
    vector_free(found);
    must(vk_open(ret, path, &curve_bls12_381, pool, NULL, &err), &err);
    remove(path);
}

/* ---- proofs --------------------------------------------------------------------------------- */

static void assert_proof(const struct porep_set *set, unsigned k, const struct proof *proof)
{
    uint8_t bytes[PROOF_BYTES], *expected;
    size_t n;

    expected = vector_read(vector_path("filecoin/%s/proof.bin", set->name), &n);
    assert_int_equal(n, (size_t)PROOF_BYTES * set->config.partitions);
    proof_encode(bytes, &curve_bls12_381, proof);
    assert_memory_equal(bytes, expected + (size_t)PROOF_BYTES * k, PROOF_BYTES);
    vector_free(expected);
}

/* The public inputs that a verifier derives, not those of the witness. */
static void assert_verifies(const struct porep_set *set, struct verifier *verifier, unsigned k,
                            const struct proof *proof)
{
    struct scalar inputs[3 + POREP_CHALLENGE_INPUTS * 18];
    const struct graph graph =
        graph_make(set->config.shape.tree.lg_nodes, set->config.version, set->config.porep_id);
    struct statement statement = {inputs, porep_n_inputs(&set->config.shape)};
    struct cuzk_error err;

    porep_public_inputs(inputs, &set->config, &graph, &set->vanilla.seal, k);
    must(groth16_verify(verifier, proof, &statement, &err), &err);
    inputs[statement.n - 1].w[0] ^= 1;
    assert_int_equal(groth16_verify(verifier, proof, &statement, &err), CUZK_INVALID);
}

static void assert_set(const char *name)
{
    struct porep_set set = porep_set_load(name);
    const char *label = json_get_text(json_get(set.meta, "trapdoors"), "label");
    const struct prove_options options = {.backend = backend_find("cpu"), .pool = pool};
    struct cuzk_error err;
    struct packed_witness w;
    struct trapdoor trapdoor;
    struct blinding blinding;
    struct verifying_key vk;
    struct verifier verifier;
    struct r1cs cs;
    struct qap qap;

    must(porep_record(&cs, &set.config.shape, NULL, &err), &err);
    must(qap_init(&qap, &cs, NULL, &err), &err);
    must(packed_witness_new(&w, &cs, NULL, &err), &err);
    trapdoor_from_label(&trapdoor, cs.curve, label);
    blinding_from_label(&blinding, cs.curve, label);
    make_vk(&vk, name, &qap, &trapdoor);
    must(verifier_init(&verifier, &vk, false, pool, NULL, &err), &err);
    for (unsigned k = 0; k < set.config.partitions; k++) {
        struct proof proof;

        packed_witness_clear(&w);
        porep_witness(&w, &cs, &set.vanilla, k, pool);
        must(trapdoor_prove(&qap, &trapdoor, FILECOIN_GENERATOR, &w.values, &blinding, &options,
                            &proof, &err),
             &err);
        assert_proof(&set, k, &proof);
        assert_verifies(&set, &verifier, k, &proof);
    }
    verifier_done(&verifier);
    verifying_key_done(&vk);
    packed_witness_done(&w);
    qap_done(&qap);
    r1cs_done(&cs);
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
