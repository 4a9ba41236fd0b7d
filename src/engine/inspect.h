/* What is this file? For `cuzk inspect` and `cuzk key info`. */
#ifndef ENGINE_INSPECT_H
#define ENGINE_INSPECT_H

#include "engine/engine.h"
#include "engine/report.h"

/* Known by content, not by name: bellperson parameters, verifying keys and proofs; prepared keys;
 * C1 outputs in JSON. Says what it is, its counts, its digests as parameters.json has them, and
 * what is odd about it. A file that is none of these is CUZK_BAD_INPUT. */
MUST_CHECK enum cuzk_status inspect_file(struct engine *engine, const char *path,
                                         struct report *report, struct cuzk_error *err);

#endif
