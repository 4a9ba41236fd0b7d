/* BN254 (alt_bn128): Ethereum's precompiles, circom's default. */
#include "params/bn254.h"

#define CURVE bn254
#include "curves/unit.inc.h"
