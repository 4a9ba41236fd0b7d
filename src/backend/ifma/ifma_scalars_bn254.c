/* Scalars of bn254 in lanes. */
#include "params/bn254.h"

#define CURVE bn254
#include "backend/ifma/ifma_scalars.inc.h"
