/* A circuit's verifying key made ready, for whoever verifies proofs of it one after the other. */
#ifndef ENGINE_PROOF_CHECK_H
#define ENGINE_PROOF_CHECK_H

#include "engine/key_folder.h"
#include "engine/proof_job.h"
#include "groth16/verify.h"

struct proof_checker {
    struct circuit_name name;
    struct verifying_key vk;
    struct verifier verifier; /* points into vk: a checker stays where it is */
};

/* By the folder or the file of `key`; its seed label is not looked at. pool may be NULL. */
MUST_CHECK enum cuzk_status proof_checker_open(struct proof_checker *checker,
                                               struct circuit_name name, const struct job_key *key,
                                               struct pool *pool, struct budget *budget,
                                               struct cuzk_error *err);
void proof_checker_close(struct proof_checker *checker); /* accepts a zeroed one */

/* CUZK_INVALID: it does not verify, or is not a proof at all. `inputs` are n_inputs plain numbers
 * of 32 bytes, at any address; `name` is for messages. */
MUST_CHECK enum cuzk_status proof_checker_check(struct proof_checker *checker,
                                                const uint8_t proof[PARTITION_PROOF_BYTES],
                                                const void *inputs, size_t n_inputs,
                                                const char *name, struct cuzk_error *err);

#endif
