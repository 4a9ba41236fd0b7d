#include "params/bls12_381.h"

#define CURVE bls12_381
#include "backend/cpu/spmv.inc.h"
