#include "daemon/client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/reader.h"
#include "daemon/channel.h"

enum { IN_BYTES = 32 << 10, WINDOW = 1 << 20, PATIENCE_MS = 60000 };

struct client {
    struct channel channel;
    nghttp2_session *session;
    char name[ADDRESS_TEXT];
    const uint8_t *out; /* that the socket has not taken */
    size_t n_out;

    /* the call */
    const struct client_request *request;
    client_message_fn *f;
    void *ctx;
    struct client_answer *answer;
    int32_t id;
    size_t part; /* being sent */
    uint64_t part_at;
    unsigned n_sent;     /* bytes of the prefix */
    struct grow message; /* prefix and message, being received */
    bool over, has_code, is_grpc;
    uint32_t reset_code;
    const char *broken; /* why the answer is of no use */
    uint8_t in[IN_BYTES];
};

/* ---- what is sent ---------------------------------------------------------------------------- */

static uint64_t request_bytes_of(const struct client_request *request)
{
    uint64_t n = 0;

    for (size_t i = 0; i < request->n_parts; i++)
        n += request->parts[i].n;
    return n;
}

/* Bytes of the part at hand; returns how many, or -1. */
static ssize_t read_part(struct client *c, uint8_t *out, size_t room)
{
    const struct client_part *part = &c->request->parts[c->part];
    uint64_t left = part->n - c->part_at;
    size_t n = left < room ? (size_t)left : room;
    ssize_t got = (ssize_t)n;

    if (part->bytes)
        memcpy(out, (const uint8_t *)part->bytes + c->part_at, n);
    else
        got = pread(part->fd, out, n, (off_t)c->part_at);
    if (got > 0 || n == 0) {
        c->part_at += (uint64_t)got;
        if (c->part_at == part->n) {
            c->part++;
            c->part_at = 0;
        }
        return got;
    }
    c->broken = "a file of the request became shorter, or cannot be read";
    return -1;
}

static ssize_t produce(nghttp2_session *session, int32_t id, uint8_t *out, size_t room,
                       uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct client *c = user;
    uint8_t prefix[GRPC_PREFIX];
    size_t n = 0;

    (void)session;
    (void)id;
    (void)source;
    grpc_prefix_write(prefix, (uint32_t)request_bytes_of(c->request));
    while (c->n_sent < GRPC_PREFIX && n < room)
        out[n++] = prefix[c->n_sent++];
    while (c->part < c->request->n_parts && n < room) {
        ssize_t got = read_part(c, out + n, room - n);

        if (got < 0)
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        n += (size_t)got;
    }
    if (c->n_sent == GRPC_PREFIX && c->part == c->request->n_parts)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

/* ---- what comes ------------------------------------------------------------------------------ */

static bool is(const uint8_t *text, size_t n, const char *what)
{
    return n == strlen(what) && memcmp(text, what, n) == 0;
}

static void take_sentence(struct client_answer *answer, const uint8_t *value, size_t n)
{
    grpc_message_decode(answer->sentence, sizeof answer->sentence, (const char *)value, n);
    for (char *p = answer->sentence; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t n_name, const uint8_t *value, size_t n_value, uint8_t flags, void *user)
{
    struct client *c = user;
    char number[8];

    (void)session;
    (void)flags;
    if (frame->hd.stream_id != c->id)
        return 0;
    snprintf(number, sizeof number, "%.*s", n_value < 8 ? (int)n_value : 7, (const char *)value);
    if (is(name, n_name, "grpc-status")) {
        unsigned long code = strtoul(number, NULL, 10);

        c->answer->code = code < GRPC_N_CODES ? (enum grpc_code)code : GRPC_UNKNOWN;
        c->has_code = true;
    } else if (is(name, n_name, "grpc-message")) {
        take_sentence(c->answer, value, n_value);
    } else if (is(name, n_name, "content-type")) {
        c->is_grpc = n_value >= 16 && memcmp(value, "application/grpc", 16) == 0;
    }
    return 0;
}

/* Hands over the messages that are whole. */
static void deliver(struct client *c)
{
    const uint8_t *bytes = c->message.region.base;
    uint32_t n;

    while (c->message.used >= GRPC_PREFIX && !c->broken) {
        n = load_u32_be(bytes + 1);
        if (bytes[0] != 0 || n > CLIENT_MESSAGE_MAX)
            c->broken = "a message is compressed or too long";
        if (c->broken || c->message.used - GRPC_PREFIX < n)
            return;
        if (!c->over && !c->f(c->ctx, bytes + GRPC_PREFIX, n)) {
            c->over = c->has_code = true;
            c->answer->code = GRPC_CANCELLED;
            (void)nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, c->id, NGHTTP2_CANCEL);
        }
        c->message.used -= GRPC_PREFIX + n;
        memmove(c->message.region.base, bytes + GRPC_PREFIX + n, c->message.used);
    }
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                   size_t n, void *user)
{
    struct client *c = user;
    void *to;

    (void)session;
    (void)flags;
    if (id != c->id || c->broken)
        return 0;
    if (grow_take(&c->message, n, &to, NULL) != CUZK_OK) {
        c->broken = "no memory for the answer";
        return 0;
    }
    memcpy(to, bytes, n);
    deliver(c);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    struct client *c = user;

    (void)session;
    if (id == c->id) {
        c->over = true;
        c->reset_code = code;
    }
    return 0;
}

/* ---- the connection -------------------------------------------------------------------------- */

static enum cuzk_status broken(struct client *c, const char *why, struct cuzk_error *err)
{
    return error_set(err, CUZK_IO, "%s: %s", c->name, why);
}

/* *waits: the socket takes no more now. */
static enum cuzk_status send_out(struct client *c, bool *waits, struct cuzk_error *err)
{
    *waits = false;
    for (;;) {
        ptrdiff_t n;

        if (c->n_out == 0) {
            ssize_t m = nghttp2_session_mem_send(c->session, &c->out);

            if (m < 0)
                return broken(c, nghttp2_strerror((int)m), err);
            c->n_out = (size_t)m;
        }
        if (c->n_out == 0)
            return CUZK_OK;
        n = channel_write(&c->channel, c->out, c->n_out);
        if (n == CHANNEL_LATER) {
            *waits = true;
            return CUZK_OK;
        }
        if (n < 0)
            return broken(c, c->channel.why, err);
        c->out += n;
        c->n_out -= (size_t)n;
    }
}

static enum cuzk_status receive(struct client *c, struct cuzk_error *err)
{
    for (;;) {
        ptrdiff_t n = channel_read(&c->channel, c->in, sizeof c->in);
        ssize_t m;

        if (n == CHANNEL_LATER)
            return CUZK_OK;
        if (n == CHANNEL_END)
            return broken(c, "the server closed the connection", err);
        if (n < 0)
            return broken(c, c->channel.why, err);
        m = nghttp2_session_mem_recv(c->session, c->in, (size_t)n);
        if (m < 0)
            return broken(c, nghttp2_strerror((int)m), err);
    }
}

/* Nothing more can be sent, and `left` says why. If it is that the server has left: what it said
 * before (an answer, a TLS alert such as "certificate required") may still wait in the socket, and
 * says more. */
static enum cuzk_status last_word(struct client *c, const struct cuzk_error *left,
                                  struct cuzk_error *err)
{
    if (c->channel.peer_left)
        TRY(receive(c, err));
    if (c->broken)
        return broken(c, c->broken, err);
    return c->over ? CUZK_OK : error_set(err, left->status, "%s", left->message);
}

/* Until the call is over; with a timeout, the server's word is waited for a minute longer than
 * that. */
static enum cuzk_status converse(struct client *c, struct cuzk_error *err)
{
    uint64_t timeout = c->request->timeout / 1000000;
    int patience = timeout && timeout < 1 << 30 ? (int)timeout + PATIENCE_MS : -1;
    struct cuzk_error left;
    bool waits;

    while (!c->over && !c->broken) {
        struct pollfd p = {.fd = c->channel.fd, .events = POLLIN};
        int n;

        if (send_out(c, &waits, &left) != CUZK_OK)
            return last_word(c, &left, err);
        if ((waits && !c->channel.write_wants_read) || c->channel.read_wants_write)
            p.events |= POLLOUT;
        n = poll(&p, 1, patience);
        if (n == 0)
            return broken(c, "no answer came in time", err);
        if (n < 0 && errno != EINTR)
            return broken(c, strerror(errno), err);
        TRY(receive(c, err));
    }
    return c->broken ? broken(c, c->broken, err) : send_out(c, &waits, err);
}

#define FIELD(name_text, value_text)                                                               \
    (nghttp2_nv)                                                                                   \
    {                                                                                              \
        .name = (uint8_t *)(uintptr_t)(name_text), .namelen = strlen(name_text),                   \
        .value = (uint8_t *)(uintptr_t)(value_text), .valuelen = strlen(value_text)                \
    }

enum cuzk_status client_call(struct client *c, const struct client_request *request,
                             client_message_fn *f, void *ctx, struct client_answer *answer,
                             struct cuzk_error *err)
{
    char timeout[GRPC_TIMEOUT_TEXT];
    nghttp2_data_provider provider = {.read_callback = produce};
    enum cuzk_status st;

    grpc_timeout_write(timeout, request->timeout);
    nghttp2_nv fields[] = {
        FIELD(":method", "POST"),        FIELD(":scheme", "http"),
        FIELD(":path", request->method), FIELD(":authority", "localhost"),
        FIELD("te", "trailers"),         FIELD("content-type", "application/grpc"),
        FIELD("user-agent", "cuzk"),     FIELD("grpc-timeout", timeout),
    };
    size_t n_fields = sizeof fields / sizeof fields[0] - (request->timeout ? 0 : 1);

    *answer = (struct client_answer){.code = GRPC_UNKNOWN};
    c->request = request;
    c->f = f;
    c->ctx = ctx;
    c->answer = answer;
    c->part = c->part_at = c->n_sent = 0;
    c->over = c->has_code = c->is_grpc = false;
    c->broken = NULL;
    grow_init(&c->message, NULL, MEM_REQUEST, 2 * (size_t)CLIENT_MESSAGE_MAX);
    c->id = nghttp2_submit_request(c->session, NULL, fields, n_fields, &provider, NULL);
    st = c->id < 0 ? broken(c, nghttp2_strerror(c->id), err) : converse(c, err);
    grow_done(&c->message);
    if (st == CUZK_OK && !c->has_code)
        st = c->is_grpc || c->reset_code ? broken(c, "the server broke off the call", err)
                                         : broken(c, "no gRPC is spoken there", err);
    return st;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int connect_unix(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, sizeof name) != 0) {
        int saved = errno;

        close(fd);
        errno = saved;
        fd = -1;
    }
    return fd;
}

static int connect_tcp(const struct addrinfo *list)
{
    int saved = EADDRNOTAVAIL, one = 1;

    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0)
            continue;
        if (connect(fd, a->ai_addr, a->ai_addrlen) == 0) {
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            return fd;
        }
        saved = errno;
        close(fd);
    }
    errno = saved;
    return -1;
}

static enum cuzk_status connect_to(const struct address *address, const char *name, int *ret,
                                   struct cuzk_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    char port[8];
    int error = 0, fd = -1;

    if (address->is_unix) {
        fd = connect_unix(address->path);
    } else {
        snprintf(port, sizeof port, "%u", address->port);
        error = getaddrinfo(*address->host ? address->host : NULL, port, &hints, &list);
        if (error)
            return error_set(err, CUZK_IO, "%s: %s", name, gai_strerror(error));
        fd = connect_tcp(list);
        freeaddrinfo(list);
    }
    if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
        return error_set(err, CUZK_IO, "%s: cannot connect: %s", name, strerror(errno));
    *ret = fd;
    return CUZK_OK;
}

/* Our own answers are small: nghttp2 gives back their windows by itself. */
static enum cuzk_status start_session(struct client *c, struct cuzk_error *err)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
    };
    nghttp2_session_callbacks *callbacks;
    int error = nghttp2_session_callbacks_new(&callbacks);

    if (!error) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
        error = nghttp2_session_client_new(&c->session, callbacks, c);
        nghttp2_session_callbacks_del(callbacks);
    }
    if (!error)
        error = nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
                                        sizeof settings / sizeof settings[0]);
    return error ? broken(c, nghttp2_strerror(error), err) : CUZK_OK;
}

enum cuzk_status client_open(struct client **ret, const struct address *address, struct tls *tls,
                             struct cuzk_error *err)
{
    struct client *c = mem_new(sizeof *c);
    enum cuzk_status st;
    int fd;

    if (!c)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a client");
    address_text(c->name, address);
    TRY_GOTO(st, out, connect_to(address, c->name, &fd, err));
    TRY_GOTO(st, out,
             channel_call(&c->channel, fd, address->is_unix ? NULL : tls, address->host, err));
    TRY_GOTO(st, out, start_session(c, err));
    *ret = c;
    c = NULL;
out:
    client_close(c);
    return st;
}

void client_close(struct client *c)
{
    if (!c)
        return;
    nghttp2_session_del(c->session);
    channel_done(&c->channel);
    mem_free(c);
}
