/* Jobs about a circuit and no proof. */
#ifndef ENGINE_CIRCUIT_JOB_H
#define ENGINE_CIRCUIT_JOB_H

#include "engine/engine.h"
#include "engine/report.h"
#include "filecoin/circuit_name.h"

/* Development key files in `folder` from a trapdoor label; their paths to the report. */
MUST_CHECK enum cuzk_status circuit_setup(struct engine *engine, struct circuit_name name,
                                          const char *label, const char *folder,
                                          struct report *report, struct cuzk_error *err);

/* What that takes: the counters' highest sum, and the files'. */
MUST_CHECK enum cuzk_status circuit_setup_plan(struct engine *engine, struct circuit_name name,
                                               struct report *report, struct cuzk_error *err);

/* What proofs of a circuit take, one partition after the other; `resident` is what may stay for the
 * next job. */
struct job_bytes {
    size_t key, shape;                /* resident */
    size_t request, witness, scratch; /* end with the job */
};
static inline size_t job_bytes_resident(const struct job_bytes *b)
{
    return b->key + b->shape;
}
static inline size_t job_bytes_total(const struct job_bytes *b)
{
    return b->key + b->shape + b->request + b->witness + b->scratch;
}
/* The same where a card proves: what stays on the host, and the arena on the card in each form of a
 * plan (groth16/plan.h), the one with the least memory first. */
enum { CARD_FORMS = 4 };
struct card_bytes {
    struct job_bytes host;
    size_t arena[CARD_FORMS];
};
/* The fastest form whose arena takes at most `available` bytes, or -1. */
int card_form(const struct card_bytes *card, size_t available);

struct job_plan {
    struct job_bytes host;  /* on the processor */
    struct card_bytes card; /* zero: there is no back end for cards */
};
/* Records the circuit and forgets it. The highest sum of the engine's budget while it did so is
 * its peak; a job never takes more than the larger of the two. `card`: the back end of cards, of
 * which only the sizes are asked; NULL: none. */
MUST_CHECK enum cuzk_status circuit_job_plan(struct engine *engine, struct circuit_name name,
                                             const struct backend *card, struct job_plan *ret,
                                             struct cuzk_error *err);

/* What one proof of this circuit takes, by class and by stage. */
MUST_CHECK enum cuzk_status circuit_plan(struct engine *engine, struct circuit_name name,
                                         struct report *report, struct cuzk_error *err);

#endif
