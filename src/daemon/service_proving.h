/* cuzk.v1.ProvingEngine over the jobs: the eight methods that Curio and the original's tools know,
 * and WatchJob, ListJobs, GetTrace and ClearJob. A client that goes away, or whose deadline passes,
 * leaves its job running; who asks again with the same request id and payload gets the result. */
#ifndef DAEMON_SERVICE_PROVING_H
#define DAEMON_SERVICE_PROVING_H

#include "daemon/jobs.h"
#include "daemon/rpc.h"

struct service_proving;

/* Adds itself to rpc; both are borrowed. */
MUST_CHECK enum cuzk_status service_proving_new(struct service_proving **ret, struct rpc *rpc,
                                                struct jobs *jobs, struct cuzk_error *err);
/* After the rpc server's end. Accepts NULL. */
void service_proving_free(struct service_proving *service);

#endif
