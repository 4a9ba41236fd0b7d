/* A request is an exchange (http_exchange.h). libmicrohttpd calls `handle` for it again and again,
 * on the address's thread:
 *
 *     headers ──► begin_exchange ─┬─ a file of the dashboard, events ────────────► sent
 *                                 ├─ refused, or the loop answers at once ───────► send_answer
 *                                 ├─ what takes long: suspended … resumed ───────► send_answer
 *                                 └─ a body: api_body … api_end, which asks so ──► send_answer
 *
 * Who is let in is told in http_access.h, what listens and under which certificates in
 * http_ports.h. */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "daemon/assets.h"
#include "daemon/event_stream.h"
#include "daemon/http_api.h"
#include "daemon/http_exchange.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/status_report.h"

/* ---- answers --------------------------------------------------------------------------------- */

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

/* ---- asking the loop ------------------------------------------------------------------------- */

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

/* ---- routes ---------------------------------------------------------------------------------- */

const char *exchange_query(const struct exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *exchange_header(const struct exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
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

/* Sends what is sent at once, answers, or asks. */
static enum MHD_Result begin_exchange(struct exchange *x)
{
    const struct route *route = find_route(x->path);
    struct asset asset;
    bool is_asset = asset_find(&asset, x->path);

    if (is_asset && is_reading(x))
        return send_asset(x, &asset);
    if (!(route && route->is_free) && !http_access_check(x))
        return MHD_YES;
    if (!is_reading(x) && !http_origin_is_ours(x))
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

/* ---- libmicrohttpd's callbacks --------------------------------------------------------------- */

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
    const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
           (length && strcmp(length, "0") != 0);
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

/* ---- opening and closing --------------------------------------------------------------------- */

enum cuzk_status http_open(struct http **ret, struct loop *loop, struct jobs *jobs,
                           const struct rpc *rpc, const struct config *config,
                           const struct http_socket *sockets, size_t n_sockets,
                           struct cuzk_error *err)
{
    struct http *http = mem_new(sizeof *http);
    enum cuzk_status st;

    if (!http) {
        st = error_set(err, CUZK_NO_MEMORY, "no memory for the HTTP port");
        goto out;
    }
    http->loop = loop;
    http->jobs = jobs;
    http->rpc = rpc;
    http->config = config;
    http->ports = (struct http_ports){
        .loop = loop, .config = &config->daemon, .handler = {handle, end_exchange, http}};
    history_start(&http->history, loop, jobs);
    TRY_GOTO(st, out, http_access_open(&http->access, &config->daemon, err));
    TRY_GOTO(st, out, event_streams_new(&http->streams, loop, jobs, err));
    TRY_GOTO(st, out, http_ports_open(&http->ports, sockets, n_sockets, err));
    *ret = http;
    return CUZK_OK;
out:
    for (size_t i = http ? http->ports.n : 0; i < n_sockets; i++)
        close(sockets[i].fd);
    http_close(http);
    return st;
}

enum cuzk_status http_reload(struct http *http, struct cuzk_error *err)
{
    TRY(http_access_reload(&http->access, err));
    return http->config->daemon.tls_cert[0] ? http_ports_reload(&http->ports, err) : CUZK_OK;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    while (http->waiting) {
        struct exchange *x = http->waiting;

        job_call_drop(x->call);
        answer_ended(x);
        exchange_resume(x);
    }
    event_streams_end(http->streams);
    http_ports_close(&http->ports);
    event_streams_free(http->streams);
    history_stop(&http->history);
    http_access_close(&http->access);
    mem_free(http);
}
