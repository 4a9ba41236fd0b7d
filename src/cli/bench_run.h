/* One proof or many of the same request, asked of a daemon at once, and what they took. */
#ifndef CLI_BENCH_RUN_H
#define CLI_BENCH_RUN_H

#include "base/mem.h"
#include "daemon/proving_client.h"

struct bench {
    struct proving_place place;
    struct job_request request; /* request_id is the beginning of all ids */
    const struct proving_file *files;
    size_t n_files;
    unsigned count, concurrency;
    bool quiet; /* no line a proof */
};

struct bench_result {
    unsigned done, failed;
    double seconds;             /* of the whole */
    double *wall;               /* of each proof that was done, ascending; seconds */
    double prove_median;        /* as the daemon says, without the queue; seconds */
    double peak_bytes;          /* memory of the daemon's processes, the highest sample */
    struct grow samples, spans; /* bench_plot.h */
    struct proving_answer last;
};

/* CUZK_OK also when proofs fail: result->failed counts them and each is told on stderr. */
MUST_CHECK enum cuzk_status bench_run(const struct bench *bench, struct bench_result *result,
                                      struct cuzk_error *err);
void bench_result_done(struct bench_result *result); /* accepts a zeroed one */

/* Of ascending values: the smallest that at least this part of them does not exceed. */
double bench_quantile(const double *values, unsigned n, double part);

#endif
