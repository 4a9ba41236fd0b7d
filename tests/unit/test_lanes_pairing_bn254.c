/* Products of pairings on bn254 in lanes: pairing_lanes_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "backend/ifma/ifma_pairing_bn254.c"

#include "unit/pairing_lanes_laws.inc.h"
