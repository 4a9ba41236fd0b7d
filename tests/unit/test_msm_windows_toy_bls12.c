/* msm/ on toy_bls12 with every window: window_laws.inc.h. */
#include "unit/window_laws.inc.h"

#include "curves/toy_bls12.c"

#define TESTED curve_toy_bls12
#include "unit/window_tests.inc.h"
