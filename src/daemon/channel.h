/* The bytes of one connection, plain or under TLS: a socket that is never waited for. */
#ifndef DAEMON_CHANNEL_H
#define DAEMON_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tls;

struct channel {
    int fd;    /* closed by channel_done */
    void *ssl; /* NULL: plain */
    /* Under TLS, after CHANNEL_LATER: a read goes on when the socket can be written, a write when
     * it can be read. */
    bool read_wants_write, write_wants_read;
    char why[160]; /* after CHANNEL_FAILED: one sentence */
    /* And: the connection failed, not TLS. What the peer said before may still be read. */
    bool peer_left;
};

/* fd is connected and does not block; it becomes the channel's, also on failure. tls NULL: plain;
 * otherwise the server's side of TLS, whose handshake runs within the first reads. */
MUST_CHECK enum cuzk_status channel_serve(struct channel *channel, int fd, struct tls *tls,
                                          struct cuzk_error *err);
/* The client's side; name: the host that the certificate must be for. */
MUST_CHECK enum cuzk_status channel_call(struct channel *channel, int fd, struct tls *tls,
                                         const char *name, struct cuzk_error *err);
void channel_done(struct channel *channel); /* accepts a zeroed one */

/* Bytes moved (> 0), or one of these; a write never ends, it fails. */
enum { CHANNEL_LATER = -1, CHANNEL_END = 0, CHANNEL_FAILED = -2 };
ptrdiff_t channel_read(struct channel *channel, void *bytes, size_t n);
ptrdiff_t channel_write(struct channel *channel, const void *bytes, size_t n);

#endif
