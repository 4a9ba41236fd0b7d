/* The back end of processors with AVX-512 IFMA: cpu with the bulk operations in eight lanes. */
#ifndef BACKEND_IFMA_IFMA_BACKEND_H
#define BACKEND_IFMA_IFMA_BACKEND_H

#include "backend/backend.h"

extern const struct backend backend_ifma;

#endif
