/* Sockets that listen: unix and TCP, their places and owners, TLS and certificates. */
#include "support/testing.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/client.h"
#include "support/daemon/certificates.h"
#include "support/daemon/rpc_fixture.h"

static char folder[256];

static const char *in_folder(const char *name)
{
    static char paths[4][320];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cuzk-listener-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    certificates_make(folder);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"ca", "server", "client", "stranger"};
    char name[32];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s.pem", names[i]);
        unlink(in_folder(name));
        snprintf(name, sizeof name, "%s.key", names[i]);
        unlink(in_folder(name));
    }
    return rmdir(folder);
}

static bool ignore(void *ctx, const uint8_t *message, size_t n)
{
    (void)ctx;
    (void)message;
    (void)n;
    return true;
}

/* An Echo over a new connection. CUZK_OK: it was answered with GRPC_OK. */
static enum cuzk_status echo(const struct address *address, struct tls *tls, struct cuzk_error *err)
{
    struct client_part part = {.bytes = "x", .n = 1};
    struct client_request request = {.method = "/test.Test/Echo", .parts = &part, .n_parts = 1};
    struct client_answer answer;
    struct client *client;
    enum cuzk_status st;

    TRY(client_open(&client, address, tls, err));
    st = client_call(client, &request, ignore, NULL, &answer, err);
    client_close(client);
    if (st == CUZK_OK)
        assert_int_equal(answer.code, GRPC_OK);
    return st;
}

static struct address address_of(const char *text)
{
    struct address address;
    struct cuzk_error err;

    if (address_parse(&address, text, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return address;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void test_tcp_answers_on_every_address_of_a_name(void **state)
{
    static const char *const texts[] = {"127.0.0.1:0", "localhost:0", "[::1]:0"};
    struct rpc_fixture server;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct address address = address_of(texts[i]);

        rpc_fixture_start(&server, &address, NULL, NULL);
        assert_int_not_equal(server.address.port, 0);
        if (echo(&server.address, NULL, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        rpc_fixture_stop(&server);
        assert_int_equal(echo(&server.address, NULL, &err), CUZK_IO);
    }
}

/* A listener alone, on a fixture's loop that does not run. */
struct bench {
    struct loop *loop;
    struct rpc *rpc;
    struct listener *listener;
    struct cuzk_error err;
};

static void bench_open(struct bench *b)
{
    struct rpc_options options = {.max_connections = 4, .max_streams = 4};

    memset(b, 0, sizeof *b);
    assert_int_equal(loop_new(&b->loop, &b->err), CUZK_OK);
    assert_int_equal(rpc_new(&b->rpc, b->loop, &options, &b->err), CUZK_OK);
}

static void bench_close(struct bench *b)
{
    listener_close(b->listener);
    rpc_free(b->rpc);
    loop_free(b->loop);
}

static enum cuzk_status bench_listen(struct bench *b, const char *path, unsigned mode,
                                     const char *group)
{
    struct listener_options options = {.socket_mode = mode, .socket_group = group};
    struct address address = {.is_unix = true};

    snprintf(address.path, sizeof address.path, "%s", path);
    return listener_open(&b->listener, b->loop, b->rpc, &address, &options, &b->err);
}

static void test_a_unix_socket_has_its_mode_and_leaves_with_its_listener(void **state)
{
    const char *path = in_folder("deep/er/socket");
    struct bench b;
    struct stat st;

    (void)state;
    bench_open(&b);
    assert_int_equal(bench_listen(&b, path, 0, NULL), CUZK_OK);
    assert_int_equal(lstat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    bench_close(&b);
    assert_int_equal(lstat(path, &st), -1);

    bench_open(&b);
    assert_int_equal(bench_listen(&b, path, 0600, "0"), CUZK_OK);
    assert_int_equal(lstat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    bench_close(&b);

    bench_open(&b);
    assert_int_equal(bench_listen(&b, path, 0600, "no-such-group"), CUZK_USAGE);
    assert_non_null(strstr(b.err.message, "no-such-group"));
    assert_int_equal(lstat(path, &st), -1);
    bench_close(&b);
    rmdir(in_folder("deep/er"));
    rmdir(in_folder("deep"));
}

static void test_only_a_dead_socket_is_replaced(void **state)
{
    const char *path = in_folder("socket");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct bench b, c;
    int fd;

    (void)state;
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    close(fd); /* dead, but there */
    bench_open(&b);
    assert_int_equal(bench_listen(&b, path, 0, NULL), CUZK_OK);
    bench_open(&c); /* alive */
    assert_int_equal(bench_listen(&c, path, 0, NULL), CUZK_USAGE);
    assert_non_null(strstr(c.err.message, "another process listens there"));
    bench_close(&c);
    assert_int_equal(access(path, F_OK), 0);
    bench_close(&b);

    fd = open(path, O_CREAT | O_WRONLY, 0600); /* no socket at all */
    close(fd);
    bench_open(&b);
    assert_int_equal(bench_listen(&b, path, 0, NULL), CUZK_USAGE);
    assert_non_null(strstr(b.err.message, "a file that is no socket"));
    bench_close(&b);
    assert_int_equal(unlink(path), 0);
}

static void test_a_socket_of_systemd_is_taken_over(void **state)
{
    struct listener_options options = {0};
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct bench b;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)state;
    bench_open(&b);
    assert_int_equal(listener_adopt(&b.listener, b.loop, b.rpc, fd, &options, &b.err), CUZK_USAGE);
    assert_non_null(strstr(b.err.message, "no listening socket"));
    fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 5), 0);
    assert_int_equal(listener_adopt(&b.listener, b.loop, b.rpc, fd, &options, &b.err), CUZK_OK);
    assert_int_not_equal(listener_port(b.listener), 0);
    bench_close(&b);
}

/* ---- TLS ------------------------------------------------------------------------------------- */

static struct tls *server_tls(const char *client_ca)
{
    struct tls *tls;
    struct cuzk_error err;

    if (tls_new_server(&tls, in_folder("server.pem"), in_folder("server.key"), client_ca, &err) !=
        CUZK_OK)
        fail_msg("%s", err.message);
    return tls;
}

static struct tls *client_tls(const char *ca, const char *certificate, const char *key)
{
    struct tls *tls;
    struct cuzk_error err;

    if (tls_new_client(&tls, ca, certificate, key, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return tls;
}

static void expect(struct rpc_fixture *server, struct tls *client, enum cuzk_status expected)
{
    struct cuzk_error err = {0};

    if (echo(&server->address, client, &err) != expected)
        fail_msg("expected %s: %s", cuzk_status_name(expected), err.message);
    tls_free(client);
}

static void test_tls_is_spoken_to_those_who_trust_us(void **state)
{
    struct address address = address_of("localhost:0");
    struct tls *tls = server_tls(NULL);
    struct rpc_fixture server;
    struct cuzk_error err;

    (void)state;
    rpc_fixture_start(&server, &address, NULL, tls);
    expect(&server, client_tls(in_folder("ca.pem"), NULL, NULL), CUZK_OK);
    expect(&server, client_tls(in_folder("stranger.pem"), NULL, NULL), CUZK_IO);
    expect(&server, client_tls(NULL, NULL, NULL), CUZK_IO);
    assert_int_equal(echo(&server.address, NULL, &err), CUZK_IO); /* not plain */
    snprintf(server.address.host, sizeof server.address.host, "127.0.0.1");
    expect(&server, client_tls(in_folder("ca.pem"), NULL, NULL), CUZK_OK);
    snprintf(server.address.host, sizeof server.address.host, "127.0.0.2");
    expect(&server, client_tls(in_folder("ca.pem"), NULL, NULL), CUZK_IO); /* another name */
    rpc_fixture_stop(&server);
    tls_free(tls);
}

static void test_with_an_authority_of_clients_nobody_else_comes_in(void **state)
{
    struct address address = address_of("127.0.0.1:0");
    struct tls *tls = server_tls(in_folder("ca.pem"));
    struct rpc_fixture server;

    (void)state;
    rpc_fixture_start(&server, &address, NULL, tls);
    expect(&server,
           client_tls(in_folder("ca.pem"), in_folder("client.pem"), in_folder("client.key")),
           CUZK_OK);
    expect(&server, client_tls(in_folder("ca.pem"), NULL, NULL), CUZK_IO);
    expect(&server,
           client_tls(in_folder("ca.pem"), in_folder("stranger.pem"), in_folder("stranger.key")),
           CUZK_IO);
    rpc_fixture_stop(&server);
    tls_free(tls);
}

static void test_files_that_are_no_certificates_are_named(void **state)
{
    struct tls *tls;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(tls_new_server(&tls, "/none.pem", in_folder("server.key"), NULL, &err),
                     CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "/none.pem: not a usable certificate"));
    assert_int_equal(
        tls_new_server(&tls, in_folder("server.pem"), in_folder("client.key"), NULL, &err),
        CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "client.key: not a usable private key"));
    assert_int_equal(tls_new_server(&tls, in_folder("server.pem"), in_folder("server.key"),
                                    in_folder("client.key"), &err),
                     CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "client.key: not a usable file of authorities"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tcp_answers_on_every_address_of_a_name),
        cmocka_unit_test(test_a_unix_socket_has_its_mode_and_leaves_with_its_listener),
        cmocka_unit_test(test_only_a_dead_socket_is_replaced),
        cmocka_unit_test(test_a_socket_of_systemd_is_taken_over),
        cmocka_unit_test(test_tls_is_spoken_to_those_who_trust_us),
        cmocka_unit_test(test_with_an_authority_of_clients_nobody_else_comes_in),
        cmocka_unit_test(test_files_that_are_no_certificates_are_named),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
