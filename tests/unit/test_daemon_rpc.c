/* gRPC calls over HTTP/2: well-behaved clients (daemon/client.h) and frames by hand. */
#include "support/testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "daemon/client.h"
#include "support/daemon/raw_http2.h"
#include "support/daemon/rpc_fixture.h"

static struct rpc_fixture server;

static int set_up(void **state)
{
    (void)state;
    rpc_fixture_start(&server, NULL, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rpc_fixture_stop(&server);
    return 0;
}

/* ---- small helpers --------------------------------------------------------------------------- */

struct collected {
    size_t n_messages, n_bytes, stop_after;
    uint8_t bytes[4096]; /* of the first messages */
};

static bool collect(void *ctx, const uint8_t *message, size_t n)
{
    struct collected *c = ctx;

    if (c->n_bytes + n <= sizeof c->bytes)
        memcpy(c->bytes + c->n_bytes, message, n);
    c->n_bytes += n;
    c->n_messages++;
    return c->n_messages != c->stop_after;
}

static struct client_answer call(struct client *client, const char *method, const void *bytes,
                                 size_t n, uint64_t timeout, struct collected *c)
{
    struct client_part part = {.bytes = bytes, .n = n};
    struct client_request request = {
        .method = method, .parts = &part, .n_parts = 1, .timeout = timeout};
    struct client_answer answer;
    struct cuzk_error err;

    c->n_messages = c->n_bytes = 0;
    if (client_call(client, &request, collect, c, &answer, &err) != CUZK_OK)
        fail_msg("%s: %s", method, err.message);
    return answer;
}

static struct client *open_client(void)
{
    struct client *client;
    struct cuzk_error err;

    if (client_open(&client, &server.address, NULL, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return client;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void test_a_message_comes_back(void **state)
{
    struct client *client = open_client();
    struct collected c = {0};
    struct client_answer answer;

    (void)state;
    for (size_t n = 0; n < 3000; n += 1 + n / 2) {
        uint8_t message[3000];

        memset(message, (int)n, n);
        answer = call(client, "/test.Test/Echo", message, n, 0, &c);
        assert_int_equal(answer.code, GRPC_OK);
        assert_int_equal(c.n_messages, 1);
        assert_int_equal(c.n_bytes, n);
        assert_memory_equal(c.bytes, message, n);
    }
    client_close(client);
}

static void test_many_messages_come_in_one_answer(void **state)
{
    struct client *client = open_client();
    struct collected c = {0};
    static uint8_t message[8000];
    struct client_answer answer;

    (void)state;
    memset(message, 200, sizeof message);
    answer = call(client, "/test.Test/Many", message, sizeof message, 0, &c);
    assert_int_equal(answer.code, GRPC_OK);
    assert_string_equal(answer.sentence, "that is all: 100 %");
    assert_int_equal(c.n_messages, 200);
    assert_int_equal(c.n_bytes, 200 * sizeof message);
    c.stop_after = 3; /* and the client may have enough */
    answer = call(client, "/test.Test/Many", message, sizeof message, 0, &c);
    assert_int_equal(answer.code, GRPC_CANCELLED);
    c.stop_after = 0;
    answer = call(client, "/test.Test/Echo", "x", 1, 0, &c);
    assert_int_equal(answer.code, GRPC_OK);
    client_close(client);
}

static void test_what_is_no_method_or_too_long_is_refused(void **state)
{
    static uint8_t long_message[RPC_SMALL_MAX + 1];
    struct client *client = open_client();
    struct collected c = {0};
    struct client_answer answer;

    (void)state;
    answer = call(client, "/test.Test/None", "x", 1, 0, &c);
    assert_int_equal(answer.code, GRPC_UNIMPLEMENTED);
    assert_string_equal(answer.sentence, "there is no method /test.Test/None");
    answer = call(client, "/test.Test/Echo", long_message, sizeof long_message, 0, &c);
    assert_int_equal(answer.code, GRPC_RESOURCE_EXHAUSTED);
    assert_string_equal(answer.sentence, "the request has 8193 bytes, the limit is 8192");
    answer = call(client, "/test.Test/Echo", long_message, RPC_SMALL_MAX, 0, &c);
    assert_int_equal(answer.code, GRPC_OK);
    client_close(client);
}

static void test_a_deadline_ends_a_call_and_tells_its_handler(void **state)
{
    struct client *client = open_client();
    struct collected c = {0};
    struct client_answer answer;
    double begin = clock_seconds();

    (void)state;
    answer = call(client, "/test.Test/Never", "", 0, 30 * LOOP_MILLISECOND, &c);
    assert_int_equal(answer.code, GRPC_DEADLINE_EXCEEDED);
    assert_true(clock_seconds() - begin < 5);
    assert_true(rpc_fixture_wait_never(&server, 0, 1));
    assert_in_range(server.never_left_ms, 1, 30);
    client_close(client);
}

static void test_a_client_that_goes_away_is_told_to_the_handler(void **state)
{
    struct raw_http2 raw;

    (void)state;
    raw_open(&raw, server.address.path, true);
    for (uint32_t id = 1; id < 20; id += 2) {
        raw_request(&raw, id, "/test.Test/Never", NULL, 0, false);
        raw_data(&raw, id, "\0\0\0\0\0", 5, true);
    }
    assert_true(rpc_fixture_wait_never(&server, 10, 0));
    assert_int_equal(server.never_left_ms, 0); /* no deadline */
    raw_frame(&raw, 3, 0, 5, "\0\0\0\x08", 4); /* RST_STREAM, CANCEL */
    assert_true(rpc_fixture_wait_never(&server, 9, 1));
    raw_close(&raw);
    assert_true(rpc_fixture_wait_never(&server, 0, 10));
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A file of n bytes that are not all alike; *digest is theirs. */
static int body_file(uint64_t n, uint8_t digest[32])
{
    uint8_t bytes[1 << 14] = {0};
    struct hash *hash = hash_new(HASH_SHA256);
    int fd = open(CUZK_BINARY_DIR, O_TMPFILE | O_RDWR, 0600);
    struct rng rng;

    rng_seed(&rng, n);
    for (uint64_t at = 0; at < n; at += sizeof bytes) {
        size_t part = n - at < sizeof bytes ? (size_t)(n - at) : sizeof bytes;

        rng_bytes(&rng, bytes, 4096);
        hash_update(hash, bytes, part);
        assert_int_equal(pwrite(fd, bytes, part, (off_t)at), part);
    }
    hash_final(hash, digest);
    hash_free(hash);
    return fd;
}

static void send_body(struct client *client, uint64_t n)
{
    uint8_t digest[32];
    int fd = body_file(n, digest);
    struct client_part part = {.fd = fd, .n = n};
    struct client_request request = {.method = "/test.Test/Digest", .parts = &part, .n_parts = 1};
    struct collected c = {0};
    struct client_answer answer;
    struct cuzk_error err;

    if (client_call(client, &request, collect, &c, &answer, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(answer.code, GRPC_OK);
    assert_int_equal(c.n_bytes, 40);
    assert_int_equal(load_u64_le(c.bytes), n);
    assert_memory_equal(c.bytes + 8, digest, 32);
    close(fd);
}

static void test_bodies_of_every_size_reach_their_files(void **state)
{
    static const uint64_t sizes[] = {0,      1,      512,    16383,   65536,   524288,
                                     524289, 524352, 524353, 1048576, 9000001, UINT64_C(68) << 20};
    struct client *client = open_client();
    struct rpc_stats stats;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        send_body(client, sizes[i]);
    rpc_fixture_stats(&server, &stats);
    assert_int_equal(stats.granted_bytes, 0);
    assert_int_equal(stats.n_receiving, 0);
    client_close(client);
}

static void *send_a_large_body(void *arg)
{
    struct client *client = open_client();

    send_body(client, *(uint64_t *)arg);
    client_close(client);
    return NULL;
}

static void test_twelve_clients_at_once_cost_no_memory(void **state)
{
    uint64_t n = (test_long() ? UINT64_C(68) : UINT64_C(12)) << 20;
    size_t idle = memory_anonymous(), most = 0;
    pthread_t threads[12];
    struct rpc_stats stats;

    (void)state;
    for (int i = 0; i < 12; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, send_a_large_body, &n), 0);
    do {
        size_t now = memory_anonymous();

        most = now > most ? now : most;
        usleep(2000);
        rpc_fixture_stats(&server, &stats);
    } while (stats.ended[GRPC_OK] < 12);
    for (int i = 0; i < 12; i++)
        pthread_join(threads[i], NULL);
    /* The clients, their 12 stacks and the server together. */
    assert_true(most < idle + (UINT64_C(24) << 20));
    assert_int_equal(stats.bytes, 12 * n);
}

static void test_a_body_larger_than_the_limit_is_refused_at_its_first_bytes(void **state)
{
    struct raw_http2 raw;

    (void)state;
    raw_open(&raw, server.address.path, true);
    raw_request(&raw, 1, "/test.Test/Digest", NULL, 0, false);
    raw_data(&raw, 1, "\0\x10\0\0\x01", 5, false); /* 256 MiB and one */
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
    assert_string_equal(raw_stream(&raw, 1)->grpc_status, "8");
    assert_string_equal(
        raw_stream(&raw, 1)->grpc_message,
        "the request has 268435457 bytes, the limit is 268435456 (daemon.max_message)");
    raw_close(&raw);
}

static void close_the_spool(struct rpc_fixture *f)
{
    f->spool_fails = true;
}

static void test_a_spool_that_fails_is_told(void **state)
{
    struct client *client = open_client();
    struct collected c = {0};
    struct client_answer answer;

    (void)state;
    rpc_fixture_do(&server, close_the_spool);
    answer = call(client, "/test.Test/Digest", "x", 1, 0, &c);
    assert_int_equal(answer.code, GRPC_UNAVAILABLE);
    assert_string_equal(answer.sentence, "the spool is closed today");
    client_close(client);
}

/* ---- held back ------------------------------------------------------------------------------- */

static bool has_window(const struct raw_http2 *raw, uint32_t id)
{
    return raw->streams[id / 2 % RAW_STREAMS].window > 0;
}

static bool has_settings(const struct raw_http2 *raw, uint32_t id)
{
    (void)id;
    return raw->has_settings;
}

static void begin_large(struct raw_http2 *raw, uint32_t id, const uint8_t *body, size_t n)
{
    uint8_t prefix[GRPC_PREFIX];

    grpc_prefix_write(prefix, (uint32_t)n);
    raw_request(raw, id, "/test.Test/Digest", NULL, 0, false);
    raw_data(raw, id, prefix, sizeof prefix, false);
    raw_data(raw, id, body, raw->first_window - GRPC_PREFIX, false);
}

enum { LARGE = 2 << 20 };
static uint8_t large[LARGE];

static void test_a_body_without_room_is_held_and_holds_nobody(void **state)
{
    static const uint32_t ids[] = {1, 3, 5, 7};
    struct raw_http2 raw;

    (void)state;
    rpc_fixture_set_room(&server, 0);
    raw_open(&raw, server.address.path, true);
    assert_true(raw_wait(&raw, 5000, has_settings, 0));
    assert_int_equal(raw.first_window, (512 << 10) + 64);
    for (int i = 0; i < 4; i++) {
        large[0] = (uint8_t)('a' + i);
        large[1] = i == 2 ? 'u' : 'x';
        begin_large(&raw, ids[i], large, LARGE);
    }
    /* What was taken is given back to the connection, not to the streams. */
    raw_request(&raw, 9, "/test.Test/Echo", NULL, 0, false);
    raw_data(&raw, 9, "\0\0\0\0\2hi", 7, true);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 9));
    assert_string_equal(raw_stream(&raw, 9)->grpc_status, "0");
    assert_false(raw_wait(&raw, 100, has_window, 1));
    for (int i = 0; i < 4; i++)
        assert_int_equal(raw_stream(&raw, ids[i])->window, 0);

    /* Room for one: the urgent one is first, the others follow in their order. */
    rpc_fixture_set_room(&server, LARGE);
    assert_true(raw_wait(&raw, 5000, has_window, 5));
    for (int i = 0; i < 4; i++) {
        static const uint32_t order[] = {5, 1, 3, 7};

        assert_true(raw_wait(&raw, 5000, has_window, order[i]));
        for (int j = i + 1; j < 4; j++)
            assert_int_equal(raw_stream(&raw, order[j])->window, 0);
        raw_data(&raw, order[i], large + raw.first_window - GRPC_PREFIX,
                 LARGE - raw.first_window + GRPC_PREFIX, true);
        assert_true(raw_wait(&raw, 5000, raw_stream_ended, order[i]));
        assert_string_equal(raw_stream(&raw, order[i])->grpc_status, "0");
        assert_int_equal(load_u64_le(raw_stream(&raw, order[i])->data + 5), LARGE);
    }
    assert_string_equal(server.order, "cabd");
    raw_close(&raw);
}

static void test_a_held_call_that_leaves_makes_place_for_the_next(void **state)
{
    struct raw_http2 raw;
    struct rpc_stats stats;

    (void)state;
    rpc_fixture_set_room(&server, LARGE);
    raw_open(&raw, server.address.path, true);
    assert_true(raw_wait(&raw, 5000, has_settings, 0));
    begin_large(&raw, 1, large, LARGE);
    begin_large(&raw, 3, large, LARGE);
    begin_large(&raw, 5, large, LARGE);
    assert_true(raw_wait(&raw, 5000, has_window, 1));
    assert_false(raw_wait(&raw, 50, has_window, 3));
    raw_frame(&raw, 3, 0, 3, "\0\0\0\x08", 4); /* a held one leaves */
    raw_frame(&raw, 3, 0, 1, "\0\0\0\x08", 4); /* and the one that has the room */
    assert_true(raw_wait(&raw, 5000, has_window, 5));
    rpc_fixture_stats(&server, &stats);
    assert_int_equal(stats.n_held, 0);
    assert_int_equal(stats.abandoned, 2);
    raw_close(&raw);
    do
        rpc_fixture_stats(&server, &stats);
    while (stats.n_calls > 0);
    assert_int_equal(stats.granted_bytes, 0);
}

/* ---- hostile clients ------------------------------------------------------------------------- */

struct hostile_case {
    const char *method;
    const char *headers[4];
    size_t n_headers;
    const char *data;
    size_t n_data;
    bool end_at_once;
    const char *http, *status;
};

static void test_requests_that_are_not_grpc_are_answered(void **state)
{
    static const struct hostile_case cases[] = {
        {"/test.Test/Echo", {"grpc-timeout", "soon"}, 1, "\0\0\0\0\0", 5, false, "200", "3"},
        {"/test.Test/Echo", {"grpc-encoding", "gzip"}, 1, "\1\0\0\0\0", 5, false, "200", "12"},
        {"/test.Test/Echo", {"grpc-encoding", "identity"}, 1, "\0\0\0\0\0", 5, false, "200", "0"},
        {"/test.Test/Echo", {NULL}, 0, "\1\0\0\0\0", 5, false, "200", "12"},
        {"/test.Test/Echo", {NULL}, 0, "\0\0\0\0\0\0\0\0\0\0", 10, false, "200", "12"},
        {"/test.Test/Echo", {NULL}, 0, "\0\0\0", 3, false, "200", "13"},
        {"/test.Test/Echo", {NULL}, 0, "\0\0\0\0\5abc", 8, false, "200", "13"},
        {"/test.Test/Digest", {NULL}, 0, "\0\0\0\0\5abc", 8, false, "200", "13"},
        {"/test.Test/Digest", {NULL}, 0, "\0\0\0\0\1a\0\0\0\0\1b", 12, false, "200", "12"},
        {"/test.Test/Echo", {NULL}, 0, "", 0, true, "200", "12"},
        {"/test.Test/Each", {NULL}, 0, "", 0, true, "200", "0"},
        {"/test.Test/Each", {NULL}, 0, "\0\0\0\0\0\0\0\0\0\1x", 11, false, "200", "0"},
    };
    struct raw_http2 raw;
    uint32_t id = 1;

    (void)state;
    raw_open(&raw, server.address.path, true);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++, id += 2) {
        const struct hostile_case *k = &cases[i];

        raw_request(&raw, id, k->method, k->headers, k->n_headers, k->end_at_once);
        if (!k->end_at_once)
            raw_data(&raw, id, k->data, k->n_data, true);
        assert_true(raw_wait(&raw, 5000, raw_stream_ended, id));
        assert_string_equal(raw_stream(&raw, id)->http_status, k->http);
        if (strcmp(raw_stream(&raw, id)->grpc_status, k->status) != 0)
            fail_msg("case %zu: status %s, expected %s", i, raw_stream(&raw, id)->grpc_status,
                     k->status);
    }
    raw_close(&raw);
}

static void test_messages_arrive_byte_by_byte(void **state)
{
    static const char bytes[] = "\0\0\0\0\3abc\0\0\0\0\0\0\0\0\0\2de";
    struct raw_http2 raw;

    (void)state;
    raw_open(&raw, server.address.path, true);
    raw_request(&raw, 1, "/test.Test/Each", NULL, 0, false);
    for (size_t i = 0; i < sizeof bytes - 1; i++)
        raw_data(&raw, 1, bytes + i, 1, i + 2 == sizeof bytes);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
    assert_string_equal(raw_stream(&raw, 1)->grpc_status, "0");
    assert_int_equal(raw_stream(&raw, 1)->n_data, sizeof bytes - 1);
    assert_memory_equal(raw_stream(&raw, 1)->data, bytes, sizeof bytes - 1);
    raw_close(&raw);
}

/* More frames than a block takes pieces: the session is paused and goes on. */
static void test_a_body_in_tiny_frames_is_taken(void **state)
{
    enum { N = 20000 };
    static uint8_t body[N];
    uint8_t frames[10 * 400], digest[32], prefix[GRPC_PREFIX];
    struct raw_http2 raw;

    (void)state;
    for (size_t i = 0; i < N; i++)
        body[i] = (uint8_t)(i * 7 + i / 256);
    raw_open(&raw, server.address.path, true);
    raw_request(&raw, 1, "/test.Test/Digest", NULL, 0, false);
    grpc_prefix_write(prefix, N);
    raw_data(&raw, 1, prefix, sizeof prefix, false);
    for (size_t i = 0; i < N; i += 400) {
        for (size_t j = 0; j < 400; j++) {
            memcpy(frames + 10 * j, "\0\0\1\0\0\0\0\0\1", 9);
            frames[10 * j + 9] = body[i + j];
        }
        raw_bytes(&raw, frames, sizeof frames);
    }
    raw_frame(&raw, 0, 1, 1, "", 0);
    assert_true(raw_wait(&raw, 10000, raw_stream_ended, 1));
    assert_int_equal(load_u64_le(raw_stream(&raw, 1)->data + 5), N);
    sha256(digest, body, N);
    assert_memory_equal(raw_stream(&raw, 1)->data + 13, digest, 32);
    raw_close(&raw);
}

/* One field of 3000 bytes goes into the decoder's table, and one byte each names it again. */
static void test_headers_that_unfold_to_too_much_end_their_stream_alone(void **state)
{
    static const uint8_t request[] = {0x83, 0x86, 0x04, 15,  '/', 't', 'e', 's', 't', '.',
                                      'T',  'e',  's',  't', '/', 'E', 'c', 'h', 'o'};
    static const uint8_t entry[] = {0x40, 1, 'x', 127, 0xb9, 0x16}; /* 3000 bytes of value follow */
    uint8_t block[4000] = {0};
    size_t n = sizeof request + sizeof entry + 3000;
    struct raw_http2 raw;

    (void)state;
    memset(block, 'y', n);
    memcpy(block, request, sizeof request);
    memcpy(block + sizeof request, entry, sizeof entry);
    memset(block + n, 0xbe, 20);
    raw_open(&raw, server.address.path, true);
    raw_frame(&raw, 1, 4, 1, block, n + 20);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
    assert_true(raw_stream(&raw, 1)->reset);
    assert_int_equal(raw_stream(&raw, 1)->reset_code, 11); /* ENHANCE_YOUR_CALM */
    raw_request(&raw, 3, "/test.Test/Echo", NULL, 0, false);
    raw_data(&raw, 3, "\0\0\0\0\0", 5, true);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 3));
    assert_string_equal(raw_stream(&raw, 3)->grpc_status, "0");
    raw_close(&raw);
}

static void test_what_is_no_http2_is_cut_off(void **state)
{
    struct raw_http2 raw;

    (void)state;
    raw_open(&raw, server.address.path, false);
    raw_bytes(&raw, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    assert_true(raw_wait(&raw, 5000, raw_is_closed, 0));
    raw_close(&raw);
}

/* Whatever allocation fails, the connection may end and the call may fail, but the next one is
 * served and nothing of the failed one is left. */
static void test_the_server_survives_every_failing_allocation(void **state)
{
    struct rpc_stats stats;
    struct raw_http2 raw;
    unsigned n_failed = 0;

    (void)state;
    for (size_t n = 1; n <= 40; n++) {
        raw_open(&raw, server.address.path, true);
        (void)mem_fail_at(n);
        for (uint32_t id = 1; id < 8; id += 2) {
            static const char *const methods[] = {"/test.Test/Echo", "/test.Test/Digest",
                                                  "/test.Test/Each", "/test.Test/None"};

            raw_request(&raw, id, methods[id / 2], NULL, 0, false);
            raw_data(&raw, id, "\0\0\0\0\2hi", 7, true);
        }
        for (uint32_t id = 1; id < 8; id += 2) {
            (void)raw_wait(&raw, 5000, raw_stream_ended, id);
            if (!raw_stream(&raw, id)->ended)
                assert_true(raw.closed);
        }
        n_failed += mem_fail_at(0) >= n;
        raw_close(&raw);
        raw_open(&raw, server.address.path, true);
        raw_request(&raw, 1, "/test.Test/Echo", NULL, 0, false);
        raw_data(&raw, 1, "\0\0\0\0\2hi", 7, true);
        assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
        assert_string_equal(raw_stream(&raw, 1)->grpc_status, "0");
        raw_close(&raw);
    }
    assert_in_range(n_failed, 10, 30); /* the last n are beyond what there is to fail */
    do
        rpc_fixture_stats(&server, &stats);
    while (stats.n_connections > 0);
    assert_int_equal(stats.n_calls, 0);
    assert_int_equal(stats.n_receiving, 0);
    assert_int_equal(stats.granted_bytes, 0);
}

/* ---- patience -------------------------------------------------------------------------------- */

static void restart(const struct rpc_options *options)
{
    rpc_fixture_stop(&server);
    rpc_fixture_start(&server, NULL, options, NULL);
}

static void test_a_silent_newcomer_is_cut_off(void **state)
{
    struct raw_http2 raw;

    (void)state;
    restart(&(struct rpc_options){.greeting = 50 * LOOP_MILLISECOND});
    raw_open(&raw, server.address.path, false);
    assert_true(raw_wait(&raw, 5000, raw_is_closed, 0));
    raw_close(&raw);
}

static void test_a_body_that_does_not_go_on_ends(void **state)
{
    struct raw_http2 raw;

    (void)state;
    restart(&(struct rpc_options){.stall = 50 * LOOP_MILLISECOND});
    raw_open(&raw, server.address.path, true);
    raw_request(&raw, 1, "/test.Test/Digest", NULL, 0, false);
    raw_data(&raw, 1, "\0\0\0\0\5abc", 8, false);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
    assert_string_equal(raw_stream(&raw, 1)->grpc_status, "4");
    /* One that is held is not blamed for it. */
    rpc_fixture_set_room(&server, 0);
    assert_true(raw_wait(&raw, 5000, has_settings, 0));
    begin_large(&raw, 3, large, LARGE);
    assert_false(raw_wait(&raw, 300, raw_stream_ended, 3));
    raw_close(&raw);
}

static void test_a_peer_that_is_silent_is_pinged_and_a_dead_one_left(void **state)
{
    struct raw_http2 raw;
    struct rpc_stats stats;

    (void)state;
    restart(&(struct rpc_options){.greeting = LOOP_SECOND / 25,
                                  .ping_every = LOOP_SECOND / 20,
                                  .ping_patience = LOOP_SECOND / 20});
    raw_open(&raw, server.address.path, true);
    (void)raw_wait(&raw, 500, NULL, 0); /* answers pings */
    assert_false(raw.closed);
    assert_true(raw.n_pings >= 2);
    usleep(500000); /* answers nothing */
    rpc_fixture_stats(&server, &stats);
    assert_int_equal(stats.n_connections, 0);
    raw_close(&raw);
}

static void test_connections_beyond_the_limit_wait(void **state)
{
    struct raw_http2 raw[3];
    struct rpc_stats stats;

    (void)state;
    restart(&(struct rpc_options){.max_connections = 2});
    for (int i = 0; i < 3; i++) {
        raw_open(&raw[i], server.address.path, true);
        (void)raw_wait(&raw[i], i < 2 ? 5000 : 50, has_settings, 0);
    }
    assert_true(raw[1].has_settings);
    assert_false(raw[2].has_settings);
    rpc_fixture_stats(&server, &stats);
    assert_int_equal(stats.n_connections, 2);
    raw_close(&raw[0]);
    assert_true(raw_wait(&raw[2], 5000, has_settings, 0));
    raw_close(&raw[1]);
    raw_close(&raw[2]);
}

static void drain(struct rpc_fixture *f)
{
    rpc_drain(f->rpc);
}

static bool has_goaway(const struct raw_http2 *raw, uint32_t id)
{
    (void)id;
    return raw->has_goaway;
}

static void test_draining_lets_calls_finish(void **state)
{
    struct raw_http2 raw;

    (void)state;
    raw_open(&raw, server.address.path, true);
    raw_request(&raw, 1, "/test.Test/Digest", NULL, 0, false);
    raw_data(&raw, 1, "\0\0\0\0\5abc", 8, false);
    assert_true(raw_wait(&raw, 5000, has_settings, 0));
    do
        (void)raw_frame(&raw, 6, 0, 0, "12345678", 8); /* the request is there when the ping is */
    while (!raw_wait(&raw, 20, NULL, 0) && raw.n_ping_answers == 0);
    rpc_fixture_do(&server, drain);
    assert_true(raw_wait(&raw, 5000, has_goaway, 0));
    raw_data(&raw, 1, "de", 2, true);
    assert_true(raw_wait(&raw, 5000, raw_stream_ended, 1));
    assert_string_equal(raw_stream(&raw, 1)->grpc_status, "0");
    assert_true(raw_wait(&raw, 5000, raw_is_closed, 0));
    raw_close(&raw);
}

#define RPC_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RPC_TEST(test_a_message_comes_back),
        RPC_TEST(test_many_messages_come_in_one_answer),
        RPC_TEST(test_what_is_no_method_or_too_long_is_refused),
        RPC_TEST(test_a_deadline_ends_a_call_and_tells_its_handler),
        RPC_TEST(test_a_client_that_goes_away_is_told_to_the_handler),
        RPC_TEST(test_bodies_of_every_size_reach_their_files),
        RPC_TEST(test_twelve_clients_at_once_cost_no_memory),
        RPC_TEST(test_a_body_larger_than_the_limit_is_refused_at_its_first_bytes),
        RPC_TEST(test_a_spool_that_fails_is_told),
        RPC_TEST(test_a_body_without_room_is_held_and_holds_nobody),
        RPC_TEST(test_a_held_call_that_leaves_makes_place_for_the_next),
        RPC_TEST(test_requests_that_are_not_grpc_are_answered),
        RPC_TEST(test_messages_arrive_byte_by_byte),
        RPC_TEST(test_a_body_in_tiny_frames_is_taken),
        RPC_TEST(test_headers_that_unfold_to_too_much_end_their_stream_alone),
        RPC_TEST(test_what_is_no_http2_is_cut_off),
        RPC_TEST(test_the_server_survives_every_failing_allocation),
        RPC_TEST(test_a_silent_newcomer_is_cut_off),
        RPC_TEST(test_a_body_that_does_not_go_on_ends),
        RPC_TEST(test_a_peer_that_is_silent_is_pinged_and_a_dead_one_left),
        RPC_TEST(test_connections_beyond_the_limit_wait),
        RPC_TEST(test_draining_lets_calls_finish),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
