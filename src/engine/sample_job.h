/* Files of sectors that nobody sealed (filecoin/sample_porep.h): inputs of full size for whoever
 * develops, measures or chooses a machine. */
#ifndef ENGINE_SAMPLE_JOB_H
#define ENGINE_SAMPLE_JOB_H

#include "engine/engine.h"
#include "engine/report.h"
#include "filecoin/circuit_name.h"

struct sample_options {
    struct circuit_name name;
    const char *api_version; /* "1.0.0" or "1.1.0"; NULL: "1.1.0" */
    bool dense;              /* a sector that is sealed for real: not in this version */
    uint64_t seed;
};

/* Writes the C1 of the seed's sample to `path`: the API's JSON for a size that has a registered
 * proof, else native bincode with a porep_id of zeros. What a prover has to be told besides goes to
 * the report. CUZK_USAGE for what this version does not make. */
MUST_CHECK enum cuzk_status sample_write(struct engine *engine,
                                         const struct sample_options *options, const char *path,
                                         struct report *report, struct cuzk_error *err);

#endif
