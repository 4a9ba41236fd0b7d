/* Files of sectors that nobody sealed (filecoin/sample_porep.h): inputs of full size for whoever
 * develops, measures or chooses a machine. */
#ifndef ENGINE_SAMPLE_JOB_H
#define ENGINE_SAMPLE_JOB_H

#include "engine/engine.h"
#include "engine/report.h"
#include "filecoin/circuit_name.h"

struct sample_options {
    struct circuit_name name;
    const char *api_version; /* NULL: the newest there is; CUZK_USAGE for one that cannot be */
    size_t sectors;          /* window: how many; 0: those of one full partition */
    bool dense;              /* a sector that is sealed for real: not in this version */
    uint64_t seed;
};

/* Writes the seed's sample.
 *
 *     porep             `path` is the C1: the API's JSON for a size that has a registered proof,
 *                       else native bincode with a porep_id of zeros. API 1.0.0 or 1.1.0
 *     winning, window   `path` is a folder, made if it is not there, with a vanilla proof a sector:
 *                       vanilla-0000000.bin and so on. Window: API 1.0.0 or 1.2.0
 *
 * What a prover has to be told besides goes to the report. CUZK_USAGE for what this version does
 * not make. */
MUST_CHECK enum cuzk_status sample_write(struct engine *engine,
                                         const struct sample_options *options, const char *path,
                                         struct report *report, struct cuzk_error *err);

#endif
