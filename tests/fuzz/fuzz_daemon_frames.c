/* HTTP/2 and gRPC from a hostile client, over the whole server: sockets, blocks, writer, calls.
 *
 * The input's first byte says how the rest is read: even, as bytes after a proper greeting; odd, as
 * a program that makes proper frames of streams that exist, so that what lies behind the first
 * check is reached too. After each input the server must still answer. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/reader.h"
#include "support/daemon/rpc_fixture.h"

#define GREETING "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"

static struct rpc_fixture server;

/* ---- frames -------------------------------------------------------------------------------------
 */

struct script {
    const uint8_t *at, *end; /* the program */
    size_t n;
    uint8_t bytes[1 << 18]; /* what it makes */
    unsigned streams;
};

static unsigned next(struct script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static void put(struct script *s, const void *bytes, size_t n)
{
    if (n > sizeof s->bytes - s->n)
        n = sizeof s->bytes - s->n;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

static void put_frame(struct script *s, unsigned type, unsigned flags, uint32_t id,
                      const void *payload, size_t n)
{
    uint8_t head[9] = {(uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n, (uint8_t)type,
                       (uint8_t)flags};

    store_u32_be(head + 5, id);
    put(s, head, sizeof head);
    put(s, payload, n);
}

static uint32_t some_stream(struct script *s)
{
    return s->streams ? 2 * (next(s) % s->streams) + 1 : 1;
}

/* Fields without Huffman code or table; the names by their place in the static table, or in full.
 */
static void put_request(struct script *s)
{
    static const char *const methods[] = {"Echo", "Many", "Never", "Each", "Digest", "None"};
    uint8_t block[200] = {0x83, 0x86};
    size_t n = 2;
    char path[32];
    unsigned choice = next(s);

    snprintf(path, sizeof path, "/test.Test/%s", methods[choice % 6]);
    block[n++] = 4;
    block[n++] = (uint8_t)strlen(path);
    memcpy(block + n, path, strlen(path));
    n += strlen(path);
    memcpy(block + n,
           "\x0f\x10\x10"
           "application/grpc",
           19);
    n += 19;
    if (choice & 0x40) {
        memcpy(block + n,
               "\0\x0cgrpc-timeout\3"
               "10m",
               18);
        n += 18;
    }
    put_frame(s, 1, 4 | (choice >> 7), 2 * s->streams++ + 1, block, n);
}

static void put_data(struct script *s, bool with_prefix)
{
    uint8_t payload[5 + 256];
    uint32_t id = some_stream(s);
    unsigned n = next(s), end = next(s) & 1, at = 0;

    if (with_prefix) {
        memset(payload, 0, 5);
        payload[0] = next(s) == 255; /* seldom compressed */
        payload[2] = (uint8_t)(next(s) & 0x0f);
        payload[3] = (uint8_t)next(s);
        payload[4] = (uint8_t)next(s);
        at = 5;
    }
    for (unsigned i = 0; i < n; i++)
        payload[at++] = (uint8_t)next(s);
    put_frame(s, 0, end, id, payload, at);
}

/* A whole small message, as it should be. */
static void put_message(struct script *s)
{
    uint8_t payload[5 + 256] = {0};
    uint32_t id = some_stream(s);
    unsigned n = next(s);

    payload[4] = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        payload[5 + i] = (uint8_t)next(s);
    put_frame(s, 0, next(s) & 1, id, payload, 5 + n);
}

static void put_numbers(struct script *s, unsigned type, unsigned flags, uint32_t id, size_t n)
{
    uint8_t payload[16];

    for (size_t i = 0; i < n; i++)
        payload[i] = (uint8_t)next(s);
    put_frame(s, type, flags, id, payload, n);
}

static void put_anything(struct script *s)
{
    uint8_t payload[64];
    unsigned type = next(s), flags = next(s), n = next(s) % 64;
    uint32_t id = next(s) & 1 ? some_stream(s) : 0;

    for (unsigned i = 0; i < n; i++)
        payload[i] = (uint8_t)next(s);
    put_frame(s, type, flags, id, payload, n);
}

static void run_program(struct script *s)
{
    while (s->at < s->end && s->n < sizeof s->bytes - 1000) {
        switch (next(s) % 10) {
        case 0:
        case 1: put_request(s); break;
        case 2: put_data(s, false); break;
        case 3: put_data(s, true); break;
        case 4: put_message(s); break;
        case 5: put_numbers(s, 3, 0, some_stream(s), 4); break; /* RST_STREAM */
        case 6: put_numbers(s, 4, 0, 0, 6); break;              /* SETTINGS */
        case 7: put_numbers(s, 6, next(s) & 1, 0, 8); break;    /* PING */
        case 8:
            put_numbers(s, 8, 0, next(s) & 1 ? some_stream(s) : 0, 4);
            break; /* WINDOW_UPDATE */
        default: put_anything(s); break;
        }
    }
}

/* ---- a client -----------------------------------------------------------------------------------
 */

static int connect_to_server(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(name.sun_path, server.address.path, sizeof name.sun_path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&name, sizeof name) != 0)
        abort();
    return fd;
}

/* Sends all, takes what comes, until the server closes; at most 5 s, which is a failure. Returns
 * the bytes that came. */
static size_t converse(const uint8_t *bytes, size_t n)
{
    static uint8_t in[1 << 16];
    int fd = connect_to_server();
    size_t sent = 0, came = 0;

    for (;;) {
        struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (sent < n ? POLLOUT : 0))};
        ssize_t m;

        if (poll(&p, 1, 5000) == 0)
            abort(); /* the server neither reads nor closes */
        if (p.revents & (POLLIN | POLLHUP | POLLERR)) {
            m = recv(fd, in, sizeof in, MSG_DONTWAIT);
            if (m <= 0)
                break;
            came += (size_t)m;
        }
        if ((p.revents & POLLOUT) && sent < n) {
            m = send(fd, bytes + sent, n - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (m > 0)
                sent += (size_t)m;
            if (m > 0 && sent == n)
                shutdown(fd, SHUT_WR);
        }
    }
    close(fd);
    return came;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rpc_fixture_start(&server, NULL, NULL, NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct script s;
    struct rpc_stats stats;

    if (n == 0)
        return 0;
    s.at = data + 1;
    s.end = data + n;
    s.n = s.streams = 0;
    put(&s, GREETING, sizeof GREETING - 1);
    if (data[0] & 1)
        run_program(&s);
    else
        put(&s, data + 1, n - 1);
    converse(s.bytes, s.n);
    rpc_fixture_stats(&server, &stats);
    if (stats.n_held > stats.n_calls || stats.granted_bytes > UINT64_C(1) << 40)
        abort();
    return 0;
}
