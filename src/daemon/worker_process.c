#include "daemon/worker_process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SOCKET = 3 };

/* One that never said hello is started again only after a pause. */
#define PAUSE_MAX (16 * LOOP_SECOND)

struct worker_process {
    struct loop *loop;
    struct worker_process_options options;
    pid_t pid; /* 0: none */
    int socket;
    bool ready;
    unsigned deaths;
    uint64_t pause;
    struct loop_fd readable;
    struct loop_child child;
    struct loop_timer again;
};

extern char **environ;

/* ---- listening ------------------------------------------------------------------------------- */

static void listen_to(struct worker_process *w)
{
    struct note note;
    ssize_t n;

    for (;;) {
        n = recv(w->socket, &note, sizeof note, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof note)
            break;
        if (note.kind == NOTE_HELLO)
            w->ready = true;
        w->options.note(w->options.ctx, &note);
    }
    if (n == 0)
        loop_fd_remove(&w->readable); /* it is ending; its end is told by `ended` */
}

static void became_readable(void *ctx, uint32_t events)
{
    (void)events;
    listen_to(ctx);
}

/* ---- starting -------------------------------------------------------------------------------- */

static void start(void *ctx);

static void start_later(struct worker_process *w, bool was_ready)
{
    w->pause = was_ready ? 0 : w->pause == 0 ? LOOP_SECOND / 4 : w->pause * 2;
    if (w->pause > PAUSE_MAX)
        w->pause = PAUSE_MAX;
    loop_timer_set(w->loop, &w->again, loop_now() + w->pause);
}

static void how_it_ended(char *text, size_t n, int code, int status)
{
    if (code == CLD_EXITED)
        snprintf(text, n, "the worker ended with exit code %d", status);
    else
        snprintf(text, n, "the worker died of signal %d (%s)", status, strsignal(status));
}

static void close_socket(struct worker_process *w)
{
    loop_fd_remove(&w->readable);
    if (w->socket >= 0)
        close(w->socket);
    w->socket = -1;
}

static void ended(void *ctx, int code, int status)
{
    struct worker_process *w = ctx;
    char how[128];

    how_it_ended(how, sizeof how, code, status);
    listen_to(w); /* what it still said */
    close_socket(w);
    w->pid = 0;
    w->deaths++;
    if (w->options.restart)
        start_later(w, w->ready);
    w->ready = false;
    w->options.died(w->options.ctx, how);
}

/* The child's end becomes descriptor 3; every other of ours closes at exec. */
static int spawn(struct worker_process *w, int child_end)
{
    const struct worker_process_options *o = &w->options;
    const char *program = o->program ? o->program : "/proc/self/exe";
    char socket_text[16], threads[16], witness_threads[16];
    char *const arguments[] = {"cuzk",
                               "worker",
                               socket_text,
                               (char *)(uintptr_t)o->backend,
                               (char *)(uintptr_t)o->card,
                               threads,
                               witness_threads,
                               (char *)(uintptr_t)o->params,
                               o->allow_dev_keys ? "dev" : "official",
                               NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int failed;

    snprintf(socket_text, sizeof socket_text, "%d", (int)CHILD_SOCKET);
    snprintf(threads, sizeof threads, "%u", o->threads);
    snprintf(witness_threads, sizeof witness_threads, "%u", o->witness_threads);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_end, CHILD_SOCKET);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    failed = posix_spawn(&w->pid, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        w->pid = 0;
    return failed;
}

static bool try_to_start(struct worker_process *w)
{
    int ends[2];
    bool spawned;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    w->socket = ends[0];
    spawned = spawn(w, ends[1]) == 0;
    close(ends[1]);
    if (!spawned)
        return false;
    if (loop_child_add(w->loop, &w->child, w->pid, NULL) != CUZK_OK) {
        kill(w->pid, SIGKILL);
        waitpid(w->pid, NULL, 0);
        w->pid = 0;
        return false;
    }
    if (loop_fd_add(w->loop, &w->readable, w->socket, EPOLLIN, NULL) != CUZK_OK)
        loop_child_kill(&w->child, SIGKILL);
    return true;
}

static void start(void *ctx)
{
    struct worker_process *w = ctx;

    if (try_to_start(w))
        return;
    close_socket(w);
    start_later(w, false);
}

struct worker_process *worker_process_new(struct loop *loop,
                                          const struct worker_process_options *options)
{
    struct worker_process *w = mem_new(sizeof *w);

    if (!w)
        return NULL;
    *w = (struct worker_process){.loop = loop, .options = *options, .socket = -1};
    w->readable.f = became_readable;
    w->readable.ctx = w;
    w->child.f = ended;
    w->child.ctx = w;
    w->again.f = start;
    w->again.ctx = w;
    start(w);
    return w;
}

void worker_process_free(struct worker_process *worker)
{
    if (!worker)
        return;
    loop_timer_cancel(&worker->again);
    if (worker->pid) {
        loop_child_kill(&worker->child, SIGKILL);
        loop_child_remove(&worker->child);
        waitpid(worker->pid, NULL, 0); /* killed: it does not take long */
    }
    close_socket(worker);
    mem_free(worker);
}

/* ---- speaking -------------------------------------------------------------------------------- */

bool worker_process_ready(const struct worker_process *worker)
{
    return worker->ready;
}

int worker_process_pid(const struct worker_process *worker)
{
    return worker->pid;
}

unsigned worker_process_deaths(const struct worker_process *worker)
{
    return worker->deaths;
}

void worker_process_send(struct worker_process *worker, const struct order *order, int fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)order, .iov_len = sizeof *order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (fd >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    do
        n = sendmsg(worker->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *order)
        worker_process_kill(worker);
}

void worker_process_kill(struct worker_process *worker)
{
    if (worker->pid)
        loop_child_kill(&worker->child, SIGKILL);
}
