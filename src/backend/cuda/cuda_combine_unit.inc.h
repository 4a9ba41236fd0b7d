/* The last steps of a sum of points of one curve, both groups.
 *
 * Parameters: the constants of params/<curve>.h, and CURVE, a name. */
#include "backend/cuda/cuda_combine.h"

#include <string.h>

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
