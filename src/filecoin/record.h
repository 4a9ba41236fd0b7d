/* From a circuit written over a recorder to its system, or to the place of one of its rows. */
#ifndef FILECOIN_RECORD_H
#define FILECOIN_RECORD_H

#include "r1cs/r1cs.h"
#include "r1cs/recorder.h"

/* Writes the circuit of `shape`, whatever type that is, into the recorder. */
typedef enum cuzk_status circuit_fn(struct recorder *rec, const void *shape,
                                    struct cuzk_error *err);

MUST_CHECK enum cuzk_status record_circuit(struct r1cs *ret, circuit_fn *circuit, const void *shape,
                                           struct budget *budget, struct cuzk_error *err);

/* Where row `row` is, such as "challenge 3/label 2/sha256", at most n - 1 characters.
 * Records the circuit to find it. */
MUST_CHECK enum cuzk_status record_row_path(char *out, size_t n, circuit_fn *circuit,
                                            const void *shape, uint64_t row, struct budget *budget,
                                            struct cuzk_error *err);

#endif
