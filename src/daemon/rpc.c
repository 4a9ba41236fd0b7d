/* A call's life is drawn in rpc.h. Here the states:
 *
 *     RECEIVING ──whole──► HANDLED ──rpc_finish──► OVER ──► freed when its stream is gone
 *         └───────────── something is wrong ───────►┘
 *
 * A RECEIVING call may be held: then its stream is given no window beyond the first.
 * `granted_bytes` is the sum over the large messages that were let in of what is not in the file
 * yet; `room` is always asked with that sum and the candidate's bytes together. */
#include "daemon/rpc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/reader.h"
#include "daemon/http2.h"

enum {
    N_BLOCKS = 32,
    STREAM_WINDOW = RPC_FIRST_MAX + 64, /* a body of that size, its prefix and its fields */
    GRANTED_WINDOW = 4 << 20,
    MAX_CALLS = 4096,
};

enum call_state { CALL_RECEIVING, CALL_HANDLED, CALL_OVER };

struct rpc_call {
    struct rpc *rpc;
    struct http2_stream *stream;
    const struct rpc_method *method;
    void *service_ctx;
    enum call_state state;
    uint64_t until; /* its deadline; 0: none */
    struct loop_timer deadline;
    void (*gone)(void *ctx);
    void *gone_ctx;
    enum grpc_code code; /* once OVER */

    uint8_t prefix[GRPC_PREFIX];
    unsigned n_prefix;
    unsigned n_messages; /* whose prefix has come */
    uint64_t length;     /* of the message being received */
    uint64_t received;
    uint64_t last_progress;

    uint8_t *small; /* RPC_SMALL, RPC_EACH: the message */

    /* RPC_SPOOLED */
    struct body *body;
    uint64_t seen_written; /* of body->written, what is accounted for */
    uint64_t consumed;     /* bytes of the stream's window given back */
    bool granted;          /* more than the first window may come */
    bool asked;            /* granted, or held, or small enough for neither */
    uint8_t head[RPC_HEAD_MAX];
    size_t n_head;
    struct rpc_call *next_held, **held_link; /* held_link NULL: not held */
    unsigned urgency;
    bool told; /* that it waits */
};

struct rpc {
    struct loop *loop;
    struct rpc_options options;
    struct block_pool *pool;
    struct http2_server *http2;
    struct rpc_service *services;
    struct rpc_call *held;
    struct loop_timer ask_again;
    void (*may_accept)(void *ctx); /* NULL: nobody waits */
    void *may_accept_ctx;
    bool accept_waits;
    struct rpc_stats stats;
};

/* ---- the end of a call --------------------------------------------------------------------------
 */

static void unhold(struct rpc_call *call)
{
    if (!call->held_link)
        return;
    *call->held_link = call->next_held;
    if (call->next_held)
        call->next_held->held_link = call->held_link;
    call->held_link = NULL;
    call->rpc->stats.n_held--;
}

static void drop_body(struct rpc_call *call)
{
    if (!call->body)
        return;
    if (call->granted)
        call->rpc->stats.granted_bytes -= call->length - call->seen_written;
    call->granted = false;
    call->body->progress = NULL;
    body_release(call->body);
    call->body = NULL;
}

/* Whatever the call still has, but for its stream. */
static void let_go(struct rpc_call *call)
{
    if (call->state == CALL_RECEIVING)
        call->rpc->stats.n_receiving--;
    call->state = CALL_OVER;
    loop_timer_cancel(&call->deadline);
    unhold(call);
    drop_body(call);
    mem_free(call->small);
    call->small = NULL;
    rpc_room_changed(call->rpc);
}

static void finish(struct rpc_call *call, enum grpc_code code, const char *sentence)
{
    let_go(call);
    call->code = code;
    call->rpc->stats.ended[code]++;
    http2_finish(call->stream, code, sentence);
}

static void tell_gone(struct rpc_call *call)
{
    void (*gone)(void *ctx) = call->gone;

    call->gone = NULL;
    if (call->state == CALL_HANDLED && gone)
        gone(call->gone_ctx);
}

static void deadline_passes(void *ctx)
{
    struct rpc_call *call = ctx;

    tell_gone(call);
    finish(call, GRPC_DEADLINE_EXCEEDED, "the deadline passed; an accepted job goes on");
}

/* ---- admission ----------------------------------------------------------------------------------
 */

static void give_window(struct rpc_call *call)
{
    uint64_t taken = GRPC_PREFIX + call->body->written;

    if (call->granted && taken > call->consumed) {
        http2_consume(call->stream, taken - call->consumed);
        call->consumed = taken;
    }
}

static void grant(struct rpc_call *call)
{
    unhold(call);
    call->granted = true;
    call->rpc->stats.granted_bytes += call->length - call->seen_written;
    call->last_progress = loop_now();
    http2_widen(call->stream, GRANTED_WINDOW);
    give_window(call);
}

static void tell_waiting(struct rpc_call *call, const char *why)
{
    const struct rpc_options *options = &call->rpc->options;
    char line[300];

    if (call->told || !options->log)
        return;
    call->told = true;
    snprintf(line, sizeof line, "a request of %llu bytes from %s waits: %s",
             (unsigned long long)call->length, http2_peer(call->stream), why);
    options->log(options->log_ctx, true, line);
}

static void admit(struct rpc *rpc)
{
    loop_timer_cancel(&rpc->ask_again);
    while (rpc->held) {
        struct rpc_call *call = rpc->held;
        uint64_t bytes = rpc->stats.granted_bytes + call->length - call->seen_written;
        const char *why;

        if (!rpc->options.room(rpc->options.spool_ctx, bytes, &why)) {
            tell_waiting(call, why);
            loop_timer_set(rpc->loop, &rpc->ask_again, loop_now() + LOOP_SECOND);
            return;
        }
        grant(call);
    }
}

static void ask_again(void *ctx)
{
    admit(ctx);
}

void rpc_room_changed(struct rpc *rpc)
{
    if (rpc->held)
        loop_timer_set(rpc->loop, &rpc->ask_again, loop_now());
}

/* The head of a large message is here: it stands in line. */
static void hold(struct rpc_call *call)
{
    struct rpc *rpc = call->rpc;
    struct rpc_call **link = &rpc->held;

    call->asked = true;
    call->urgency =
        call->method->urgency ? call->method->urgency(call->head, call->n_head) : RPC_URGENCIES - 1;
    while (*link && (*link)->urgency <= call->urgency)
        link = &(*link)->next_held;
    call->next_held = *link;
    if (call->next_held)
        call->next_held->held_link = &call->next_held;
    call->held_link = link;
    *link = call;
    rpc->stats.n_held++;
    admit(rpc);
}

/* ---- receiving ----------------------------------------------------------------------------------
 */

static void handle(struct rpc_call *call, const struct rpc_request *request)
{
    if (call->state == CALL_RECEIVING) {
        call->state = CALL_HANDLED;
        call->rpc->stats.n_receiving--;
    }
    call->method->f(call->service_ctx, call, request);
}

/* A spooled message is whole when it has been written and its sender has said that this is all. */
static void deliver_spooled(struct rpc_call *call)
{
    struct rpc_request request = {.fd = -1, .n = call->length};

    if (call->state != CALL_RECEIVING || !call->stream->ended || call->body->written < call->length)
        return;
    unhold(call);
    request.fd = body_take(call->body);
    drop_body(call);
    handle(call, &request);
}

static void body_progress(void *ctx)
{
    struct rpc_call *call = ctx;
    uint64_t more = call->body->written - call->seen_written;

    call->seen_written += more;
    call->last_progress = loop_now();
    call->rpc->stats.bytes += more;
    if (call->granted)
        call->rpc->stats.granted_bytes -= more;
    if (call->body->error) {
        char sentence[160];

        snprintf(sentence, sizeof sentence, "the spool cannot take the request: %s",
                 strerror(call->body->error));
        finish(call, GRPC_UNAVAILABLE, sentence);
        return;
    }
    give_window(call);
    deliver_spooled(call);
}

static void begin_spooled(struct rpc_call *call)
{
    const struct rpc_options *options = &call->rpc->options;
    struct cuzk_error err;
    char sentence[160];
    int fd;

    if (call->length > options->max_message) {
        snprintf(sentence, sizeof sentence,
                 "the request has %llu bytes, the limit is %llu (daemon.max_message)",
                 (unsigned long long)call->length, (unsigned long long)options->max_message);
        finish(call, GRPC_RESOURCE_EXHAUSTED, sentence);
        return;
    }
    if (options->open_spool(options->spool_ctx, &fd, &err) != CUZK_OK) {
        finish(call, GRPC_UNAVAILABLE, err.message);
        return;
    }
    call->body = body_new(fd, call->length);
    if (!call->body) {
        finish(call, GRPC_UNAVAILABLE, "no memory for another request");
        return;
    }
    call->body->progress = body_progress;
    call->body->ctx = call;
    call->asked = call->length + GRPC_PREFIX <= STREAM_WINDOW;
}

static void begin_small(struct rpc_call *call)
{
    char sentence[96];

    if (call->length > RPC_SMALL_MAX) {
        snprintf(sentence, sizeof sentence, "the request has %llu bytes, the limit is %d",
                 (unsigned long long)call->length, RPC_SMALL_MAX);
        finish(call, GRPC_RESOURCE_EXHAUSTED, sentence);
        return;
    }
    call->small = mem_new(call->length);
    if (!call->small)
        finish(call, GRPC_UNAVAILABLE, "no memory for another request");
}

static void begin_message(struct rpc_call *call)
{
    const uint8_t *p = call->prefix;

    if (p[0] != 0) {
        finish(call, GRPC_UNIMPLEMENTED, "compressed messages are not understood");
        return;
    }
    if (++call->n_messages > 1 && call->method->shape != RPC_EACH) {
        finish(call, GRPC_UNIMPLEMENTED, "this method takes one message");
        return;
    }
    call->length = load_u32_be(p + 1);
    call->received = 0;
    if (call->method->shape == RPC_SPOOLED)
        begin_spooled(call);
    else
        begin_small(call);
}

static void take_spooled(struct rpc_call *call, const uint8_t *bytes, size_t n)
{
    size_t to_head = sizeof call->head - call->n_head;

    http2_keep(call->stream, call->body, call->received, bytes, n);
    if (to_head > n)
        to_head = n;
    memcpy(call->head + call->n_head, bytes, to_head);
    call->n_head += to_head;
    call->received += n;
    /* A message that is not small is longer than the head. */
    if (!call->asked && call->n_head == sizeof call->head)
        hold(call);
}

/* One of RPC_EACH is whole. */
static void deliver_each(struct rpc_call *call)
{
    struct rpc_request request = {.message = call->small, .fd = -1, .n = call->length};
    uint8_t *message = call->small;

    call->small = NULL;
    call->n_prefix = 0;
    handle(call, &request);
    mem_free(message);
}

static bool in_message(const struct rpc_call *call)
{
    return call->n_prefix == GRPC_PREFIX && call->received < call->length;
}

/* The bytes of one piece of data that belong together; returns how many. */
static size_t take(struct rpc_call *call, const uint8_t *bytes, size_t n)
{
    size_t part = n;

    if (!in_message(call)) {
        if (call->n_prefix == GRPC_PREFIX) /* another message */
            call->n_prefix = 0;
        if (part > GRPC_PREFIX - call->n_prefix)
            part = GRPC_PREFIX - call->n_prefix;
        memcpy(call->prefix + call->n_prefix, bytes, part);
        call->n_prefix += (unsigned)part;
        if (call->n_prefix == GRPC_PREFIX)
            begin_message(call);
    } else {
        if (part > call->length - call->received)
            part = (size_t)(call->length - call->received);
        if (call->method->shape == RPC_SPOOLED) {
            take_spooled(call, bytes, part);
            return part;
        }
        memcpy(call->small + call->received, bytes, part);
        call->received += part;
    }
    if (call->state != CALL_OVER && call->method->shape == RPC_EACH &&
        call->n_prefix == GRPC_PREFIX && call->received == call->length)
        deliver_each(call);
    return part;
}

static void on_data(void *ctx, struct http2_stream *s, const uint8_t *bytes, size_t n)
{
    struct rpc_call *call = s->user;
    size_t all = n;

    (void)ctx;
    if (!call)
        return;
    call->last_progress = loop_now();
    while (n > 0 && call->state != CALL_OVER) {
        size_t taken = take(call, bytes, n);

        bytes += taken;
        n -= taken;
    }
    /* What is spooled gives its window back when it is written, if it may. */
    if (call->state != CALL_OVER && call->method->shape != RPC_SPOOLED)
        http2_consume(s, all);
}

static void on_end(void *ctx, struct http2_stream *s)
{
    struct rpc_call *call = s->user;
    struct rpc_request request = {.fd = -1};

    (void)ctx;
    if (!call || call->state == CALL_OVER)
        return;
    if ((call->n_prefix > 0 && call->n_prefix < GRPC_PREFIX) || in_message(call))
        finish(call, GRPC_INTERNAL, "the request ends within a message");
    else if (call->method->shape == RPC_EACH)
        handle(call, &request);
    else if (call->n_messages == 0)
        finish(call, GRPC_UNIMPLEMENTED, "this method takes one message, and none came");
    else if (call->method->shape == RPC_SPOOLED)
        deliver_spooled(call);
    else {
        request.message = call->small;
        request.n = call->length;
        call->small = NULL;
        handle(call, &request);
        mem_free((uint8_t *)(uintptr_t)request.message);
    }
}

/* ---- streams begin, tick and go -----------------------------------------------------------------
 */

static bool find_method(struct rpc_call *call, const char *path)
{
    for (const struct rpc_service *s = call->rpc->services; s; s = s->next)
        for (size_t i = 0; i < s->n_methods; i++)
            if (strcmp(s->methods[i].path, path) == 0) {
                call->method = &s->methods[i];
                call->service_ctx = s->ctx;
                return true;
            }
    return false;
}

static void start_call(struct rpc_call *call)
{
    const struct http2_stream *s = call->stream;
    uint64_t timeout = GRPC_NO_TIMEOUT, now = loop_now();
    char sentence[HTTP2_PATH_MAX + 32];

    if (!find_method(call, s->path)) {
        snprintf(sentence, sizeof sentence, "there is no method %s", s->path);
        finish(call, GRPC_UNIMPLEMENTED, sentence);
    } else if (*s->encoding && strcmp(s->encoding, "identity") != 0) {
        finish(call, GRPC_UNIMPLEMENTED, "compressed messages are not understood");
    } else if (*s->timeout && !grpc_timeout_parse(&timeout, s->timeout)) {
        finish(call, GRPC_INVALID_ARGUMENT, "the header grpc-timeout is no timeout");
    } else if (timeout < UINT64_MAX - now) {
        call->until = now + timeout;
        loop_timer_set(call->rpc->loop, &call->deadline, call->until);
    }
}

static void on_begin(void *ctx, struct http2_stream *s)
{
    struct rpc *rpc = ctx;
    struct rpc_call *call;

    if (!s->is_post || !s->is_grpc) {
        http2_refuse(s, s->is_post ? "415" : "405");
        return;
    }
    call = mem_new(sizeof *call);
    if (!call) {
        http2_finish(s, GRPC_UNAVAILABLE, "no memory for another call");
        return;
    }
    call->rpc = rpc;
    call->stream = s;
    call->deadline = (struct loop_timer){.f = deadline_passes, .ctx = call};
    call->last_progress = loop_now();
    s->user = call;
    rpc->stats.calls++;
    rpc->stats.n_calls++;
    rpc->stats.n_receiving++;
    start_call(call);
}

static void on_tick(void *ctx, struct http2_stream *s)
{
    struct rpc *rpc = ctx;
    struct rpc_call *call = s->user;

    if (call && call->state == CALL_RECEIVING && !call->held_link &&
        loop_now() - call->last_progress > rpc->options.stall)
        finish(call, GRPC_DEADLINE_EXCEEDED, "the request does not go on");
}

static void on_gone(void *ctx, struct http2_stream *s)
{
    struct rpc *rpc = ctx;
    struct rpc_call *call = s->user;

    if (!call)
        return;
    s->user = NULL;
    if (call->state != CALL_OVER) {
        rpc->stats.abandoned++;
        tell_gone(call);
        let_go(call);
    }
    rpc->stats.n_calls--;
    mem_free(call);
}

static void on_connected(void *ctx, const char *peer, const char *why)
{
    struct rpc *rpc = ctx;
    char line[HTTP2_PEER_TEXT + 200];

    if (!why)
        rpc->stats.connections++;
    if (rpc->options.log) {
        snprintf(line, sizeof line, why ? "connection of %s ends: %s" : "connection of %s%s", peer,
                 why ? why : "");
        rpc->options.log(rpc->options.log_ctx, false, line);
    }
    if (why && rpc->accept_waits && rpc_may_accept(rpc)) {
        rpc->accept_waits = false;
        rpc->may_accept(rpc->may_accept_ctx);
    }
}

/* ---- the server ---------------------------------------------------------------------------------
 */

static uint64_t or_default(uint64_t time, uint64_t seconds)
{
    return time ? time : seconds * LOOP_SECOND;
}

enum cuzk_status rpc_new(struct rpc **ret, struct loop *loop, const struct rpc_options *options,
                         struct cuzk_error *err)
{
    static const struct http2_handler handler = {
        .begin = on_begin,
        .data = on_data,
        .end = on_end,
        .tick = on_tick,
        .gone = on_gone,
        .connected = on_connected,
    };
    struct rpc *rpc = mem_new(sizeof *rpc);
    struct http2_limits limits = {
        .max_streams = options->max_streams,
        .max_streams_in_all = MAX_CALLS,
        .stream_window = STREAM_WINDOW,
        .greeting = or_default(options->greeting, 10),
        .ping_every = or_default(options->ping_every, 45),
        .ping_patience = or_default(options->ping_patience, 20),
        .stall = or_default(options->stall, 60),
    };
    enum cuzk_status st;

    if (!rpc)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the gRPC server");
    rpc->loop = loop;
    rpc->options = *options;
    rpc->options.stall = limits.stall;
    rpc->ask_again = (struct loop_timer){.f = ask_again, .ctx = rpc};
    TRY_GOTO(st, out, block_pool_new(&rpc->pool, loop, options->budget, N_BLOCKS, err));
    TRY_GOTO(st, out, http2_server_new(&rpc->http2, loop, rpc->pool, &limits, &handler, rpc, err));
    *ret = rpc;
    rpc = NULL;
out:
    rpc_free(rpc);
    return st;
}

void rpc_free(struct rpc *rpc)
{
    if (!rpc)
        return;
    if (rpc->http2)
        http2_server_close(rpc->http2);
    loop_timer_cancel(&rpc->ask_again);
    block_pool_free(rpc->pool);
    http2_server_free(rpc->http2);
    mem_free(rpc);
}

void rpc_serve(struct rpc *rpc, struct rpc_service *service)
{
    struct rpc_service **last = &rpc->services;

    while (*last)
        last = &(*last)->next;
    service->next = NULL;
    *last = service;
}

const struct rpc_service *rpc_services(const struct rpc *rpc)
{
    return rpc->services;
}

enum cuzk_status rpc_accept(struct rpc *rpc, int fd, struct tls *tls, const char *peer,
                            struct cuzk_error *err)
{
    return http2_accept(rpc->http2, fd, tls, peer, err);
}

bool rpc_may_accept(struct rpc *rpc)
{
    bool may = http2_n_connections(rpc->http2) < rpc->options.max_connections;

    rpc->accept_waits = !may && rpc->may_accept;
    return may;
}

void rpc_on_may_accept(struct rpc *rpc, void (*again)(void *ctx), void *ctx)
{
    rpc->may_accept = again;
    rpc->may_accept_ctx = ctx;
}

void rpc_drain(struct rpc *rpc)
{
    http2_drain(rpc->http2);
}

static void end_call(void *ctx, struct http2_stream *s)
{
    struct rpc_call *call = s->user;

    if (call && call->state != CALL_OVER) {
        tell_gone(call);
        finish(call, GRPC_UNAVAILABLE, ctx);
    }
}

void rpc_end_calls(struct rpc *rpc, const char *sentence)
{
    http2_each(rpc->http2, end_call, (void *)(uintptr_t)sentence);
}

void rpc_stats(const struct rpc *rpc, struct rpc_stats *ret)
{
    *ret = rpc->stats;
    ret->n_connections = http2_n_connections(rpc->http2);
}

/* ---- a call, for its handler --------------------------------------------------------------------
 */

uint64_t rpc_left_ms(const struct rpc_call *call)
{
    const uint64_t now = loop_now();

    if (call->until == 0)
        return 0;
    return call->until > now + LOOP_MILLISECOND ? (call->until - now) / LOOP_MILLISECOND : 1;
}

void rpc_on_gone(struct rpc_call *call, void (*gone)(void *ctx), void *ctx)
{
    call->gone = gone;
    call->gone_ctx = ctx;
}

bool rpc_send(struct rpc_call *call, const void *message, size_t n)
{
    return http2_send(call->stream, message, n);
}

size_t rpc_backlog(const struct rpc_call *call)
{
    return http2_backlog(call->stream);
}

void rpc_finish(struct rpc_call *call, enum grpc_code code, const char *sentence)
{
    finish(call, code, sentence);
}

void rpc_reply(struct rpc_call *call, const void *message, size_t n)
{
    if (rpc_send(call, message, n))
        finish(call, GRPC_OK, NULL);
    else
        finish(call, GRPC_UNAVAILABLE, "no memory for the answer");
}
