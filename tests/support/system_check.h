/* A constraint system has the counts, densities and digests that the reference vectors list (the
 * "circuit" of an index entry or a meta.json; tests/vectors/filecoin/README.md). */
#ifndef SUPPORT_SYSTEM_CHECK_H
#define SUPPORT_SYSTEM_CHECK_H

#include "r1cs/r1cs.h"
#include "support/json.h"

void system_check(const struct r1cs *cs, const struct json *circuit);

#endif
