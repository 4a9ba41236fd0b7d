/* A whole job on this machine from nothing: a made-up sector, a development key that lives on the
 * device alone, and proofs of its partitions, all verified. For whoever sizes a machine, and for
 * us. */
#ifndef ENGINE_BENCH_JOB_H
#define ENGINE_BENCH_JOB_H

#include "engine/engine.h"
#include "engine/report.h"
#include "filecoin/circuit_name.h"

struct bench_options {
    struct circuit_name name;
    unsigned partitions; /* 0: all of a sector; of a Window PoSt one */
    uint64_t seed;       /* of the sector and of the key */
};

/* The engine has the stages; the report the rest:
 *
 *     circuit, backend, device, form of the prover, threads, partitions (all verified)
 *     seconds    of the sample, the circuit, the key, the prover's opening; of all proofs, from the
 *                first witness to the last verified proof, and from one proof to the next
 *     bytes      host: highest of each class of the budget, of all classes, and of what the kernel
 *                counts (base/memory_watch.h); device: the arena
 *
 * CUZK_USAGE: a back end that makes no keys, more partitions than there are. CUZK_NO_MEMORY: what
 * is needed and what there is. */
MUST_CHECK enum cuzk_status bench_job_run(struct engine *engine,
                                          const struct bench_options *options,
                                          struct report *report, struct cuzk_error *err);

#endif
