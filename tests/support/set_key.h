/* The key of a reference set, made from the trapdoor that the set names; and proofs by it. */
#ifndef SUPPORT_SET_KEY_H
#define SUPPORT_SET_KEY_H

#include "groth16/trapdoor_proof.h"
#include "groth16/verify.h"

enum { FILECOIN_GENERATOR = 7, PROOF_BYTES = 192 };

struct set_key {
    const struct qap *qap;
    struct pool *pool;
    struct trapdoor trapdoor;
    struct blinding blinding; /* r and s of the label */
    struct verifying_key vk;
    struct verifier verifier;
    struct trapdoor_prover *prover; /* of assert_set_proof, from its first call on */
};

/* Asserts that the verifying key equals the file `vk_path` byte for byte. */
void set_key_make(struct set_key *ret, const struct qap *qap, const char *label,
                  const char *vk_path, struct pool *pool);
void set_key_free(struct set_key *key);

/* Asserts that the proof by the trapdoor has these bytes, verifies for the n_inputs inputs, and
 * does not once the last of them is changed (and changed back). */
void assert_set_proof(struct set_key *key, const struct witness *w,
                      const uint8_t expected[PROOF_BYTES], struct scalar *inputs, size_t n_inputs);

/* Asserts that the prover's proof, under a whole key made by groth16_setup and read from its file,
 * has these bytes. The file's digests are asserted if `params` (an object with bytes, sha256) is
 * not NULL. */
struct json;
void assert_real_proof(struct set_key *key, const struct witness *w,
                       const uint8_t expected[PROOF_BYTES], const struct json *params);

#endif
