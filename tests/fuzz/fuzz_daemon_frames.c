/* HTTP/2 and gRPC from a hostile client, over the whole server: sockets, blocks, writer, calls.
 *
 * An input is a script (daemon_script.h): bytes after a proper greeting, or a program that makes
 * proper frames of streams that exist, so that what lies behind the first check is reached too.
 * After each input the server must still answer. */
#include <stdio.h>

#include "base/reader.h"
#include "fuzz/daemon_script.h"
#include "support/daemon/rpc_fixture.h"

#define GREETING "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"

static struct rpc_fixture server;
static unsigned streams; /* that the program has opened */

/* ---- frames ---------------------------------------------------------------------------------- */

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
    return streams ? 2 * (next(s) % streams) + 1 : 1;
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
    put_frame(s, 1, 4 | (choice >> 7), 2 * streams++ + 1, block, n);
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

/* ---- the server ------------------------------------------------------------------------------ */

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
    struct sockaddr_un port = {.sun_family = AF_UNIX};
    struct rpc_stats stats;
    char head[16];

    if (n == 0)
        return 0;
    streams = 0;
    script_make(&s, data, n, GREETING, sizeof GREETING - 1, run_program);
    memcpy(port.sun_path, server.address.path, sizeof port.sun_path);
    if (!converse(&port, s.bytes, s.n, 5000, head))
        abort(); /* the server neither reads nor closes */
    rpc_fixture_stats(&server, &stats);
    if (stats.n_held > stats.n_calls || stats.granted_bytes > UINT64_C(1) << 40)
        abort();
    return 0;
}
