/* One request and its answer, as the parts of the HTTP port see it. */
#ifndef DAEMON_HTTP_EXCHANGE_H
#define DAEMON_HTTP_EXCHANGE_H

#include "base/text.h"
#include "daemon/history.h"
#include "daemon/http_access.h"
#include "daemon/http_ports.h"
#include "engine/report.h"

struct event_streams;

struct http {
    struct loop *loop;
    struct jobs *jobs;
    const struct config *config;
    struct history history;
    struct event_streams *streams;
    const struct rpc *rpc; /* for its metrics; may be NULL */
    struct http_access access;
    struct http_ports ports;
    struct exchange *waiting; /* suspended; the loop's */
};

/* Its life is one request. The serving thread owns it, except while `waiting` is set: then the loop
 * does. */
struct exchange {
    struct http *http;
    struct MHD_Connection *connection;
    const char *method, *path; /* path: unescaped by libmicrohttpd; both its property */

    bool begun;              /* begin_exchange has seen it */
    char id[JOB_ID_MAX + 1]; /* of the job or circuit that the path names */
    const char *verb;        /* behind it; a constant */

    /* the body of POST /api/v1/jobs */
    bool takes_body;
    int spool_fd; /* -1: none */
    uint64_t body_bytes;
    struct job_request request;

    /* the answer, as soon as `answered` */
    bool answered;
    unsigned code;
    const char *type;     /* a constant */
    unsigned retry_after; /* seconds; 0: not said */
    struct text body;
    char location[3 * JOB_ID_MAX + 32]; /* of what was made; "": none */

    /* a question to the jobs that is not answered yet */
    bool waiting, asked;
    struct job_call *call;
    struct exchange *next, **link;
};

#define HTTP_JSON "application/json"
#define HTTP_TEXT "text/plain; charset=utf-8"

/* ---- answering: any of these makes `answered` ---- */

void answer_text(struct exchange *x, unsigned code, const char *type, const char *text);
/* {"error": sentence} */
void answer_error(struct exchange *x, unsigned code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The report as JSON; ends the report. */
void answer_report(struct exchange *x, unsigned code, struct report *report);
/* 405 with the methods that there are. */
void answer_wrong_method(struct exchange *x, const char *allowed);

/* ---- asking the loop ---- */

/* Runs f(x) on the loop and returns; answers 503 when the loop has ended. */
void exchange_on_loop(struct exchange *x, void (*f)(struct exchange *x));
/* Runs f(x) on the loop, which sets x->call to a question or answers at once; the connection is
 * suspended until exchange_resume. */
void exchange_wait(struct exchange *x, void (*f)(struct exchange *x));
/* From the question's callback, on the loop: x is answered. */
void exchange_resume(struct exchange *x);

/* ---- reading the request ---- */

/* A query parameter; NULL if absent. */
const char *exchange_query(const struct exchange *x, const char *name);
/* A header; NULL if absent. */
const char *exchange_header(const struct exchange *x, const char *name);

#endif
