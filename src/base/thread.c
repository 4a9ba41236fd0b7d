#include "base/thread.h"

static void *call(void *context)
{
    struct thread *thread = context;

    thread->f(thread->ctx);
    return NULL;
}

enum cuzk_status thread_begin(struct thread *thread, thread_fn *f, void *ctx,
                              struct cuzk_error *err)
{
    *thread = (struct thread){.f = f, .ctx = ctx};
    if (pthread_create(&thread->id, NULL, call, thread) != 0)
        return error_set(err, CUZK_NO_MEMORY, "the system refused a thread");
    return CUZK_OK;
}

void thread_end(struct thread *thread)
{
    pthread_join(thread->id, NULL);
}
