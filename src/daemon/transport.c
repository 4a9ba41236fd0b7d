#include "daemon/transport.h"

#include <systemd/sd-daemon.h>

#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/service_health.h"
#include "daemon/service_proving.h"
#include "daemon/service_reflection.h"
#include "daemon/tls.h"

enum { LISTENERS_MAX = CONFIG_LIST_MAX };
#define DRAIN_PATIENCE (2 * LOOP_SECOND)
#define DRAIN_LOOK (20 * LOOP_MILLISECOND)

struct transport {
    struct loop *loop;
    const struct config *config;
    struct jobs *jobs;
    struct budget budget;
    struct rpc *rpc;
    struct tls *tls;
    size_t n_listeners;
    struct listener *listeners[LISTENERS_MAX];
    struct service_proving *proving;
    struct service_health *health;
    struct service_reflection *reflection;
    struct subscription *subscription;

    struct loop_timer drain_timer;
    uint64_t drain_end;
    void (*drained)(void *ctx);
    void *drained_ctx;
};

/* ---- what rpc asks --------------------------------------------------------------------------- */

static enum cuzk_status open_spool(void *ctx, int *ret_fd, struct cuzk_error *err)
{
    struct transport *t = ctx;

    return jobs_spool_open(t->jobs, ret_fd, err);
}

/* What a stream may send without leave is what jobs_may_spool never refuses. */
_Static_assert((int)RPC_FIRST_MAX == (int)JOBS_SMALL_BODY, "one rule for gRPC and HTTP");

static bool room(void *ctx, uint64_t bytes, const char **why)
{
    struct transport *t = ctx;

    return jobs_may_spool(t->jobs, bytes, why);
}

static void tell(void *ctx, bool warning, const char *line)
{
    (void)ctx;
    log_line(warning ? LOG_LEVEL_WARN : LOG_LEVEL_DEBUG, "grpc", "detail", line, NULL);
}

static void room_may_have_changed(void *ctx, const struct event *event)
{
    struct transport *t = ctx;

    if (event->kind == EVENT_ADMISSION)
        rpc_room_changed(t->rpc);
}

static void connections_may_come(void *ctx)
{
    struct transport *t = ctx;

    for (size_t i = 0; i < t->n_listeners; i++)
        listener_go_on(t->listeners[i]);
}

/* ---- opening --------------------------------------------------------------------------------- */

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static enum cuzk_status read_certificates(const struct transport *t, struct tls **ret,
                                          struct cuzk_error *err)
{
    const struct config_daemon *c = &t->config->daemon;

    return tls_new_server(ret, c->tls_cert, c->tls_key, or_null(c->tls_client_ca), err);
}

static struct listener_options listener_options(const struct transport *t)
{
    return (struct listener_options){
        .socket_mode = t->config->daemon.socket_mode,
        .socket_group = or_null(t->config->daemon.socket_group),
        .tls = t->tls,
    };
}

static enum cuzk_status listen_all(struct transport *t, struct cuzk_error *err)
{
    const struct config_list *list = &t->config->daemon.listen;
    const struct listener_options options = listener_options(t);

    for (size_t i = 0; i < list->n; i++) {
        struct address address;

        TRY(address_parse(&address, list->item[i], err));
        TRY(listener_open(&t->listeners[t->n_listeners], t->loop, t->rpc, &address, &options, err));
        t->n_listeners++;
        log_info("gRPC listens", "address", list->item[i], "tls",
                 t->tls && !address.is_unix ? "yes" : "no", NULL);
    }
    return CUZK_OK;
}

static enum cuzk_status adopt_all(struct transport *t, int n, struct cuzk_error *err)
{
    const struct listener_options options = listener_options(t);

    for (int i = 0; i < n; i++) {
        if (t->n_listeners == LISTENERS_MAX)
            return error_set(err, CUZK_USAGE, "systemd gave %d sockets, expected at most %d", n,
                             LISTENERS_MAX);
        TRY(listener_adopt(&t->listeners[t->n_listeners], t->loop, t->rpc, SD_LISTEN_FDS_START + i,
                           &options, err));
        t->n_listeners++;
        log_info("gRPC listens", "address", "socket of systemd", NULL);
    }
    return CUZK_OK;
}

static enum cuzk_status open_all(struct transport *t, struct cuzk_error *err)
{
    const struct config_daemon *c = &t->config->daemon;
    const struct rpc_options options = {
        .max_message = c->max_message,
        .max_connections = (unsigned)c->max_connections,
        .max_streams = (unsigned)c->max_streams,
        .budget = &t->budget,
        .open_spool = open_spool,
        .room = room,
        .spool_ctx = t,
        .log = tell,
    };
    int n_given;

    TRY(rpc_new(&t->rpc, t->loop, &options, err));
    TRY(service_proving_new(&t->proving, t->rpc, t->jobs, err));
    TRY(service_health_new(&t->health, t->rpc, err));
    TRY(service_reflection_new(&t->reflection, t->rpc, err));
    t->subscription = jobs_subscribe(t->jobs, room_may_have_changed, t);
    if (!t->subscription)
        return error_set(err, CUZK_NO_MEMORY, "no memory for gRPC");
    if (*c->tls_cert)
        TRY(read_certificates(t, &t->tls, err));
    rpc_on_may_accept(t->rpc, connections_may_come, t);
    n_given = sd_listen_fds(1);
    return n_given > 0 ? adopt_all(t, n_given, err) : listen_all(t, err);
}

enum cuzk_status transport_open(struct transport **ret, struct loop *loop,
                                const struct config *config, struct jobs *jobs,
                                struct cuzk_error *err)
{
    struct transport *t = mem_new(sizeof *t);
    enum cuzk_status st;

    if (!t)
        return error_set(err, CUZK_NO_MEMORY, "no memory for gRPC");
    t->loop = loop;
    t->config = config;
    t->jobs = jobs;
    budget_init(&t->budget, 0);
    st = open_all(t, err);
    if (st == CUZK_OK)
        *ret = t;
    else
        transport_close(t);
    return st;
}

enum cuzk_status transport_reload(struct transport *t, struct cuzk_error *err)
{
    struct tls *fresh;

    if (!t->tls)
        return CUZK_OK;
    TRY(read_certificates(t, &fresh, err));
    for (size_t i = 0; i < t->n_listeners; i++)
        listener_set_tls(t->listeners[i], fresh);
    tls_free(t->tls);
    t->tls = fresh;
    return CUZK_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

const struct rpc *transport_rpc(const struct transport *t)
{
    return t->rpc;
}

static void close_listeners(struct transport *t)
{
    while (t->n_listeners > 0)
        listener_close(t->listeners[--t->n_listeners]);
}

void transport_set_serving(struct transport *t, bool serving)
{
    service_health_set(t->health, serving);
}

static void look_whether_drained(void *ctx)
{
    struct transport *t = ctx;
    struct rpc_stats stats;

    rpc_stats(t->rpc, &stats);
    if (stats.n_connections > 0 && loop_now() < t->drain_end)
        loop_timer_set(t->loop, &t->drain_timer, loop_now() + DRAIN_LOOK);
    else
        t->drained(t->drained_ctx);
}

void transport_drain(struct transport *t, void (*fn)(void *ctx), void *ctx)
{
    t->drained = fn;
    t->drained_ctx = ctx;
    t->drain_end = loop_now() + DRAIN_PATIENCE;
    t->drain_timer = (struct loop_timer){.f = look_whether_drained, .ctx = t};
    close_listeners(t);
    service_health_set(t->health, false);
    rpc_drain(t->rpc);
    rpc_end_calls(t->rpc, "the daemon ends; an accepted job goes on when it starts again");
    loop_timer_set(t->loop, &t->drain_timer, loop_now() + DRAIN_LOOK);
}

void transport_close(struct transport *t)
{
    if (!t)
        return;
    loop_timer_cancel(&t->drain_timer);
    close_listeners(t);
    jobs_unsubscribe(t->subscription);
    rpc_free(t->rpc);
    service_proving_free(t->proving);
    service_health_free(t->health);
    service_reflection_free(t->reflection);
    tls_free(t->tls);
    mem_free(t);
}
