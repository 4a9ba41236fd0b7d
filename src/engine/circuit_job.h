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
/* Records the circuit and forgets it. The highest sum of the engine's budget while it did so is
 * its peak; a job never takes more than the larger of the two. */
MUST_CHECK enum cuzk_status circuit_job_bytes(struct engine *engine, struct circuit_name name,
                                              struct job_bytes *ret, struct cuzk_error *err);

/* What one proof of this circuit takes, by class and by stage. */
MUST_CHECK enum cuzk_status circuit_plan(struct engine *engine, struct circuit_name name,
                                         struct report *report, struct cuzk_error *err);

#endif
