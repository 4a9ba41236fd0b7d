/* What the daemon tells of itself in JSON: the original daemon's status, with its names and shape,
 * and behind each part of it what ours knows besides. On the loop's thread. */
#ifndef DAEMON_STATUS_REPORT_H
#define DAEMON_STATUS_REPORT_H

#include "daemon/jobs.h"
#include "engine/report.h"

void status_report(struct report *report, struct jobs *jobs);

/* The members of a job, inside an object that the caller has begun. with_proof: in hexadecimal
 * digits. */
void job_report(struct report *report, const struct job_view *job, bool with_proof);

#endif
