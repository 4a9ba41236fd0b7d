/* HTTP from a hostile client: the whole port over made-up jobs (tests/daemon/staged_jobs.c).
 *
 * An input is a script (daemon_script.h): the bytes of a connection, or a program that makes proper
 * requests with paths, queries, headers and bodies of its choice, so that what lies behind
 * libmicrohttpd is reached too. After each input the port must still answer, and no descriptor may
 * be left behind. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/staged_jobs.h"
#include "fuzz/daemon_script.h"

enum { BODY_MAX = 1 << 16, PATIENCE_MS = 20, DESCRIPTORS_MAX = 200 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct loop *loop;

/* ---- requests -------------------------------------------------------------------------------- */

static void put_text(struct script *s, const char *text)
{
    put(s, text, strlen(text));
}

/* Up to 255 bytes of the program, as they are. */
static void put_some(struct script *s)
{
    size_t n = next(s);

    if (n > (size_t)(s->end - s->at))
        n = (size_t)(s->end - s->at);
    put(s, s->at, n);
    s->at += n;
}

#define ONE_OF(s, list) ((list)[next(s) % (sizeof(list) / sizeof((list)[0]))])

static void put_path(struct script *s)
{
    static const char *const paths[] = {"/",
                                        "/style.css",
                                        "/metrics",
                                        "/healthz",
                                        "/status",
                                        "/readyz",
                                        "/api/v1/history",
                                        "/api/v1/jobs",
                                        "/api/v1/jobs/",
                                        "/api/v1/jobs/a",
                                        "/events",
                                        "/api/v1/jobs/a~1/proof",
                                        "/api/v1/jobs/a/trace",
                                        "/api/v1/jobs/a/clear",
                                        "/api/v1/keys/winning-32GiB/preload",
                                        "/api/v1/keys/winning-32GiB/evict",
                                        "/api/v1/jobs/a%2fb/cancel"};

    put_text(s, ONE_OF(s, paths));
    if (next(s) & 1)
        put_some(s);
}

static void put_query(struct script *s)
{
    static const char *const parameters[] = {
        "kind=porep-c2", "kind=winning-post", "kind=window-post", "kind=snap-update",
        "request_id=",   "lengths=",          "randomness=",      "registered_proof=",
        "miner_id=",     "sector_size=",      "limit=",           "since=",
        "priority=low",  "comm_r_old=",       "partition_index=", "state="};
    unsigned n = next(s) % 8;

    for (unsigned i = 0; i < n; i++) {
        put_text(s, i ? "&" : "?");
        put_text(s, ONE_OF(s, parameters));
        if (next(s) & 1)
            put_some(s);
    }
}

static void put_headers(struct script *s)
{
    static const char *const headers[] = {"Authorization: Bearer 0123456789abcdef",
                                          "Origin: http://a",
                                          "Origin: null",
                                          "Accept: text/event-stream",
                                          "Connection: close",
                                          "Expect: 100-continue",
                                          "Content-Type: application/octet-stream",
                                          "Content-Length: 99",
                                          "Transfer-Encoding: chunked"};
    unsigned n = next(s) % 6;

    put_text(s, " HTTP/1.1\r\nHost: a\r\n");
    for (unsigned i = 0; i < n; i++) {
        if (next(s) & 1) {
            put_some(s);
            put_text(s, ": ");
            put_some(s);
        } else
            put_text(s, ONE_OF(s, headers));
        put_text(s, "\r\n");
    }
}

static void put_body(struct script *s)
{
    char text[64];
    size_t n = next(s) << (next(s) % 9);

    if (n > BODY_MAX + 1)
        n = BODY_MAX + 1;
    if (next(s) & 1) {
        snprintf(text, sizeof text, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", n);
        put_text(s, text);
    } else {
        snprintf(text, sizeof text, "Content-Length: %zu\r\n\r\n", n);
        put_text(s, text);
    }
    for (; n > 0; n--)
        put(s, "v", 1);
    if (next(s) & 1)
        put_text(s, "\r\n0\r\n\r\n");
}

static void run_program(struct script *s)
{
    static const char *const methods[] = {"GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS"};

    while (s->at < s->end && s->n < sizeof s->bytes - 2 * BODY_MAX) {
        put_text(s, ONE_OF(s, methods));
        put_text(s, " ");
        put_path(s);
        put_query(s);
        put_headers(s);
        if (next(s) & 1)
            put_body(s);
        else
            put_text(s, "\r\n");
    }
}

/* ---- what must hold afterwards --------------------------------------------------------------- */

static void must_still_answer(void)
{
    static const char question[] = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    char head[16];

    converse(&address, question, sizeof question - 1, 9000, head);
    if (strncmp(head, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "the port says '%s'\n", head);
        abort();
    }
}

static unsigned descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* ---- the port -------------------------------------------------------------------------------- */

static void *run(void *arg)
{
    (void)arg;
    loop_run(loop);
    return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static struct config config;
    struct http_socket listening = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct jobs *jobs;
    struct http *http;
    struct cuzk_error err;
    pthread_t thread;

    (void)argc;
    (void)argv;
    log_start(LOG_LEVEL_ERROR, LOG_FORMAT_TEXT);
    config_defaults(&config);
    config.daemon.max_message = BODY_MAX;
    config.daemon.max_connections = DESCRIPTORS_MAX;
    /* an abstract name: nothing is left of it */
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "cuzk-fuzz-http-%d", (int)getpid());
    if (bind(listening.fd, (struct sockaddr *)&address, sizeof address) ||
        listen(listening.fd, 64) || loop_new(&loop, &err))
        abort();
    staged_jobs_new(&jobs, loop, true);
    if (http_open(&http, loop, jobs, NULL, &config, &listening, 1, &err) ||
        pthread_create(&thread, NULL, run, NULL))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct script s;
    char head[16];

    if (n == 0)
        return 0;
    script_make(&s, data, n, "", 0, run_program);
    converse(&address, s.bytes, s.n, PATIENCE_MS, head);
    must_still_answer();
    if (descriptors() > DESCRIPTORS_MAX)
        abort();
    return 0;
}
