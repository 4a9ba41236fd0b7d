/* The fields of bls12_381 in lanes: lane_laws.inc.h. */
#include "params/bls12_381.h"

#define CURVE_NAME "bls12_381"
#include "unit/lane_pair.inc.h"
