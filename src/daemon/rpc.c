/* A call's life is drawn in rpc.h, its states in rpc_state.h. Here the calls of a server: their
 * headers, their messages in memory, their handlers and their end. What is spooled is told in
 * rpc_spooled.c. */
#include "daemon/rpc_state.h"

#include <stdio.h>
#include <string.h>

#include "base/reader.h"

enum {
    N_BLOCKS = 32,
    MAX_CALLS = 4096,
};

/* ---- the end of a call ----------------------------------------------------------------------- */

/* Whatever the call still has, but for its stream. */
static void let_go(struct rpc_call *call)
{
    if (call->state == CALL_RECEIVING)
        call->rpc->stats.n_receiving--;
    call->state = CALL_OVER;
    loop_timer_cancel(&call->deadline);
    spooled_drop(call);
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

/* ---- receiving ------------------------------------------------------------------------------- */

void rpc_handle(struct rpc_call *call, const struct rpc_request *request)
{
    if (call->state == CALL_RECEIVING) {
        call->state = CALL_HANDLED;
        call->rpc->stats.n_receiving--;
    }
    call->method->f(call->service_ctx, call, request);
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
        spooled_begin(call);
    else
        begin_small(call);
}

/* One of RPC_EACH is whole. */
static void deliver_each(struct rpc_call *call)
{
    struct rpc_request request = {.message = call->small, .fd = -1, .n = call->length};
    uint8_t *message = call->small;

    call->small = NULL;
    call->n_prefix = 0;
    rpc_handle(call, &request);
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
            spooled_take(call, bytes, part);
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
        rpc_handle(call, &request);
    else if (call->n_messages == 0)
        finish(call, GRPC_UNIMPLEMENTED, "this method takes one message, and none came");
    else if (call->method->shape == RPC_SPOOLED)
        spooled_deliver(call);
    else {
        request.message = call->small;
        request.n = call->length;
        call->small = NULL;
        rpc_handle(call, &request);
        mem_free((uint8_t *)(uintptr_t)request.message);
    }
}

/* ---- streams begin, tick and go -------------------------------------------------------------- */

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

/* ---- the server ------------------------------------------------------------------------------ */

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
        .stream_window = RPC_STREAM_WINDOW,
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
    rpc->ask_again = (struct loop_timer){.f = spooled_ask_again, .ctx = rpc};
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

/* ---- a call, for its handler ----------------------------------------------------------------- */

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
