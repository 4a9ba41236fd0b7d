/* The daemon's figures in the text format of Prometheus (version 0.0.4). Names are in base units,
 * and no label has a value that a client chooses. */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include <stdio.h>

#include "daemon/jobs.h"

struct rpc;

/* On the loop's thread. rpc: of the gRPC server too; NULL: without. with_original: the original
 * daemon's names too (what GetMetrics answers; promtool finds fault with some of them, so /metrics
 * has none). */
void metrics_write(FILE *out, struct jobs *jobs, const struct rpc *rpc, bool with_original);

#endif
