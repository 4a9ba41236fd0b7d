/* Pairings on toy_bn in lanes. */
#include "params/toy_bn.h"

#define CURVE toy_bn
#include "backend/ifma/ifma_pairing.inc.h"
