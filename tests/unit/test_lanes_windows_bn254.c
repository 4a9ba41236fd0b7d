/* msm/ in lanes on bn254 with every window, and with every bound checked: window_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "unit/window_laws.inc.h"

#include "backend/ifma/ifma_bn254.c"

#define TESTED (*ifma_curve(&curve_bn254))
#include "unit/window_tests.inc.h"
