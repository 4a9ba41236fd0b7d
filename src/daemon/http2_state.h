/* What the two files behind http2.h share.
 *
 *     http2.c         a connection: its socket, its session, blocks, patience; the server
 *     http2_stream.c  a stream of it: the request as nghttp2 tells it, the answer, its windows
 */
#ifndef DAEMON_HTTP2_STATE_H
#define DAEMON_HTTP2_STATE_H

#include <nghttp2/nghttp2.h>

#include "daemon/channel.h"
#include "daemon/http2.h"

enum {
    HTTP2_HEADER_BYTES_MAX = 16 << 10,
    HTTP2_OUT_BYTES = 32 << 10,
};

struct http2_server {
    struct loop *loop;
    struct block_pool *pool;
    struct http2_limits limits;
    const struct http2_handler *handler;
    void *ctx;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    struct http2_connection *connections;
    unsigned n_connections, n_streams;
};

struct http2_connection {
    struct http2_server *server;
    struct http2_connection *next, **link;
    struct channel channel;
    nghttp2_session *session;
    struct http2_stream *streams;
    char peer[HTTP2_PEER_TEXT];

    struct loop_fd watch;
    struct loop_timer timer;
    struct loop_note note;
    bool note_is_out;
    struct block_waiter waiter;

    struct block *block; /* being parsed */
    unsigned blocks_away;
    bool paused, greeted, closed;
    uint64_t born, last_read, last_write, pinged; /* pinged 0: no ping is out */

    size_t out_at, out_n;
    uint8_t out[HTTP2_OUT_BYTES];
};

/* ---- http2.c ---- */

/* Something was submitted to the session: it goes out at the end of the turn. */
void http2_go_on_later(struct http2_connection *c);

/* ---- http2_stream.c ---- */

/* What nghttp2 shall call; its `user` is the connection. */
void http2_stream_callbacks(nghttp2_session_callbacks *callbacks);
/* The handler hears `gone`; the stream is freed. */
void http2_stream_end(struct http2_stream *s);

#endif
