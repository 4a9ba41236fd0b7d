/* HTTP/2 as gRPC uses it, over nghttp2: connections, their streams, flow control, patience.
 *
 *     listener ── http2_accept ──► connection ──► stream: one request, one answer
 *                                      │              begin → data … → end → (answer) → gone
 *                                   blocks (block.h)
 *
 * Flow control is in the hands of whoever takes the data. A stream may send `stream_window` bytes
 * without leave; http2_consume and http2_widen give it more. The connection's own window is given
 * back as soon as bytes are taken or, for those kept in bodies, written: so a stream that is held
 * back never holds back another one of its connection.
 *
 * Everything is called on the loop's thread. What is sent goes out at the end of the turn. */
#ifndef DAEMON_HTTP2_H
#define DAEMON_HTTP2_H

#include "daemon/block.h"
#include "daemon/grpc.h"

struct http2_server;
struct http2_connection;
struct tls;

/* Times in nanoseconds. */
struct http2_limits {
    unsigned max_streams;               /* at once, of a connection */
    unsigned max_streams_in_all;        /* beyond: refused, which clients retry by themselves */
    uint32_t stream_window;             /* bytes */
    uint64_t greeting;                  /* from connecting to the first frames, TLS included */
    uint64_t ping_every, ping_patience; /* of silence until a ping; from there to the end */
    uint64_t stall;                     /* a client that does not take what we send */
};

enum { HTTP2_PEER_TEXT = 80, HTTP2_PATH_MAX = 128 };

struct http2_stream {
    struct http2_connection *connection;
    void *user; /* the handler's */
    bool ended; /* the client has sent everything */

    /* The request. Texts that were longer than their room are "". */
    bool is_post, is_grpc;
    char path[HTTP2_PATH_MAX];
    char timeout[16];  /* grpc-timeout, "": none */
    char encoding[16]; /* grpc-encoding, "": none */

    /* http2's own */
    struct http2_stream *next, **link;
    int32_t id;
    size_t header_bytes;
    bool answered, deferred, finished;
    enum grpc_code code;
    struct output *output, **last_output;
    size_t backlog;
    char sentence[800]; /* encoded */
};

/* What the server above is told. Within these calls http2_ functions may be used on any stream. */
struct http2_handler {
    void (*begin)(void *ctx, struct http2_stream *s); /* the headers are there */
    /* Some bytes of the request. Of those that are not given to http2_keep within this call, the
     * connection's window is returned at once. */
    void (*data)(void *ctx, struct http2_stream *s, const uint8_t *bytes, size_t n);
    void (*end)(void *ctx, struct http2_stream *s);  /* no more will come */
    void (*tick)(void *ctx, struct http2_stream *s); /* about each second */
    void (*gone)(void *ctx,
                 struct http2_stream *s); /* answered, reset or cut off; s ends after it */
    /* A connection has come (why NULL) or gone (why it has). */
    void (*connected)(void *ctx, const char *peer, const char *why);
};

MUST_CHECK enum cuzk_status http2_server_new(struct http2_server **ret, struct loop *loop,
                                             struct block_pool *pool,
                                             const struct http2_limits *limits,
                                             const struct http2_handler *handler, void *ctx,
                                             struct cuzk_error *err);
/* All connections end at once. When the loop has ended, the pool of blocks is freed between this
 * and http2_server_free: its last blocks come back to connections that wait for them. */
void http2_server_close(struct http2_server *server);
void http2_server_free(struct http2_server *server); /* accepts NULL */

/* Every connection is told to take no new streams and ends with its last one. */
void http2_drain(struct http2_server *server);

/* fd becomes the server's, also on failure. peer is copied. tls NULL: plain. */
MUST_CHECK enum cuzk_status http2_accept(struct http2_server *server, int fd, struct tls *tls,
                                         const char *peer, struct cuzk_error *err);
unsigned http2_n_connections(const struct http2_server *server);
void http2_each(struct http2_server *server, void (*f)(void *ctx, struct http2_stream *s),
                void *ctx);
const char *http2_peer(const struct http2_stream *s);

/* ---- taking ---------------------------------------------------------------------------------- */

/* Only within `data`, once, with bytes of that call: they belong at `offset` of the body. */
void http2_keep(struct http2_stream *s, struct body *body, uint64_t offset, const uint8_t *bytes,
                size_t n);
void http2_consume(struct http2_stream *s, size_t n);     /* the stream may send n more */
void http2_widen(struct http2_stream *s, uint32_t bytes); /* its window from now on */

/* ---- answering ------------------------------------------------------------------------------- */

/* One message. False: no memory; nothing is sent. */
bool http2_send(struct http2_stream *s, const void *message, size_t n);
/* Bytes of messages that the client has not taken yet. */
size_t http2_backlog(const struct http2_stream *s);
/* Status and sentence (may be NULL); `gone` follows. */
void http2_finish(struct http2_stream *s, enum grpc_code code, const char *sentence);
/* Answers with a bare HTTP status, as for what is no gRPC request; `gone` follows. */
void http2_refuse(struct http2_stream *s, const char *http_status);

#endif
