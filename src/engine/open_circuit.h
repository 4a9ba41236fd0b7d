/* A recorded circuit by its name, ready for keys and proofs; and what there is to say about it. */
#ifndef ENGINE_OPEN_CIRCUIT_H
#define ENGINE_OPEN_CIRCUIT_H

#include "engine/engine.h"
#include "engine/report.h"
#include "filecoin/circuit_name.h"
#include "groth16/qap.h"
#include "r1cs/r1cs.h"

struct open_circuit {
    struct circuit_name name;
    struct r1cs cs;
    struct qap qap;
};

/* Records it (stage "record circuit"). A kind that this version cannot make is CUZK_USAGE. */
MUST_CHECK enum cuzk_status circuit_open(struct open_circuit *circuit, struct engine *engine,
                                         struct circuit_name name, struct cuzk_error *err);
void circuit_close(struct open_circuit *circuit); /* accepts a zeroed one */

/* Sizes of the files of its key, as bellperson writes them. */
uint64_t circuit_params_bytes(const struct open_circuit *circuit);
uint64_t circuit_vk_bytes(const struct open_circuit *circuit);

/* Counts, densities, nonzeros, domain, official file names and identifier, key sizes; with `digest`
 * the structural and coefficient digests (half a minute for 32 GiB on two cores). */
MUST_CHECK enum cuzk_status circuit_report(const struct open_circuit *circuit,
                                           struct engine *engine, bool digest,
                                           struct report *report, struct cuzk_error *err);

#endif
