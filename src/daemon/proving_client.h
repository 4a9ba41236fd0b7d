/* The calls that our own tools make of a daemon, in C's terms (proto/proving.proto says what they
 * mean). A daemon's refusal becomes a status and its sentence. */
#ifndef DAEMON_PROVING_CLIENT_H
#define DAEMON_PROVING_CLIENT_H

#include <stdbool.h>

#include "base/text.h"
#include "daemon/client.h"
#include "engine/job.h"

/* Where a daemon is, and how to speak with it. TLS is spoken with https:// or one of the files. */
#define PROVING_ADDRESS "unix:///run/curio/cuzk.sock"
struct proving_place {
    const char *address;           /* unix://PATH, HOST:PORT, http:// or https://HOST:PORT; NULL:
                                      PROVING_ADDRESS */
    const char *ca;                /* NULL: the system's authorities */
    const char *certificate, *key; /* that we show; NULL: none */
};
/* Close with client_close. */
MUST_CHECK enum cuzk_status proving_open(struct client **ret, const struct proving_place *place,
                                         struct cuzk_error *err);

/* A job as ListJobs tells it; texts are cut to fit. */
struct proving_job {
    char id[JOB_ID_MAX + 1], request_id[JOB_REQUEST_ID_MAX + 1], circuit[64], why[256], worker[32],
        stage[96], error[512];
    enum job_priority priority;
    enum job_state state;
    bool cancelling;
    uint32_t queue_position, partitions, done, attempts;
    double submitted, started, finished; /* seconds since 1970; 0: not yet */
    double deadline;                     /* 0: none was said */
    uint64_t reserved_bytes;
};
typedef void proving_job_fn(void *ctx, const struct proving_job *job);
MUST_CHECK enum cuzk_status proving_list(struct client *client, proving_job_fn *fn, void *ctx,
                                         struct cuzk_error *err);

MUST_CHECK enum cuzk_status proving_cancel(struct client *client, const char *id,
                                           bool *ret_was_running, struct cuzk_error *err);

/* Forgets that the job's payload killed workers. */
MUST_CHECK enum cuzk_status proving_clear(struct client *client, const char *id,
                                          struct cuzk_error *err);

/* Texts that the daemon makes: `ret` is ended; free it with text_free. */
MUST_CHECK enum cuzk_status proving_status(struct client *client, struct text *ret,
                                           struct cuzk_error *err); /* JSON */
MUST_CHECK enum cuzk_status proving_metrics(struct client *client, struct text *ret,
                                            struct cuzk_error *err); /* Prometheus */
MUST_CHECK enum cuzk_status proving_trace(struct client *client, const char *id, struct text *ret,
                                          struct cuzk_error *err); /* Chrome trace JSON */

MUST_CHECK enum cuzk_status proving_preload(struct client *client, const char *circuit,
                                            bool *ret_was_loaded, uint64_t *ret_ms,
                                            struct cuzk_error *err);

/* ---- Prove: submits and waits ---- */

struct proving_file {
    int fd; /* read from its beginning */
    uint64_t bytes;
};

struct proving_answer {
    char job_id[JOB_ID_MAX + 1];
    enum job_state state; /* JOB_DONE, JOB_FAILED, JOB_CANCELLED */
    char error[512];
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
    size_t proof_bytes;
    uint8_t proof[16 * 192];
};
/* request->ranges are not looked at: the vanilla proofs are `files`. */
MUST_CHECK enum cuzk_status proving_prove(struct client *client, const struct job_request *request,
                                          const struct proving_file *files, size_t n_files,
                                          struct proving_answer *ret, struct cuzk_error *err);

/* The value of a sample in a text of metrics, such as `cuzk_memory_budget_bytes`, or with its
 * labels as they are written; 0: there is none. */
double proving_metric(const char *metrics, const char *name);

#endif
