#include "params/toy_bls12.h"

#define CURVE toy_bls12
#include "backend/cpu/spmv.inc.h"
