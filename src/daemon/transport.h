/* gRPC, whole: what the configuration says of it, its listeners, its services over the jobs. */
#ifndef DAEMON_TRANSPORT_H
#define DAEMON_TRANSPORT_H

#include "daemon/config.h"
#include "daemon/jobs.h"
#include "daemon/rpc.h"

struct transport;

/* Listens on the sockets that systemd has opened for us, if any, instead of `daemon.listen`.
 * Everything given is borrowed. */
MUST_CHECK enum cuzk_status transport_open(struct transport **ret, struct loop *loop,
                                           const struct config *config, struct jobs *jobs,
                                           struct cuzk_error *err);
/* After loop_run has returned and before jobs_close. Accepts NULL. */
void transport_close(struct transport *transport);

/* Reads certificates again, for connections to come. On failure the old ones stay. */
MUST_CHECK enum cuzk_status transport_reload(struct transport *transport, struct cuzk_error *err);

/* Its server, for its figures. */
const struct rpc *transport_rpc(const struct transport *transport);

/* What health checks are told; true from the start. */
void transport_set_serving(struct transport *transport, bool serving);

/* The last step of the daemon's end: listeners close, calls that still wait are ended (their jobs
 * go on at the next start), and when the answers are out, or after two seconds, fn is called. */
void transport_drain(struct transport *transport, void (*fn)(void *ctx), void *ctx);

#endif
