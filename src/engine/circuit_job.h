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

/* What one proof of this circuit takes, by class and by stage. */
MUST_CHECK enum cuzk_status circuit_plan(struct engine *engine, struct circuit_name name,
                                         struct report *report, struct cuzk_error *err);

#endif
