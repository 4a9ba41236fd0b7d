/* Files of made-up sectors (filecoin/sample_sector.h): inputs of full size for whoever develops,
 * measures or chooses a machine; and small sectors sealed for real, to compare with others. */
#ifndef ENGINE_SAMPLE_JOB_H
#define ENGINE_SAMPLE_JOB_H

#include "engine/report.h"
#include "engine/sample_input.h"

/* Writes the sample that the options describe.
 *
 *     porep             `path` is the C1: the API's JSON for a size that has a registered proof,
 *                       else native bincode
 *     winning, window   `path` is a folder, made if it is not there, with a vanilla proof a sector:
 *                       vanilla-0000000.bin and so on
 *     update            `path` is a folder with a vanilla proof a partition
 *
 * options->sector_files: unsealed.bin, sealed.bin and p_aux.bin (comm_c, comm_r_last) of the
 * sector; for an update also data-new.bin, replica-new.bin, p_aux-new.bin.
 *
 * What a prover has to be told besides goes to the report. */
MUST_CHECK enum cuzk_status sample_write(struct engine *engine,
                                         const struct sample_options *options, const char *path,
                                         struct report *report, struct cuzk_error *err);

#endif
