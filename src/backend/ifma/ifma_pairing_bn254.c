/* Pairings on bn254 in lanes. */
#include "params/bn254.h"

#define CURVE bn254
#include "backend/ifma/ifma_pairing.inc.h"
