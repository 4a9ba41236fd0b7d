/* What only the stand-in of jobs.h can do. */
#ifndef DAEMON_STAGED_JOBS_H
#define DAEMON_STAGED_JOBS_H

#include <stdbool.h>

struct jobs;
struct loop;

/* quiet: no job but those that are submitted. */
void staged_jobs_new(struct jobs **ret, struct loop *loop, bool quiet);
void staged_jobs_set_busy(struct jobs *jobs, bool busy);

#endif
