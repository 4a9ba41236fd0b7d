#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/gnutls.h>
#include <openssl/crypto.h>

#include "base/file.h"
#include "daemon/assets.h"
#include "daemon/event_stream.h"
#include "daemon/http_api.h"
#include "daemon/http_exchange.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/status_report.h"

#define REAP_EVERY (5 * LOOP_SECOND)

enum {
    IDLE_SECONDS = 60,           /* a slow or silent client is cut off */
    CONNECTION_BYTES = 32 << 10, /* headers of one request */
};

/* ---- answers ------------------------------------------------------------------------------------
 */

void answer_text(struct exchange *x, unsigned code, const char *type, const char *text)
{
    x->answered = true;
    x->code = code;
    x->type = type;
    text_free(&x->body);
    if (text_begin(&x->body, NULL) != CUZK_OK)
        return;
    fputs(text, x->body.stream);
    if (text_end(&x->body, NULL) != CUZK_OK)
        x->code = MHD_HTTP_INTERNAL_SERVER_ERROR;
}

void answer_report(struct exchange *x, unsigned code, struct report *report)
{
    struct cuzk_error err;

    x->answered = true;
    x->code = code;
    x->type = HTTP_JSON;
    text_free(&x->body);
    if (text_begin(&x->body, &err) != CUZK_OK || report_print_json(report, x->body.stream, &err) ||
        text_end(&x->body, &err)) {
        text_free(&x->body);
        x->code = MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
    report_done(report);
}

void answer_error(struct exchange *x, unsigned code, const char *format, ...)
{
    struct report report;
    struct cuzk_error err;
    va_list args;

    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    report_init(&report);
    report_text(&report, "error", "%s", err.message);
    answer_report(x, code, &report);
}

void answer_wrong_method(struct exchange *x, const char *allowed)
{
    answer_error(x, MHD_HTTP_METHOD_NOT_ALLOWED, "%s is not among the methods of %s: %s", x->method,
                 x->path, allowed);
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    (void)MHD_add_response_header(response, name, value);
}

/* Nothing is cached, nothing is loaded from elsewhere, nobody frames us. */
static void add_headers(struct MHD_Response *response, const char *type)
{
    add_header(response, "Content-Type", type);
    add_header(response, "Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Cache-Control", "no-store");
}

static enum MHD_Result send_answer(struct exchange *x)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(x->body.n, x->body.bytes, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result sent;
    char number[LOG_NUMBER];

    if (!response)
        return MHD_NO;
    add_headers(response, x->type);
    if (x->location[0])
        add_header(response, "Location", x->location);
    if (x->retry_after)
        add_header(response, "Retry-After", log_number(number, x->retry_after));
    if (x->code == MHD_HTTP_UNAUTHORIZED && x->http->config->daemon.token_file[0])
        add_header(response, "WWW-Authenticate", "Bearer");
    sent = MHD_queue_response(x->connection, x->code, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result send_asset(struct exchange *x, const struct asset *asset)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        asset->bytes, (void *)(uintptr_t)asset->data, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result sent;

    if (!response)
        return MHD_NO;
    add_headers(response, asset->type);
    sent = MHD_queue_response(x->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result send_events(struct exchange *x)
{
    struct MHD_Response *response = event_stream_open(x->http->streams, x->connection);
    enum MHD_Result sent;

    if (!response) {
        answer_error(x, MHD_HTTP_SERVICE_UNAVAILABLE, "at most %d event streams are served",
                     EVENT_STREAMS_MAX);
        x->retry_after = 10;
        return MHD_YES;
    }
    add_headers(response, "text/event-stream");
    add_header(response, "X-Accel-Buffering", "no"); /* nginx passes it on as it comes */
    sent = MHD_queue_response(x->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return sent;
}

/* ---- asking the loop ----------------------------------------------------------------------------
 */

struct question {
    struct exchange *x;
    void (*f)(struct exchange *x);
};

static void run_question(void *ctx)
{
    struct question *question = ctx;

    question->f(question->x);
}

static void answer_ended(struct exchange *x)
{
    answer_error(x, MHD_HTTP_SERVICE_UNAVAILABLE, "the daemon is ending");
}

void exchange_on_loop(struct exchange *x, void (*f)(struct exchange *x))
{
    struct question question = {x, f};

    if (!loop_call(x->http->loop, run_question, &question))
        answer_ended(x);
}

static void run_waiting(void *ctx)
{
    struct question *question = ctx;
    struct exchange *x = question->x;

    x->waiting = true;
    x->link = &x->http->waiting;
    x->next = x->http->waiting;
    if (x->next)
        x->next->link = &x->next;
    x->http->waiting = x;
    question->f(x);
    if (!x->call && !x->answered) {
        answer_error(x, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory");
        x->retry_after = 5;
    }
    if (x->answered)
        exchange_resume(x);
}

void exchange_wait(struct exchange *x, void (*f)(struct exchange *x))
{
    struct question question = {x, f};

    x->asked = true;
    MHD_suspend_connection(x->connection);
    if (!loop_call(x->http->loop, run_waiting, &question)) {
        answer_ended(x);
        MHD_resume_connection(x->connection);
    }
}

void exchange_resume(struct exchange *x)
{
    *x->link = x->next;
    if (x->next)
        x->next->link = x->link;
    x->waiting = false;
    x->call = NULL;
    MHD_resume_connection(x->connection);
}

/* ---- routes -------------------------------------------------------------------------------------
 */

const char *exchange_query(const struct exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

static void tell_metrics(struct exchange *x)
{
    x->answered = true;
    x->code = MHD_HTTP_OK;
    x->type = "text/plain; version=0.0.4; charset=utf-8";
    if (text_begin(&x->body, NULL) == CUZK_OK) {
        metrics_write(x->body.stream, x->http->jobs, x->http->rpc, false);
        if (text_end(&x->body, NULL) == CUZK_OK)
            return;
    }
    x->code = MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static void tell_status(struct exchange *x)
{
    struct report report;

    report_init(&report);
    status_report(&report, x->http->jobs);
    answer_report(x, MHD_HTTP_OK, &report);
}

static void tell_history(struct exchange *x)
{
    const char *since = exchange_query(x, "since");
    struct report report;

    report_init(&report);
    history_report(&report, &x->http->history, since ? strtoull(since, NULL, 10) : 0);
    answer_report(x, MHD_HTTP_OK, &report);
}

static void tell_health(struct exchange *x)
{
    answer_text(x, MHD_HTTP_OK, HTTP_TEXT, "ok\n");
}

static void tell_readiness(struct exchange *x)
{
    struct jobs_status s;

    jobs_status(x->http->jobs, &s);
    if (s.draining)
        answer_text(x, MHD_HTTP_SERVICE_UNAVAILABLE, HTTP_TEXT, "draining\n");
    else if (s.pressed)
        answer_text(x, MHD_HTTP_SERVICE_UNAVAILABLE, HTTP_TEXT, "memory pressure\n");
    else
        answer_text(x, MHD_HTTP_OK, HTTP_TEXT, "ready\n");
}

static const struct route {
    const char *path;
    bool is_free; /* of the token */
    void (*tell)(struct exchange *x);
} routes[] = {
    {"/healthz", true, tell_health},          {"/readyz", true, tell_readiness},
    {"/metrics", false, tell_metrics},        {"/status", false, tell_status},
    {"/api/v1/history", false, tell_history},
};

static const struct route *find_route(const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
        if (strcmp(path, routes[i].path) == 0)
            return &routes[i];
    return NULL;
}

static bool is_reading(const struct exchange *x)
{
    return strcmp(x->method, MHD_HTTP_METHOD_GET) == 0 ||
           strcmp(x->method, MHD_HTTP_METHOD_HEAD) == 0;
}

static const char *header(const struct exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

static bool token_matches(const struct exchange *x)
{
    static const char scheme[] = "Bearer ";
    const char *given = header(x, MHD_HTTP_HEADER_AUTHORIZATION);
    struct http *http = x->http;
    bool matches;
    size_t n;

    pthread_mutex_lock(&http->lock);
    n = strlen(http->token);
    matches = given && strncmp(given, scheme, sizeof scheme - 1) == 0 &&
              strlen(given) == n + sizeof scheme - 1 &&
              CRYPTO_memcmp(given + sizeof scheme - 1, http->token, n) == 0;
    pthread_mutex_unlock(&http->lock);
    return matches;
}

/* NULL: the connection is plain. */
static gnutls_session_t tls_session(const struct exchange *x)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    return info ? (gnutls_session_t)info->tls_session : NULL;
}

/* The client has shown a certificate of daemon.tls_client_ca, and that it has its key. */
static bool certificate_matches(gnutls_session_t session)
{
    unsigned faults = 0;

    return gnutls_certificate_verify_peers2(session, &faults) == GNUTLS_E_SUCCESS && faults == 0;
}

/* A client is let in by its certificate or by the token, where one of them is asked for. */
static bool is_let_in(struct exchange *x)
{
    const struct config_daemon *c = &x->http->config->daemon;
    const gnutls_session_t session = c->tls_client_ca[0] ? tls_session(x) : NULL;

    if ((!session && !c->token_file[0]) || (session && certificate_matches(session)) ||
        (c->token_file[0] && token_matches(x)))
        return true;
    answer_error(x, MHD_HTTP_UNAUTHORIZED, "expected %s%s%s",
                 session ? "a certificate of daemon.tls_client_ca" : "",
                 session && c->token_file[0] ? ", or " : "",
                 c->token_file[0] ? "Authorization: Bearer and the token" : "");
    return false;
}

/* Browsers name the page that a request comes from; its host must be the one that was asked. */
static bool origin_is_ours(const struct exchange *x)
{
    const char *origin = header(x, "Origin"), *host = header(x, "Host");
    const char *after = origin ? strstr(origin, "://") : NULL;

    return !origin || (after && host && strcmp(after + 3, host) == 0);
}

/* Sends what is sent at once, answers, or asks. */
static enum MHD_Result begin_exchange(struct exchange *x)
{
    const struct route *route = find_route(x->path);
    struct asset asset;
    bool is_asset = asset_find(&asset, x->path);

    if (is_asset && is_reading(x))
        return send_asset(x, &asset);
    if (!(route && route->is_free) && !is_let_in(x))
        return MHD_YES;
    if (!is_reading(x) && !origin_is_ours(x))
        answer_error(x, MHD_HTTP_FORBIDDEN, "asked by a page of another site");
    else if (strncmp(x->path, "/api/v1/jobs", 12) == 0 ||
             strncmp(x->path, "/api/v1/keys/", 13) == 0)
        api_begin(x);
    else if (strcmp(x->path, "/events") == 0 && is_reading(x))
        return send_events(x);
    else if (!route && !is_asset)
        answer_error(x, MHD_HTTP_NOT_FOUND, "there is no %s", x->path);
    else if (!is_reading(x))
        answer_wrong_method(x, "GET, HEAD");
    else
        exchange_on_loop(x, route->tell);
    return MHD_YES;
}

/* ---- libmicrohttpd's callbacks ------------------------------------------------------------------
 */

static struct exchange *exchange_new(struct http *http, struct MHD_Connection *connection,
                                     const char *path, const char *method)
{
    struct exchange *x = mem_new(sizeof *x);

    if (x)
        *x = (struct exchange){
            .http = http, .connection = connection, .path = path, .method = method, .spool_fd = -1};
    return x;
}

static bool has_body(const struct exchange *x)
{
    const char *length = header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) || (length && strcmp(length, "0") != 0);
}

/* Called first with the headers, then with each piece of the body, then at its end, and again when
 * a suspended connection goes on. */
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *body,
                              size_t *body_bytes, void **ctx)
{
    struct exchange *x = *ctx;
    bool asked_before = x && x->asked;

    (void)version;
    if (!x) {
        x = exchange_new(cls, connection, path, method);
        *ctx = x;
        /* An answer given now closes the connection, whose body nobody will read; so what has no
         * body is looked at in the second call. */
        if (!x || !has_body(x))
            return x ? MHD_YES : MHD_NO;
        x->begun = true;
        return begin_exchange(x) == MHD_YES && !x->asked && x->answered ? send_answer(x) : MHD_YES;
    }
    if (*body_bytes > 0) {
        if (x->takes_body && !x->answered)
            api_body(x, body, *body_bytes);
        *body_bytes = 0;
        return MHD_YES;
    }
    if (!x->begun) {
        x->begun = true;
        if (begin_exchange(x) != MHD_YES)
            return MHD_NO;
    }
    if (x->takes_body && !asked_before && !x->answered)
        api_end(x);
    /* A question just asked is the loop's business: the next call comes when it is answered. */
    return (asked_before || !x->asked) && x->answered ? send_answer(x) : MHD_YES;
}

static void end_exchange(void *cls, struct MHD_Connection *connection, void **ctx,
                         enum MHD_RequestTerminationCode code)
{
    struct exchange *x = *ctx;

    (void)cls;
    (void)connection;
    (void)code;
    if (!x)
        return;
    if (x->spool_fd >= 0)
        close(x->spool_fd);
    job_request_done(&x->request);
    text_free(&x->body);
    mem_free(x);
    *ctx = NULL;
}

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

/* ---- opening and closing ------------------------------------------------------------------------
 */

static enum cuzk_status read_token(char ret[HTTP_TOKEN_MAX], const char *path,
                                   struct cuzk_error *err)
{
    struct file_map map = {0};
    enum cuzk_status st = CUZK_OK;
    size_t n;

    memset(ret, 0, HTTP_TOKEN_MAX);
    if (!path[0])
        return CUZK_OK;
    TRY(file_map(&map, path, err));
    n = map.bytes;
    while (n > 0 && map.data[n - 1] <= ' ')
        n--;
    if (n < 16 || n >= HTTP_TOKEN_MAX || memchr(map.data, 0, n))
        st = error_set(err, CUZK_BAD_INPUT, "%s: a token has 16 to %d characters, found %zu", path,
                       HTTP_TOKEN_MAX - 1, n);
    else
        memcpy(ret, map.data, n);
    file_unmap(&map);
    return st;
}

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

static enum cuzk_status start_port(struct http *http, struct http_port *port,
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

    port->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, tell_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, port->fd, MHD_OPTION_NOTIFY_COMPLETED, end_exchange, http,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)http->config->daemon.max_connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_ARRAY, tls ? tls_options : &tls_options[3],
        MHD_OPTION_END);
    if (!port->daemon)
        return error_set(err, tls ? CUZK_BAD_INPUT : CUZK_IO, "the HTTP port did not start%s",
                         tls ? ": are daemon.tls_cert and daemon.tls_key a pair?" : "");
    return CUZK_OK;
}

/* ---- new certificates ---------------------------------------------------------------------------
 *
 * libmicrohttpd has no way to give a daemon another certificate. So a new one listens on the same
 * socket, and the old one serves the connections that it has until they are over. */

static void end_retired(struct http_port *port)
{
    MHD_stop_daemon(port->daemon);
    close(port->fd);
}

static void reap(void *ctx)
{
    struct http *http = ctx;
    size_t n = 0;

    for (size_t i = 0; i < http->n_retired; i++) {
        const union MHD_DaemonInfo *info =
            MHD_get_daemon_info(http->retired[i].daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

        if (info && info->num_connections == 0)
            end_retired(&http->retired[i]);
        else
            http->retired[n++] = http->retired[i];
    }
    http->n_retired = n;
    if (n > 0)
        loop_timer_set(http->loop, &http->reap, loop_now() + REAP_EVERY);
}

static void retire(struct http *http, const struct http_port *port)
{
    MHD_quiesce_daemon(port->daemon);
    http->retired[http->n_retired++] = *port;
}

/* All addresses under TLS, or none. */
static enum cuzk_status replace_ports(struct http *http, const struct certificates *c,
                                      struct cuzk_error *err)
{
    struct http_port fresh[HTTP_PORTS_MAX];
    enum cuzk_status st = CUZK_OK;
    size_t n = 0, i;

    for (i = 0; i < http->n_ports; i++)
        n += http->ports[i].is_tcp;
    reap(http);
    if (http->n_retired + n > HTTP_RETIRED_MAX)
        return error_set(err, CUZK_NO_MEMORY,
                         "connections still use the certificates of %zu times before",
                         http->n_retired / n);
    for (i = 0; i < http->n_ports && st == CUZK_OK; i++) {
        fresh[i] = http->ports[i];
        if (!fresh[i].is_tcp)
            continue;
        fresh[i].daemon = NULL;
        fresh[i].fd = fcntl(http->ports[i].fd, F_DUPFD_CLOEXEC, 0);
        if (fresh[i].fd < 0)
            st = error_set(err, CUZK_IO, "the HTTP port: %s", strerror(errno));
        else
            st = start_port(http, &fresh[i], c, err);
    }
    n = i;
    for (i = 0; i < n; i++) {
        if (!fresh[i].is_tcp)
            continue;
        if (st == CUZK_OK) {
            retire(http, &http->ports[i]);
            http->ports[i] = fresh[i];
        } else if (fresh[i].daemon)
            MHD_stop_daemon(fresh[i].daemon);
        else if (fresh[i].fd >= 0)
            close(fresh[i].fd);
    }
    if (http->n_retired > 0)
        loop_timer_set(http->loop, &http->reap, loop_now() + REAP_EVERY);
    return st;
}

static enum cuzk_status reload_certificates(struct http *http, struct cuzk_error *err)
{
    struct certificates *now = &http->in_use, fresh = {0};
    enum cuzk_status st;

    TRY(read_certificates(&fresh, &http->config->daemon, err));
    if (same_text(&now->cert, &fresh.cert) && same_text(&now->key, &fresh.key) &&
        same_text(&now->client_ca, &fresh.client_ca)) {
        certificates_done(&fresh);
        return CUZK_OK;
    }
    st = replace_ports(http, &fresh, err);
    if (st != CUZK_OK) {
        certificates_done(&fresh);
        return st;
    }
    certificates_done(now);
    *now = fresh;
    return CUZK_OK;
}

enum cuzk_status http_reload(struct http *http, struct cuzk_error *err)
{
    char token[HTTP_TOKEN_MAX];

    TRY(read_token(token, http->config->daemon.token_file, err));
    pthread_mutex_lock(&http->lock);
    memcpy(http->token, token, sizeof token);
    pthread_mutex_unlock(&http->lock);
    mem_wipe(token, sizeof token);
    return http->config->daemon.tls_cert[0] ? reload_certificates(http, err) : CUZK_OK;
}

/* ---- opening and closing ------------------------------------------------------------------------
 */

enum cuzk_status http_open(struct http **ret, struct loop *loop, struct jobs *jobs,
                           const struct rpc *rpc, const struct config *config,
                           const struct http_socket *sockets, size_t n_sockets,
                           struct cuzk_error *err)
{
    struct http *http = mem_new(sizeof *http);
    enum cuzk_status st;

    if (!http)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the HTTP port");
    http->loop = loop;
    http->jobs = jobs;
    http->rpc = rpc;
    http->config = config;
    http->reap = (struct loop_timer){.f = reap, .ctx = http};
    pthread_mutex_init(&http->lock, NULL);
    history_start(&http->history, loop, jobs);
    TRY_GOTO(st, out, read_token(http->token, config->daemon.token_file, err));
    TRY_GOTO(st, out, event_streams_new(&http->streams, loop, jobs, err));
    TRY_GOTO(st, out, read_certificates(&http->in_use, &config->daemon, err));
    for (; http->n_ports < n_sockets; http->n_ports++) {
        struct http_port *port = &http->ports[http->n_ports];

        *port = (struct http_port){.fd = sockets[http->n_ports].fd,
                                   .is_tcp = sockets[http->n_ports].is_tcp};
        TRY_GOTO(st, out, start_port(http, port, &http->in_use, err));
    }
    *ret = http;
    http = NULL;
out:
    for (size_t i = http ? http->n_ports : n_sockets; i < n_sockets; i++)
        close(sockets[i].fd);
    http_close(http);
    return st;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    loop_timer_cancel(&http->reap);
    while (http->waiting) {
        struct exchange *x = http->waiting;

        job_call_drop(x->call);
        answer_ended(x);
        exchange_resume(x);
    }
    event_streams_end(http->streams);
    for (size_t i = 0; i < http->n_ports; i++)
        MHD_stop_daemon(http->ports[i].daemon);
    for (size_t i = 0; i < http->n_retired; i++)
        end_retired(&http->retired[i]);
    event_streams_free(http->streams);
    history_stop(&http->history);
    certificates_done(&http->in_use);
    pthread_mutex_destroy(&http->lock);
    mem_free(http);
}
