/* A socket that listens, for one address of the configuration or handed over by systemd, and the
 * connections it accepts: they go to an rpc server, which says when it wants no more. */
#ifndef DAEMON_LISTENER_H
#define DAEMON_LISTENER_H

#include "daemon/address.h"
#include "daemon/loop.h"
#include "daemon/rpc.h"

struct listener;

struct listener_options {
    unsigned socket_mode;     /* of a unix socket; 0: 0660 */
    const char *socket_group; /* name or number; NULL or "": unchanged */
    struct tls *tls;          /* for TCP; NULL: plain; borrowed, see listener_set_tls */
};

/* See listen_open. */
MUST_CHECK enum cuzk_status listener_open(struct listener **ret, struct loop *loop, struct rpc *rpc,
                                          const struct address *address,
                                          const struct listener_options *options,
                                          struct cuzk_error *err);
/* One that systemd has opened (it listens already); fd becomes the listener's, also on failure. */
MUST_CHECK enum cuzk_status listener_adopt(struct listener **ret, struct loop *loop,
                                           struct rpc *rpc, int fd,
                                           const struct listener_options *options,
                                           struct cuzk_error *err);
/* Removes its unix socket from the file system. Accepts NULL. */
void listener_close(struct listener *listener);

void listener_set_tls(struct listener *listener, struct tls *tls); /* for connections to come */
void listener_go_on(struct listener *listener);          /* the server takes connections again */
uint16_t listener_port(const struct listener *listener); /* 0: a unix socket */

#endif
