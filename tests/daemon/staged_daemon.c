/* The HTTP port over staged jobs, on a free port of 127.0.0.1 that it prints, and gRPC where it is
 * told to listen:
 *
 *     staged_daemon [--quiet] [--port N] [--token-file FILE]
 *                   [--cert FILE --key FILE [--client-ca FILE]]
 *                   [--listen ADDRESS]... [--max-message BYTES]
 *
 * SIGUSR1 holds bodies back, and lets them through again. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/http.h"
#include "daemon/staged_jobs.h"
#include "daemon/transport.h"

static struct config config;
static struct loop *loop;
static struct jobs *jobs;

static void end(void *ctx, int signal)
{
    (void)ctx;
    (void)signal;
    loop_stop(loop);
}

static void turn_busy(void *ctx, int signal)
{
    static bool busy;

    (void)ctx;
    (void)signal;
    staged_jobs_set_busy(jobs, busy = !busy);
}

static int listen_on(uint16_t port)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t n = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, 64) ||
        getsockname(fd, (struct sockaddr *)&name, &n))
        exit(1);
    printf("%u\n", ntohs(name.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv)
{
    struct cuzk_error err = {0};
    struct loop_signal stop = {.f = end}, turn = {.f = turn_busy};
    struct http *http = NULL;
    struct transport *transport = NULL;
    bool quiet = false;
    uint16_t port = 0;

    config_defaults(&config);
    config.daemon.listen.n = 0;
    config.daemon.max_message = 8 << 20;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--quiet") == 0) {
            quiet = true;
            continue;
        }
        if (strcmp(argv[i], "--port") == 0)
            port = (uint16_t)atoi(value);
        if (strcmp(argv[i], "--token-file") == 0)
            snprintf(config.daemon.token_file, sizeof config.daemon.token_file, "%s", value);
        if (strcmp(argv[i], "--max-message") == 0)
            config.daemon.max_message = strtoull(value, NULL, 10);
        if (strcmp(argv[i], "--listen") == 0 && config.daemon.listen.n < CONFIG_LIST_MAX)
            snprintf(config.daemon.listen.item[config.daemon.listen.n++], CONFIG_TEXT_MAX, "%s",
                     value);
        if (strcmp(argv[i], "--cert") == 0)
            snprintf(config.daemon.tls_cert, sizeof config.daemon.tls_cert, "%s", value);
        if (strcmp(argv[i], "--client-ca") == 0)
            snprintf(config.daemon.tls_client_ca, sizeof config.daemon.tls_client_ca, "%s", value);
        if (strcmp(argv[i], "--key") == 0)
            snprintf(config.daemon.tls_key, sizeof config.daemon.tls_key, "%s", value);
        i++;
    }
    if (loop_new(&loop, &err) || loop_signal_add(loop, &stop, SIGTERM, &err) ||
        loop_signal_add(loop, &turn, SIGUSR1, &err))
        return 1;
    staged_jobs_new(&jobs, loop, quiet);
    if (transport_open(&transport, loop, &config, jobs, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    if (http_open(&http, loop, jobs, transport_rpc(transport), &config,
                  &(struct http_socket){.fd = listen_on(port), .is_tcp = true}, 1, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    loop_run(loop);
    http_close(http);
    transport_close(transport);
    jobs_close(jobs);
    loop_free(loop);
    return 0;
}
