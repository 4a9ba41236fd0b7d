/* Any circuit, by its name. */
#ifndef FILECOIN_CIRCUIT_H
#define FILECOIN_CIRCUIT_H

#include "filecoin/circuit_name.h"
#include "r1cs/r1cs.h"

/* Records it. CUZK_USAGE for update-1GiB, which does not exist. */
MUST_CHECK enum cuzk_status circuit_record(struct r1cs *ret, struct circuit_name name,
                                           struct budget *budget, struct cuzk_error *err);

#endif
