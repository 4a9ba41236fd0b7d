/* Pairings on bls12_381 in lanes. */
#include "params/bls12_381.h"

#define CURVE bls12_381
#include "backend/ifma/ifma_pairing.inc.h"
