/* msm/ on bls12_381 with every window: window_laws.inc.h. */
#include "unit/window_laws.inc.h"

#include "curves/bls12_381.c"

#define TESTED curve_bls12_381
#include "unit/window_tests.inc.h"
