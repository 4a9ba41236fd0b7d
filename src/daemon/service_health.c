#include "daemon/service_health.h"

#include <health.pb.h>
#include <string.h>

#include "daemon/proving_message.h"

struct watcher {
    struct rpc_call *call;
    bool knows_service;
    struct watcher *next, **link;
};

struct service_health {
    struct rpc *rpc;
    struct rpc_service service;
    bool serving;
    struct watcher *watchers;
};

/* "" is the server as a whole. */
static bool knows(const struct service_health *service, const char *name)
{
    for (const struct rpc_service *s = rpc_services(service->rpc); s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return true;
    return !*name;
}

static grpc_health_v1_HealthCheckResponse_ServingStatus status(const struct service_health *service)
{
    return service->serving ? grpc_health_v1_HealthCheckResponse_ServingStatus_SERVING
                            : grpc_health_v1_HealthCheckResponse_ServingStatus_NOT_SERVING;
}

static bool send_status(struct rpc_call *call,
                        grpc_health_v1_HealthCheckResponse_ServingStatus status)
{
    grpc_health_v1_HealthCheckResponse m = {.status = status};
    size_t n;
    uint8_t *bytes = message_encode(grpc_health_v1_HealthCheckResponse_fields, &m, &n);
    bool sent = bytes && rpc_send(call, bytes, n);

    mem_free(bytes);
    return sent;
}

static bool read_request(struct rpc_call *call, grpc_health_v1_HealthCheckRequest *m,
                         const struct rpc_request *request)
{
    if (message_decode(m, grpc_health_v1_HealthCheckRequest_fields, request->message, request->n))
        return true;
    rpc_finish(call, GRPC_INVALID_ARGUMENT, "the request is not of its form");
    return false;
}

static void check(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_health *service = ctx;
    grpc_health_v1_HealthCheckRequest m;

    if (!read_request(call, &m, request))
        return;
    if (!knows(service, m.service))
        rpc_finish(call, GRPC_NOT_FOUND, "there is no such service");
    else if (send_status(call, status(service)))
        rpc_finish(call, GRPC_OK, NULL);
    else
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for the answer");
}

static void watcher_leaves(void *ctx)
{
    struct watcher *w = ctx;

    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    mem_free(w);
}

static void watch(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_health *service = ctx;
    grpc_health_v1_HealthCheckRequest m;
    struct watcher *w;

    if (!read_request(call, &m, request))
        return;
    w = mem_new(sizeof *w);
    if (!w) {
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for another question");
        return;
    }
    *w = (struct watcher){.call = call, .knows_service = knows(service, m.service)};
    w->next = service->watchers;
    w->link = &service->watchers;
    if (w->next)
        w->next->link = &w->next;
    service->watchers = w;
    rpc_on_gone(call, watcher_leaves, w);
    /* Without memory for it the watcher hears of the next change. */
    (void)send_status(call, w->knows_service
                                ? status(service)
                                : grpc_health_v1_HealthCheckResponse_ServingStatus_SERVICE_UNKNOWN);
}

void service_health_set(struct service_health *service, bool serving)
{
    if (service->serving == serving)
        return;
    service->serving = serving;
    for (const struct watcher *w = service->watchers; w; w = w->next)
        if (w->knows_service)
            (void)send_status(w->call, status(service));
}

static const struct rpc_method methods[] = {
    {"/grpc.health.v1.Health/Check", RPC_SMALL, check, NULL},
    {"/grpc.health.v1.Health/Watch", RPC_SMALL, watch, NULL},
};

enum cuzk_status service_health_new(struct service_health **ret, struct rpc *rpc,
                                    struct cuzk_error *err)
{
    struct service_health *service = mem_new(sizeof *service);

    if (!service)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the health service");
    service->rpc = rpc;
    service->serving = true;
    service->service = (struct rpc_service){
        .name = "grpc.health.v1.Health",
        .methods = methods,
        .n_methods = sizeof methods / sizeof methods[0],
        .ctx = service,
    };
    rpc_serve(rpc, &service->service);
    *ret = service;
    return CUZK_OK;
}

void service_health_free(struct service_health *service)
{
    mem_free(service);
}
