/* The last steps of a sum of points of BLS12-381: a few hundred doublings and a conversion,
 * microseconds here and milliseconds for one thread of a card. */
#include "backend/cuda/cuda_combine.h"

#include <string.h>

#include "params/bls12_381.h"

#define CURVE bls12_381
#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#include "field/fp2.inc.h"

#define GROUP g1
#define BASE fp
#define GROUP_PARAM G1
#include "curve/group.inc.h"
#include "curve/xyzz.inc.h"
#include "backend/cuda/cuda_combine.inc.h"
#undef GROUP
#undef BASE
#undef GROUP_PARAM

#define GROUP g2
#define BASE fp2
#define GROUP_PARAM G2
#include "curve/group.inc.h"
#include "curve/xyzz.inc.h"
#include "backend/cuda/cuda_combine.inc.h"
