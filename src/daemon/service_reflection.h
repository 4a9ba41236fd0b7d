/* grpc.reflection.v1 and v1alpha: lists the services and hands out the descriptors that protoc
 * wrote of them, so that tools such as grpcurl need no .proto file. */
#ifndef DAEMON_SERVICE_REFLECTION_H
#define DAEMON_SERVICE_REFLECTION_H

#include "daemon/rpc.h"

struct service_reflection;

/* Adds itself to rpc, which is borrowed. */
MUST_CHECK enum cuzk_status service_reflection_new(struct service_reflection **ret, struct rpc *rpc,
                                                   struct cuzk_error *err);
/* After the rpc server's end. Accepts NULL. */
void service_reflection_free(struct service_reflection *service);

#endif
