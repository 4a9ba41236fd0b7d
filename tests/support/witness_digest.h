/* A witness against what a set of the reference vectors says about it. */
#ifndef SUPPORT_WITNESS_DIGEST_H
#define SUPPORT_WITNESS_DIGEST_H

#include "backend/witness.h"
#include "support/json.h"

/* SHA-256 of all aux values, 32 bytes each. */
void witness_aux_sha256(uint8_t out[32], const struct witness *w);

/* cmocka assertions. `partition`: an object with aux_sha256 and inputs_sha256. */
void assert_witness_is(const struct witness *w, const struct json *partition);
/* The same inputs as a verifier derived: n numbers of 4 words, without ONE. */
void assert_inputs_are(const struct witness *w, const void *inputs, size_t n);

#endif
