/* The templates of one group in lanes, in order. Parameters, kept: GROUP, BASE, GROUP_PARAM,
 * LANE_CURVE. Name defined: g1_replace, of ifma_kernels.h. */
#include "curve/group.inc.h"
#include "curve/encode.inc.h"
#include "msm/decode_one.inc.h"

#include "backend/ifma/adder_lanes.inc.h"
#include "backend/ifma/point_lanes.inc.h"
#include "backend/ifma/decode_lanes.inc.h"
#include "msm/lists.inc.h"
#include "msm/sum_products.inc.h"
#include "msm/class_sum.inc.h"
#include "msm/fixed_base.inc.h"
#include "msm/subgroup_sums.inc.h"

#define G(name) TEMPLATE_JOIN(GROUP, name)

static void G(replace)(struct group_kernels *kernels)
{
    kernels->decode = G(lane_decode);
    kernels->decompress = G(lane_decompress);
    kernels->check = G(lane_check);
    kernels->msm_bytes = G(bulk_msm_bytes);
    kernels->msm = G(bulk_msm);
    kernels->sum_bytes = G(bulk_sum_bytes);
    kernels->sum = G(bulk_sum);
    kernels->fixed_table_bytes = G(bulk_fixed_table_bytes);
    kernels->fixed_table_init = G(bulk_fixed_table_init);
    kernels->fixed_mul_bytes = G(bulk_fixed_mul_bytes);
    kernels->fixed_mul = G(bulk_fixed_mul);
    kernels->subgroup_bytes = G(bulk_subgroup_bytes);
    kernels->subgroup_check = G(bulk_subgroup_check);
}

#undef G
