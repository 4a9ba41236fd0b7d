#include "daemon/http_ports.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/log.h"

#define REAP_EVERY (5 * LOOP_SECOND)

enum {
    IDLE_SECONDS = 60,           /* a slow or silent client is cut off */
    CONNECTION_BYTES = 32 << 10, /* headers of one request */
};

/* ---- certificates ---------------------------------------------------------------------------- */

static void certificates_done(struct certificates *c)
{
    if (c->key.bytes)
        mem_wipe(c->key.bytes, c->key.n);
    text_free(&c->cert);
    text_free(&c->key);
    text_free(&c->client_ca);
}

static enum cuzk_status read_pem(struct text *pem, const char *path, struct cuzk_error *err)
{
    struct file_map map = {0};
    enum cuzk_status st;

    if (!path[0])
        return CUZK_OK;
    TRY(file_map(&map, path, err));
    st = text_begin(pem, err);
    if (st == CUZK_OK) {
        fwrite(map.data, 1, map.bytes, pem->stream);
        st = text_end(pem, err);
    }
    file_unmap(&map);
    return st;
}

static enum cuzk_status read_certificates(struct certificates *ret, const struct config_daemon *c,
                                          struct cuzk_error *err)
{
    enum cuzk_status st;

    TRY_GOTO(st, fail, read_pem(&ret->cert, c->tls_cert, err));
    TRY_GOTO(st, fail, read_pem(&ret->key, c->tls_key, err));
    TRY_GOTO(st, fail, read_pem(&ret->client_ca, c->tls_client_ca, err));
    return CUZK_OK;
fail:
    certificates_done(ret);
    return st;
}

static bool same_text(const struct text *a, const struct text *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0);
}

/* ---- one address ----------------------------------------------------------------------------- */

static void tell_log(void *cls, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void tell_log(void *cls, const char *format, va_list args)
{
    char text[300];

    (void)cls;
    vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = 0;
    log_debug("http", "detail", text, NULL);
}

static enum cuzk_status start_port(const struct http_ports *ports, struct http_port *port,
                                   const struct certificates *c, struct cuzk_error *err)
{
    const bool tls = port->is_tcp && c->cert.n > 0;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     (tls ? MHD_USE_TLS : 0);
    struct MHD_OptionItem tls_options[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, c->cert.bytes},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, c->key.bytes},
        {c->client_ca.n ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, c->client_ca.bytes},
        {MHD_OPTION_END, 0, NULL},
    };

    port->daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, ports->handler.request, ports->handler.ctx,
                         MHD_OPTION_EXTERNAL_LOGGER, tell_log, NULL, MHD_OPTION_LISTEN_SOCKET,
                         port->fd, MHD_OPTION_NOTIFY_COMPLETED, ports->handler.done,
                         ports->handler.ctx, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                         MHD_OPTION_CONNECTION_LIMIT, (unsigned)ports->config->max_connections,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
                         MHD_OPTION_ARRAY, tls ? tls_options : &tls_options[3], MHD_OPTION_END);
    if (!port->daemon)
        return error_set(err, tls ? CUZK_BAD_INPUT : CUZK_IO, "the HTTP port did not start%s",
                         tls ? ": are daemon.tls_cert and daemon.tls_key a pair?" : "");
    return CUZK_OK;
}

/* ---- other certificates ---------------------------------------------------------------------- */

static void end_retired(struct http_port *port)
{
    MHD_stop_daemon(port->daemon);
    close(port->fd);
}

static void reap(void *ctx)
{
    struct http_ports *ports = ctx;
    size_t n = 0;

    for (size_t i = 0; i < ports->n_retired; i++) {
        const union MHD_DaemonInfo *info =
            MHD_get_daemon_info(ports->retired[i].daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

        if (info && info->num_connections == 0)
            end_retired(&ports->retired[i]);
        else
            ports->retired[n++] = ports->retired[i];
    }
    ports->n_retired = n;
    if (n > 0)
        loop_timer_set(ports->loop, &ports->reap, loop_now() + REAP_EVERY);
}

static void retire(struct http_ports *ports, const struct http_port *port)
{
    MHD_quiesce_daemon(port->daemon);
    ports->retired[ports->n_retired++] = *port;
}

/* All addresses under TLS, or none. */
static enum cuzk_status replace_ports(struct http_ports *ports, const struct certificates *c,
                                      struct cuzk_error *err)
{
    struct http_port fresh[HTTP_PORTS_MAX];
    enum cuzk_status st = CUZK_OK;
    size_t n = 0, i;

    for (i = 0; i < ports->n; i++)
        n += ports->port[i].is_tcp;
    reap(ports);
    if (ports->n_retired + n > HTTP_RETIRED_MAX)
        return error_set(err, CUZK_NO_MEMORY,
                         "connections still use the certificates of %zu times before",
                         ports->n_retired / n);
    for (i = 0; i < ports->n && st == CUZK_OK; i++) {
        fresh[i] = ports->port[i];
        if (!fresh[i].is_tcp)
            continue;
        fresh[i].daemon = NULL;
        fresh[i].fd = fcntl(ports->port[i].fd, F_DUPFD_CLOEXEC, 0);
        if (fresh[i].fd < 0)
            st = error_set(err, CUZK_IO, "the HTTP port: %s", strerror(errno));
        else
            st = start_port(ports, &fresh[i], c, err);
    }
    n = i;
    for (i = 0; i < n; i++) {
        if (!fresh[i].is_tcp)
            continue;
        if (st == CUZK_OK) {
            retire(ports, &ports->port[i]);
            ports->port[i] = fresh[i];
        } else if (fresh[i].daemon)
            MHD_stop_daemon(fresh[i].daemon);
        else if (fresh[i].fd >= 0)
            close(fresh[i].fd);
    }
    if (ports->n_retired > 0)
        loop_timer_set(ports->loop, &ports->reap, loop_now() + REAP_EVERY);
    return st;
}

enum cuzk_status http_ports_reload(struct http_ports *ports, struct cuzk_error *err)
{
    struct certificates *now = &ports->in_use, fresh = {0};
    enum cuzk_status st;

    TRY(read_certificates(&fresh, ports->config, err));
    if (same_text(&now->cert, &fresh.cert) && same_text(&now->key, &fresh.key) &&
        same_text(&now->client_ca, &fresh.client_ca)) {
        certificates_done(&fresh);
        return CUZK_OK;
    }
    st = replace_ports(ports, &fresh, err);
    if (st != CUZK_OK) {
        certificates_done(&fresh);
        return st;
    }
    certificates_done(now);
    *now = fresh;
    return CUZK_OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

enum cuzk_status http_ports_open(struct http_ports *ports, const struct http_socket *sockets,
                                 size_t n_sockets, struct cuzk_error *err)
{
    ports->reap = (struct loop_timer){.f = reap, .ctx = ports};
    TRY(read_certificates(&ports->in_use, ports->config, err));
    for (; ports->n < n_sockets; ports->n++) {
        struct http_port *port = &ports->port[ports->n];

        *port = (struct http_port){.fd = sockets[ports->n].fd, .is_tcp = sockets[ports->n].is_tcp};
        TRY(start_port(ports, port, &ports->in_use, err));
    }
    return CUZK_OK;
}

void http_ports_close(struct http_ports *ports)
{
    loop_timer_cancel(&ports->reap);
    for (size_t i = 0; i < ports->n; i++)
        MHD_stop_daemon(ports->port[i].daemon);
    for (size_t i = 0; i < ports->n_retired; i++)
        end_retired(&ports->retired[i]);
    certificates_done(&ports->in_use);
}
