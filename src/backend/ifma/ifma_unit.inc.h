/* The lane kernels of one curve: the template, like curves/unit.inc.h.
 *
 * Parameters: the constants of params/<curve>.h, and CURVE. Defines ifma_<CURVE>. */
#include <stdatomic.h>
#include <string.h>

#include "backend/ifma/ifma_kernels.h"
#include "base/rng.h"
#include "msm/digits.h"
#include "msm/layout.h"
#include "msm/window.h"

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"
#include "field/fp2.inc.h"
#include "curve/coordinate.inc.h"

#define FIELD fp
#define PARAM FP
#include "backend/ifma/field_lanes.inc.h"
#define FIELD fr
#define PARAM FR
#include "backend/ifma/field_lanes.inc.h"
#include "backend/ifma/fp2_lanes.inc.h"
#include "backend/ifma/cell_lanes.inc.h"
#include "backend/ifma/root_lanes.inc.h"

#define LANE_CURVE TEMPLATE_JOIN(curve, CURVE)

#define GROUP g1
#define BASE fp
#define GROUP_PARAM G1
#include "backend/ifma/group_lanes.inc.h"
#undef GROUP
#undef BASE
#undef GROUP_PARAM

#define GROUP g2
#define BASE fp2
#define GROUP_PARAM G2
#include "backend/ifma/group_lanes.inc.h"
#undef GROUP
#undef BASE
#undef GROUP_PARAM

#include "backend/ifma/subgroup_lanes.inc.h"
#include "backend/ifma/poseidon_lanes.inc.h"

static void poseidon_replace(struct scalar_kernels *kernels)
{
    kernels->poseidon_table_bytes = fr_lanes_poseidon_table_bytes;
    kernels->poseidon_table_init = fr_lanes_poseidon_table_init;
    kernels->poseidon = fr_lanes_poseidon;
}

const struct ifma_kernels TEMPLATE_JOIN(ifma, CURVE) = {
    .replace_g1 = g1_replace,
    .replace_g2 = g2_replace,
    .replace_poseidon = poseidon_replace,
};
