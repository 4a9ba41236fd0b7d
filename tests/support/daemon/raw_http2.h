/* HTTP/2 frames by hand, for tests that want to see and to do what no well-behaved client does:
 * each frame is sent when it is asked for, whatever the windows say, and every answer is counted.
 * Only the answers' header blocks are read with a library (nghttp2's HPACK decoder). */
#ifndef SUPPORT_DAEMON_RAW_HTTP2_H
#define SUPPORT_DAEMON_RAW_HTTP2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAW_STREAMS = 64, RAW_DATA_MAX = 4096 };

struct raw_stream { /* of id 2i + 1 */
    size_t n_data;
    uint8_t data[RAW_DATA_MAX]; /* the first of it */
    uint64_t window;            /* given by WINDOW_UPDATEs, beyond the first */
    bool ended, reset;
    uint32_t reset_code;
    char http_status[8], grpc_status[8], grpc_message[256];
};

struct raw_http2 {
    int fd;
    void *inflater;
    bool closed, has_settings, has_goaway;
    uint32_t first_window, max_streams; /* of its SETTINGS */
    uint64_t window;                    /* of the connection, given by WINDOW_UPDATEs */
    unsigned n_pings, n_ping_answers;
    struct raw_stream streams[RAW_STREAMS];
    uint8_t in[1 << 16];
    size_t n_in;
};

/* Connects to a unix socket. greet: sends the preface and empty SETTINGS. */
void raw_open(struct raw_http2 *raw, const char *path, bool greet);
void raw_close(struct raw_http2 *raw);

/* False: the connection is closed. */
bool raw_bytes(struct raw_http2 *raw, const void *bytes, size_t n);
bool raw_frame(struct raw_http2 *raw, uint8_t type, uint8_t flags, uint32_t id, const void *payload,
               size_t n);
/* HEADERS of a gRPC request; extra: "name\0value\0" pairs, may be NULL. */
bool raw_request(struct raw_http2 *raw, uint32_t id, const char *path, const char *const *extra,
                 size_t n_extra, bool end);
bool raw_data(struct raw_http2 *raw, uint32_t id, const void *bytes, size_t n, bool end);

/* Reads and counts what comes, for as long as `until` is false (NULL: always) and at most ms.
 * Answers SETTINGS and PINGs. True: `until` came true. */
bool raw_wait(struct raw_http2 *raw, unsigned ms,
              bool (*until)(const struct raw_http2 *raw, uint32_t id), uint32_t id);
bool raw_stream_ended(const struct raw_http2 *raw, uint32_t id);
bool raw_is_closed(const struct raw_http2 *raw, uint32_t id);

static inline struct raw_stream *raw_stream(struct raw_http2 *raw, uint32_t id)
{
    return &raw->streams[id / 2 % RAW_STREAMS];
}

#endif
