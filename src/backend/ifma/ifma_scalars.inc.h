/* Operations on scalars of one curve in lanes: the template, like ifma_unit.inc.h, a unit of its
 * own because each takes long to compile.
 *
 * Parameters: the constants of params/<curve>.h, and CURVE. Defines ifma_scalars_<CURVE>. */
#include <assert.h>
#include <string.h>

#include "backend/ifma/ifma_kernels.h"
#include "ntt/scalar_kernels.h"

#define FIELD fr
#define PARAM FR
#include "field/field.inc.h"
#include "ntt/reversed_order.inc.h"

#define LANE_CURVE TEMPLATE_JOIN(curve, CURVE)
#define PORTABLE (LANE_CURVE.fr)

static void fr_face_in(fr_t *out, const struct scalar *a)
{
    memcpy(out, a, sizeof *out);
    fr_from_plain(out, out);
}

#define FIELD fr
#define PARAM FR
#include "backend/ifma/field_lanes.inc.h"
#define FIELD fr
#define PARAM FR
#include "backend/ifma/constant_lanes.inc.h"
#include "backend/ifma/scalar_lanes.inc.h"
#include "backend/ifma/ntt_lanes.inc.h"

void TEMPLATE_JOIN(ifma_scalars, CURVE)(struct scalar_kernels *kernels)
{
    kernels->from_plain = fr_lanes_array_from_plain;
    kernels->to_plain = fr_lanes_array_to_plain;
    kernels->add = fr_lanes_array_add;
    kernels->sub = fr_lanes_array_sub;
    kernels->mul = fr_lanes_array_mul;
    kernels->scale = fr_lanes_array_scale;
    kernels->axpy = fr_lanes_array_axpy;
    kernels->powers = fr_lanes_array_powers;
    kernels->ntt_table_bytes = fr_lane_ntt_table_bytes;
    kernels->ntt_table_init = fr_lane_ntt_table_init;
    kernels->ntt = fr_lane_ntt;
    kernels->ntt_to_reversed = fr_lane_ntt_to_reversed;
    kernels->ntt_from_reversed = fr_lane_ntt_from_reversed;
    kernels->ntt_reverse = fr_lane_ntt_reverse;
    kernels->ntt_shift = fr_lane_ntt_shift;
    kernels->ntt_move = fr_lane_ntt_move;
    kernels->ntt_vanishing = fr_lane_ntt_vanishing;
}
