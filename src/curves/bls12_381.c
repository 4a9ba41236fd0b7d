/* BLS12-381: the curve of Filecoin, Zcash and Ethereum 2. */
#include "params/bls12_381.h"

#define CURVE bls12_381
#include "curves/unit.inc.h"
