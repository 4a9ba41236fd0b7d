/* Are all rows of a system satisfied? Written from the definition, on the stream of expanded rows:
 * slow, and independent of r1cs_check. BLS12-381. */
#ifndef SUPPORT_SATISFIED_H
#define SUPPORT_SATISFIED_H

#include "r1cs/r1cs.h"

/* A cmocka assertion that names the first row that is not. */
void assert_satisfied(const struct r1cs *cs, const struct witness *witness);

#endif
