/* A request for proofs of a made-up sector, without files in between. */
#ifndef ENGINE_SAMPLE_REQUEST_H
#define ENGINE_SAMPLE_REQUEST_H

#include "engine/request.h"

/* A sparse sample of the seed (filecoin/sample_sector.h), its first `partitions` to be proven; 0:
 * all of them, and of a Window PoSt one. Stage "make sample". What it makes passes request_check.
 * CUZK_USAGE: more partitions than the circuit's sectors have, a circuit that does not exist. */
MUST_CHECK enum cuzk_status request_sample(struct request *ret, struct circuit_name name,
                                           uint64_t seed, unsigned partitions,
                                           struct engine *engine, struct cuzk_error *err);

#endif
