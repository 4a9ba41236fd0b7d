/* msm/ in lanes on bls12_381 with every window, and with every bound checked: window_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "unit/window_laws.inc.h"

#include "backend/ifma/ifma_bls12_381.c"

#define TESTED (*ifma_curve(&curve_bls12_381))
#include "unit/window_tests.inc.h"
