/* Pairings on toy_bls12 in lanes. */
#include "params/toy_bls12.h"

#define CURVE toy_bls12
#include "backend/ifma/ifma_pairing.inc.h"
