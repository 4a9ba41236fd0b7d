/* The fields of toy_bn in lanes: lane_laws.inc.h. */
#include "params/toy_bn.h"

#define CURVE_NAME "toy_bn"
#include "unit/lane_pair.inc.h"
