/* A BLS12 curve of 241 elements with an M-twist: small enough to try everything. */
#include "params/toy_bls12.h"

#define CURVE toy_bls12
#include "curves/unit.inc.h"
