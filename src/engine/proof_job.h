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
#include "engine/open_circuit.h"
#include "engine/report.h"
#include "engine/request.h"
#include "groth16/key.h"
#include "groth16/proof.h"

struct prover;        /* groth16/prove.h */
struct prove_options; /* there too */

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

/* What proofs of one circuit share, and may keep between them. */
struct job_resident {
    struct open_circuit circuit;
    struct proving_key key; /* zeroed where only the prover knows the key */
    /* On a back end with memory of its own: the key is uploaded there once. NULL: each request has
     * a prover of its own, and its memory ends with it. */
    struct prover *prover;
    struct blinding blinding; /* of the seed label */
    bool fixed_blinding;
};
MUST_CHECK enum cuzk_status job_resident_open(struct job_resident *ret, struct engine *engine,
                                              struct circuit_name name, const struct job_key *key,
                                              struct cuzk_error *err);
void job_resident_close(struct job_resident *resident); /* accepts a zeroed one */
/* How provers of this engine are opened: its stages are the prover's, where they are on one thread.
 */
struct prove_options job_prove_options(struct engine *engine);

/* What happens to a partition's proof; a failure ends the job. Proofs of a batch (groth16/plan.h)
 * come together, at its end: what is stored of a job grows by as many. */
typedef enum cuzk_status job_partition_fn(void *ctx, unsigned k,
                                          const uint8_t proof[PARTITION_PROOF_BYTES],
                                          struct cuzk_error *err);
struct job_sink {
    const bool *skip; /* partition first + i is not wanted; NULL: all are */
    job_partition_fn *f;
    void *ctx;
};
/* Proves the partitions of a checked request that are asked for. On a back end that works beside
 * the host, the next partition's witness is made and the last one's proof verified meanwhile. */
MUST_CHECK enum cuzk_status job_prove_request(struct engine *engine, const struct request *request,
                                              const struct job_resident *resident,
                                              const struct job_sink *sink, struct cuzk_error *err);

/* Bytes of MEM_REQUEST that it takes for public inputs, n_inputs a partition, with a prover that
 * has room for so many witnesses. */
size_t job_inputs_bytes(const struct backend *backend, unsigned n_witnesses, size_t n_inputs);

/* All of it: reads, checks, opens, proves. */
MUST_CHECK enum cuzk_status job_prove(struct engine *engine, const struct request_input *input,
                                      const struct job_key *key, struct job_proof *ret,
                                      struct cuzk_error *err);

/* CUZK_INVALID if it does not verify. */
MUST_CHECK enum cuzk_status job_verify(struct engine *engine, const struct request_input *input,
                                       const struct job_key *key, const char *proof_path,
                                       struct cuzk_error *err);

/* Makes the witness of each partition and evaluates all rows: CUZK_INVALID names the first row that
 * does not hold, with its place in the circuit. Where all do, the vanilla proofs themselves:
 * CUZK_BAD_INPUT names what is not as it should be, also where no row looks. */
MUST_CHECK enum cuzk_status job_check(struct engine *engine, const struct request_input *input,
                                      struct cuzk_error *err);

#endif
