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
#include "daemon/http2.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "daemon/channel.h"

enum {
    BLOCKS_AWAY = 2,
    READS_A_TURN = 4,
    CONNECTION_WINDOW = 16 << 20,
    HEADER_BYTES_MAX = 16 << 10,
    HEADER_OVERHEAD = 32, /* what RFC 9113 6.5.2 counts for a field beside its text */
    OUT_BYTES = 32 << 10,
    FRAME_BYTES_MAX = 16394, /* that nghttp2 hands out at once: a frame and its padding length */
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

struct output { /* a message on its way */
    struct output *next;
    size_t n, at;
    uint8_t bytes[];
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
    uint8_t out[OUT_BYTES];
};

static void go_on_later(struct http2_connection *c);

/* ---- the answer ---------------------------------------------------------------------------------
 */

#define FIELD(name_text, value_text)                                                               \
    (nghttp2_nv)                                                                                   \
    {                                                                                              \
        .name = (uint8_t *)(uintptr_t)(name_text), .namelen = strlen(name_text),                   \
        .value = (uint8_t *)(uintptr_t)(value_text), .valuelen = strlen(value_text)                \
    }

static void free_output(struct http2_stream *s)
{
    while (s->output) {
        struct output *o = s->output;

        s->output = o->next;
        mem_free(o);
    }
    s->last_output = &s->output;
}

static void submit_trailers(nghttp2_session *session, struct http2_stream *s)
{
    char code[4];

    snprintf(code, sizeof code, "%u", (unsigned)s->code);
    /* Without memory for them the stream ends by a reset. */
    if (nghttp2_submit_trailer(
            session, s->id,
            (nghttp2_nv[]){FIELD("grpc-status", code), FIELD("grpc-message", s->sentence)},
            *s->sentence ? 2 : 1) != 0)
        (void)nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_INTERNAL_ERROR);
}

/* Fills a DATA frame from the messages that wait. */
static ssize_t produce(nghttp2_session *session, int32_t id, uint8_t *out, size_t room,
                       uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct http2_stream *s = source->ptr;
    size_t n = 0;

    (void)id;
    (void)user;
    while (s->output && n < room) {
        struct output *o = s->output;
        size_t part = o->n - o->at < room - n ? o->n - o->at : room - n;

        memcpy(out + n, o->bytes + o->at, part);
        o->at += part;
        n += part;
        if (o->at == o->n) {
            s->output = o->next;
            if (!s->output)
                s->last_output = &s->output;
            mem_free(o);
        }
    }
    s->backlog -= n;
    if (!s->output && s->finished) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        submit_trailers(session, s);
    } else if (n == 0) {
        s->deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)n;
}

static void reset(struct http2_stream *s, uint32_t code)
{
    (void)nghttp2_submit_rst_stream(s->connection->session, NGHTTP2_FLAG_NONE, s->id, code);
    go_on_later(s->connection);
}

static void wake_stream(struct http2_stream *s)
{
    if (s->deferred) {
        s->deferred = false;
        (void)nghttp2_session_resume_data(s->connection->session, s->id);
    }
    go_on_later(s->connection);
}

bool http2_send(struct http2_stream *s, const void *message, size_t n)
{
    struct output *o = mem_new(sizeof *o + GRPC_PREFIX + n);
    nghttp2_data_provider provider = {.source.ptr = s, .read_callback = produce};

    if (!o)
        return false;
    grpc_prefix_write(o->bytes, (uint32_t)n);
    memcpy(o->bytes + GRPC_PREFIX, message, n);
    o->n = GRPC_PREFIX + n;
    if (!s->answered &&
        nghttp2_submit_response(
            s->connection->session, s->id,
            (nghttp2_nv[]){FIELD(":status", "200"), FIELD("content-type", "application/grpc")}, 2,
            &provider) != 0) {
        mem_free(o);
        return false;
    }
    s->answered = true;
    *s->last_output = o;
    s->last_output = &o->next;
    s->backlog += o->n;
    wake_stream(s);
    return true;
}

size_t http2_backlog(const struct http2_stream *s)
{
    return s->backlog;
}

/* Without a message before it, the status comes in the one and only header block. */
static void answer_at_once(struct http2_stream *s, const char *http_status, const char *type)
{
    char code[4];

    snprintf(code, sizeof code, "%u", (unsigned)s->code);
    if (nghttp2_submit_response(
            s->connection->session, s->id,
            (nghttp2_nv[]){FIELD(":status", http_status), FIELD("content-type", type),
                           FIELD("grpc-status", code), FIELD("grpc-message", s->sentence)},
            *s->sentence ? 4 : 3, NULL) != 0)
        reset(s, NGHTTP2_INTERNAL_ERROR);
    s->answered = true;
}

void http2_finish(struct http2_stream *s, enum grpc_code code, const char *sentence)
{
    s->code = code;
    s->finished = true;
    grpc_message_encode(s->sentence, sizeof s->sentence, sentence ? sentence : "");
    if (!s->answered)
        answer_at_once(s, "200", "application/grpc");
    wake_stream(s);
}

void http2_refuse(struct http2_stream *s, const char *http_status)
{
    s->code = GRPC_UNKNOWN;
    s->finished = true;
    grpc_message_encode(s->sentence, sizeof s->sentence, "this port speaks gRPC");
    answer_at_once(s, http_status, "text/plain");
    wake_stream(s);
}

/* ---- what nghttp2 tells -------------------------------------------------------------------------
 */

static struct http2_stream *stream_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

static int refuse_stream(nghttp2_session *session, int32_t id, uint32_t code)
{
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, code) == 0
               ? 0
               : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2_connection *c = user;
    struct http2_server *server = c->server;
    struct http2_stream *s;

    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (server->n_streams >= server->limits.max_streams_in_all)
        return refuse_stream(session, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    s = mem_new(sizeof *s);
    if (!s)
        return refuse_stream(session, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    s->connection = c;
    s->id = frame->hd.stream_id;
    s->last_output = &s->output;
    s->next = c->streams;
    if (s->next)
        s->next->link = &s->next;
    s->link = &c->streams;
    c->streams = s;
    server->n_streams++;
    return nghttp2_session_set_stream_user_data(session, s->id, s) == 0
               ? 0
               : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static void take_text(char *out, size_t size, const uint8_t *value, size_t n)
{
    if (n >= size)
        n = 0;
    memcpy(out, value, n);
    out[n] = 0;
}

/* "application/grpc", "application/grpc+proto", "application/grpc;..." */
static bool is_grpc_type(const uint8_t *value, size_t n)
{
    static const char type[] = "application/grpc";
    const size_t length = sizeof type - 1;

    return n >= length && memcmp(value, type, length) == 0 &&
           (n == length || value[length] == ';' ||
            (n >= length + 6 && memcmp(value + length, "+proto", 6) == 0));
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t n_name, const uint8_t *value, size_t n_value, uint8_t flags, void *user)
{
    struct http2_stream *s = stream_of(session, frame->hd.stream_id);

    (void)flags;
    (void)user;
    if (!s)
        return 0;
    s->header_bytes += n_name + n_value + HEADER_OVERHEAD;
    if (s->header_bytes > HEADER_BYTES_MAX) {
        reset(s, NGHTTP2_ENHANCE_YOUR_CALM);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0; /* trailers of a request: nobody needs them */
#define IS(text) (n_name == sizeof(text) - 1 && memcmp(name, text, sizeof(text) - 1) == 0)
    if (IS(":method"))
        s->is_post = n_value == 4 && memcmp(value, "POST", 4) == 0;
    else if (IS(":path"))
        take_text(s->path, sizeof s->path, value, n_value);
    else if (IS("content-type"))
        s->is_grpc = is_grpc_type(value, n_value);
    else if (IS("grpc-timeout"))
        take_text(s->timeout, sizeof s->timeout, n_value < sizeof s->timeout ? value : name,
                  n_value < sizeof s->timeout ? n_value : n_name);
    else if (IS("grpc-encoding"))
        take_text(s->encoding, sizeof s->encoding, value, n_value);
#undef IS
    return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2_connection *c = user;
    const struct http2_handler *handler = c->server->handler;
    struct http2_stream *s;

    if (frame->hd.type == NGHTTP2_SETTINGS)
        c->greeted = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    s = stream_of(session, frame->hd.stream_id);
    if (!s)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        handler->begin(c->server->ctx, s);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
        s->ended = true;
        handler->end(c->server->ctx, s);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                   size_t n, void *user)
{
    struct http2_connection *c = user;
    struct http2_stream *s = stream_of(session, id);
    size_t kept = c->block->kept;

    (void)flags;
    if (s)
        c->server->handler->data(c->server->ctx, s, bytes, n);
    kept = c->block->kept - kept;
    if (nghttp2_session_consume_connection(session, n - kept) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return c->block->n_pieces == BLOCK_PIECES ? NGHTTP2_ERR_PAUSE : 0;
}

/* An answer that ended before its request did: the client need not send the rest. */
static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2_stream *s;

    (void)user;
    if (frame->hd.type != NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    s = stream_of(session, frame->hd.stream_id);
    if (s && !s->ended)
        return refuse_stream(session, s->id, NGHTTP2_NO_ERROR);
    return 0;
}

static void end_stream(struct http2_stream *s)
{
    struct http2_server *server = s->connection->server;

    server->handler->gone(server->ctx, s);
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    server->n_streams--;
    free_output(s);
    mem_free(s);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    struct http2_stream *s = stream_of(session, id);

    (void)code;
    (void)user;
    if (s) {
        (void)nghttp2_session_set_stream_user_data(session, id, NULL);
        end_stream(s);
    }
    return 0;
}

/* ---- taking -------------------------------------------------------------------------------------
 */

void http2_keep(struct http2_stream *s, struct body *body, uint64_t offset, const uint8_t *bytes,
                size_t n)
{
    /* on_data pauses the session before a block is full. */
    (void)block_add(s->connection->block, body, offset, bytes, n);
}

void http2_consume(struct http2_stream *s, size_t n)
{
    (void)nghttp2_session_consume_stream(s->connection->session, s->id, n);
    go_on_later(s->connection);
}

void http2_widen(struct http2_stream *s, uint32_t bytes)
{
    (void)nghttp2_session_set_local_window_size(s->connection->session, NGHTTP2_FLAG_NONE, s->id,
                                                (int32_t)bytes);
    go_on_later(s->connection);
}

const char *http2_peer(const struct http2_stream *s)
{
    return s->connection->peer;
}

/* ---- the end of a connection --------------------------------------------------------------------
 */

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
        end_stream(c->streams);
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

/* ---- sending ------------------------------------------------------------------------------------
 */

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

static void go_on_later(struct http2_connection *c)
{
    if (!c->note_is_out && !c->closed)
        c->note_is_out = loop_post(c->server->loop, &c->note);
}

/* ---- receiving ----------------------------------------------------------------------------------
 */

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

/* ---- patience -----------------------------------------------------------------------------------
 */

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

/* ---- the server ---------------------------------------------------------------------------------
 */

static enum cuzk_status session_new(struct http2_connection *c, struct cuzk_error *err)
{
    const struct http2_server *server = c->server;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, server->limits.max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, server->limits.stream_window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADER_BYTES_MAX},
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
    go_on_later(c); /* our settings */
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
        go_on_later(c);
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
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
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
