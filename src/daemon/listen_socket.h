/* Sockets that listen for one address of the configuration, before anybody accepts on them. */
#ifndef DAEMON_LISTEN_SOCKET_H
#define DAEMON_LISTEN_SOCKET_H

#include <sys/types.h>

#include "daemon/address.h"

enum { LISTEN_SOCKETS_MAX = 8 };

struct listen_sockets {
    unsigned n;
    int fds[LISTEN_SOCKETS_MAX]; /* listening, non-blocking, close-on-exec */
    bool is_unix;
    char path[108]; /* of our unix socket; "": none to remove */
    dev_t device;
    ino_t inode;
};

/* A unix socket: makes its folder, gets the mode (0: 0660) and the group (a name or a number; NULL
 * or "": unchanged), and takes the place of a socket that nobody listens on any more; any other
 * file in its place is an error. TCP: a host name is listened on at each of its addresses, an empty
 * one at all. */
MUST_CHECK enum cuzk_status listen_open(struct listen_sockets *ret, const struct address *address,
                                        unsigned mode, const char *group, struct cuzk_error *err);
/* Closes them and removes the unix socket, unless somebody else has taken its place. */
void listen_close(struct listen_sockets *sockets); /* accepts zeroed ones */

uint16_t listen_port(int fd); /* 0: no TCP socket */

#endif
