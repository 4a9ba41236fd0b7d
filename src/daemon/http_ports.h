/* The addresses of the HTTP port: on each listens a daemon of libmicrohttpd with its thread, under
 * TLS (GnuTLS) where the configuration has a certificate.
 *
 *     socket ── open ──► serves ── other certificates ──► retired ── its last connection ──► closed
 *                           ▲                                        is over
 *                           └── a new one, on a copy of the socket
 *
 * libmicrohttpd has no way to give a daemon another certificate. So a new one listens on the same
 * socket, and the old one serves the connections that it has until they are over.
 *
 * All of it is called on the loop's thread, or before it runs. */
#ifndef DAEMON_HTTP_PORTS_H
#define DAEMON_HTTP_PORTS_H

#include <microhttpd.h>

#include "base/text.h"
#include "daemon/http.h"
#include "daemon/listen_socket.h"

enum { HTTP_PORTS_MAX = CONFIG_LIST_MAX * LISTEN_SOCKETS_MAX, HTTP_RETIRED_MAX = 16 };

/* PEM texts, terminated; empty: none. */
struct certificates {
    struct text cert, key, client_ca;
};

/* What requests are given to, on the threads of libmicrohttpd. */
struct http_handler {
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback done;
    void *ctx;
};

/* One address. */
struct http_port {
    struct MHD_Daemon *daemon;
    int fd; /* that listens; the daemon's until it is retired */
    bool is_tcp;
};

struct http_ports {
    struct loop *loop;
    const struct config_daemon *config;
    struct http_handler handler;

    /* its own; zero at first */
    struct certificates in_use;
    size_t n, n_retired;
    struct http_port port[HTTP_PORTS_MAX];
    struct http_port retired[HTTP_RETIRED_MAX]; /* under certificates of before, until unused */
    struct loop_timer reap;
};

/* To be closed also after a failure: then ports->n of the sockets are the ports', the others the
 * caller's. */
MUST_CHECK enum cuzk_status http_ports_open(struct http_ports *ports,
                                            const struct http_socket *sockets, size_t n_sockets,
                                            struct cuzk_error *err);
/* The certificates again, for connections to come: for all addresses under TLS, or on failure for
 * none. */
MUST_CHECK enum cuzk_status http_ports_reload(struct http_ports *ports, struct cuzk_error *err);
/* Nobody may be suspended any more. */
void http_ports_close(struct http_ports *ports);

#endif
