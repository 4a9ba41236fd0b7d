/* A second thread for one call. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#include "base/error.h"

typedef void thread_fn(void *ctx);

struct thread {
    pthread_t id;
    thread_fn *f;
    void *ctx;
};

/* f(ctx) on a thread of its own; *thread stays where it is until thread_end. */
MUST_CHECK enum cuzk_status thread_begin(struct thread *thread, thread_fn *f, void *ctx,
                                         struct cuzk_error *err);
/* Returns when the call has. What it wrote is there. */
void thread_end(struct thread *thread);

#endif
