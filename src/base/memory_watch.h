/* The highest anonymous and shared memory of this process over a time, sampled every 20 ms by a
 * thread of its own: what the kernel counts, beside the budget's own numbers. */
#ifndef BASE_MEMORY_WATCH_H
#define BASE_MEMORY_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/thread.h"

struct memory_watch {
    struct thread thread;
    atomic_bool stop;
    _Atomic size_t highest; /* bytes */
};

MUST_CHECK enum cuzk_status memory_watch_begin(struct memory_watch *watch, struct cuzk_error *err);
/* Returns the highest. */
size_t memory_watch_end(struct memory_watch *watch);

#endif
