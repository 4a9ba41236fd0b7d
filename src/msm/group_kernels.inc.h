/* struct group_kernels of one group, filled: the template.
 *
 * Parameters, kept: GROUP, BASE as in curve/group.inc.h; the templates of curve/ come before.
 * Name defined: g1_kernels. */
#include <stdatomic.h>
#include <string.h>

#include "base/rng.h"
#include "msm/digits.h"
#include "msm/group_kernels.h"
#include "msm/layout.h"
#include "msm/window.h"

#include "msm/decode_one.inc.h"
#include "msm/convert.inc.h"
#include "msm/cell.inc.h"
#include "msm/adder.inc.h"
#include "msm/lists.inc.h"
#include "msm/sum_products.inc.h"
#include "msm/class_sum.inc.h"
#include "msm/fixed_base.inc.h"
#include "msm/elementwise.inc.h"
#include "msm/subgroup_sums.inc.h"

#define G(name) TEMPLATE_JOIN(GROUP, name)

static const struct group_kernels G(kernels) = {
    .point_bytes = sizeof(G(affine_t)),
    .encoded_bytes = sizeof(G(affine_t)),
    .decode = G(bulk_decode),
    .decompress = G(bulk_decompress),
    .to_plain = G(bulk_to_plain),
    .from_plain = G(bulk_from_plain),
    .encode = G(bulk_encode),
    .msm_bytes = G(bulk_msm_bytes),
    .msm = G(bulk_msm),
    .sum_bytes = G(bulk_sum_bytes),
    .sum = G(bulk_sum),
    .fixed_table_bytes = G(bulk_fixed_table_bytes),
    .fixed_table_init = G(bulk_fixed_table_init),
    .fixed_mul_bytes = G(bulk_fixed_mul_bytes),
    .fixed_mul = G(bulk_fixed_mul),
    .add_batch_bytes = G(bulk_add_bytes),
    .add_batch = G(bulk_add),
    .mul_each = G(bulk_mul_each),
    .neg_batch = G(bulk_neg),
    .check = G(bulk_check),
    .subgroup_bytes = G(bulk_subgroup_bytes),
    .subgroup_check = G(bulk_subgroup_check),
};

#undef G
