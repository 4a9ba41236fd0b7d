/* epoll, and around it: a pairing heap of timers, a signalfd, pidfds, and a list of notes under a
 * lock with an eventfd that wakes. epoll reports up to BATCH events at once; whatever a handler
 * removes is struck out of the rest of the batch, so a removed struct is never touched again. */
#include "daemon/loop.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { BATCH = 64 };

struct loop {
    int epoll;
    _Atomic pid_t thread; /* that runs it; 0: none. Others ask whether it is they */
    uint64_t longest;

    struct epoll_event batch[BATCH];
    int n_batch, at; /* the event being handled */

    struct loop_timer *timers; /* root of the heap */

    struct loop_fd signal_fd;
    sigset_t signals;
    struct loop_signal *signal_watches;

    struct loop_fd wake;
    pthread_mutex_t lock; /* of what follows */
    struct loop_note *first, **last;
    bool stop, ended;
};

uint64_t loop_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * LOOP_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t loop_longest(struct loop *loop)
{
    uint64_t longest = loop->longest;

    loop->longest = 0;
    return longest;
}

static void note_time(struct loop *loop, uint64_t begin)
{
    uint64_t took = loop_now() - begin;

    if (took > loop->longest)
        loop->longest = took;
}

bool loop_is_here(const struct loop *loop)
{
    return atomic_load(&loop->thread) == gettid();
}

/* ---- descriptors ----------------------------------------------------------------------------- */

enum cuzk_status loop_fd_add(struct loop *loop, struct loop_fd *watch, int fd, uint32_t events,
                             struct cuzk_error *err)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        return error_set(err, CUZK_IO, "cannot wait for descriptor %d: %s", fd, strerror(errno));
    watch->loop = loop;
    watch->fd = fd;
    watch->events = events;
    return CUZK_OK;
}

void loop_fd_events(struct loop_fd *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (watch->loop && watch->events != events) {
        /* The descriptor is in the set, so this cannot fail. */
        (void)epoll_ctl(watch->loop->epoll, EPOLL_CTL_MOD, watch->fd, &event);
        watch->events = events;
    }
}

void loop_fd_remove(struct loop_fd *watch)
{
    struct loop *loop = watch->loop;

    if (!loop)
        return;
    (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    for (int i = loop->at; i < loop->n_batch; i++)
        if (loop->batch[i].data.ptr == watch)
            loop->batch[i].data.ptr = NULL;
    watch->loop = NULL;
}

static void handle_events(struct loop *loop)
{
    for (loop->at = 0; loop->at < loop->n_batch; loop->at++) {
        struct epoll_event event = loop->batch[loop->at];
        struct loop_fd *watch = event.data.ptr;
        uint64_t begin = loop_now();

        if (!watch)
            continue;
        watch->f(watch->ctx, event.events);
        note_time(loop, begin);
    }
    loop->n_batch = loop->at = 0;
}

/* ---- times: a pairing heap ------------------------------------------------------------------- */

static struct loop_timer *meld(struct loop_timer *a, struct loop_timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (b->due < a->due) {
        struct loop_timer *t = a;

        a = b;
        b = t;
    }
    b->sibling = a->child;
    if (b->sibling)
        b->sibling->link = &b->sibling;
    b->link = &a->child;
    a->child = b;
    return a;
}

/* Melds a list of siblings in pairs, then the pairs from the last to the first. */
static struct loop_timer *meld_all(struct loop_timer *list)
{
    struct loop_timer *pairs = NULL, *root = NULL;

    while (list) {
        struct loop_timer *a = list, *b = list->sibling, *pair;

        list = b ? b->sibling : NULL;
        a->sibling = NULL;
        if (b)
            b->sibling = NULL;
        pair = meld(a, b);
        pair->sibling = pairs;
        pairs = pair;
    }
    while (pairs) {
        struct loop_timer *next = pairs->sibling;

        pairs->sibling = NULL;
        root = meld(root, pairs);
        pairs = next;
    }
    return root;
}

static void set_root(struct loop *loop, struct loop_timer *root)
{
    loop->timers = root;
    if (root) {
        root->sibling = NULL;
        root->link = &loop->timers;
    }
}

void loop_timer_cancel(struct loop_timer *timer)
{
    struct loop *loop = timer->loop;
    struct loop_timer *rest;

    if (!loop)
        return;
    *timer->link = timer->sibling;
    if (timer->sibling)
        timer->sibling->link = timer->link;
    rest = meld_all(timer->child);
    set_root(loop, meld(loop->timers, rest));
    timer->loop = NULL;
    timer->child = timer->sibling = NULL;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t due)
{
    loop_timer_cancel(timer);
    timer->loop = loop;
    timer->due = due;
    timer->child = timer->sibling = NULL;
    set_root(loop, meld(loop->timers, timer));
}

/* Only those that are due as this begins: a timer that sets itself again at once waits its turn. */
static void handle_timers(struct loop *loop)
{
    uint64_t now = loop_now();

    while (loop->timers && loop->timers->due <= now) {
        struct loop_timer *timer = loop->timers;
        uint64_t begin = loop_now();

        loop_timer_cancel(timer);
        timer->f(timer->ctx);
        note_time(loop, begin);
    }
}

/* Milliseconds for epoll_wait, rounded up. */
static int patience(const struct loop *loop)
{
    uint64_t now = loop_now(), wait;

    if (!loop->timers)
        return -1;
    if (loop->timers->due <= now)
        return 0;
    wait = (loop->timers->due - now + LOOP_MILLISECOND - 1) / LOOP_MILLISECOND;
    return wait > INT_MAX ? INT_MAX : (int)wait;
}

/* ---- signals --------------------------------------------------------------------------------- */

static void signals_come(void *ctx, uint32_t events)
{
    struct loop *loop = ctx;
    struct signalfd_siginfo info;

    (void)events;
    while (read(loop->signal_fd.fd, &info, sizeof info) == (ssize_t)sizeof info)
        for (struct loop_signal *s = loop->signal_watches; s; s = s->next)
            if (s->signal == (int)info.ssi_signo)
                s->f(s->ctx, s->signal);
}

enum cuzk_status loop_signal_add(struct loop *loop, struct loop_signal *watch, int signal,
                                 struct cuzk_error *err)
{
    int fd = loop->signal_fd.loop ? loop->signal_fd.fd : -1;

    sigaddset(&loop->signals, signal);
    fd = signalfd(fd, &loop->signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        return error_set(err, CUZK_IO, "signalfd: %s", strerror(errno));
    if (!loop->signal_fd.loop) {
        enum cuzk_status st;

        loop->signal_fd.f = signals_come;
        loop->signal_fd.ctx = loop;
        st = loop_fd_add(loop, &loop->signal_fd, fd, EPOLLIN, err);
        if (st != CUZK_OK) {
            close(fd);
            return st;
        }
    }
    pthread_sigmask(SIG_BLOCK, &loop->signals, NULL);
    watch->signal = signal;
    watch->next = loop->signal_watches;
    loop->signal_watches = watch;
    return CUZK_OK;
}

/* ---- children -------------------------------------------------------------------------------- */

static void child_ends(void *ctx, uint32_t events)
{
    struct loop_child *watch = ctx;
    siginfo_t info = {0};

    (void)events;
    if (waitid(P_PIDFD, (id_t)watch->fd.fd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
        return;
    loop_child_remove(watch);
    watch->f(watch->ctx, info.si_code, info.si_status);
}

enum cuzk_status loop_child_add(struct loop *loop, struct loop_child *watch, pid_t pid,
                                struct cuzk_error *err)
{
    int fd = pidfd_open(pid, 0); /* born with close-on-exec */
    enum cuzk_status st;

    if (fd < 0)
        return error_set(err, CUZK_IO, "cannot watch process %d: %s", (int)pid, strerror(errno));
    watch->fd.f = child_ends;
    watch->fd.ctx = watch;
    st = loop_fd_add(loop, &watch->fd, fd, EPOLLIN, err);
    if (st != CUZK_OK)
        close(fd);
    return st;
}

void loop_child_kill(const struct loop_child *watch, int signal)
{
    if (watch->fd.loop)
        (void)pidfd_send_signal(watch->fd.fd, signal, NULL, 0);
}

void loop_child_remove(struct loop_child *watch)
{
    if (watch->fd.loop) {
        loop_fd_remove(&watch->fd);
        close(watch->fd.fd);
    }
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void wake(struct loop *loop)
{
    uint64_t one = 1;

    /* A full counter wakes as well. */
    if (write(loop->wake.fd, &one, sizeof one) < 0)
        return;
}

bool loop_post(struct loop *loop, struct loop_note *note)
{
    bool alive;

    note->next = NULL;
    pthread_mutex_lock(&loop->lock);
    alive = !loop->ended;
    if (alive) {
        *loop->last = note;
        loop->last = &note->next;
        wake(loop);
    }
    pthread_mutex_unlock(&loop->lock);
    return alive;
}

void loop_stop(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    loop->stop = true;
    wake(loop);
    pthread_mutex_unlock(&loop->lock);
}

struct call {
    struct loop_note note;
    void (*f)(void *ctx);
    void *ctx;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
};

static void answer_call(void *ctx)
{
    struct call *call = ctx;

    call->f(call->ctx);
    pthread_mutex_lock(&call->lock);
    call->done = true;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&call->lock);
}

bool loop_call(struct loop *loop, void (*f)(void *ctx), void *ctx)
{
    struct call call = {.f = f, .ctx = ctx, .note = {.f = answer_call, .ctx = &call}};
    bool posted;

    if (loop_is_here(loop)) {
        f(ctx);
        return true;
    }
    pthread_mutex_init(&call.lock, NULL);
    pthread_cond_init(&call.ended, NULL);
    posted = loop_post(loop, &call.note);
    pthread_mutex_lock(&call.lock);
    while (posted && !call.done)
        pthread_cond_wait(&call.ended, &call.lock);
    pthread_mutex_unlock(&call.lock);
    pthread_cond_destroy(&call.ended);
    pthread_mutex_destroy(&call.lock);
    return posted;
}

/* The notes that are there as this begins. Once `ending`, no more are taken. */
static bool handle_notes(struct loop *loop, bool ending)
{
    struct loop_note *note;
    bool stop;

    pthread_mutex_lock(&loop->lock);
    note = loop->first;
    loop->first = NULL;
    loop->last = &loop->first;
    stop = loop->stop;
    loop->ended = ending;
    pthread_mutex_unlock(&loop->lock);
    while (note) {
        struct loop_note *next = note->next;
        uint64_t begin = loop_now();

        note->f(note->ctx);
        note_time(loop, begin);
        note = next;
    }
    return stop;
}

static void wakes(void *ctx, uint32_t events)
{
    struct loop *loop = ctx;
    uint64_t n;

    (void)events;
    if (read(loop->wake.fd, &n, sizeof n) < 0)
        return; /* nobody wrote */
}

/* ---- the loop -------------------------------------------------------------------------------- */

void loop_run(struct loop *loop)
{
    atomic_store(&loop->thread, gettid());
    while (!handle_notes(loop, false)) {
        int n = epoll_wait(loop->epoll, loop->batch, BATCH, patience(loop));

        loop->n_batch = n > 0 ? n : 0; /* n < 0: a signal that is not ours */
        handle_events(loop);
        handle_timers(loop);
    }
    handle_notes(loop, true);
    atomic_store(&loop->thread, 0);
}

enum cuzk_status loop_new(struct loop **ret, struct cuzk_error *err)
{
    struct loop *loop = mem_new(sizeof *loop);
    enum cuzk_status st = CUZK_OK;
    int fd;

    if (!loop)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the event loop");
    pthread_mutex_init(&loop->lock, NULL);
    loop->last = &loop->first;
    sigemptyset(&loop->signals);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (loop->epoll < 0 || fd < 0)
        st = error_set(err, CUZK_IO, "cannot make an event loop: %s", strerror(errno));
    loop->wake.f = wakes;
    loop->wake.ctx = loop;
    if (st == CUZK_OK)
        st = loop_fd_add(loop, &loop->wake, fd, EPOLLIN, err);
    if (st != CUZK_OK && fd >= 0)
        close(fd);
    if (st != CUZK_OK)
        loop_free(loop);
    else
        *ret = loop;
    return st;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    if (loop->wake.loop)
        close(loop->wake.fd);
    if (loop->signal_fd.loop)
        close(loop->signal_fd.fd);
    if (loop->epoll >= 0)
        close(loop->epoll);
    pthread_mutex_destroy(&loop->lock);
    mem_free(loop);
}
