/* The fields of bls12_381: field_laws.inc.h. */
#include "params/bls12_381.h"

#define CURVE_NAME "bls12_381"
#include "unit/field_pair.inc.h"
