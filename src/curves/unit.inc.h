/* All templates of one curve, in order: the body of every unit of this folder, and of the tests
 * that look inside one.
 *
 * Parameters: the constants of params/<curve>.h, and
 *   CURVE        the curve's name in our sources, e.g. bls12_381
 *
 * Defines everything of the templates below, static, and the one exported name,
 * const struct curve curve_<CURVE>.
 *
 * Bulk work is found through struct curve too: g1_kernels, g2_kernels (msm), fr_kernels (ntt). */
#include <string.h>

#include "curve/curve.h"
#include "msm/group_kernels.h"
#include "ntt/scalar_kernels.h"

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"
#include "field/fp2.inc.h"
#include "field/tower.inc.h"
#include "curve/coordinate.inc.h"
#include "curve/glv.inc.h"

#define GROUP g1
#define BASE fp
#define GROUP_PARAM G1
#include "curves/group_stack.inc.h"
#undef GROUP
#undef BASE
#undef GROUP_PARAM

#define GROUP g2
#define BASE fp2
#define GROUP_PARAM G2
#include "curves/group_stack.inc.h"
#undef GROUP
#undef BASE
#undef GROUP_PARAM

#include "curve/subgroup.inc.h"
#include "curve/pairing.inc.h"
#include "curve/scalar_face.inc.h"
#include "ntt/scalar_kernels.inc.h"
#include "curve/face.inc.h"
