/* The prover.
 *
 *     prover_open     what proofs of one circuit under one key share: device, arena, in the forms
 *                     that keep them (plan.h) also matrices, domain and bases
 *     prover_put      a witness, while another one may be proven; or in parts, as they are made,
 *                     while it is proven itself
 *     prover_run      a proof's sums over the key, on the device
 *     prover_finish   the proof, on the host, while the device may work on the next
 *
 * groth16_prove is the four of them for one proof. Put, run and finish of one prover may be called
 * on different threads at once, each by one at a time, on back ends that work beside the host; the
 * pool may be shared.
 *
 * A streamed prover reads the key as it runs, L, A, B1 and B2 once for all proofs of a batch: a run
 * is in two, and no other witness is put beside it.
 *
 *     prover_put, prover_run_chain    for each slot in turn: rows, quotient, sum over H
 *     prover_run_classes              sums over L, A, B1 and B2, for all of these slots
 *     prover_finish                   for each */
#ifndef GROTH16_PROVE_H
#define GROTH16_PROVE_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "groth16/key.h"
#include "groth16/plan.h"
#include "groth16/proof.h"
#include "groth16/qap.h"
#include "groth16/resident.h"
#include "groth16/verify.h"

/* Called as each stage begins (in the overlapped form: as its work is handed to the device, from
 * two threads), and once more with PROVE_N_STAGES at the end of a proof; from the thread that runs
 * or finishes. */
typedef void prove_progress_fn(void *ctx, enum prove_stage stage);

struct prove_options {
    const struct backend *backend;
    struct pool *pool;         /* NULL: one thread */
    struct budget *budget;     /* plan_prove's bytes are taken here; may be NULL */
    int ordinal;               /* which card */
    size_t device_memory;      /* that its arena may take there at most; 0: all that is free */
    const atomic_bool *cancel; /* looked at between and inside stages; NULL: never */
    prove_progress_fn *progress;
    void *progress_ctx;
    struct device_timeline timeline; /* of a device that the prover opens */
    bool lone;                       /* one proof only: no room for a second witness */
};

/* Sums over the key's queries: a proof before r and s. */
struct prove_sums {
    struct g1_point h, l, a, b_g1;
    struct g2_point b_g2;
};

struct prover;

/* Over the points of a key in host memory, on a device that it opens with the fastest form for
 * which there is memory. key, qap and what options points to must outlive the prover.
 *
 *   CUZK_BAD_INPUT   the key is of another circuit, unusable (delta is infinity), or one of its
 *                    points is broken (found here, or in prover_run where points are read later)
 *   CUZK_NO_MEMORY   the plan does not fit the budget or the device */
MUST_CHECK enum cuzk_status prover_open(struct prover **ret, const struct proving_key *key,
                                        const struct qap *qap, const struct prove_options *options,
                                        struct cuzk_error *err);

/* Over a key that is on an open device, in the form `form`; its arena has room for what
 * prover_resident_plan says. options->pool and options->cancel are the device's own. */
MUST_CHECK enum cuzk_status
prover_open_resident(struct prover **ret, const struct resident_key *key, struct device *device,
                     enum plan_form form, const struct qap *qap,
                     const struct prove_options *options, struct cuzk_error *err);
/* The plan of the latter, for a key in this basis. */
void prover_resident_plan(struct plan *ret, const struct qap *qap, enum h_basis basis,
                          enum plan_form form, const struct prove_options *options);
void prover_close(struct prover *prover); /* accepts NULL */

/* Witnesses that fit at once: plan.n_witnesses. Slots are numbered from 0. */
unsigned prover_slots(const struct prover *prover);

/* A witness into a slot that no run is using. In the staged form the witness's memory must stay as
 * it is until the run is over, else until this returns. CUZK_BAD_INPUT: it has another shape. */
MUST_CHECK enum cuzk_status prover_put(struct prover *prover, unsigned slot,
                                       const struct witness *witness, struct cuzk_error *err);

/* The same in parts, between which values of the witness change only beyond what was put. Where the
 * prover takes parts, in all forms but the staged one, a run of the slot may begin right after
 * prover_put_begin: it sums up the parts that are there and waits for the next, until the last is
 * there, or prover_put_fail ends the run with CUZK_CANCELLED. */
bool prover_takes_parts(const struct prover *prover);
void prover_put_begin(struct prover *prover, unsigned slot);
/* Aux before `end` that were not put yet, and with the last aux the inputs. */
MUST_CHECK enum cuzk_status prover_put_part(struct prover *prover, unsigned slot,
                                            const struct witness *witness, size_t end,
                                            struct cuzk_error *err);
void prover_put_fail(struct prover *prover, unsigned slot);

/* After a failure the next run starts afresh. CUZK_CANCELLED: the flag was seen. */
MUST_CHECK enum cuzk_status prover_run(struct prover *prover, unsigned slot, struct prove_sums *ret,
                                       struct cuzk_error *err);
/* Is the run in two? It is in the streamed form, where prover_run is for a batch of one. */
bool prover_takes_batches(const struct prover *prover);
/* ret->h of the slot's witness. */
MUST_CHECK enum cuzk_status prover_run_chain(struct prover *prover, unsigned slot,
                                             struct prove_sums *ret, struct cuzk_error *err);
/* The other sums of slots [0, n): ret[i] of slot i. */
MUST_CHECK enum cuzk_status prover_run_classes(struct prover *prover, unsigned n,
                                               struct prove_sums *ret, struct cuzk_error *err);
/* The proof with this blinding or, when it is NULL, a random one, verified against the statement.
 * CUZK_INVALID: the witness does not satisfy the circuit (or the key is not of this circuit
 * although the numbers agree): no proof leaves. */
MUST_CHECK enum cuzk_status prover_finish(struct prover *prover, const struct prove_sums *sums,
                                          const struct blinding *fixed,
                                          const struct statement *statement, struct proof *ret,
                                          struct cuzk_error *err);

/* Proves that `witness` satisfies the system of `qap` under `key`: one proof with a prover of its
 * own. Fails as the functions above do. */
MUST_CHECK enum cuzk_status groth16_prove(const struct proving_key *key, const struct qap *qap,
                                          const struct witness *witness,
                                          const struct blinding *fixed,
                                          const struct prove_options *options, struct proof *ret,
                                          struct cuzk_error *err);

#endif
