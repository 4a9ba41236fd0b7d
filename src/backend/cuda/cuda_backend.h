/* The CUDA back end's table, for the registry. */
#ifndef BACKEND_CUDA_CUDA_BACKEND_H
#define BACKEND_CUDA_CUDA_BACKEND_H

#include "backend/backend.h"

extern const struct backend backend_cuda;

#endif
