/* What the fuzz targets of the daemon's ports share. An input's first byte says how the rest is
 * read: even, as bytes to be sent as they are; odd, as a program that makes them. */
#ifndef FUZZ_DAEMON_SCRIPT_H
#define FUZZ_DAEMON_SCRIPT_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the script ------------------------------------------------------------------------------ */

struct script {
    const uint8_t *at, *end; /* the program */
    size_t n;
    uint8_t bytes[1 << 18]; /* what it makes */
};

/* The next byte of the program; 0 after its end. */
static inline unsigned next(struct script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

/* What finds no room is cut off. */
static inline void put(struct script *s, const void *bytes, size_t n)
{
    if (n > sizeof s->bytes - s->n)
        n = sizeof s->bytes - s->n;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

/* Of an input of n >= 1 bytes: what is sent first, then the rest or what `run` makes of it. */
static inline void script_make(struct script *s, const uint8_t *data, size_t n, const char *first,
                               size_t n_first, void (*run)(struct script *s))
{
    s->at = data + 1;
    s->end = data + n;
    s->n = 0;
    put(s, first, n_first);
    if (data[0] & 1)
        run(s);
    else
        put(s, data + 1, n - 1);
}

/* ---- a client -------------------------------------------------------------------------------- */

/* As poll. libFuzzer's alarms, which watch over slow inputs, do not end it. */
static inline int wait_for(struct pollfd *p, int patience)
{
    int n;

    do
        n = poll(p, 1, patience);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Sends all, says that this was all, and takes what comes; the first bytes of it are in `head`,
 * terminated. False: the port has not closed and has had nothing to say for `patience`
 * milliseconds. */
static inline bool converse(const struct sockaddr_un *port, const void *bytes, size_t n,
                            int patience, char head[16])
{
    static uint8_t in[1 << 16];
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t sent = 0, came = 0;
    bool closed = false;

    if (fd < 0 || connect(fd, (const struct sockaddr *)port, sizeof *port) != 0)
        abort();
    memset(head, 0, 16);
    while (!closed) {
        struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (sent < n ? POLLOUT : 0))};
        ssize_t m;

        if (wait_for(&p, patience) <= 0)
            break;
        if (p.revents & (POLLIN | POLLHUP | POLLERR)) {
            m = recv(fd, in, sizeof in, MSG_DONTWAIT);
            closed = m <= 0;
            if (m > 0 && came == 0)
                memcpy(head, in, (size_t)m < 15 ? (size_t)m : 15);
            came += m > 0 ? (size_t)m : 0;
        }
        if (!closed && (p.revents & POLLOUT) && sent < n) {
            m = send(fd, (const uint8_t *)bytes + sent, n - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (m > 0)
                sent += (size_t)m;
            if (m > 0 && sent == n)
                shutdown(fd, SHUT_WR);
        }
    }
    close(fd);
    return closed;
}

#endif
