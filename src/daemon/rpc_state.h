/* What the two files behind rpc.h share: the server and its calls.
 *
 *     rpc.c          a call: its headers, its messages in memory, its handler, its end; the server
 *     rpc_spooled.c  a message in a file of the spool: admission, receiving
 *
 * The states of a call:
 *
 *     RECEIVING ──whole──► HANDLED ──rpc_finish──► OVER ──► freed when its stream is gone
 *         └───────────── something is wrong ───────►┘
 */
#ifndef DAEMON_RPC_STATE_H
#define DAEMON_RPC_STATE_H

#include "daemon/http2.h"
#include "daemon/rpc.h"

/* Of a stream at first: a body of RPC_FIRST_MAX, its prefix and its fields. */
enum { RPC_STREAM_WINDOW = RPC_FIRST_MAX + 64 };

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

/* ---- rpc.c ---- */

/* A message is whole: its handler has it. */
void rpc_handle(struct rpc_call *call, const struct rpc_request *request);

/* ---- rpc_spooled.c ---- */

/* The prefix is here: call->length. May end the call. */
void spooled_begin(struct rpc_call *call);
/* Bytes of the message, within http2's `data`. */
void spooled_take(struct rpc_call *call, const uint8_t *bytes, size_t n);
/* Handled, if it has been written and its sender has said that this is all. */
void spooled_deliver(struct rpc_call *call);
/* The call is over: it is no longer held and its body is let go. */
void spooled_drop(struct rpc_call *call);
/* A timer's: asks again for those that are held; ctx is the server. */
void spooled_ask_again(void *ctx);

#endif
