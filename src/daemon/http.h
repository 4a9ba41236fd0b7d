/* The HTTP port: what a browser, Prometheus and curl see of the daemon.
 *
 *     GET  /                        the dashboard (and its two scripts and style sheet)
 *     GET  /metrics                 Prometheus
 *     GET  /healthz  /readyz        "ok"; 503 while draining or under memory pressure (readyz)
 *     GET  /status                  JSON, the original daemon's shape and more (status_report.h)
 *     GET  /events                  server-sent events (event_stream.h)
 *     GET  /api/v1/history?since=MS
 *     ...  /api/v1/jobs..., /api/v1/keys...   (http_api.h)
 *
 * Connections are served by threads of libmicrohttpd, one an address. They own nothing of the
 * daemon: each question is a function that runs on the loop (loop_call). What takes long suspends
 * its connection; the loop resumes it with the answer.
 *
 * With a token file every request but those for the dashboard's files, /healthz and /readyz must
 * bring `Authorization: Bearer TOKEN`; where TLS is spoken and the configuration has authorities of
 * clients, a certificate of theirs does as well, and without a token file nothing else does. A
 * request that changes something is refused when a browser sends it for another site's page (its
 * Origin is not the address it asks). */
#ifndef DAEMON_HTTP_H
#define DAEMON_HTTP_H

#include "daemon/config.h"
#include "daemon/jobs.h"
#include "daemon/loop.h"

struct http;
struct rpc;

/* fds: sockets that listen; they become the port's. is_tcp: TLS is spoken there when the
 * configuration has it. On the loop's thread or before it runs. `config` and `rpc` (whose figures
 * /metrics has too; may be NULL) are borrowed. */
struct http_socket {
    int fd;
    bool is_tcp;
};
MUST_CHECK enum cuzk_status http_open(struct http **ret, struct loop *loop, struct jobs *jobs,
                                      const struct rpc *rpc, const struct config *config,
                                      const struct http_socket *sockets, size_t n_sockets,
                                      struct cuzk_error *err);

/* Reads token and certificates again, for requests and connections to come; on failure those that
 * could not be read stay. On the loop's thread. */
MUST_CHECK enum cuzk_status http_reload(struct http *http, struct cuzk_error *err);

/* After loop_run has returned and before jobs_close: whoever still waits hears 503. Accepts NULL.
 */
void http_close(struct http *http);

#endif
