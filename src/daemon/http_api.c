#include "daemon/http_api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/http_exchange.h"
#include "daemon/http_query.h"
#include "daemon/log.h"
#include "daemon/status_report.h"

enum { WAIT_SECONDS_MAX = 300, LIST_DEFAULT = 200, BUSY_SECONDS = 10 };

static bool is_method(const struct exchange *x, const char *method)
{
    return strcmp(x->method, method) == 0;
}

/* ---- submitting ------------------------------------------------------------------------------ */

static enum MHD_Result take_parameter(void *ctx, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct exchange *x = ctx;
    bool known;

    (void)kind;
    if (query_take_field(&x->request, name, value ? value : "", &known))
        return MHD_YES;
    answer_error(x, MHD_HTTP_BAD_REQUEST,
                 known ? "%s: '%s' is not a value of it" : "unknown parameter %s", name,
                 value ? value : "");
    return MHD_NO;
}

static void open_spool(struct exchange *x)
{
    const char *length =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t bytes = x->http->config->daemon.max_message;
    const char *why = "";
    struct cuzk_error err;

    if (length)
        (void)!query_number(length, UINT64_MAX, &bytes);
    if (!jobs_may_spool(x->http->jobs, bytes, &why)) {
        answer_error(x, MHD_HTTP_TOO_MANY_REQUESTS, "busy: %s", why);
        x->retry_after = BUSY_SECONDS;
    } else if (jobs_spool_open(x->http->jobs, &x->spool_fd, &err) != CUZK_OK)
        answer_error(x, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", err.message);
}

static void answer_too_long(struct exchange *x)
{
    answer_error(x, MHD_HTTP_CONTENT_TOO_LARGE, "a body has at most %lu bytes (daemon.max_message)",
                 (unsigned long)x->http->config->daemon.max_message);
}

static void begin_submission(struct exchange *x)
{
    const char *length =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t bytes;

    x->takes_body = true;
    MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, take_parameter, x);
    if (x->answered)
        return;
    if (x->request.kind == JOB_KIND_NONE)
        answer_error(x, MHD_HTTP_BAD_REQUEST,
                     "expected kind=porep-c2, snap-update, window-post or winning-post");
    else if (length && query_number(length, UINT64_MAX, &bytes) &&
             bytes > x->http->config->daemon.max_message)
        answer_too_long(x);
    else
        exchange_on_loop(x, open_spool);
}

void api_body(struct exchange *x, const char *bytes, size_t n)
{
    if (n > x->http->config->daemon.max_message - x->body_bytes) {
        answer_too_long(x);
        return;
    }
    while (n > 0) {
        ssize_t written = pwrite(x->spool_fd, bytes, n, (off_t)x->body_bytes);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            answer_error(x, MHD_HTTP_INSUFFICIENT_STORAGE, "cannot write the spool file: %s",
                         strerror(errno));
            return;
        }
        bytes += written;
        n -= (size_t)written;
        x->body_bytes += (uint64_t)written;
    }
}

static unsigned refusal_code(enum refusal refusal)
{
    switch (refusal) {
    case REFUSED_NOT: return MHD_HTTP_ACCEPTED;
    case REFUSED_BAD_REQUEST: return MHD_HTTP_BAD_REQUEST;
    case REFUSED_NO_KEY: return MHD_HTTP_UNPROCESSABLE_CONTENT;
    case REFUSED_TOO_LARGE: return MHD_HTTP_UNPROCESSABLE_CONTENT;
    case REFUSED_POISON: return MHD_HTTP_CONFLICT;
    case REFUSED_DRAINING: return MHD_HTTP_SERVICE_UNAVAILABLE;
    case REFUSED_FAULT: return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
    return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

/* /api/v1/jobs/ and the id, with %-escapes for whatever is not plain. */
static void set_location(struct exchange *x, const char *id)
{
    size_t n = (size_t)snprintf(x->location, sizeof x->location, "/api/v1/jobs/");

    for (; *id && n + 4 < sizeof x->location; id++) {
        bool plain = (*id >= '0' && *id <= '9') || (*id >= 'a' && *id <= 'z') ||
                     (*id >= 'A' && *id <= 'Z') || strchr("-._~", *id);

        n += (size_t)snprintf(x->location + n, 4, plain ? "%c" : "%%%02X", (unsigned char)*id);
    }
}

static void submitted(void *ctx, const struct submit_answer *answer)
{
    struct exchange *x = ctx;
    struct report report;

    if (answer->refusal != REFUSED_NOT) {
        answer_error(x, refusal_code(answer->refusal), "%s", answer->sentence);
        x->retry_after = answer->refusal == REFUSED_DRAINING ? BUSY_SECONDS : 0;
    } else {
        report_init(&report);
        report_text(&report, "job_id", "%s", answer->job_id);
        report_number(&report, "queue_position", answer->queue_position);
        report_bool(&report, "attached", answer->attached);
        answer_report(x, MHD_HTTP_ACCEPTED, &report);
        set_location(x, answer->job_id);
    }
    exchange_resume(x);
}

static void submit(struct exchange *x)
{
    struct submission submission = {
        .fd = x->spool_fd, .bytes = x->body_bytes, .request = x->request};

    x->spool_fd = -1;
    x->request = (struct job_request){.kind = JOB_KIND_NONE};
    x->call = jobs_submit(x->http->jobs, &submission, submitted, x);
}

void api_end(struct exchange *x)
{
    size_t n = job_request_n_ranges(&x->request);
    const struct job_range *last = n ? job_request_ranges(&x->request) + n - 1 : NULL;

    if (x->body_bytes == 0)
        answer_error(x, MHD_HTTP_BAD_REQUEST,
                     "expected a vanilla proof as the body, found nothing");
    else if (last && last->offset + last->bytes != x->body_bytes)
        answer_error(x, MHD_HTTP_BAD_REQUEST, "lengths: they add up to %lu bytes, the body has %lu",
                     (unsigned long)(last->offset + last->bytes), (unsigned long)x->body_bytes);
    else
        exchange_wait(x, submit);
}

/* ---- one job --------------------------------------------------------------------------------- */

static void answer_unknown(struct exchange *x)
{
    answer_error(x, MHD_HTTP_NOT_FOUND, "no job '%s'", x->id);
}

static void answer_proof(struct exchange *x, const struct job_view *job)
{
    struct cuzk_error err;

    if (!job->proof) {
        answer_error(x, MHD_HTTP_CONFLICT, "no proof: the job is %s", job_state_name(job->state));
        return;
    }
    x->answered = true;
    x->code = MHD_HTTP_OK;
    x->type = "application/octet-stream";
    if (text_begin(&x->body, &err) == CUZK_OK) {
        fwrite(job->proof, 1, job->proof_bytes, x->body.stream);
        if (text_end(&x->body, &err) == CUZK_OK)
            return;
    }
    x->code = MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static void job_found(void *ctx, enum await_end end, const struct job_view *job)
{
    struct exchange *x = ctx;
    struct report report;

    if (end == AWAIT_UNKNOWN)
        answer_unknown(x);
    else if (strcmp(x->verb, "proof") == 0)
        answer_proof(x, job);
    else {
        report_init(&report);
        job_report(&report, job, true);
        answer_report(x, MHD_HTTP_OK, &report);
    }
    exchange_resume(x);
}

static void look(struct exchange *x)
{
    const char *wait = exchange_query(x, "wait");
    uint64_t seconds = 0;

    if (wait && !query_number(wait, WAIT_SECONDS_MAX, &seconds))
        answer_error(x, MHD_HTTP_BAD_REQUEST, "wait: expected seconds, at most %d",
                     WAIT_SECONDS_MAX);
    else if (seconds)
        x->call = jobs_await(x->http->jobs, x->id, seconds * 1000, job_found, x);
    else
        x->call = jobs_look(x->http->jobs, x->id, job_found, x);
}

static void traced(void *ctx, enum cuzk_status status, const char *text, size_t n)
{
    struct exchange *x = ctx;

    (void)n;
    if (status != CUZK_OK)
        answer_error(x, MHD_HTTP_NOT_FOUND, "no timeline of '%s'", x->id);
    else
        answer_text(x, MHD_HTTP_OK, HTTP_JSON, text);
    exchange_resume(x);
}

static void trace(struct exchange *x)
{
    x->call = jobs_trace(x->http->jobs, x->id, traced, x);
}

static void ended(void *ctx, enum cancel_end end)
{
    static const char *const was[] = {[CANCEL_WAS_WAITING] = "waiting",
                                      [CANCEL_WAS_RUNNING] = "running",
                                      [CANCEL_WAS_OVER] = "over"};
    struct exchange *x = ctx;
    struct report report;

    if (end == CANCEL_UNKNOWN)
        answer_unknown(x);
    else {
        report_init(&report);
        report_text(&report, "was", "%s", was[end]);
        answer_report(x, MHD_HTTP_OK, &report);
    }
    exchange_resume(x);
}

static void cancel(struct exchange *x)
{
    log_info("cancel asked over HTTP", "job", x->id, NULL);
    x->call = jobs_cancel(x->http->jobs, x->id, ended, x);
}

static void clear(struct exchange *x)
{
    log_info("clear asked over HTTP", "job", x->id, NULL);
    x->call = jobs_clear(x->http->jobs, x->id, ended, x);
}

/* ---- listings -------------------------------------------------------------------------------- */

struct listing {
    struct report *report;
    const char *state; /* NULL: any */
    uint64_t left;
};

static void list_job(void *ctx, const struct job_view *job)
{
    struct listing *listing = ctx;

    if (listing->left == 0 ||
        (listing->state && strcmp(listing->state, job_state_name(job->state)) != 0))
        return;
    listing->left--;
    report_object(listing->report, NULL);
    job_report(listing->report, job, false);
    report_end(listing->report);
}

static void list(struct exchange *x)
{
    const char *limit = exchange_query(x, "limit");
    struct report report;
    struct listing listing = {&report, exchange_query(x, "state"), LIST_DEFAULT};

    if (limit && !query_number(limit, 10000, &listing.left)) {
        answer_error(x, MHD_HTTP_BAD_REQUEST, "limit: expected a number up to 10000");
        return;
    }
    report_init(&report);
    report_list(&report, "jobs");
    jobs_each(x->http->jobs, list_job, &listing);
    report_end(&report);
    answer_report(x, MHD_HTTP_OK, &report);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static unsigned key_code(enum cuzk_status status)
{
    return status == CUZK_OK          ? MHD_HTTP_OK
           : status == CUZK_BAD_INPUT ? MHD_HTTP_CONFLICT
                                      : MHD_HTTP_INTERNAL_SERVER_ERROR;
}

/* What became of a key: a flag and a number, or the sentence of a refusal. */
static void answer_key(struct exchange *x, enum cuzk_status status, const char *sentence,
                       const char *flag_name, bool flag, const char *number_name, uint64_t number)
{
    struct report report;

    if (status != CUZK_OK)
        answer_error(x, key_code(status), "%s", sentence);
    else {
        report_init(&report);
        report_bool(&report, flag_name, flag);
        report_number(&report, number_name, number);
        answer_report(x, MHD_HTTP_OK, &report);
    }
    exchange_resume(x);
}

static void preloaded(void *ctx, const struct preload_answer *answer)
{
    answer_key(ctx, answer->status, answer->sentence, "already_loaded", answer->already_loaded,
               "load_time_ms", answer->load_ms);
}

static void preload(struct exchange *x)
{
    log_info("preload asked over HTTP", "circuit", x->id, NULL);
    x->call = jobs_preload(x->http->jobs, x->id, preloaded, x);
}

static void evicted(void *ctx, const struct evict_answer *answer)
{
    answer_key(ctx, answer->status, answer->sentence, "was_loaded", answer->was_loaded,
               "freed_bytes", answer->freed_bytes);
}

static void evict(struct exchange *x)
{
    log_info("evict asked over HTTP", "circuit", x->id, NULL);
    x->call = jobs_evict(x->http->jobs, x->id, evicted, x);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct route {
    bool of_key;
    const char *method, *verb;
    void (*f)(struct exchange *x);
} routes[] = {
    {false, "GET", "", look},           {false, "GET", "proof", look},
    {false, "GET", "trace", trace},     {false, "DELETE", "", cancel},
    {false, "POST", "cancel", cancel},  {false, "POST", "clear", clear},
    {true, "POST", "preload", preload}, {true, "POST", "evict", evict},
};

/* "ID" or "ID/verb": an id may hold a slash, so only a verb that there is ends it. */
static bool split(struct exchange *x, const char *rest, bool of_key)
{
    const char *slash = strrchr(rest, '/');
    size_t n = strlen(rest);

    x->verb = "";
    for (size_t i = 0; slash && i < sizeof routes / sizeof routes[0]; i++)
        if (routes[i].of_key == of_key && routes[i].verb[0] &&
            strcmp(slash + 1, routes[i].verb) == 0) {
            x->verb = routes[i].verb;
            n = (size_t)(slash - rest);
        }
    if (n == 0 || n >= sizeof x->id)
        return false;
    memcpy(x->id, rest, n);
    return true;
}

void api_begin(struct exchange *x)
{
    static const char jobs_path[] = "/api/v1/jobs", keys_path[] = "/api/v1/keys/";
    bool of_key = strncmp(x->path, keys_path, sizeof keys_path - 1) == 0;
    const char *rest = x->path + (of_key ? sizeof keys_path - 1 : sizeof jobs_path - 1);

    if (!of_key && (rest[0] == 0 || strcmp(rest, "/") == 0)) {
        if (is_method(x, "POST"))
            begin_submission(x);
        else if (is_method(x, "GET"))
            exchange_on_loop(x, list);
        else
            answer_wrong_method(x, "GET, POST");
        return;
    }
    if ((!of_key && rest[0] != '/') || !split(x, rest + !of_key, of_key)) {
        answer_error(x, MHD_HTTP_NOT_FOUND, "there is no %s", x->path);
        return;
    }
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
        if (routes[i].of_key == of_key && is_method(x, routes[i].method) &&
            strcmp(x->verb, routes[i].verb) == 0) {
            exchange_wait(x, routes[i].f);
            return;
        }
    answer_wrong_method(x, of_key ? "POST" : "GET, DELETE, POST");
}
