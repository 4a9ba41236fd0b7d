/* Products of pairings on toy_bls12 in lanes: pairing_lanes_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "backend/ifma/ifma_pairing_toy_bls12.c"

#include "unit/pairing_lanes_laws.inc.h"
