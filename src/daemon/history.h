/* The last hour in samples, for the plots of the dashboard: who opens the page sees what was
 * before. On the loop's thread. */
#ifndef DAEMON_HISTORY_H
#define DAEMON_HISTORY_H

#include "daemon/jobs.h"
#include "daemon/loop.h"
#include "engine/report.h"

enum { HISTORY_SECONDS = 2, HISTORY_SAMPLES = 1800 };

struct history_sample {
    double time; /* seconds since 1970 */
    uint64_t reserved, metered, class_bytes[MEM_N_CLASSES];
    uint32_t waiting, running;
    uint64_t done, failed; /* since the start */
};

struct history {
    struct jobs *jobs;
    struct loop *loop;
    struct loop_timer timer;
    size_t n, next; /* samples held; where the next one goes */
    struct history_sample samples[HISTORY_SAMPLES];
};

void history_start(struct history *history, struct loop *loop, struct jobs *jobs);
void history_stop(struct history *history);

/* Lists of equal length: time_ms, reserved, metered, one a class of memory, waiting, running, done,
 * failed; and budget, the present one. From the first sample after since_ms. */
void history_report(struct report *report, const struct history *history, uint64_t since_ms);

#endif
