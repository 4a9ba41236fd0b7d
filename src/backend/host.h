/* Bulk operations for what runs on the host beside every back end: witnesses, readers of points,
 * the verifier. */
#ifndef BACKEND_HOST_H
#define BACKEND_HOST_H

#include "curve/curve.h"

/* The curve with the fastest tables of bulk operations that run here: in lanes where the processor
 * has them, otherwise the portable ones of `curve` itself. Same results, byte for byte. */
const struct curve *host_curve(const struct curve *curve);

#endif
