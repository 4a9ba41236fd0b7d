#include "support/set_key.h"

#include "base/hash.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "groth16/setup.h"
#include "support/json.h"
#include "support/testing.h"
#include "support/vectors.h"

static void must(enum cuzk_status st, const struct cuzk_error *err)
{
    if (st != CUZK_OK)
        fail_msg("%s: %s", cuzk_status_name(st), err->message);
}

static enum cuzk_status write_vk(void *ctx, const struct verifying_key *vk, struct cuzk_error *err)
{
    return vk_write(ctx, vk, err);
}

static struct setup_options setup_options_of(const struct set_key *key)
{
    return (struct setup_options){
        .backend = backend_find("cpu"), .pool = key->pool, .domain_generator = FILECOIN_GENERATOR};
}

static void make_vk(struct set_key *key, const char *expected_path)
{
    const struct setup_options options = setup_options_of(key);
    const char *path = test_scratch_path("set.vk");
    struct out_file out;
    struct key_sink sink = {.ctx = &out, .verifying_key = write_vk};
    struct cuzk_error err;
    size_t n, n_expected;
    uint8_t *expected, *found;

    must(out_open(&out, path, &err), &err);
    must(groth16_setup(key->qap, &key->trapdoor, &options, &sink, &err), &err);
    must(out_commit(&out, &err), &err);
    expected = vector_read(expected_path, &n_expected);
    found = vector_read(path, &n);
    assert_int_equal(n, n_expected);
    assert_memory_equal(found, expected, n);
    vector_free(expected);
    vector_free(found);
    must(vk_open(&key->vk, path, &curve_bls12_381, key->pool, NULL, &err), &err);
    remove(path);
}

void set_key_make(struct set_key *ret, const struct qap *qap, const char *label,
                  const char *vk_path, struct pool *pool)
{
    struct cuzk_error err;

    *ret = (struct set_key){.qap = qap, .pool = pool};
    must(trapdoor_from_label(&ret->trapdoor, &curve_bls12_381, label, &err), &err);
    must(blinding_from_label(&ret->blinding, &curve_bls12_381, label, &err), &err);
    make_vk(ret, vk_path);
    must(verifier_init(&ret->verifier, &ret->vk, false, pool, NULL, &err), &err);
}

void set_key_free(struct set_key *key)
{
    trapdoor_prover_free(key->prover);
    verifier_done(&key->verifier);
    verifying_key_done(&key->vk);
}

static void assert_bytes(const struct proof *proof, const uint8_t expected[PROOF_BYTES])
{
    uint8_t bytes[PROOF_BYTES];

    proof_encode(bytes, &curve_bls12_381, proof);
    assert_memory_equal(bytes, expected, PROOF_BYTES);
}

void assert_set_proof(struct set_key *key, const struct witness *w,
                      const uint8_t expected[PROOF_BYTES], struct scalar *inputs, size_t n_inputs)
{
    const struct prove_options options = {.backend = backend_find("cpu"), .pool = key->pool};
    struct statement statement = {inputs, n_inputs};
    struct cuzk_error err;
    struct proof proof;

    if (!key->prover)
        must(trapdoor_prover_new(&key->prover, key->qap, &key->trapdoor, FILECOIN_GENERATOR, w,
                                 &options, &err),
             &err);
    must(trapdoor_prover_prove(key->prover, w, &key->blinding, &proof, &err), &err);
    assert_bytes(&proof, expected);
    must(groth16_verify(&key->verifier, &proof, &statement, &err), &err);
    inputs[n_inputs - 1].w[0] ^= 1;
    assert_int_equal(groth16_verify(&key->verifier, &proof, &statement, &err), CUZK_INVALID);
    inputs[n_inputs - 1].w[0] ^= 1;
}

static void assert_file_is(const char *path, const struct json *file)
{
    uint8_t digest[32], expected[32];
    size_t n;
    uint8_t *bytes = vector_read(path, &n);

    assert_int_equal(n, json_get_u64(file, "bytes"));
    sha256(digest, bytes, n);
    json_get_hex(file, "sha256", expected, 32);
    assert_memory_equal(digest, expected, 32);
    vector_free(bytes);
}

void assert_real_proof(struct set_key *key, const struct witness *w,
                       const uint8_t expected[PROOF_BYTES], const struct json *params)
{
    const struct setup_options setup = setup_options_of(key);
    const struct prove_options options = {.backend = backend_find("cpu"), .pool = key->pool};
    const char *path = test_scratch_path("set.params");
    struct params_writer writer;
    struct key_sink sink;
    struct proving_key whole;
    struct cuzk_error err;
    struct proof proof;

    must(params_writer_open(&writer, &curve_bls12_381, path, NULL, key->pool, &err), &err);
    sink = params_writer_sink(&writer);
    must(groth16_setup(key->qap, &key->trapdoor, &setup, &sink, &err), &err);
    must(params_writer_commit(&writer, &err), &err);
    if (params)
        assert_file_is(path, params);
    must(params_open(&whole, path, &curve_bls12_381, key->pool, NULL, &err), &err);
    must(groth16_prove(&whole, key->qap, w, &key->blinding, &options, &proof, &err), &err);
    assert_bytes(&proof, expected);
    proving_key_done(&whole);
    remove(path);
}
