/* A BN curve of 97 elements with a D-twist: small enough to try everything. */
#include "params/toy_bn.h"

#define CURVE toy_bn
#include "curves/unit.inc.h"
