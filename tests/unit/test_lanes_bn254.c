/* The fields of bn254 in lanes: lane_laws.inc.h. */
#include "params/bn254.h"

#define CURVE_NAME "bn254"
#include "unit/lane_pair.inc.h"
