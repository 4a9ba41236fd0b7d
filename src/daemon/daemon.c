#include "daemon/daemon.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "base/quantity.h"
#include "daemon/http.h"
#include "daemon/jobs.h"
#include "daemon/listen_socket.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/transport.h"
#include "engine/version.h"

/* systemd hears from us so often, or twice within its watchdog's time. */
#define BEAT (5 * LOOP_SECOND)
#define HELD_UP (LOOP_SECOND / 2)

struct daemon {
    struct config *config;
    const struct daemon_arguments *arguments;
    struct loop *loop;
    struct jobs *jobs;
    struct transport *transport;
    struct http *http;
    size_t n_places;
    struct listen_sockets places[CONFIG_LIST_MAX]; /* of the HTTP port */
    struct subscription *subscription;
    struct loop_signal on_term, on_int, on_hup;
    struct loop_timer beat;
    uint64_t beat_ns;
    bool draining;
};

/* ---- configuration --------------------------------------------------------------------------- */

enum cuzk_status daemon_configure(struct config *config, const struct daemon_arguments *arguments,
                                  const char **ret_file, struct cuzk_error *err)
{
    const char *file = arguments->file;

    if (!file && access(DAEMON_CONFIG_FILE, F_OK) == 0)
        file = DAEMON_CONFIG_FILE;
    config_defaults(config);
    if (file)
        TRY(config_read_file(config, file, err));
    TRY(config_read_environment(config, environ, err));
    if (arguments->listen)
        TRY(config_set(config, "daemon.listen", arguments->listen, "--listen", err));
    if (arguments->log_level)
        TRY(config_set(config, "logging.level", arguments->log_level, "--log-level", err));
    TRY(config_check(config, err));
    if (ret_file)
        *ret_file = file;
    return CUZK_OK;
}

static void tell_warnings(const struct config *config)
{
    for (size_t i = 0; i < config->n_warnings; i++)
        log_warn("configuration", "detail", config->warning[i], NULL);
}

static void tell_kept(void *ctx, const char *key)
{
    (void)ctx;
    log_warn("a changed key needs a restart", "key", key, NULL);
}

static void reload(void *ctx, int signal)
{
    static struct config fresh; /* large */
    struct daemon *daemon = ctx;
    struct cuzk_error err;

    (void)signal;
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lu", (unsigned long)(loop_now() / 1000));
    if (daemon_configure(&fresh, daemon->arguments, NULL, &err) != CUZK_OK)
        log_error("the configuration stays as it was", "why", err.message, NULL);
    else {
        tell_warnings(&fresh);
        config_reload(daemon->config, &fresh, tell_kept, NULL);
        log_start(daemon->config->logging.level, daemon->config->logging.format);
        if (transport_reload(daemon->transport, &err) != CUZK_OK)
            log_error("the certificates stay as they were", "why", err.message, NULL);
        else if (daemon->http && http_reload(daemon->http, &err) != CUZK_OK)
            log_error("the HTTP port stays as it was", "why", err.message, NULL);
        log_info("configuration read again", NULL);
    }
    sd_notify(0, "READY=1");
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Jobs say themselves what an operator should know; this is for looking closer. */
static void tell_event(void *ctx, const struct event *event)
{
    (void)ctx;
    log_debug("event", "detail", event->text, "job", event->job ? event->job->id : "", "stage",
              event->job ? event->job->stage : "", NULL);
}

/* The line that `systemctl status` shows. */
static void tell_systemd(struct daemon *daemon)
{
    struct jobs_status s;
    char reserved[QUANTITY_TEXT], budget[QUANTITY_TEXT];
    unsigned running = 0, waiting = 0;

    jobs_status(daemon->jobs, &s);
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        running += s.kind[kind].running;
        waiting += s.kind[kind].waiting;
    }
    quantity_size_rounded(reserved, s.reserved_bytes);
    quantity_size_rounded(budget, s.budget_bytes);
    sd_notifyf(0, "WATCHDOG=1\nSTATUS=%s %u jobs, %u waiting, %s of %s\n%s",
               daemon->draining ? "draining:" : "proving", running, waiting, reserved, budget,
               daemon->draining ? "EXTEND_TIMEOUT_USEC=60000000" : "");
}

/* Handlers never block; one that did is a fault of ours, or of a machine without breath. */
static void tell_held_up(struct daemon *daemon)
{
    uint64_t longest = loop_longest(daemon->loop);
    char ms[LOG_NUMBER];

    if (longest > HELD_UP)
        log_warn("the event loop was held up", "ms", log_number(ms, longest / LOOP_MILLISECOND),
                 NULL);
}

static void beat(void *ctx)
{
    struct daemon *daemon = ctx;

    tell_systemd(daemon);
    tell_held_up(daemon);
    loop_timer_set(daemon->loop, &daemon->beat, loop_now() + daemon->beat_ns);
}

static void start_beat(struct daemon *daemon)
{
    uint64_t watchdog_us = 0;

    daemon->beat_ns = BEAT;
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us * 1000 / 2 < BEAT)
        daemon->beat_ns = watchdog_us * 1000 / 2;
    daemon->beat = (struct loop_timer){.f = beat, .ctx = daemon};
    beat(daemon);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void flushed(void *ctx)
{
    struct daemon *daemon = ctx;

    loop_stop(daemon->loop);
}

static void drained(void *ctx)
{
    struct daemon *daemon = ctx;

    log_info("drained", NULL);
    transport_drain(daemon->transport, flushed, daemon);
}

static void end(void *ctx, int signal)
{
    struct daemon *daemon = ctx;
    char seconds[LOG_NUMBER];
    uint64_t timeout_ms = daemon->config->daemon.drain_timeout_ms;

    if (daemon->draining) {
        log_warn("ending at once", "signal", strsignal(signal), NULL);
        loop_stop(daemon->loop);
        return;
    }
    daemon->draining = true;
    log_info("ending", "signal", strsignal(signal), "drain_seconds",
             log_number(seconds, timeout_ms / 1000), NULL);
    sd_notify(0, "STOPPING=1");
    transport_set_serving(daemon->transport, false);
    tell_systemd(daemon);
    jobs_drain(daemon->jobs, (double)timeout_ms / 1e3, drained, daemon);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static enum cuzk_status open_http(struct daemon *daemon, struct cuzk_error *err)
{
    const struct config_daemon *c = &daemon->config->daemon;
    struct http_socket sockets[CONFIG_LIST_MAX * LISTEN_SOCKETS_MAX];
    struct address address;
    size_t n = 0;

    if (c->status_listen.n == 0)
        return CUZK_OK;
    for (size_t i = 0; i < c->status_listen.n; i++) {
        struct listen_sockets *place = &daemon->places[daemon->n_places];

        TRY(address_parse(&address, c->status_listen.item[i], err));
        TRY(listen_open(place, &address, c->socket_mode, c->socket_group, err));
        daemon->n_places++;
        for (unsigned k = 0; k < place->n; k++)
            sockets[n++] =
                (struct http_socket){.fd = dup(place->fds[k]), .is_tcp = !place->is_unix};
        log_info("HTTP listens", "address", c->status_listen.item[i], NULL);
    }
    return http_open(&daemon->http, daemon->loop, daemon->jobs, transport_rpc(daemon->transport),
                     daemon->config, sockets, n, err);
}

static enum cuzk_status add_signals(struct daemon *daemon, struct cuzk_error *err)
{
    signal(SIGPIPE, SIG_IGN); /* who has gone away is seen by what write returns */
    daemon->on_term = (struct loop_signal){.f = end, .ctx = daemon};
    daemon->on_int = (struct loop_signal){.f = end, .ctx = daemon};
    daemon->on_hup = (struct loop_signal){.f = reload, .ctx = daemon};
    TRY(loop_signal_add(daemon->loop, &daemon->on_term, SIGTERM, err));
    TRY(loop_signal_add(daemon->loop, &daemon->on_int, SIGINT, err));
    return loop_signal_add(daemon->loop, &daemon->on_hup, SIGHUP, err);
}

static enum cuzk_status serve(struct daemon *daemon, struct cuzk_error *err)
{
    TRY(loop_new(&daemon->loop, err));
    TRY(add_signals(daemon, err));
    TRY(jobs_open(&daemon->jobs, daemon->loop, daemon->config, NULL, err));
    daemon->subscription = jobs_subscribe(daemon->jobs, tell_event, daemon);
    TRY(transport_open(&daemon->transport, daemon->loop, daemon->config, daemon->jobs, err));
    TRY(open_http(daemon, err));
    log_info("ready", "version", CUZK_VERSION, NULL);
    sd_notify(0, "READY=1");
    start_beat(daemon);
    loop_run(daemon->loop);
    return CUZK_OK;
}

enum cuzk_status daemon_run(struct config *config, const struct daemon_arguments *arguments,
                            struct cuzk_error *err)
{
    struct daemon daemon = {.config = config, .arguments = arguments};
    enum cuzk_status st;

    log_start(config->logging.level, config->logging.format);
    tell_warnings(config);
    st = serve(&daemon, err);
    loop_timer_cancel(&daemon.beat);
    http_close(daemon.http);
    for (size_t i = 0; i < daemon.n_places; i++)
        listen_close(&daemon.places[i]);
    transport_close(daemon.transport);
    jobs_unsubscribe(daemon.subscription);
    jobs_close(daemon.jobs);
    loop_free(daemon.loop);
    if (st == CUZK_OK)
        log_info("ended", NULL);
    return st;
}
