/* A connection is a socket (channel), an nghttp2 session and its streams. Bytes go round like this:
 *
 *     readable ──► block_take ──► channel_read ──► session ──┬─ no piece of a body: block_give
 *                                                            └─ pieces: block_write ──► written
 *     flush: session ──► `out` ──► channel_write
 *
 * At most BLOCKS_AWAY blocks of a connection are at the writer; until one comes back its socket is
 * not read. When a block has no room for another piece the session is paused, and goes on in the
 * same block when that has been written.
 *
 * nghttp2 calls back in the middle of its work; nothing is closed there. What is submitted from
 * outside goes out by a note to ourselves, so that a connection never ends within a call of its
 * user. */
#include "daemon/http2_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

enum {
    BLOCKS_AWAY = 2,
    READS_A_TURN = 4,
    CONNECTION_WINDOW = 16 << 20,
    FRAME_BYTES_MAX = 16394, /* that nghttp2 hands out at once: a frame and its padding length */
};

/* ---- the end of a connection ----------------------------------------------------------------- */

static void free_when_alone(struct http2_connection *c)
{
    if (c->closed && c->blocks_away == 0 && !c->note_is_out)
        mem_free(c);
}

static void close_connection(struct http2_connection *c, const char *why)
{
    struct http2_server *server = c->server;

    c->closed = true;
    loop_fd_remove(&c->watch);
    loop_timer_cancel(&c->timer);
    block_wait_end(server->pool, &c->waiter);
    while (c->streams)
        http2_stream_end(c->streams);
    nghttp2_session_del(c->session);
    c->session = NULL;
    channel_done(&c->channel);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    server->n_connections--;
    server->handler->connected(server->ctx, c->peer, why);
    free_when_alone(c);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* NULL, or why the connection must end. */
static const char *fill_out(struct http2_connection *c)
{
    c->out_at = c->out_n = 0;
    while (c->out_n + FRAME_BYTES_MAX <= sizeof c->out) {
        const uint8_t *bytes;
        ssize_t n = nghttp2_session_mem_send(c->session, &bytes);

        if (n < 0)
            return nghttp2_strerror((int)n);
        if (n == 0)
            break;
        if ((size_t)n > sizeof c->out - c->out_n)
            return "a frame that is too long to send";
        memcpy(c->out + c->out_n, bytes, (size_t)n);
        c->out_n += (size_t)n;
    }
    return NULL;
}

static const char *send_out(struct http2_connection *c, bool *later)
{
    *later = false;
    for (;;) {
        ptrdiff_t n;
        const char *why = c->out_at == c->out_n ? fill_out(c) : NULL;

        if (why || c->out_n == 0)
            return why;
        n = channel_write(&c->channel, c->out + c->out_at, c->out_n - c->out_at);
        if (n == CHANNEL_LATER) {
            *later = true;
            return NULL;
        }
        if (n < 0)
            return c->channel.why;
        c->out_at += (size_t)n;
        c->last_write = loop_now();
    }
}

/* Sends what there is, and says what is waited for next. False: the connection has ended. */
static bool flush(struct http2_connection *c)
{
    bool later, reads, writes;
    const char *why = send_out(c, &later);

    if (!why && !later && !nghttp2_session_want_read(c->session) &&
        !nghttp2_session_want_write(c->session) && c->blocks_away == 0)
        why = "done";
    if (why) {
        close_connection(c, why);
        return false;
    }
    reads = !c->paused && c->blocks_away < BLOCKS_AWAY && !c->waiter.link;
    writes = (later && !c->channel.write_wants_read) || c->channel.read_wants_write;
    loop_fd_events(&c->watch, (reads ? (uint32_t)EPOLLIN : 0) | (writes ? (uint32_t)EPOLLOUT : 0));
    return true;
}

static void note_comes(void *ctx)
{
    struct http2_connection *c = ctx;

    c->note_is_out = false;
    if (c->closed)
        free_when_alone(c);
    else
        flush(c);
}

void http2_go_on_later(struct http2_connection *c)
{
    if (!c->note_is_out && !c->closed)
        c->note_is_out = loop_post(c->server->loop, &c->note);
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void block_written(void *ctx, struct block *block);

/* NULL, or why the connection must end. The block is away or given back. */
static const char *parse(struct http2_connection *c, struct block *block)
{
    const char *why = NULL;
    ssize_t n;

    c->block = block;
    n = nghttp2_session_mem_recv(c->session, block->bytes + block->parsed,
                                 block->used - block->parsed);
    c->block = NULL;
    if (n < 0)
        why = nghttp2_strerror((int)n);
    else
        block->parsed += (size_t)n;
    c->paused = !why && block->parsed < block->used;
    if (block->n_pieces > 0) {
        c->blocks_away++;
        block->written = block_written;
        block->ctx = c;
        block_write(c->server->pool, block);
    } else {
        if (c->paused)
            why = "the session stopped reading";
        block_give(c->server->pool, block);
    }
    return why;
}

static void block_written(void *ctx, struct block *block)
{
    struct http2_connection *c = ctx;
    const char *why = NULL;
    bool rest = block->parsed < block->used && c->paused;

    c->blocks_away--;
    if (!c->closed && nghttp2_session_consume_connection(c->session, block->kept) != 0)
        why = "no memory for flow control";
    block->kept = 0;
    if (c->closed || why || !rest)
        block_give(c->server->pool, block);
    else
        why = parse(c, block);
    if (c->closed)
        free_when_alone(c);
    else if (why)
        close_connection(c, why);
    else
        flush(c);
}

static void blocks_again(void *ctx)
{
    struct http2_connection *c = ctx;

    loop_fd_events(&c->watch, c->watch.events | EPOLLIN);
}

/* One block of bytes. NULL, or why the connection must end; *more: there may be more to read. */
static const char *read_once(struct http2_connection *c, bool *more)
{
    struct block *block;
    ptrdiff_t n;

    *more = false;
    if (c->paused || c->blocks_away >= BLOCKS_AWAY)
        return NULL;
    block = block_take(c->server->pool);
    if (!block) {
        block_wait(c->server->pool, &c->waiter);
        return NULL;
    }
    n = channel_read(&c->channel, block->bytes, BLOCK_BYTES);
    if (n <= 0) {
        block_give(c->server->pool, block);
        return n == CHANNEL_LATER ? NULL
                                  : (n == CHANNEL_END ? "closed by the client" : c->channel.why);
    }
    c->last_read = loop_now();
    c->pinged = 0;
    block->used = (size_t)n;
    *more = true;
    return parse(c, block);
}

static void socket_ready(void *ctx, uint32_t events)
{
    struct http2_connection *c = ctx;
    const char *why = NULL;
    bool more = true;

    for (int i = 0; i < READS_A_TURN && more && !why; i++)
        why = read_once(c, &more);
    if (!why && (events & (EPOLLHUP | EPOLLERR)) && c->watch.events == 0)
        why = "closed by the client"; /* nobody else would notice while we do not read */
    if (!why) {
        flush(c);
        return;
    }
    /* A last word (GOAWAY) for a client that broke the rules. */
    (void)send_out(c, &more);
    close_connection(c, why);
}

/* ---- patience -------------------------------------------------------------------------------- */

static const char *out_of_patience(struct http2_connection *c, uint64_t now)
{
    const struct http2_limits *limits = &c->server->limits;

    if (c->blocks_away > 0 || c->waiter.link)
        c->last_read = now; /* it is we who do not read */
    if (!c->greeted && now - c->born > limits->greeting)
        return "no HTTP/2 greeting";
    if (c->out_at < c->out_n && now - c->last_write > limits->stall)
        return "does not take our answers";
    if (c->pinged && now - c->pinged > limits->ping_patience)
        return "does not answer a ping";
    if (!c->pinged && now - c->last_read > limits->ping_every) {
        c->pinged = now;
        (void)nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL);
    }
    return NULL;
}

static uint64_t tick_time(const struct http2_limits *limits)
{
    uint64_t tick = LOOP_SECOND;

    if (limits->greeting / 2 < tick)
        tick = limits->greeting / 2;
    if (limits->stall / 2 < tick)
        tick = limits->stall / 2;
    return tick > LOOP_MILLISECOND ? tick : LOOP_MILLISECOND;
}

static void tick(void *ctx)
{
    struct http2_connection *c = ctx;
    struct http2_server *server = c->server;
    uint64_t now = loop_now();
    const char *why = out_of_patience(c, now);

    if (why) {
        close_connection(c, why);
        return;
    }
    for (struct http2_stream *s = c->streams, *next; s; s = next) {
        next = s->next;
        server->handler->tick(server->ctx, s);
    }
    loop_timer_set(server->loop, &c->timer, now + tick_time(&server->limits));
    flush(c);
}

/* ---- the server ------------------------------------------------------------------------------ */

static enum cuzk_status session_new(struct http2_connection *c, struct cuzk_error *err)
{
    const struct http2_server *server = c->server;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, server->limits.max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, server->limits.stream_window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP2_HEADER_BYTES_MAX},
    };

    if (nghttp2_session_server_new2(&c->session, server->callbacks, c, server->option) != 0 ||
        nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
                                sizeof settings / sizeof settings[0]) != 0 ||
        nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0,
                                              CONNECTION_WINDOW) != 0)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the connection of %s", c->peer);
    return CUZK_OK;
}

enum cuzk_status http2_accept(struct http2_server *server, int fd, struct tls *tls,
                              const char *peer, struct cuzk_error *err)
{
    struct channel channel;
    struct http2_connection *c = NULL;
    enum cuzk_status st;

    TRY(channel_serve(&channel, fd, tls, err));
    c = mem_new(sizeof *c);
    if (!c) {
        channel_done(&channel);
        return error_set(err, CUZK_NO_MEMORY, "no memory for the connection of %s", peer);
    }
    c->server = server;
    c->channel = channel;
    snprintf(c->peer, sizeof c->peer, "%s", peer);
    c->watch = (struct loop_fd){.f = socket_ready, .ctx = c};
    c->timer = (struct loop_timer){.f = tick, .ctx = c};
    c->note = (struct loop_note){.f = note_comes, .ctx = c};
    c->waiter = (struct block_waiter){.f = blocks_again, .ctx = c};
    c->born = c->last_read = c->last_write = loop_now();
    TRY_GOTO(st, failed, session_new(c, err));
    TRY_GOTO(st, failed, loop_fd_add(server->loop, &c->watch, fd, EPOLLIN, err));
    loop_timer_set(server->loop, &c->timer, c->born + tick_time(&server->limits));
    c->next = server->connections;
    if (c->next)
        c->next->link = &c->next;
    c->link = &server->connections;
    server->connections = c;
    server->n_connections++;
    server->handler->connected(server->ctx, c->peer, NULL);
    http2_go_on_later(c); /* our settings */
    return CUZK_OK;
failed:
    nghttp2_session_del(c->session);
    channel_done(&c->channel);
    mem_free(c);
    return st;
}

void http2_drain(struct http2_server *server)
{
    for (struct http2_connection *c = server->connections; c; c = c->next) {
        (void)nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE,
                                    nghttp2_session_get_last_proc_stream_id(c->session),
                                    NGHTTP2_NO_ERROR, NULL, 0);
        http2_go_on_later(c);
    }
}

void http2_each(struct http2_server *server, void (*f)(void *ctx, struct http2_stream *s),
                void *ctx)
{
    for (struct http2_connection *c = server->connections; c; c = c->next)
        for (struct http2_stream *s = c->streams; s; s = s->next)
            f(ctx, s);
}

unsigned http2_n_connections(const struct http2_server *server)
{
    return server->n_connections;
}

static bool make_callbacks(struct http2_server *server)
{
    nghttp2_session_callbacks *callbacks;

    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return false;
    server->callbacks = callbacks;
    http2_stream_callbacks(callbacks);
    if (nghttp2_option_new(&server->option) != 0)
        return false;
    nghttp2_option_set_no_auto_window_update(server->option, 1);
    nghttp2_option_set_no_closed_streams(server->option, 1);
    return true;
}

enum cuzk_status http2_server_new(struct http2_server **ret, struct loop *loop,
                                  struct block_pool *pool, const struct http2_limits *limits,
                                  const struct http2_handler *handler, void *ctx,
                                  struct cuzk_error *err)
{
    struct http2_server *server = mem_new(sizeof *server);

    if (server) {
        server->loop = loop;
        server->pool = pool;
        server->limits = *limits;
        server->handler = handler;
        server->ctx = ctx;
    }
    if (!server || !make_callbacks(server)) {
        http2_server_free(server);
        return error_set(err, CUZK_NO_MEMORY, "no memory for the HTTP/2 server");
    }
    *ret = server;
    return CUZK_OK;
}

void http2_server_close(struct http2_server *server)
{
    while (server->connections)
        close_connection(server->connections, "the server ends");
}

void http2_server_free(struct http2_server *server)
{
    if (!server)
        return;
    nghttp2_session_callbacks_del(server->callbacks);
    nghttp2_option_del(server->option);
    mem_free(server);
}
