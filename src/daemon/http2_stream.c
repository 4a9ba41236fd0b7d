/* A stream is one request and its answer.
 *
 *     HEADERS ────► on_begin_headers, on_header … ──► on_frame_recv ──► begin
 *     DATA ───────► on_data ──► data ─┬─ http2_keep: a piece of the connection's block;
 *                                     │  its window comes back when it is written
 *                                     └─ the rest: the connection's window comes back at once
 *     END_STREAM ─► on_frame_recv ──► end
 *
 *     http2_send: `output` ──► produce ──► DATA … ──► trailers, after http2_finish
 *     http2_finish, http2_refuse without a message before: HEADERS, and that is all
 *
 * The stream's own window is its user's to widen and to give back. */
#include "daemon/http2_state.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_OVERHEAD = 32 }; /* what RFC 9113 6.5.2 counts for a field beside its text */

struct output { /* a message on its way */
    struct output *next;
    size_t n, at;
    uint8_t bytes[];
};

/* ---- the answer ------------------------------------------------------------------------------ */

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
    http2_go_on_later(s->connection);
}

static void wake_stream(struct http2_stream *s)
{
    if (s->deferred) {
        s->deferred = false;
        (void)nghttp2_session_resume_data(s->connection->session, s->id);
    }
    http2_go_on_later(s->connection);
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

/* ---- what nghttp2 tells ---------------------------------------------------------------------- */

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
    if (s->header_bytes > HTTP2_HEADER_BYTES_MAX) {
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

void http2_stream_end(struct http2_stream *s)
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
        http2_stream_end(s);
    }
    return 0;
}

/* ---- taking ---------------------------------------------------------------------------------- */

void http2_keep(struct http2_stream *s, struct body *body, uint64_t offset, const uint8_t *bytes,
                size_t n)
{
    /* on_data pauses the session before a block is full. */
    (void)block_add(s->connection->block, body, offset, bytes, n);
}

void http2_consume(struct http2_stream *s, size_t n)
{
    (void)nghttp2_session_consume_stream(s->connection->session, s->id, n);
    http2_go_on_later(s->connection);
}

void http2_widen(struct http2_stream *s, uint32_t bytes)
{
    (void)nghttp2_session_set_local_window_size(s->connection->session, NGHTTP2_FLAG_NONE, s->id,
                                                (int32_t)bytes);
    http2_go_on_later(s->connection);
}

const char *http2_peer(const struct http2_stream *s)
{
    return s->connection->peer;
}

/* ---- for the session ------------------------------------------------------------------------- */

void http2_stream_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}
