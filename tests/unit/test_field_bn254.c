/* The fields of bn254: field_laws.inc.h. */
#include "params/bn254.h"

#define CURVE_NAME "bn254"
#include "unit/field_pair.inc.h"
