/* gRPC calls: what a service is made of, and what happens to a call.
 *
 *             headers ─────► known method, known form?
 *                                  │
 *     RPC_SMALL, RPC_EACH          ▼       RPC_SPOOLED
 *     message in memory ◄────── receiving ─────► into a file of the spool
 *               │                                     │   ▲
 *               │              larger than the window ▼   │ there is room
 *               │                                     held
 *               ▼
 *       f(ctx, call, request): the handler answers now or later ──► rpc_send …, rpc_finish
 *               │
 *               ▼
 *       over ◄── the client goes away, or its deadline passes: `gone`
 *
 * A call belongs to its handler from the moment f is called until the handler calls rpc_finish or
 * rpc_reply, or until `gone` returns, whichever comes first; then it is not touched again.
 *
 * Busy is never an error: a message that is larger than RPC_FIRST_MAX, which every stream may send,
 * waits until `room` allows its bytes; the most urgent first, then in the order of arrival. The
 * rest of its connection is not held up by that.
 *
 * Everything is called on the loop's thread. */
#ifndef DAEMON_RPC_H
#define DAEMON_RPC_H

#include "daemon/grpc.h"
#include "daemon/loop.h"

struct budget;
struct rpc;
struct rpc_call;
struct tls;

/* ---- services -------------------------------------------------------------------------------- */

enum rpc_shape {
    RPC_SMALL,   /* one message of at most RPC_SMALL_MAX bytes */
    RPC_EACH,    /* any number of those: f is called for each, and with a NULL message at the end */
    RPC_SPOOLED, /* one message of any size up to the limit, in a file */
};
enum {
    RPC_SMALL_MAX = 8 << 10,
    RPC_HEAD_MAX = 512,
    RPC_URGENCIES = 4,
    RPC_FIRST_MAX = 512 << 10, /* what is spooled without leave: `room` is not asked */
};

struct rpc_request {
    const uint8_t *message; /* RPC_SMALL, RPC_EACH; good until f returns */
    int fd;                 /* RPC_SPOOLED: the handler's from now on; -1 otherwise */
    uint64_t n;             /* bytes of the message, or of the file */
};
typedef void rpc_fn(void *ctx, struct rpc_call *call, const struct rpc_request *request);

struct rpc_method {
    const char *path; /* "/cuzk.v1.ProvingEngine/Prove" */
    enum rpc_shape shape;
    rpc_fn *f;
    /* RPC_SPOOLED: from the first n <= RPC_HEAD_MAX bytes of a message, how urgent it is: 0 first,
     * RPC_URGENCIES - 1 last. */
    unsigned (*urgency)(const uint8_t *head, size_t n);
};

struct rpc_service {
    const char *name; /* "cuzk.v1.ProvingEngine" */
    const struct rpc_method *methods;
    size_t n_methods;
    void *ctx;
    struct rpc_service *next; /* rpc's own */
};

/* ---- the server ------------------------------------------------------------------------------ */

struct rpc_options {
    uint64_t max_message;     /* bytes, below 4 GiB */
    unsigned max_connections; /* beyond: they wait in the backlog of the listening socket */
    unsigned max_streams;     /* of a connection */
    /* Times in nanoseconds; 0: the default. */
    uint64_t greeting;                  /* 10 s: until a new connection speaks HTTP/2 */
    uint64_t ping_every, ping_patience; /* 45 s, 20 s */
    uint64_t
        stall; /* 60 s: a client that takes nothing, or sends nothing of a body that it may send */

    struct budget *budget; /* of the blocks between sockets and disk (4 MiB); NULL: not counted */

    /* The spool. room: may so many bytes, not written yet, be taken? If not, *why is one sentence.
     */
    enum cuzk_status (*open_spool)(void *ctx, int *ret_fd, struct cuzk_error *err);
    bool (*room)(void *ctx, uint64_t bytes, const char **why);
    void *spool_ctx;

    /* One line for a log; may be NULL. */
    void (*log)(void *ctx, bool warning, const char *line);
    void *log_ctx;
};

MUST_CHECK enum cuzk_status rpc_new(struct rpc **ret, struct loop *loop,
                                    const struct rpc_options *options, struct cuzk_error *err);
/* When the loop has ended. Handlers of calls that are not over hear `gone`. Accepts NULL. */
void rpc_free(struct rpc *rpc);

/* The service is borrowed for the life of the server. */
void rpc_serve(struct rpc *rpc, struct rpc_service *service);
/* In the order of their coming; NULL after the last. */
const struct rpc_service *rpc_services(const struct rpc *rpc);

/* A connection that a listener has accepted. fd becomes the server's, also on failure. */
MUST_CHECK enum cuzk_status rpc_accept(struct rpc *rpc, int fd, struct tls *tls, const char *peer,
                                       struct cuzk_error *err);
/* May another connection come? `again` is called when it may, after it was told that it may not. */
bool rpc_may_accept(struct rpc *rpc);
void rpc_on_may_accept(struct rpc *rpc, void (*again)(void *ctx), void *ctx);

/* `room` may answer otherwise now. It is asked each second in any case. */
void rpc_room_changed(struct rpc *rpc);
/* No new calls; connections end with their last one. */
void rpc_drain(struct rpc *rpc);
/* Ends every call that is not over with GRPC_UNAVAILABLE and the sentence; handlers hear `gone`. */
void rpc_end_calls(struct rpc *rpc, const char *sentence);

struct rpc_stats {
    unsigned n_connections, n_calls, n_receiving, n_held; /* now */
    uint64_t granted_bytes;             /* that may come, and are not written yet */
    uint64_t connections, calls, bytes; /* ever; bytes of bodies */
    uint64_t ended[GRPC_N_CODES];       /* calls, by the code of their end */
    uint64_t abandoned;                 /* whose client went away first */
};
void rpc_stats(const struct rpc *rpc, struct rpc_stats *ret);

/* ---- a call ---------------------------------------------------------------------------------- */

/* Milliseconds that are left of the client's deadline, at least 1; 0: it has none. */
uint64_t rpc_left_ms(const struct rpc_call *call);

/* `gone` is called when the client goes away or its deadline passes; whatever the handler has for
 * the call must not reach it afterwards. */
void rpc_on_gone(struct rpc_call *call, void (*gone)(void *ctx), void *ctx);

/* A message of the answer, any number. False: there is no memory for it. */
bool rpc_send(struct rpc_call *call, const void *message, size_t n);
/* Bytes of messages that the client has not taken: a stream of events leaves out some when it
 * grows. */
size_t rpc_backlog(const struct rpc_call *call);
/* The end. sentence may be NULL. */
void rpc_finish(struct rpc_call *call, enum grpc_code code, const char *sentence);
/* A message and GRPC_OK. */
void rpc_reply(struct rpc_call *call, const void *message, size_t n);

#endif
