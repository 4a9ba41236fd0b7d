/* The fields of toy_bls12: field_laws.inc.h. */
#include "params/toy_bls12.h"

#define CURVE_NAME "toy_bls12"
#include "unit/field_pair.inc.h"
