/* The fields of toy_bls12 in lanes: lane_laws.inc.h. */
#include "params/toy_bls12.h"

#define CURVE_NAME "toy_bls12"
#include "unit/lane_pair.inc.h"
