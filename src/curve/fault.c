#include "curve/curve.h"

const char *point_fault_name(enum point_fault fault)
{
    switch (fault) {
    case POINT_OK: return "ok";
    case POINT_NOT_CANONICAL: return "coordinate not below the modulus";
    case POINT_BAD_FLAGS: return "bad flags";
    case POINT_NOT_ON_CURVE: return "not on the curve";
    case POINT_NOT_IN_SUBGROUP: return "not in the subgroup of order r";
    case POINT_INFINITY: return "point at infinity";
    }
    return "unknown fault";
}
