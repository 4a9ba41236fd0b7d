/* msm/ in lanes on toy_bls12 with every window, and with every bound checked: window_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "unit/window_laws.inc.h"

#include "backend/ifma/ifma_toy_bls12.c"

#define TESTED (*ifma_curve(&curve_toy_bls12))
#include "unit/window_tests.inc.h"
