/* A process on one processor only, as taskset makes it. */
#ifndef SUPPORT_PROCESSOR_MASK_H
#define SUPPORT_PROCESSOR_MASK_H

#include <sched.h>

/* The first that we may run on. *before: for mask_restore. */
void mask_to_one(cpu_set_t *before);
void mask_restore(const cpu_set_t *before);

#endif
