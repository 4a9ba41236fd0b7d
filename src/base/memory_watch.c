#include "base/memory_watch.h"

#include <time.h>

#include "base/clock.h"

#define STEP_NS (20 * 1000 * 1000)

static void sample(struct memory_watch *watch)
{
    const size_t now = memory_anonymous();

    if (now > watch->highest)
        watch->highest = now;
}

static void keep_sampling(void *ctx)
{
    struct memory_watch *watch = ctx;
    const struct timespec step = {.tv_nsec = STEP_NS};

    while (!watch->stop) {
        sample(watch);
        (void)nanosleep(&step, NULL);
    }
}

enum cuzk_status memory_watch_begin(struct memory_watch *watch, struct cuzk_error *err)
{
    atomic_init(&watch->stop, false);
    atomic_init(&watch->highest, 0);
    return thread_begin(&watch->thread, keep_sampling, watch, err);
}

size_t memory_watch_end(struct memory_watch *watch)
{
    watch->stop = true;
    thread_end(&watch->thread);
    sample(watch);
    return watch->highest;
}
