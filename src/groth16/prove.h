/* The prover. */
#ifndef GROTH16_PROVE_H
#define GROTH16_PROVE_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "groth16/key.h"
#include "groth16/plan.h"
#include "groth16/proof.h"
#include "groth16/qap.h"

/* Called as each stage begins, and once more with PROVE_N_STAGES at the end; from the caller's own
 * thread. */
typedef void prove_progress_fn(void *ctx, enum prove_stage stage);

struct prove_options {
    const struct backend *backend;
    struct pool *pool;         /* NULL: one thread */
    struct budget *budget;     /* plan_prove's bytes are taken here; may be NULL */
    int ordinal;               /* which card */
    const atomic_bool *cancel; /* looked at between and inside stages; NULL: never */
    prove_progress_fn *progress;
    void *progress_ctx;
};

/* Proves that `witness` satisfies the system of `qap` under `key`, with fixed blinding or, when it
 * is NULL, a random one. The proof has been verified when it is returned.
 *
 *   CUZK_BAD_INPUT   the key is of another circuit, unusable (delta is infinity), or one of its
 *                    points is broken; the witness has another shape
 *   CUZK_INVALID     the witness does not satisfy the circuit (or the key is not of this circuit
 *                    although the numbers agree): no proof leaves
 *   CUZK_CANCELLED   the flag was seen
 *   CUZK_NO_MEMORY   the plan does not fit the budget; nothing was done */
MUST_CHECK enum cuzk_status groth16_prove(const struct proving_key *key, const struct qap *qap,
                                          const struct witness *witness,
                                          const struct blinding *fixed,
                                          const struct prove_options *options, struct proof *ret,
                                          struct cuzk_error *err);

#endif
