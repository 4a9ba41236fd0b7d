#include "daemon/listen_socket.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Takes over fd. */
static enum cuzk_status add(struct listen_sockets *s, int fd, const char *name,
                            struct cuzk_error *err)
{
    if (listen(fd, SOMAXCONN) != 0) {
        enum cuzk_status st =
            error_set(err, CUZK_IO, "%s: cannot listen: %s", name, strerror(errno));

        close(fd);
        return st;
    }
    s->fds[s->n++] = fd;
    return CUZK_OK;
}

/* ---- unix ------------------------------------------------------------------------------------ */

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

static enum cuzk_status set_owner(const char *path, unsigned mode, const char *group,
                                  struct cuzk_error *err)
{
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

static enum cuzk_status open_unix(struct listen_sockets *s, const char *path, unsigned mode,
                                  const char *group, struct cuzk_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat st;
    mode_t mask;
    int fd, bound;

    s->is_unix = true;
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
    snprintf(s->path, sizeof s->path, "%s", path);
    if (lstat(path, &st) == 0) {
        s->device = st.st_dev;
        s->inode = st.st_ino;
    }
    TRY(add(s, fd, path, err));
    return set_owner(path, mode ? mode : 0660, group, err);
}

/* ---- TCP ------------------------------------------------------------------------------------- */

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

static enum cuzk_status open_tcp(struct listen_sockets *s, const struct address *address,
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
    for (const struct addrinfo *a = list; a && st == CUZK_OK && s->n < LISTEN_SOCKETS_MAX;
         a = a->ai_next) {
        int fd = bind_tcp(a);

        if (fd >= 0)
            st = add(s, fd, name, err);
        else if (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL)
            why = errno;
    }
    freeaddrinfo(list);
    if (st == CUZK_OK && (why || s->n == 0))
        st = error_set(err, CUZK_IO, "%s: cannot bind: %s", name,
                       strerror(why ? why : EADDRNOTAVAIL));
    return st;
}

/* ---- both ------------------------------------------------------------------------------------ */

enum cuzk_status listen_open(struct listen_sockets *ret, const struct address *address,
                             unsigned mode, const char *group, struct cuzk_error *err)
{
    struct listen_sockets s = {0};
    enum cuzk_status st = address->is_unix ? open_unix(&s, address->path, mode, group, err)
                                           : open_tcp(&s, address, err);

    if (st == CUZK_OK)
        *ret = s;
    else
        listen_close(&s);
    return st;
}

/* Another daemon may have taken its place meanwhile. */
static bool path_is_ours(const struct listen_sockets *s)
{
    struct stat st;

    return *s->path && lstat(s->path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_dev == s->device &&
           st.st_ino == s->inode;
}

void listen_close(struct listen_sockets *s)
{
    if (path_is_ours(s))
        (void)unlink(s->path);
    for (unsigned i = 0; i < s->n; i++)
        close(s->fds[i]);
    *s = (struct listen_sockets){0};
}

uint16_t listen_port(int fd)
{
    struct sockaddr_storage name;
    socklen_t n = sizeof name;

    if (getsockname(fd, (struct sockaddr *)&name, &n) != 0)
        return 0;
    if (name.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)(void *)&name)->sin6_port);
    return name.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)(void *)&name)->sin_port) : 0;
}
