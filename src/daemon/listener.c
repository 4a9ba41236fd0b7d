#include "daemon/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/http2.h"
#include "daemon/listen_socket.h"

enum { ACCEPTS_A_TURN = 16 };

/* How long we wait when the system has no descriptors left. */
#define BREATH (100 * LOOP_MILLISECOND)

struct listening {
    struct listener *listener;
    struct loop_fd watch;
};

struct listener {
    struct loop *loop;
    struct rpc *rpc;
    struct tls *tls;
    struct loop_timer breath;
    struct listen_sockets sockets;
    struct listening listening[LISTEN_SOCKETS_MAX];
};

/* ---- accepting ------------------------------------------------------------------------------- */

static void describe_peer(char *text, size_t size, int fd)
{
    struct sockaddr_storage from;
    socklen_t n = sizeof from;
    struct ucred who;
    socklen_t n_who = sizeof who;
    char host[INET6_ADDRSTRLEN], port[8];

    snprintf(text, size, "unknown");
    if (getpeername(fd, (struct sockaddr *)&from, &n) != 0)
        return;
    if (from.ss_family == AF_UNIX) {
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n_who) == 0)
            snprintf(text, size, "unix uid %u pid %d", (unsigned)who.uid, (int)who.pid);
    } else if (getnameinfo((struct sockaddr *)&from, n, host, sizeof host, port, sizeof port,
                           NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        snprintf(text, size, from.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    }
}

static void set_reading(struct listener *listener, bool on)
{
    for (unsigned i = 0; i < listener->sockets.n; i++)
        loop_fd_events(&listener->listening[i].watch, on ? (uint32_t)EPOLLIN : 0);
}

void listener_go_on(struct listener *listener)
{
    set_reading(listener, true);
}

static void breathe(void *ctx)
{
    set_reading(ctx, true);
}

/* False: nothing more to accept now. */
static bool accept_one(struct listener *listener, int from)
{
    char peer[HTTP2_PEER_TEXT];
    struct cuzk_error err;
    int one = 1, fd;

    if (!rpc_may_accept(listener->rpc)) {
        set_reading(listener, false);
        return false;
    }
    fd = accept4(from, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
        set_reading(listener, false);
        loop_timer_set(listener->loop, &listener->breath, loop_now() + BREATH);
    }
    if (fd < 0)
        return errno == EINTR || errno == ECONNABORTED;
    if (!listener->sockets.is_unix)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    describe_peer(peer, sizeof peer, fd);
    /* Without memory for it the client sees a closed connection and comes again. */
    return rpc_accept(listener->rpc, fd, listener->sockets.is_unix ? NULL : listener->tls, peer,
                      &err) == CUZK_OK;
}

static void connections_come(void *ctx, uint32_t events)
{
    struct listening *l = ctx;

    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN && accept_one(l->listener, l->watch.fd); i++)
        ;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum cuzk_status watch_all(struct listener *listener, struct cuzk_error *err)
{
    for (unsigned i = 0; i < listener->sockets.n; i++) {
        struct listening *l = &listener->listening[i];

        l->listener = listener;
        l->watch = (struct loop_fd){.f = connections_come, .ctx = l};
        TRY(loop_fd_add(listener->loop, &l->watch, listener->sockets.fds[i], EPOLLIN, err));
    }
    return CUZK_OK;
}

/* The sockets become the listener's, also on failure. */
static enum cuzk_status listener_new(struct listener **ret, struct loop *loop, struct rpc *rpc,
                                     struct listen_sockets *sockets,
                                     const struct listener_options *options, struct cuzk_error *err)
{
    struct listener *listener = mem_new(sizeof *listener);
    enum cuzk_status st;

    if (!listener) {
        listen_close(sockets);
        return error_set(err, CUZK_NO_MEMORY, "no memory for a listener");
    }
    listener->loop = loop;
    listener->rpc = rpc;
    listener->tls = options->tls;
    listener->sockets = *sockets;
    listener->breath = (struct loop_timer){.f = breathe, .ctx = listener};
    st = watch_all(listener, err);
    if (st == CUZK_OK)
        *ret = listener;
    else
        listener_close(listener);
    return st;
}

enum cuzk_status listener_open(struct listener **ret, struct loop *loop, struct rpc *rpc,
                               const struct address *address,
                               const struct listener_options *options, struct cuzk_error *err)
{
    struct listen_sockets sockets;

    TRY(listen_open(&sockets, address, options->socket_mode, options->socket_group, err));
    return listener_new(ret, loop, rpc, &sockets, options, err);
}

enum cuzk_status listener_adopt(struct listener **ret, struct loop *loop, struct rpc *rpc, int fd,
                                const struct listener_options *options, struct cuzk_error *err)
{
    struct listen_sockets sockets = {.n = 1, .fds = {fd}};
    struct sockaddr_storage name;
    socklen_t n = sizeof name;
    int listens = 0;
    socklen_t n_listens = sizeof listens;

    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n_listens) != 0 || !listens ||
        getsockname(fd, (struct sockaddr *)&name, &n) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        listen_close(&sockets);
        return error_set(err, CUZK_USAGE, "descriptor %d is no listening socket", fd);
    }
    sockets.is_unix = name.ss_family == AF_UNIX;
    return listener_new(ret, loop, rpc, &sockets, options, err);
}

void listener_close(struct listener *listener)
{
    if (!listener)
        return;
    loop_timer_cancel(&listener->breath);
    for (unsigned i = 0; i < listener->sockets.n; i++)
        loop_fd_remove(&listener->listening[i].watch);
    listen_close(&listener->sockets);
    mem_free(listener);
}

void listener_set_tls(struct listener *listener, struct tls *tls)
{
    listener->tls = tls;
}

uint16_t listener_port(const struct listener *listener)
{
    return listen_port(listener->sockets.fds[0]);
}
