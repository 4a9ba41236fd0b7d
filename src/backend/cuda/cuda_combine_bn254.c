/* The last steps of a sum of points of BN254: see cuda_combine.c. */
#include "params/bn254.h"

#define CURVE bn254
#include "backend/cuda/cuda_combine_unit.inc.h"
