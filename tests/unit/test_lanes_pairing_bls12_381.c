/* Products of pairings on bls12_381 in lanes: pairing_lanes_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "backend/ifma/ifma_pairing_bls12_381.c"

#include "unit/pairing_lanes_laws.inc.h"
