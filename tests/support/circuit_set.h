/* A reference set of any kind of proof, with its circuit recorded: what the vectors say about
 * witnesses, keys and proofs is asserted in one way for all kinds. */
#ifndef SUPPORT_CIRCUIT_SET_H
#define SUPPORT_CIRCUIT_SET_H

#include "engine/request.h"
#include "support/json.h"

struct circuit_set {
    const char *name;
    char folder[4096];
    struct json *meta;
    struct request request; /* kind, partitions, n_inputs, and the vanilla proofs */
    struct r1cs cs;
};

/* "porep-2k", "window-4k-3s-v1_2", "update-2k" and so on. False, after saying so, if the set is not
 * in the tree nor below $CUZK_TEST_DATA; anything wrong with it ends the test with a sentence. */
bool circuit_set_open(struct circuit_set *ret, const char *name);
void circuit_set_close(struct circuit_set *set);

/* cmocka assertions, for all partitions. Sets that are not there skip the test. */

/* The vanilla proofs pass the deep check; the public inputs that a verifier derives, the witness,
 * and its digest are upstream's; every row holds. */
void assert_set_witnesses(const char *name, struct pool *pool);

/* The verifying key is upstream's, and so is every proof made from the trapdoor; `really`: also
 * those made by the prover under a whole key that groth16_setup made. */
void assert_set_proofs(const char *name, bool really, struct pool *pool);

#endif
