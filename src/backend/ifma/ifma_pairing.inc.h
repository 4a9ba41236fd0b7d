/* Products of many pairings on one curve in lanes: the template, a unit of its own like
 * ifma_scalars.inc.h.
 *
 * Parameters: the constants of params/<curve>.h, and CURVE. Defines ifma_pairing_<CURVE>. */
#include <stddef.h>
#include <string.h>

#include "backend/ifma/ifma_kernels.h"

#define FIELD fp
#define PARAM FP
#include "field/field.inc.h"
#include "field/fp2.inc.h"
#include "field/tower.inc.h"
#include "curve/coordinate.inc.h"

#define FIELD fp
#define PARAM FP
#include "backend/ifma/field_lanes.inc.h"
#include "backend/ifma/fp2_lanes.inc.h"
#include "backend/ifma/cell_lanes.inc.h"
#include "backend/ifma/lazy_lanes.inc.h"

#define LANE_CURVE TEMPLATE_JOIN(curve, CURVE)
#include "backend/ifma/pairing_lanes.inc.h"

void TEMPLATE_JOIN(ifma_pairing, CURVE)(struct curve *curve)
{
    pairing_lanes_replace(curve);
}
