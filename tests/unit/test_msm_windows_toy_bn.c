/* msm/ on toy_bn with every window: window_laws.inc.h. */
#include "unit/window_laws.inc.h"

#include "curves/toy_bn.c"

#define TESTED curve_toy_bn
#include "unit/window_tests.inc.h"
