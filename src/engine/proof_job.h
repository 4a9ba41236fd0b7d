/* From a request to verified proof bytes, and the commands around it. Each function is one job on
 * an open engine; its stages are recorded there.
 *
 * Order of a proof: read the request, check it against itself and the public facts, record the
 * circuit, open the key, compute the plan and compare it with the budget, then partition by
 * partition: witness, prove, verify. Nothing is returned unless every partition verified. */
#ifndef ENGINE_PROOF_JOB_H
#define ENGINE_PROOF_JOB_H

#include "engine/engine.h"
#include "engine/key_folder.h"
#include "engine/report.h"
#include "engine/request.h"

enum { PARTITION_PROOF_BYTES = 192 };

struct job_key {
    const char *folder;  /* NULL: key_folder_default() */
    const char *vk_path; /* for verification: this file instead of the folder's */
    enum key_choice choice;
    const char *seed_label; /* r and s from this label; only with KEY_ONLY_DEV */
};

/* A proof as it leaves: partitions in order, 192 bytes each. */
struct job_proof {
    uint8_t *bytes; /* job_proof_done frees it */
    size_t n_bytes;
};
void job_proof_done(struct job_proof *proof);

MUST_CHECK enum cuzk_status job_prove(struct engine *engine, const struct request_input *input,
                                      const struct job_key *key, struct job_proof *ret,
                                      struct cuzk_error *err);

/* CUZK_INVALID if it does not verify. */
MUST_CHECK enum cuzk_status job_verify(struct engine *engine, const struct request_input *input,
                                       const struct job_key *key, const char *proof_path,
                                       struct cuzk_error *err);

/* Makes the witness of each partition and evaluates all rows. CUZK_INVALID names the first row that
 * does not hold, with its place in the circuit. */
MUST_CHECK enum cuzk_status job_check(struct engine *engine, const struct request_input *input,
                                      struct cuzk_error *err);

#endif
