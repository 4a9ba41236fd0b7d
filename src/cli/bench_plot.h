/* The picture of a benchmark: memory of the daemon over time, and below it when each job was at
 * what. */
#ifndef CLI_BENCH_PLOT_H
#define CLI_BENCH_PLOT_H

#include "base/mem.h"

struct bench_sample {
    double time;                      /* seconds since the benchmark began */
    double metered, reserved, budget; /* bytes */
};

struct bench_span { /* a job at a stage */
    unsigned job;
    char stage[96]; /* "partition 3: sum H" */
    double begin, end;
};

/* samples and spans: of the structs above, in the order of time. An SVG file that stands by itself.
 */
MUST_CHECK enum cuzk_status bench_plot_write(const char *path, const struct grow *samples,
                                             const struct grow *spans, unsigned n_jobs,
                                             double seconds, struct cuzk_error *err);

#endif
