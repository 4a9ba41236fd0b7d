/* Products of pairings on toy_bn in lanes: pairing_lanes_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "backend/ifma/ifma_pairing_toy_bn.c"

#include "unit/pairing_lanes_laws.inc.h"
