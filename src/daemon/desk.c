#include "daemon/desk.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "base/mem.h"

struct desk {
    struct loop *loop;
    char name[16];
    pthread_t thread;
    unsigned load;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t some;
    struct desk_task *first, **last;
    struct desk_task *stranded; /* worked on, but the loop had ended */
    bool stop;
};

static void bring_back(void *ctx)
{
    struct desk_task *task = ctx;

    task->desk->load--;
    task->done(task);
}

static struct desk_task *next_task(struct desk *desk)
{
    struct desk_task *task;

    pthread_mutex_lock(&desk->lock);
    while (!desk->first && !desk->stop)
        pthread_cond_wait(&desk->some, &desk->lock);
    task = desk->first;
    if (task && !(desk->first = task->next))
        desk->last = &desk->first;
    pthread_mutex_unlock(&desk->lock);
    return task;
}

static void *desk_main(void *arg)
{
    struct desk *desk = arg;
    struct desk_task *task, **end = &desk->stranded;

    prctl(PR_SET_NAME, desk->name);
    while ((task = next_task(desk)) != NULL) {
        task->work(task);
        task->next = NULL;
        task->note = (struct loop_note){.f = bring_back, .ctx = task};
        if (!loop_post(desk->loop, &task->note)) {
            *end = task;
            end = &task->next;
        }
    }
    return NULL;
}

enum cuzk_status desk_new(struct desk **ret, struct loop *loop, const char *name,
                          struct cuzk_error *err)
{
    struct desk *desk = mem_new(sizeof *desk);

    if (!desk)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the %s thread", name);
    desk->loop = loop;
    desk->last = &desk->first;
    snprintf(desk->name, sizeof desk->name, "%s", name);
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->some, NULL);
    if (pthread_create(&desk->thread, NULL, desk_main, desk) != 0) {
        mem_free(desk);
        return error_set(err, CUZK_NO_MEMORY, "the system refused the %s thread", name);
    }
    *ret = desk;
    return CUZK_OK;
}

void desk_free(struct desk *desk)
{
    if (!desk)
        return;
    pthread_mutex_lock(&desk->lock);
    desk->stop = true;
    pthread_cond_signal(&desk->some);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(desk->thread, NULL);
    for (struct desk_task *task = desk->stranded, *next; task; task = next) {
        next = task->next;
        bring_back(task);
    }
    while (desk->first) { /* what these have posted */
        struct desk_task *task = next_task(desk);

        task->work(task);
        bring_back(task);
    }
    pthread_cond_destroy(&desk->some);
    pthread_mutex_destroy(&desk->lock);
    mem_free(desk);
}

void desk_post(struct desk *desk, struct desk_task *task)
{
    desk->load++;
    task->desk = desk;
    task->next = NULL;
    pthread_mutex_lock(&desk->lock);
    *desk->last = task;
    desk->last = &task->next;
    pthread_cond_signal(&desk->some);
    pthread_mutex_unlock(&desk->lock);
}

unsigned desk_load(const struct desk *desk)
{
    return desk->load;
}
