#include "support/daemon/raw_http2.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/reader.h"

enum { FRAME_HEAD = 9 };

static void die(const char *what)
{
    perror(what);
    abort();
}

/* ---- sending --------------------------------------------------------------------------------- */

bool raw_bytes(struct raw_http2 *raw, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    while (n > 0) {
        ssize_t sent = send(raw->fd, p, n, MSG_NOSIGNAL);

        if (sent <= 0) {
            raw->closed = true;
            return false;
        }
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool raw_frame(struct raw_http2 *raw, uint8_t type, uint8_t flags, uint32_t id, const void *payload,
               size_t n)
{
    uint8_t frame[FRAME_HEAD + 16384];

    frame[0] = (uint8_t)(n >> 16);
    frame[1] = (uint8_t)(n >> 8);
    frame[2] = (uint8_t)n;
    frame[3] = type;
    frame[4] = flags;
    store_u32_be(frame + 5, id);
    memcpy(frame + FRAME_HEAD, payload, n);
    return raw_bytes(raw, frame, FRAME_HEAD + n);
}

/* A literal field that is not indexed, without Huffman code; lengths below 127 + 128. */
static size_t put_text(uint8_t *out, const char *text)
{
    size_t n = strlen(text), at = 0;

    if (n < 127) {
        out[at++] = (uint8_t)n;
    } else {
        out[at++] = 127;
        for (size_t rest = n - 127;; rest >>= 7) {
            out[at++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
            if (rest <= 127)
                break;
        }
    }
    memcpy(out + at, text, n);
    return at + n;
}

static size_t put_field(uint8_t *out, const char *name, const char *value)
{
    size_t at = 1;

    out[0] = 0;
    at += put_text(out + at, name);
    return at + put_text(out + at, value);
}

bool raw_request(struct raw_http2 *raw, uint32_t id, const char *path, const char *const *extra,
                 size_t n_extra, bool end)
{
    static const char *const fields[][2] = {
        {":method", "POST"},
        {":scheme", "http"},
        {":authority", "test"},
        {"te", "trailers"},
        {"content-type", "application/grpc"},
    };
    uint8_t block[16384];
    size_t n = 0;

    n += put_field(block + n, ":path", path);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        n += put_field(block + n, fields[i][0], fields[i][1]);
    for (size_t i = 0; i < n_extra; i++)
        n += put_field(block + n, extra[2 * i], extra[2 * i + 1]);
    return raw_frame(raw, NGHTTP2_HEADERS,
                     (uint8_t)(NGHTTP2_FLAG_END_HEADERS | (end ? NGHTTP2_FLAG_END_STREAM : 0)), id,
                     block, n);
}

bool raw_data(struct raw_http2 *raw, uint32_t id, const void *bytes, size_t n, bool end)
{
    const uint8_t *p = bytes;

    do {
        size_t part = n > 16384 ? 16384 : n;

        if (!raw_frame(raw, NGHTTP2_DATA,
                       end && part == n ? (uint8_t)NGHTTP2_FLAG_END_STREAM : (uint8_t)0, id, p,
                       part))
            return false;
        p += part;
        n -= part;
    } while (n > 0);
    return true;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void take_field(struct raw_stream *s, const nghttp2_nv *nv)
{
    struct {
        const char *name;
        char *out;
        size_t size;
    } wanted[] = {
        {":status", s->http_status, sizeof s->http_status},
        {"grpc-status", s->grpc_status, sizeof s->grpc_status},
        {"grpc-message", s->grpc_message, sizeof s->grpc_message},
    };

    for (size_t i = 0; i < 3; i++)
        if (nv->namelen == strlen(wanted[i].name) &&
            memcmp(nv->name, wanted[i].name, nv->namelen) == 0)
            snprintf(wanted[i].out, wanted[i].size, "%.*s", (int)nv->valuelen,
                     (const char *)nv->value);
}

static void take_headers(struct raw_http2 *raw, struct raw_stream *s, const uint8_t *p, size_t n)
{
    int flags;

    do {
        nghttp2_nv nv;
        ssize_t used = nghttp2_hd_inflate_hd2(raw->inflater, &nv, &flags, p, n, 1);

        if (used < 0)
            die("a header block that cannot be read");
        p += used;
        n -= (size_t)used;
        if (flags & NGHTTP2_HD_INFLATE_EMIT)
            take_field(s, &nv);
    } while (!(flags & NGHTTP2_HD_INFLATE_FINAL));
    nghttp2_hd_inflate_end_headers(raw->inflater);
}

static void take_settings(struct raw_http2 *raw, uint8_t flags, const uint8_t *p, size_t n)
{
    if (flags & NGHTTP2_FLAG_ACK)
        return;
    raw->has_settings = true;
    for (; n >= 6; p += 6, n -= 6) {
        unsigned key = (unsigned)(p[0] << 8 | p[1]);

        if (key == NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
            raw->first_window = load_u32_be(p + 2);
        if (key == NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            raw->max_streams = load_u32_be(p + 2);
    }
    (void)raw_frame(raw, NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, "", 0);
}

static void take_data(struct raw_stream *s, const uint8_t *p, size_t n)
{
    size_t room = s->n_data < RAW_DATA_MAX ? RAW_DATA_MAX - s->n_data : 0;

    memcpy(s->data + (s->n_data < RAW_DATA_MAX ? s->n_data : 0), p, n < room ? n : room);
    s->n_data += n;
}

static void take_frame(struct raw_http2 *raw, uint8_t type, uint8_t flags, uint32_t id,
                       const uint8_t *p, size_t n)
{
    struct raw_stream *s = raw_stream(raw, id);

    switch (type) {
    case NGHTTP2_SETTINGS: take_settings(raw, flags, p, n); break;
    case NGHTTP2_HEADERS: take_headers(raw, s, p, n); break;
    case NGHTTP2_DATA: take_data(s, p, n); break;
    case NGHTTP2_GOAWAY: raw->has_goaway = true; break;
    case NGHTTP2_WINDOW_UPDATE: *(id ? &s->window : &raw->window) += load_u32_be(p); break;
    case NGHTTP2_RST_STREAM:
        s->reset = s->ended = true;
        s->reset_code = load_u32_be(p);
        break;
    case NGHTTP2_PING:
        if (flags & NGHTTP2_FLAG_ACK) {
            raw->n_ping_answers++;
        } else {
            raw->n_pings++;
            (void)raw_frame(raw, NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, p, n);
        }
        break;
    default: break;
    }
    if ((type == NGHTTP2_HEADERS || type == NGHTTP2_DATA) && (flags & NGHTTP2_FLAG_END_STREAM))
        s->ended = true;
}

static void take_frames(struct raw_http2 *raw)
{
    size_t at = 0;

    while (raw->n_in - at >= FRAME_HEAD) {
        const uint8_t *head = raw->in + at;
        size_t n = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];

        if (raw->n_in - at < FRAME_HEAD + n)
            break;
        take_frame(raw, head[3], head[4], load_u32_be(head + 5) & 0x7fffffff, head + FRAME_HEAD, n);
        at += FRAME_HEAD + n;
    }
    raw->n_in -= at;
    memmove(raw->in, raw->in + at, raw->n_in);
}

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool raw_wait(struct raw_http2 *raw, unsigned ms,
              bool (*until)(const struct raw_http2 *raw, uint32_t id), uint32_t id)
{
    long end = now_ms() + (long)ms;

    while (!until || !until(raw, id)) {
        struct pollfd p = {.fd = raw->fd, .events = POLLIN};
        long left = end - now_ms();
        ssize_t n;

        if (left <= 0 || raw->closed)
            return until && until(raw, id);
        if (poll(&p, 1, (int)left) <= 0)
            continue;
        n = recv(raw->fd, raw->in + raw->n_in, sizeof raw->in - raw->n_in, 0);
        if (n <= 0) {
            raw->closed = true;
            continue;
        }
        raw->n_in += (size_t)n;
        take_frames(raw);
    }
    return true;
}

bool raw_stream_ended(const struct raw_http2 *raw, uint32_t id)
{
    return raw->streams[id / 2 % RAW_STREAMS].ended;
}

bool raw_is_closed(const struct raw_http2 *raw, uint32_t id)
{
    (void)id;
    return raw->closed;
}

/* ---- opening --------------------------------------------------------------------------------- */

void raw_open(struct raw_http2 *raw, const char *path, bool greet)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    nghttp2_hd_inflater *inflater;

    memset(raw, 0, sizeof *raw);
    if (nghttp2_hd_inflate_new(&inflater) != 0)
        die("no memory");
    raw->inflater = inflater;
    raw->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    if (connect(raw->fd, (const struct sockaddr *)&name, sizeof name) != 0)
        die("connect");
    if (greet) {
        raw_bytes(raw, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN);
        raw_frame(raw, NGHTTP2_SETTINGS, 0, 0, "", 0);
    }
}

void raw_close(struct raw_http2 *raw)
{
    nghttp2_hd_inflate_del(raw->inflater);
    close(raw->fd);
}
