/* The last steps of a sum of points of BLS12-381: a few hundred doublings and a conversion,
 * microseconds here and milliseconds for one thread of a card. */
#include "params/bls12_381.h"

#define CURVE bls12_381
#include "backend/cuda/cuda_combine_unit.inc.h"
