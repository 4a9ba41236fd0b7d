/* msm/ on bn254 with every window: window_laws.inc.h. */
#include "unit/window_laws.inc.h"

#include "curves/bn254.c"

#define TESTED curve_bn254
#include "unit/window_tests.inc.h"
