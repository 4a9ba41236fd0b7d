#include "params/toy_bn.h"

#define CURVE toy_bn
#include "backend/cpu/spmv.inc.h"
