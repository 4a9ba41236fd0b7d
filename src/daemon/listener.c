#include "daemon/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/http2.h"

enum { SOCKETS_MAX = 8, ACCEPTS_A_TURN = 16 };

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
    unsigned n;
    struct listening sockets[SOCKETS_MAX];
    bool is_unix;
    char path[sizeof((struct address *)0)->path]; /* of our unix socket; "": none to remove */
    dev_t device;
    ino_t inode;
};

/* ---- accepting ----------------------------------------------------------------------------------
 */

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
    for (unsigned i = 0; i < listener->n; i++)
        loop_fd_events(&listener->sockets[i].watch, on ? (uint32_t)EPOLLIN : 0);
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
    if (!listener->is_unix)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    describe_peer(peer, sizeof peer, fd);
    /* Without memory for it the client sees a closed connection and comes again. */
    return rpc_accept(listener->rpc, fd, listener->is_unix ? NULL : listener->tls, peer, &err) ==
           CUZK_OK;
}

static void connections_come(void *ctx, uint32_t events)
{
    struct listening *l = ctx;

    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN && accept_one(l->listener, l->watch.fd); i++)
        ;
}

/* ---- opening ------------------------------------------------------------------------------------
 */

/* Takes over fd: listens and watches. */
static enum cuzk_status add_socket(struct listener *listener, int fd, bool listens,
                                   const char *name, struct cuzk_error *err)
{
    struct listening *l = &listener->sockets[listener->n];
    enum cuzk_status st = CUZK_OK;

    if (!listens && listen(fd, SOMAXCONN) != 0)
        st = error_set(err, CUZK_IO, "%s: cannot listen: %s", name, strerror(errno));
    l->listener = listener;
    l->watch = (struct loop_fd){.f = connections_come, .ctx = l};
    if (st == CUZK_OK)
        st = loop_fd_add(listener->loop, &l->watch, fd, EPOLLIN, err);
    if (st == CUZK_OK)
        listener->n++;
    else
        close(fd);
    return st;
}

static enum cuzk_status make_folders(const char *path, struct cuzk_error *err)
{
    char folder[sizeof((struct address *)0)->path];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0755) != 0 && errno != EEXIST)
            return error_set(err, CUZK_IO, "unix://%s: cannot make the folder %s: %s", path, folder,
                             strerror(errno));
    }
    return CUZK_OK;
}

/* A socket that a daemon left when it died is removed; one that answers is somebody's. */
static enum cuzk_status clear_place(const struct sockaddr_un *name, struct cuzk_error *err)
{
    struct stat st;
    int fd;
    bool answers;

    if (lstat(name->sun_path, &st) != 0)
        return CUZK_OK;
    if (!S_ISSOCK(st.st_mode))
        return error_set(err, CUZK_USAGE, "unix://%s: there is a file that is no socket",
                         name->sun_path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, CUZK_IO, "no socket: %s", strerror(errno));
    answers =
        connect(fd, (const struct sockaddr *)name, sizeof *name) == 0 || errno != ECONNREFUSED;
    close(fd);
    if (answers)
        return error_set(err, CUZK_USAGE, "unix://%s: another process listens there",
                         name->sun_path);
    if (unlink(name->sun_path) != 0)
        return error_set(err, CUZK_IO, "unix://%s: cannot remove the old socket: %s",
                         name->sun_path, strerror(errno));
    return CUZK_OK;
}

static enum cuzk_status set_owner(const char *path, const struct listener_options *options,
                                  struct cuzk_error *err)
{
    const char *group = options->socket_group;
    unsigned mode = options->socket_mode ? options->socket_mode : 0660;

    if (group && *group) {
        const struct group *entry = getgrnam(group);
        char *end;
        unsigned long number = strtoul(group, &end, 10);

        if (!entry && *end)
            return error_set(err, CUZK_USAGE, "unix://%s: there is no group '%s'", path, group);
        if (chown(path, (uid_t)-1, entry ? entry->gr_gid : (gid_t)number) != 0)
            return error_set(err, CUZK_IO, "unix://%s: cannot give it to group '%s': %s", path,
                             group, strerror(errno));
    }
    if (chmod(path, mode) != 0)
        return error_set(err, CUZK_IO, "unix://%s: cannot set its mode: %s", path, strerror(errno));
    return CUZK_OK;
}

static enum cuzk_status open_unix(struct listener *listener, const char *path,
                                  const struct listener_options *options, struct cuzk_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat st;
    mode_t mask;
    int fd, bound;

    listener->is_unix = true;
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    TRY(make_folders(path, err));
    TRY(clear_place(&name, err));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, CUZK_IO, "no socket: %s", strerror(errno));
    mask = umask(0177); /* nobody else's until its owner is set */
    bound = bind(fd, (const struct sockaddr *)&name, sizeof name);
    umask(mask);
    if (bound != 0) {
        close(fd);
        return error_set(err, CUZK_IO, "unix://%s: cannot bind: %s", path, strerror(errno));
    }
    snprintf(listener->path, sizeof listener->path, "%s", path);
    if (lstat(path, &st) == 0) {
        listener->device = st.st_dev;
        listener->inode = st.st_ino;
    }
    TRY(add_socket(listener, fd, false, path, err));
    return set_owner(path, options, err);
}

/* One address of a host; returns a descriptor, or -1 with errno. */
static int bind_tcp(const struct addrinfo *a)
{
    int one = 1, saved;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (a->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0)
        return fd;
    saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static enum cuzk_status open_tcp(struct listener *listener, const struct address *address,
                                 struct cuzk_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list;
    char name[ADDRESS_TEXT], port[8];
    enum cuzk_status st = CUZK_OK;
    int error, why = 0;

    address_text(name, address);
    snprintf(port, sizeof port, "%u", address->port);
    error = getaddrinfo(*address->host ? address->host : NULL, port, &hints, &list);
    if (error)
        return error_set(err, CUZK_USAGE, "%s: %s", name, gai_strerror(error));
    for (const struct addrinfo *a = list; a && st == CUZK_OK && listener->n < SOCKETS_MAX;
         a = a->ai_next) {
        int fd = bind_tcp(a);

        if (fd >= 0)
            st = add_socket(listener, fd, false, name, err);
        else if (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL)
            why = errno;
    }
    freeaddrinfo(list);
    if (st == CUZK_OK && (why || listener->n == 0))
        st = error_set(err, CUZK_IO, "%s: cannot bind: %s", name,
                       strerror(why ? why : EADDRNOTAVAIL));
    return st;
}

static enum cuzk_status listener_new(struct listener **ret, struct loop *loop, struct rpc *rpc,
                                     const struct listener_options *options, struct cuzk_error *err)
{
    struct listener *listener = mem_new(sizeof *listener);

    if (!listener)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a listener");
    listener->loop = loop;
    listener->rpc = rpc;
    listener->tls = options->tls;
    listener->breath = (struct loop_timer){.f = breathe, .ctx = listener};
    *ret = listener;
    return CUZK_OK;
}

enum cuzk_status listener_open(struct listener **ret, struct loop *loop, struct rpc *rpc,
                               const struct address *address,
                               const struct listener_options *options, struct cuzk_error *err)
{
    struct listener *listener;
    enum cuzk_status st;

    TRY(listener_new(&listener, loop, rpc, options, err));
    st = address->is_unix ? open_unix(listener, address->path, options, err)
                          : open_tcp(listener, address, err);
    if (st == CUZK_OK)
        *ret = listener;
    else
        listener_close(listener);
    return st;
}

enum cuzk_status listener_adopt(struct listener **ret, struct loop *loop, struct rpc *rpc, int fd,
                                const struct listener_options *options, struct cuzk_error *err)
{
    struct sockaddr_storage name;
    socklen_t n = sizeof name;
    struct listener *listener;
    int listens = 0;
    socklen_t n_listens = sizeof listens;
    enum cuzk_status st;

    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n_listens) != 0 || !listens ||
        getsockname(fd, (struct sockaddr *)&name, &n) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        close(fd);
        return error_set(err, CUZK_USAGE, "descriptor %d is no listening socket", fd);
    }
    st = listener_new(&listener, loop, rpc, options, err);
    if (st != CUZK_OK) {
        close(fd);
        return st;
    }
    listener->is_unix = name.ss_family == AF_UNIX;
    st = add_socket(listener, fd, true, "a socket of systemd", err);
    if (st == CUZK_OK)
        *ret = listener;
    else
        listener_close(listener);
    return st;
}

/* Another daemon may have taken its place meanwhile. */
static bool path_is_ours(const struct listener *listener)
{
    struct stat st;

    return *listener->path && lstat(listener->path, &st) == 0 && S_ISSOCK(st.st_mode) &&
           st.st_dev == listener->device && st.st_ino == listener->inode;
}

void listener_close(struct listener *listener)
{
    if (!listener)
        return;
    loop_timer_cancel(&listener->breath);
    if (path_is_ours(listener))
        (void)unlink(listener->path);
    for (unsigned i = 0; i < listener->n; i++) {
        loop_fd_remove(&listener->sockets[i].watch);
        close(listener->sockets[i].watch.fd);
    }
    mem_free(listener);
}

void listener_set_tls(struct listener *listener, struct tls *tls)
{
    listener->tls = tls;
}

uint16_t listener_port(const struct listener *listener)
{
    struct sockaddr_storage name;
    socklen_t n = sizeof name;

    if (getsockname(listener->sockets[0].watch.fd, (struct sockaddr *)&name, &n) != 0)
        return 0;
    if (name.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)(void *)&name)->sin6_port);
    return name.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)(void *)&name)->sin_port) : 0;
}
