#include "params/bn254.h"

#define CURVE bn254
#include "backend/cpu/spmv.inc.h"
