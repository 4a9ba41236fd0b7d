/* The fields of toy_bn: field_laws.inc.h. */
#include "params/toy_bn.h"

#define CURVE_NAME "toy_bn"
#include "unit/field_pair.inc.h"
