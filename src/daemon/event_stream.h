/* GET /events: what happens to jobs, workers and keys, as server-sent events.
 *
 *     event: job      data: a job's members (status_report.h), when it is accepted or changes
 *     event: worker   data: {"text": ...}
 *     event: key      data: {"text": ...}
 *     event: lost     data: {}    the reader was too slow; ask /status again
 *
 * A comment comes each 15 seconds when nothing else does. Each stream has a buffer of its own with
 * a fixed size: a reader that does not read loses events, never holds anybody up. */
#ifndef DAEMON_EVENT_STREAM_H
#define DAEMON_EVENT_STREAM_H

#include <microhttpd.h>

#include "daemon/jobs.h"
#include "daemon/loop.h"

enum { EVENT_STREAMS_MAX = 32, EVENT_STREAM_BYTES = 64 << 10 };

struct event_streams;

/* On the loop's thread, or before it runs. */
MUST_CHECK enum cuzk_status event_streams_new(struct event_streams **ret, struct loop *loop,
                                              struct jobs *jobs, struct cuzk_error *err);
/* A response for this connection, from its serving thread; NULL: too many streams. */
struct MHD_Response *event_stream_open(struct event_streams *streams,
                                       struct MHD_Connection *connection);
/* Lets every stream come to its end; no new ones. After loop_run has returned. Accepts NULL. */
void event_streams_end(struct event_streams *streams);
/* When the last one is gone (MHD_stop_daemon). Accepts NULL. */
void event_streams_free(struct event_streams *streams);

#endif
