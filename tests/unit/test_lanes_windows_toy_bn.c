/* msm/ in lanes on toy_bn with every window, and with every bound checked: window_laws.inc.h. */
#ifndef CUZK_LANE_CHECKS
#define CUZK_LANE_CHECKS
#endif

#include "unit/window_laws.inc.h"

#include "backend/ifma/ifma_toy_bn.c"

#define TESTED (*ifma_curve(&curve_toy_bn))
#include "unit/window_tests.inc.h"
