/* grpc.health.v1.Health: SERVING from the start until the daemon drains. */
#ifndef DAEMON_SERVICE_HEALTH_H
#define DAEMON_SERVICE_HEALTH_H

#include "daemon/rpc.h"

struct service_health;

/* Adds itself to rpc, which is borrowed. */
MUST_CHECK enum cuzk_status service_health_new(struct service_health **ret, struct rpc *rpc,
                                               struct cuzk_error *err);
/* After the rpc server's end. Accepts NULL. */
void service_health_free(struct service_health *service);

/* Whoever watches is told. */
void service_health_set(struct service_health *service, bool serving);

#endif
