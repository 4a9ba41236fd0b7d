/* The templates of one group, in order. Parameters, kept: GROUP, BASE, GROUP_PARAM. */
#include "curve/group.inc.h"
#include "curve/xyzz.inc.h"
#include "curve/encode.inc.h"
#include "curve/multiple.inc.h"
#include "curve/group_face.inc.h"
#include "msm/group_kernels.inc.h"
