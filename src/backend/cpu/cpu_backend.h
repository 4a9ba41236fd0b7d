/* The cpu back end's table, for the registry. */
#ifndef BACKEND_CPU_CPU_BACKEND_H
#define BACKEND_CPU_CPU_BACKEND_H

#include "backend/backend.h"

extern const struct backend backend_cpu;

#endif
